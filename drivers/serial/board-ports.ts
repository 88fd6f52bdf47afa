import type { Clock } from '../../src/base/clock.js';
import type { SimulatedDevice } from '../../src/device/simulation/simulated-device.js';
import type { OpenPort, PortListener, PortSettings, SerialPorts } from './port.js';
import { SimulatedPorts } from './simulated-ports.js';

/** The ports of a machine, and those of its simulated board, each with a device at its end. */
export class BoardPorts implements SerialPorts {
  readonly simulatedPaths: readonly string[];
  readonly #kernel: SerialPorts;
  readonly #simulated = new SimulatedPorts();

  constructor(kernel: SerialPorts, devices: ReadonlyMap<string, SimulatedDevice>, clock: Clock) {
    this.#kernel = kernel;
    this.simulatedPaths = [...devices.keys()];
    for (const [path, device] of devices) device(this.#simulated.plug(path), clock);
  }

  get openCount(): number {
    return this.#kernel.openCount + this.#simulated.openCount;
  }

  open(where: string, settings: PortSettings, listener: PortListener): Promise<OpenPort> {
    const ports = this.simulatedPaths.includes(where) ? this.#simulated : this.#kernel;
    return ports.open(where, settings, listener);
  }
}
