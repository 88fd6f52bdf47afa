import type { Clock } from '../../src/base/clock.js';
import { moduleKind, type ModuleDefinition } from '../../src/device/module.js';
import { SysfsBackend, type SysfsContext } from '../../src/device/toolkit/sysfs-backend.js';
import { ReadLanes } from './read-lanes.js';
import { checkSensor, sensorProperties, variablesOf } from './sensor-properties.js';
import type { SimulatedSensors } from './simulated-sensors.js';

/** The longest delay before a device that is gone is looked for again: that reads a few directories. */
const RETRY_MS = 10_000;

/** The section of a board file (`docs/hardware/boards.md`): the sensors of a simulated board. */
interface SensorBoard {
  readonly simulated?: { readonly sensors?: readonly string[] | undefined } | undefined;
}

/** State shared by the instances of one gateway. */
export interface SensorContext extends SysfsContext<SensorBoard> {
  /** Limits the reads of all sensors. */
  readonly lanes: ReadLanes;
}

/**
 * The module **Sensor** of one gateway (`docs/hardware/sensors.md`). It uses the chips of the machine, or
 * those of the simulated board; `given` replaces them in tests.
 */
export function sensorModules(
  board: SensorBoard,
  clock: Clock,
  given?: Promise<SimulatedSensors>,
): readonly ModuleDefinition[] {
  const backend = new SysfsBackend({
    root: async () => (await import('./sensor-devices.js')).SYSFS_PATH,
    simulated: async () =>
      new (await import('./simulated-sensors.js')).SimulatedSensors(clock, board.simulated?.sensors ?? []),
    given,
    isSimulated: board.simulated !== undefined,
  });
  const context: SensorContext = { ...backend.context(board), lanes: new ReadLanes(clock) };
  const sensor: ModuleDefinition<typeof sensorProperties> = {
    id: '{7C0C2B7E-5D0F-4B86-9C2A-6E1B2F9D4A53}',
    name: 'Sensor',
    description: 'A sensor or an analogue input that the kernel has a driver for.',
    icon: 'Gauge',
    page: 'hardware/sensors.md',
    kind: moduleKind.device,
    prefix: 'HW',
    properties: sensorProperties,
    variables: variablesOf,
    check: checkSensor,
    maxRetryDelayMs: RETRY_MS,
    functions: () =>
      backend.functions({
        name: 'GW_SimulateSensorGone',
        device: 'Device',
        help: 'Unplugs a sensor of the simulated board, or plugs it in again.',
      }),
    findHardware: async () => (await import('./sensor-discovery.js')).discoverSensors(context),
    open: async (host) => (await import('./sensor-instance.js')).openSensor(host, context),
  };
  return [sensor] as readonly ModuleDefinition[];
}
