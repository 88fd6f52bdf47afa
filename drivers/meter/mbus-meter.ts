import { moduleKind, type Host, type ModuleDefinition } from '../../src/device/module.js';
import { byteStream } from '../../src/device/byte-stream.js';
import type { MbusBuses } from './mbus/bus.js';
import { checkMbusMeter, mbusProperties, type MbusProperties } from './mbus-properties.js';
import { variablesOf } from '../../src/device/toolkit/meter-variables.js';

/** Requests that may be missing before values are stale. */
const MISSED_REQUESTS = 3;

/** The module **M-Bus Meter**: a meter on a wired M-Bus. */
export function mbusMeter(): ModuleDefinition<typeof mbusProperties> {
  let loading: Promise<MbusBuses> | undefined;
  const buses = () => (loading ??= import('./mbus/bus.js').then((loaded) => new loaded.MbusBuses()));
  return {
    id: '{C3A9E5D7-61B2-4F84-9D0E-8B27F41A6C35}',
    name: 'M-Bus Meter',
    description: 'A heat, water, gas or electricity meter on a wired M-Bus.',
    icon: 'Gauge',
    page: 'hardware/meters.md',
    kind: moduleKind.device,
    prefix: 'HW',
    properties: mbusProperties,
    requires: byteStream,
    variables: ({ Values, StaleAfterS, EveryS }) =>
      variablesOf(Values, Math.max(StaleAfterS, MISSED_REQUESTS * EveryS)),
    check: checkMbusMeter,
    open: (host) => open(host, buses),
  };
}

async function open(host: Host<MbusProperties>, buses: () => Promise<MbusBuses>) {
  // Before the first await: afterwards the stream may be closed.
  const stream = host.parent(byteStream);
  const { MbusInstance } = await import('./mbus/mbus-instance.js');
  const shared = await buses();
  host.signal.throwIfAborted();
  return new MbusInstance(host, { stream, buses: shared });
}
