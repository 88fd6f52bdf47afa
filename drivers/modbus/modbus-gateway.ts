import { type Static, Type } from '@sinclair/typebox';
import { moduleKind, type Host, type ModuleDefinition, type OpenInstance } from '../../src/device/module.js';
import { byteStream } from '../../src/device/byte-stream.js';
import type { BusRegistry, FramingMode } from './bus-registry.js';
import { modbusFlow, type ModbusUnit } from './modbus-unit.js';

/** By the modes' numbers in the interface (`ModBus_UIChangeMode`); those over UDP and of another product's port have none. */
const modes: Readonly<Record<number, FramingMode>> = { 0: 'TCP', 1: 'RTU', 2: 'RTU', 7: 'ASCII', 8: 'ASCII' };

const properties = Type.Object({
  GatewayMode: Type.Integer({ default: 0, minimum: 0, maximum: 9 }),
  DeviceID: Type.Integer({ default: 1, minimum: 0, maximum: 255 }),
  /** Of numbers of several registers the low one comes first. */
  SwapWords: Type.Boolean({ default: false }),
  /** How long an answer may take, beyond the time on the wire. A command's caller is told within ten seconds in all. */
  TimeoutMs: Type.Integer({ default: 1000, minimum: 20, maximum: 4000 }),
  /** How often a poll without an answer is repeated before the unit counts as away. */
  Retries: Type.Integer({ default: 2, minimum: 0, maximum: 10 }),
  /** How long the line is silent at least before a request. */
  PauseMs: Type.Integer({ default: 0, minimum: 0, maximum: 1000 }),
});
type Properties = Static<typeof properties>;

/** The module **ModBus Gateway**: one unit on a line or behind a socket, for the addresses connected to it. */
export function modbusGateway(buses: () => Promise<BusRegistry>): ModuleDefinition<typeof properties> {
  return {
    id: '{A5F663AB-C400-4FE5-B207-4D67CC030564}',
    name: 'ModBus Gateway',
    kind: moduleKind.splitter,
    prefix: 'ModBus',
    properties,
    variables: () => [],
    requires: byteStream,
    provides: modbusFlow,
    check,
    open: (host) => open(host, buses),
  };
}

function check({ GatewayMode, DeviceID }: Properties): string | undefined {
  const mode = modes[GatewayMode];
  if (mode === undefined)
    return `GatewayMode ${GatewayMode} is not offered: 0 is TCP, 1 RTU, 2 RTU over TCP, 7 ASCII, 8 ASCII over TCP`;
  if (mode !== 'TCP' && (DeviceID < 1 || DeviceID > 247))
    return `DeviceID ${DeviceID} is no unit of a ${mode} line: they go from 1 to 247`;
  return undefined;
}

async function open(host: Host<Properties>, buses: () => Promise<BusRegistry>): Promise<OpenInstance> {
  const { GatewayMode, DeviceID, SwapWords, TimeoutMs, Retries, PauseMs } = host.properties;
  const stream = host.parent(byteStream);
  const all = await buses();
  host.signal.throwIfAborted();
  const { bus, leave } = all.join(stream, modes[GatewayMode] ?? 'TCP', {
    clock: host.clock,
    watch: (what, bytes) => host.debug(what, bytes),
  });
  const unit = bus.unit(DeviceID);
  const manners = { timeoutMs: TimeoutMs, retries: Retries, pauseMs: PauseMs };
  const tell = (away: string | undefined) =>
    host.setProblem(
      'NO_ANSWER',
      away && `${away}; look at its address, its wiring, the baud rate and the parity`,
    );
  const unwatch = unit.onlineChanged.on(tell);
  tell(unit.offlineReason);
  const offer: ModbusUnit = {
    name: `unit ${DeviceID}`,
    swapWords: SwapWords,
    execute: (request, manner, signal) =>
      bus.execute({ unit: DeviceID, request, isRoutine: manner === 'routine', manners, signal }),
    onOffline(listener) {
      if (unit.offlineReason !== undefined) listener(unit.offlineReason);
      return unit.onlineChanged.on(listener);
    },
  };
  return {
    provided: offer,
    async close() {
      unwatch();
      leave();
      await Promise.resolve();
    },
  };
}
