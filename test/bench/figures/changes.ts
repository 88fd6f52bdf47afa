import { join } from 'node:path';
import {
  costOf,
  interleaved,
  lagFigure,
  median,
  ratioOf,
  type Effort,
  type Figure,
  type Report,
  type Round,
} from '../statistics.js';
import { callAll, startGateway, startBaseline, type Server } from '../gateway.js';
import { Callers, shot, type Shot } from '../load.js';
import { cpuMs, roundEnd, type Cores } from '../machine.js';
import { Watchers } from '../watchers.js';

const CLIENTS = 50;
/**
 * Changes per request, and concurrent requests: the next ones follow when the slowest client has received
 * all.
 */
const BATCH = 100;
const AHEAD = 4;
const FAN_OUTS = [1, 50, 500];
/**
 * Clients that each set one value at a time: their changes arrive separately, several per iteration of the
 * event loop.
 */
const SETTERS = 32;

/** Values that are set are sent to all WebSocket clients: throughput and latency. */
export async function changeFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  await using gateway = await startGateway({ directory: join(directory, 'changes'), core: cores.server });
  await using bare = await startBaseline(cores.server, 'fan-out');
  const created = await callAll(
    gateway.port,
    Array.from({ length: BATCH }, () => ['SVC_CreateVariable', 1] as const),
  );
  const ids = created.map(Number);
  const wrong: string[] = [];
  const sides = [gateway, bare] as const;
  const throughput = await throughputOf(effort, sides, { ids, wrong });
  const figures: Figure[] = [
    ratioOf(`changes to ${CLIENTS} clients, to a bare ws loop`, throughput, { is: 'at least', value: 4.5 }),
  ];
  await using perTurn = await startBaseline(cores.server, 'fan-out-per-turn');
  const single = await singleChanges(effort, [gateway, perTurn], { ids, wrong });
  figures.push(
    costOf(
      `single changes to ${CLIENTS} clients, to one bare socket write per client and iteration`,
      single,
      1.4,
    ),
  );
  for (const clients of FAN_OUTS) figures.push(await lagOf(effort, sides, { ids, wrong, clients }));
  return { figures, wrong };
}

interface Watch {
  readonly ids: readonly number[];
  readonly wrong: string[];
}

async function throughputOf(
  { rounds, seconds }: Effort,
  sides: readonly [Server, Server],
  { ids, wrong }: Watch,
): Promise<[Round[], Round[]]> {
  const batch = shot(
    ids.map((id, at) => request(id, at)),
    ids.map(() => ({ jsonrpc: '2.0', id: 1, result: true })),
  );
  using audiences = await Audiences.open(sides, CLIENTS, AHEAD);
  const side = async (at: 0 | 1) => {
    const { server, watchers, callers } = audiences.of(at);
    const before = watchers.fewest;
    const cpuBefore = cpuMs(server.pid);
    const startMs = performance.now();
    const isOver = roundEnd(server.pid, seconds);
    let sent = 0;
    for (; !isOver(); sent += BATCH * AHEAD) {
      const { wrong: replies } = await callers.run([batch], 0);
      if (replies > 0) wrong.push('changes had wrong replies');
      await watchers.have(before + sent + BATCH * AHEAD);
    }
    const tookMs = performance.now() - startMs;
    if (watchers.gaps > 0) wrong.push(`${watchers.gaps} gaps in the changes of ${CLIENTS} clients`);
    return { cpuUs: ((cpuMs(server.pid) - cpuBefore) * 1000) / sent, perSecond: (sent * 1000) / tookMs };
  };
  return await interleaved(rounds, [() => side(0), () => side(1)]);
}

/** Changes that are set separately, by several concurrent callers. */
async function singleChanges(
  { rounds, seconds }: Effort,
  sides: readonly [Server, Server],
  { ids, wrong }: Watch,
): Promise<[Round[], Round[]]> {
  using audiences = await Audiences.open(sides, CLIENTS, SETTERS);
  let value = 0;
  const side = async (at: 0 | 1): Promise<Round> => {
    const { server, watchers, callers } = audiences.of(at);
    value = (value % 9) + 1;
    const shots = ids.map((id) => shot(request(id, value), { jsonrpc: '2.0', id: 1, result: true }));
    const before = watchers.fewest;
    const cpuBefore = cpuMs(server.pid);
    const startMs = performance.now();
    const { latenciesMs, wrong: answers } = await callers.run(shots, seconds);
    const { length: sent } = latenciesMs;
    await watchers.have(before + sent);
    const tookMs = performance.now() - startMs;
    if (answers > 0) wrong.push('single changes had wrong replies');
    if (watchers.gaps > 0) wrong.push(`${watchers.gaps} gaps in single changes`);
    return { cpuUs: ((cpuMs(server.pid) - cpuBefore) * 1000) / sent, perSecond: (sent * 1000) / tookMs };
  };
  return await interleaved(rounds, [() => side(0), () => side(1)]);
}

/** From sending a change until the last client has received it; each is awaited before the next. */
async function lagOf(
  { rounds, seconds }: Effort,
  sides: readonly [Server, Server],
  { ids, wrong, clients }: Watch & { clients: number },
): Promise<Figure> {
  const shots = ids.map((id) => shot(request(id, 7), { jsonrpc: '2.0', id: 1, result: true }));
  using audiences = await Audiences.open(sides, clients, 1);
  const side = async (at: 0 | 1) => {
    const { watchers, callers } = audiences.of(at);
    const lags: number[] = [];
    for (const endMs = performance.now() + seconds * 1000; performance.now() < endMs;) {
      const startMs = performance.now();
      const came = watchers.have(watchers.fewest + 1).then(() => performance.now());
      const { wrong: replies } = await callers.run([shots[lags.length % BATCH] as Shot], 0);
      if (replies > 0) wrong.push('a change had a wrong reply');
      lags.push((await came) - startMs);
    }
    if (watchers.gaps > 0) wrong.push(`gaps in the changes of ${clients} clients`);
    return median(lags);
  };
  const lags = await interleaved(rounds, [() => side(0), () => side(1)]);
  const name = `one change to ${clients} clients: the last one's p50, to a bare ws loop's`;
  return lagFigure(name, lags, { is: 'at most', value: 1 });
}

interface Audience {
  readonly server: Server;
  readonly watchers: Watchers;
  readonly callers: Callers;
}

/** The clients of both sides, opened once: five hundred of them take longer than a round. */
class Audiences implements Disposable {
  readonly #audiences: readonly [Audience, Audience];

  private constructor(audiences: readonly [Audience, Audience]) {
    this.#audiences = audiences;
  }

  static async open(
    [one, other]: readonly [Server, Server],
    clients: number,
    callers: number,
  ): Promise<Audiences> {
    // The callers last: connections that are silent for long after they were opened are closed.
    const watchers = [await Watchers.open(one, clients), await Watchers.open(other, clients)] as const;
    return new Audiences([
      { server: one, watchers: watchers[0], callers: await Callers.open(one, callers) },
      { server: other, watchers: watchers[1], callers: await Callers.open(other, callers) },
    ]);
  }

  of(at: 0 | 1): Audience {
    return this.#audiences[at];
  }

  [Symbol.dispose](): void {
    for (const { watchers, callers } of this.#audiences) {
      watchers[Symbol.dispose]();
      callers[Symbol.dispose]();
    }
  }
}

const request = (id: number, value: number) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'SetValue',
  params: [id, value],
});
