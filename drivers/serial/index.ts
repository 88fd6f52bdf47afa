import type { ModuleDefinition } from '../../src/device/module.js';
import { KernelPorts } from './kernel-ports.js';
import type { SerialPorts } from './port.js';
import { serialDevice } from './serial-device.js';
import { serialPort } from './serial-port.js';

/** The serial modules of one gateway, using the ports of this machine by default. */
export function serialModules(ports: SerialPorts = new KernelPorts()): readonly ModuleDefinition[] {
  return [serialPort(ports), serialDevice] as readonly ModuleDefinition[];
}
