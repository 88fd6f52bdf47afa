import { declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import * as shapes from '../machine-shapes.js';
import type { Ports } from '../ports.js';

/** Open connections of the gateway (interface §9, "connections"). */
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
      help: 'The WebSocket clients, each with the number of queued bytes.',
      run: () =>
        sockets().map(({ remote, bytes }) => ({
          ConnectionType: 'WebSocket',
          Remote: remote,
          QueueBytes: bytes,
        })),
    }),
    count('WebSocket', 'The number of WebSocket clients.', () => sockets().length),
    count(
      'WebServer',
      'The number of open HTTP connections.',
      async () => (await connections()?.webServers()) ?? 0,
    ),
    count(
      'Proxy',
      'The number of clients on a proxy of the vendor; always 0, there is no such proxy.',
      () => 0,
    ),
    declare({
      name: 'GW_GetSessions',
      parameters: [],
      result: 'array',
      shape: shapes.browserSessions,
      help: 'The browsers that are signed in to a front or to the console, most recently used first; ConfiguratorID is 0 for the console, IsOwn marks the session of the caller.',
      run: async ({ session }) => {
        const found = (await connections()?.browserSessions()) ?? [];
        return found.map((one) => ({ ...one, IsOwn: one.ID === session?.id }));
      },
    }),
    declare({
      name: 'GW_CreateFrontTicket',
      parameters: [int('ConfiguratorID')],
      result: 'string',
      audited: true,
      help: 'Creates a ticket with which the console opens a front as its residents see it: valid once, for 60 s, and only for this front. Its page exchanges it at /wfc/ID/session for a session of one hour, which ends with the session of the console. Only a browser that is signed in to the console may call it.',
      run: ({ session }, configurator) =>
        connections()?.createFrontTicket(configurator, session?.id ?? '') ?? '',
    }),
    declare({
      name: 'GW_GetListeners',
      parameters: [],
      result: 'array',
      shape: shapes.listeners,
      help: 'The addresses that the gateway listens on, with their certificates.',
      run: () => connections()?.listeners() ?? [],
    }),
    declare({
      name: 'GW_EndSession',
      parameters: [text('ID')],
      result: 'boolean',
      audited: true,
      help: 'Signs a browser out and closes its WebSockets; false if there is no such session.',
      run: async (_caller, id) => (await connections()?.endBrowserSession(id)) ?? false,
    }),
  ];
}
