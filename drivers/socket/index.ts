import type { ModuleDefinition } from '../../src/device/module.js';
import { systemClock } from '../../src/base/clock.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { systemResolver } from '../../src/device/toolkit/system-resolver.js';
import { clientSocket } from './client-socket.js';
import { serverSocket } from './server-socket.js';
import { udpSocket } from './udp-socket.js';

/** The socket modules of one gateway. Their implementation is loaded when an instance opens. */
export function socketModules(
  names: NameResolver = systemResolver(systemClock()),
): readonly ModuleDefinition[] {
  return [clientSocket(names), serverSocket(names), udpSocket(names)] as readonly ModuleDefinition[];
}
