import { moduleKind, type Host, type ModuleDefinition, type OpenInstance } from '../../src/device/module.js';
import { byteStream, type ByteStream } from '../../src/device/byte-stream.js';
import { iecProperties, type IecProperties } from './iec-properties.js';
import { checkMeter } from './meter-properties.js';
import { variablesOf } from '../../src/device/toolkit/meter-variables.js';

/** Readouts that may be missing before values are stale. */
const MISSED_READOUTS = 3;

/** The module **IEC 62056-21 Meter**: a meter with an optical or serial interface for readouts (D0). */
export const iecMeter: ModuleDefinition<typeof iecProperties> = {
  id: '{7D1F4A93-0C6E-4E58-B2A7-51E9C3D08B46}',
  name: 'IEC 62056-21 Meter',
  description: 'A meter that sends its values as text, unprompted or on request (D0).',
  icon: 'Electricity',
  page: 'hardware/meters.md',
  kind: moduleKind.device,
  prefix: 'HW',
  properties: iecProperties,
  requires: byteStream,
  variables: ({ Values, StaleAfterS, Mode, EveryS }) =>
    variablesOf(Values, Mode === 'listen' ? StaleAfterS : Math.max(StaleAfterS, MISSED_READOUTS * EveryS)),
  check: checkMeter,
  // Before the first await: afterwards the stream may be closed.
  open: (host) => open(host, host.parent(byteStream)),
};

async function open(host: Host<IecProperties>, stream: ByteStream): Promise<OpenInstance> {
  if (host.properties.Mode === 'request') {
    const { RequestingMeter } = await import('./iec/requesting-meter.js');
    host.signal.throwIfAborted();
    return new RequestingMeter(host, stream);
  }
  const [{ ListeningMeter }, { TextParser }] = await Promise.all([
    import('./meter-instance.js'),
    import('./text/text-parser.js'),
  ]);
  host.signal.throwIfAborted();
  return new ListeningMeter(host, stream, {
    name: 'IEC 62056-21',
    createParser: (listener) => new TextParser(listener),
    acceptsUnchecked: host.properties.AcceptUnchecked,
  });
}
