import { coded } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import type { Clock } from '../../src/base/clock.js';
import { Semaphore } from '../../src/device/toolkit/semaphore.js';
import { DeviceClaims } from '../../src/device/toolkit/device-claims.js';
import type { SysfsClass } from '../../src/device/toolkit/sysfs-class.js';
import { SysfsBackend } from '../../src/device/toolkit/sysfs-backend.js';
import {
  type Flow,
  moduleKind,
  type ModuleDefinition,
  referenceKind,
  variableType,
} from '../../src/device/module.js';
import type { OneWireBus } from './bus.js';
import { ADDRESS, variablesOf } from './families.js';
import type { SimulatedOneWire } from './simulated-bus.js';
import { busFunctions, deviceFunctions } from './onewire-functions.js';
import { withHelp } from '../../src/device/toolkit/property-help.js';

/**
 * Limit of concurrent slow reads on all buses: each occupies one of the four threads of libuv's pool, and two
 * of them are left for other work.
 */
const CONCURRENT_SLOW_READS = 2;

/**
 * The 1-Wire section of a board file (`docs/hardware/boards.md`): the devices on the bus of a simulated
 * board.
 */
interface OneWireBoard {
  readonly simulated?: { readonly onewire?: readonly string[] | undefined } | undefined;
}

/** State shared by the instances of one gateway. */
export interface OneWireContext {
  readonly holders: DeviceClaims;
  /** Limits the slow reads of all buses. */
  readonly slowReads: Semaphore;
  /** The buses and devices of the machine or of the simulated board; loaded on first use. */
  attributes(): Promise<SysfsClass>;
}

const busProperties = Type.Object({
  Bus: withHelp(
    Type.String({ default: '', maxLength: 64, refers: referenceKind.bus }),
    'Bus',
    'The name of the bus in the kernel.',
  ),
});
export type BusProperties = Static<typeof busProperties>;

const deviceProperties = Type.Object({
  Address: withHelp(
    Type.String({ default: '', maxLength: 64, refers: referenceKind.onewire }),
    'Device',
    'The address of the device: its family and its serial number.',
  ),
  EveryS: withHelp(
    Type.Integer({ default: 30, minimum: 1, maximum: 86_400 }),
    'Device',
    'The interval between two readings.',
  ),
});
export type DeviceProperties = Static<typeof deviceProperties>;

const busFlow: Flow<OneWireBus> = { id: '{5F4C8BE2-4C46-4E0B-B1F4-0B8F3C8A9D15}' };

/** The modules **1-Wire Bus** and **1-Wire Device** of one gateway (`docs/hardware/onewire.md`). */
export function oneWireModules(
  board: OneWireBoard,
  clock: Clock,
  given?: Promise<SimulatedOneWire>,
): readonly ModuleDefinition[] {
  const backend = new SysfsBackend({
    root: async () => (await import('./w1-files.js')).W1_DEVICES_PATH,
    simulated: async () =>
      new (await import('./simulated-bus.js')).SimulatedOneWire(clock, [board.simulated?.onewire ?? []]),
    given,
    isSimulated: board.simulated !== undefined,
  });
  const context: OneWireContext = {
    holders: new DeviceClaims(),
    slowReads: new Semaphore(CONCURRENT_SLOW_READS),
    attributes: backend.open,
  };
  const bus: ModuleDefinition<typeof busProperties> = {
    id: '{F462BFF3-6772-4720-8450-49E6E2820643}',
    name: '1-Wire Bus',
    description: 'A 1-Wire bus of the machine.',
    icon: 'Plug',
    page: 'hardware/onewire.md',
    kind: moduleKind.io,
    prefix: 'OW',
    properties: busProperties,
    variables: () => [
      { ident: 'DEVICES', name: 'Devices', type: variableType.integer, role: 'diagnostic', position: 1 },
    ],
    provides: busFlow,
    check: ({ Bus: name }) =>
      name === ''
        ? coded`BUS_EMPTY: Bus is empty; set the name of a bus (ls /sys/bus/w1/devices)`
        : undefined,
    functions: (instances) => [
      ...busFunctions(instances, bus),
      ...backend.functions({
        name: 'GW_SimulateOneWireGone',
        device: 'Address',
        help: 'Removes a 1-Wire device of the simulated board from its bus, or puts it back.',
      }),
    ],
    findHardware: async () => (await import('./bus-discovery.js')).discoverOneWire(context),
    open: async (host) => (await import('./bus.js')).openBus(host, context),
  };
  const device: ModuleDefinition<typeof deviceProperties> = {
    id: '{C7A5B0E6-93A1-4D1C-8E0F-5B7D2E6A4F31}',
    name: '1-Wire Device',
    description: 'A device on a 1-Wire bus: a thermometer, a switch, a meter.',
    icon: 'Temperature',
    page: 'hardware/onewire.md',
    kind: moduleKind.device,
    prefix: 'OW',
    properties: deviceProperties,
    requires: busFlow,
    variables: ({ Address, EveryS }) => variablesOf(Address, EveryS),
    check: ({ Address }) =>
      ADDRESS.test(Address)
        ? undefined
        : coded`ONE_WIRE_ADDRESS_FORM: Address must have the form 28-0000075565ad (ls /sys/bus/w1/devices)`,
    functions: (instances) => deviceFunctions(instances, device),
    open: async (host) => {
      // Before the first await: afterwards the bus may be closed.
      const bus = host.parent(busFlow);
      return (await import('./device.js')).openDevice(host, context, bus);
    },
  };
  return [bus, device] as readonly ModuleDefinition[];
}
