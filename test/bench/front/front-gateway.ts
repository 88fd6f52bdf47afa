import { setTimeout as sleep } from 'node:timers/promises';
import { reservePort } from '../../tools/reserve-port.js';
import { call, callAll, startGateway, type Server } from '../gateway.js';

/** A gateway with one area, served to fronts and to the console. */
export interface FrontGateway extends AsyncDisposable {
  readonly server: Server;
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** Path of the area's front. */
  readonly front: string;
  /** The category with the variables. */
  readonly room: number;
  readonly variables: readonly number[];
}

const PROFILES = ['~Temperature.Room', '~Humidity', '~Power', ''] as const;

/** Starts a gateway with a room of `count` variables. */
export async function startFrontGateway(
  directory: string,
  count: number,
  core: number | undefined,
): Promise<FrontGateway> {
  const port = await reservePort();
  const children = Array.from({ length: count }, (_, at) => {
    const profile = PROFILES[at % PROFILES.length];
    return {
      variable: `Reading ${at}`,
      ident: `v${at}`,
      type: 'float',
      value: at % 30,
      ...(profile && { profile }),
    };
  });
  const config = {
    webServers: [{ name: 'web', host: '127.0.0.1', port, serve: 'front' }],
    tree: [{ category: 'House', ident: 'house', children: [{ category: 'Room', ident: 'room', children }] }],
    configurators: [{ title: 'Family', ident: 'wf', base: 'house', passwordRequired: false }],
  };
  const server = await startGateway({ directory, config, core });
  const id = async (ident: string, parent: number) =>
    Number(await call(server.port, 'SVC_GetObjectIDByIdent', ident, parent));
  const room = await id('room', await id('house', 0));
  return {
    server,
    origin: `http://127.0.0.1:${port}`,
    front: `/wfc/${await id('wf', 0)}/`,
    room,
    variables: (await call(server.port, 'SVC_GetChildrenIDs', room)) as number[],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Changes that are sent together. */
const BURST = 5;

/** Changes variables in turn, `perSecond`, for the given time. Returns how many. */
export async function change(
  { server, variables }: FrontGateway,
  perSecond: number,
  seconds: number,
): Promise<number> {
  const startMs = performance.now();
  let sent = 0;
  while (performance.now() - startMs < seconds * 1000) {
    const calls = Array.from({ length: BURST }, () => {
      const at = sent++;
      return ['SetValue', variables[(at * 7) % variables.length], (at % 400) / 10] as const;
    });
    await callAll(server.port, calls);
    await sleep(Math.max(0, startMs + (sent / perSecond) * 1000 - performance.now()));
  }
  return sent;
}
