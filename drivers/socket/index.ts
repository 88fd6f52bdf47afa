import type { ModuleDefinition } from '../../src/device/module.js';
import { clientSocket } from './client-socket.js';

/** The modules of this driver. What works with sockets is loaded when an instance is opened. */
export function socketModules(): readonly ModuleDefinition[] {
  return [clientSocket] as readonly ModuleDefinition[];
}
