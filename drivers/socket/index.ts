import type { ModuleDefinition } from '../../src/device/module.js';
import { clientSocket } from './client-socket.js';
import { serverSocket } from './server-socket.js';
import { udpSocket } from './udp-socket.js';

/** The modules of this driver. What works with sockets is loaded when an instance is opened. */
export function socketModules(): readonly ModuleDefinition[] {
  return [clientSocket, serverSocket, udpSocket] as readonly ModuleDefinition[];
}
