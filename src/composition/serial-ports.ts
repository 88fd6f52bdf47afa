import { KernelPorts } from '../../drivers/serial/kernel-ports.js';
import type { SerialPorts } from '../../drivers/serial/port.js';
import type { Clock } from '../base/clock.js';
import type { Board } from '../config/board.js';

/** The serial ports of the machine, and those of the simulated board with the devices of their drivers. */
export async function serialPorts(
  { simulated }: Pick<Board, 'simulated'>,
  clock: Clock,
): Promise<SerialPorts> {
  const kernel = new KernelPorts();
  const ports = Object.entries(simulated?.serial ?? {});
  if (ports.length === 0) return kernel;
  const [{ BoardPorts }, { simulatedSmlMeter, simulatedHeatMeter }, { simulatedInverter }] =
    await Promise.all([
      import('../../drivers/serial/board-ports.js'),
      import('../../drivers/meter/simulation/simulated-meters.js'),
      import('../../drivers/modbus/simulated-inverter.js'),
    ]);
  const devices = {
    'sml-meter': simulatedSmlMeter,
    'heat-meter': simulatedHeatMeter,
    inverter: simulatedInverter,
  };
  return new BoardPorts(kernel, new Map(ports.map(([path, kind]) => [path, devices[kind]])), clock);
}
