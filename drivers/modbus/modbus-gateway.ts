import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { moduleKind, type Host, type ModuleDefinition, type OpenInstance } from '../../src/device/module.js';
import { byteStream } from '../../src/device/byte-stream.js';
import type { BusRegistry, FramingMode } from './bus-registry.js';
import { modbusFlow, type ModbusUnit } from './modbus-unit.js';
import type { UnitSearch } from './search/unit-search.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/**
 * Modes by their numbers in the interface (`ModBus_UIChangeMode`); the modes over UDP and over vendor
 * hardware are not supported.
 */
const modes: Readonly<Record<number, FramingMode>> = { 0: 'TCP', 1: 'RTU', 2: 'RTU', 7: 'ASCII', 8: 'ASCII' };

const properties = Type.Object({
  GatewayMode: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 9 }),
    'Unit',
    '0 is TCP; 1 and 2 are RTU; 7 and 8 are ASCII.',
  ),
  DeviceID: withHelp(
    Type.Integer({ default: 1, minimum: 0, maximum: 255 }),
    'Unit',
    'The address of the unit.',
  ),
  SwapWords: withHelp(
    Type.Boolean({ default: false }),
    'Unit',
    'Numbers of several registers have their low register first.',
  ),
  /**
   * How long a reply may take, in addition to the time on the wire. The caller of a command gets a reply
   * within 10 s.
   */
  TimeoutMs: withAdvancedHelp(
    Type.Integer({ default: 1000, minimum: 20, maximum: 4000 }),
    'Timing',
    'How long a reply may take, in addition to the time on the wire.',
  ),
  Retries: withAdvancedHelp(
    Type.Integer({ default: 2, minimum: 0, maximum: 10 }),
    'Timing',
    'How often a poll is repeated before the unit counts as offline.',
  ),
  PauseMs: withAdvancedHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 1000 }),
    'Timing',
    'The minimum silence on the line before a request.',
  ),
});
type Properties = Static<typeof properties>;

/** The module **ModBus Gateway**: one unit on a serial line or behind a socket. */
export function modbusGateway(
  buses: () => Promise<BusRegistry>,
  search: UnitSearch,
): ModuleDefinition<typeof properties> {
  return {
    id: '{A5F663AB-C400-4FE5-B207-4D67CC030564}',
    name: 'ModBus Gateway',
    description: 'One Modbus unit on a serial line or behind a socket.',
    icon: 'Plug',
    page: 'hardware/modbus.md',
    kind: moduleKind.splitter,
    prefix: 'ModBus',
    properties,
    variables: () => [],
    requires: byteStream,
    provides: modbusFlow,
    check,
    open: (host) => open(host, buses, search),
  };
}

function check({ GatewayMode, DeviceID }: Properties): Text | undefined {
  const mode = modes[GatewayMode];
  if (mode === undefined)
    return coded`GATEWAYMODE_NOT_SUPPORTED_0: GatewayMode ${GatewayMode} is not supported: 0 is TCP, 1 RTU, 2 RTU over TCP, 7 ASCII, 8 ASCII over TCP`;
  if (mode !== 'TCP' && (DeviceID < 1 || DeviceID > 247))
    return coded`DEVICE_ID_INVALID: DeviceID ${DeviceID} is not a unit of a ${mode} line; valid are 1 to 247`;
  return undefined;
}

async function open(
  host: Host<Properties>,
  buses: () => Promise<BusRegistry>,
  search: UnitSearch,
): Promise<OpenInstance> {
  const { GatewayMode, DeviceID, SwapWords, TimeoutMs, Retries, PauseMs } = host.properties;
  const stream = host.parent(byteStream);
  const registry = await buses();
  host.signal.throwIfAborted();
  const { bus, leave } = registry.join(stream, modes[GatewayMode] ?? 'TCP', {
    clock: host.clock,
    observe: (what, bytes) => host.debug(what, bytes),
  });
  const unit = bus.unit(DeviceID);
  const pollOptions = { timeoutMs: TimeoutMs, retries: Retries, pauseMs: PauseMs };
  const report = (reason: Text | undefined) =>
    host.setProblem(
      'NO_ANSWER',
      reason &&
        coded`CHECK_ADDRESS_WIRING_BAUD: ${reason}; check its address, its wiring, the baud rate and the parity`,
    );
  const unsubscribe = unit.onlineChanged.on(report);
  report(unit.offlineReason);
  const provided: ModbusUnit = {
    name: `unit ${DeviceID}`,
    swapWords: SwapWords,
    execute: (request, priority, signal) =>
      bus.execute({
        unit: DeviceID,
        request,
        isPoll: priority === 'poll',
        isProbe: priority === 'probe',
        pollOptions,
        signal,
      }),
    onOffline(listener) {
      if (unit.offlineReason !== undefined) listener(unit.offlineReason);
      return unit.onlineChanged.on(listener);
    },
  };
  const leaveSearch = search.join({ host, unit: provided, stream: stream.name });
  return {
    provided,
    async close() {
      leaveSearch();
      unsubscribe();
      leave();
      await Promise.resolve();
    },
  };
}
