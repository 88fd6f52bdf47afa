import { declare, type FunctionDeclaration } from '../../device/declare.js';
import * as shapes from '../machine-shapes.js';
import type { Ports } from '../ports.js';

/** Who is connected to the gateway (interface §9, "connections"). */
export function connectionFunctions({ connections }: Ports): FunctionDeclaration[] {
  const count = (name: string, help: string, run: () => number | Promise<number>) =>
    declare({ name: `SVC_GetActive${name}Connections`, parameters: [], result: 'integer', help, run });
  const sockets = () => connections()?.sockets() ?? [];
  return [
    declare({
      name: 'SVC_GetConnectionList',
      parameters: [],
      result: 'array',
      shape: shapes.connections,
      help: 'The clients on WebSockets, and how many bytes each has yet to take.',
      run: () =>
        sockets().map(({ remote, bytes }) => ({
          ConnectionType: 'WebSocket',
          Remote: remote,
          QueueBytes: bytes,
        })),
    }),
    count('WebSocket', 'How many clients are connected by WebSockets.', () => sockets().length),
    count(
      'WebServer',
      'How many HTTP connections are open.',
      async () => (await connections()?.webServers()) ?? 0,
    ),
    count(
      'Proxy',
      'How many clients come through a proxy of the vendor: none, there is no such proxy.',
      () => 0,
    ),
  ];
}
