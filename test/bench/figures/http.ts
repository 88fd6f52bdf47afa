import { join } from 'node:path';
import {
  QUIETEST,
  costOf,
  median,
  interleaved,
  quantile,
  ratioOf,
  type Effort,
  type Figure,
  type Report,
} from '../statistics.js';
import { callAll, startGateway, startBaseline, type Server } from '../gateway.js';
import { callOnNewConnections, Callers, shot, type Calls, type Shot } from '../load.js';
import type { Cores } from '../machine.js';

/** Typical number of connections of wall panels, scripts and visualisations. */
const CONNECTIONS = 32;
const BATCH = 100;
/** Concurrent calls that each open a connection. */
const CONCURRENT = 8;
/** Rounds of those that do not count: V8 compiles the code of new connections after some thousand calls. */
const WARM_UP_ROUNDS = 4;
/** Number of variables that are read, and of others that are written: the read ones do not change. */
const VARIABLES = 100;

/** Calls over HTTP with credentials: single reads, single writes, batches. */
export async function httpFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  await using gateway = await startGateway({ directory: join(directory, 'http'), core: cores.server });
  const created = await callAll(
    gateway.port,
    Array.from({ length: 2 * VARIABLES }, () => ['SVC_CreateVariable', 2] as const),
  );
  const ids = created.map(Number);
  await callAll(
    gateway.port,
    ids.map((id) => ['SetValue', id, 21.5] as const),
  );
  await using bare = await startBaseline(cores.server, 'http');
  await callAll(
    bare.port,
    ids.map((id) => ['SetValue', id, 21.5] as const),
  );
  await using fastify = await startBaseline(cores.server, 'fastify');

  const [read, written] = [ids.slice(0, VARIABLES), ids.slice(VARIABLES)];
  const gets = read.map((id) => shot(request('GetValue', id), reply(21.5)));
  const sets = written.map((id, at) => shot(request('SetValue', id, at + 0.5), reply(true)));
  const batch = shot(
    read.slice(0, BATCH).map((id) => request('GetValue', id)),
    read.slice(0, BATCH).map(() => reply(21.5)),
  );
  const run = (callers: Callers, shots: readonly Shot[]) => () => callers.run(shots, effort.seconds);
  const open = (server: Server) => () =>
    callOnNewConnections(server, gets, { seconds: effort.seconds, concurrent: CONCURRENT });
  await interleaved(WARM_UP_ROUNDS, [open(gateway), open(bare)]);
  // The gateway closes connections that are silent for ten seconds after they were opened.
  using ours = await Callers.open(gateway, CONNECTIONS);
  using bares = await Callers.open(bare, CONNECTIONS);
  using routed = await Callers.open(fastify, CONNECTIONS);
  const rounds = await interleaved(effort.rounds, [
    run(ours, gets),
    run(bares, gets),
    run(routed, gets),
    run(ours, [batch]),
    run(ours, sets),
    run(bares, sets),
    open(gateway),
    open(bare),
  ]);
  const [reads, bareReads, routedReads, batches, writes, bareWrites, opened, bareOpened] = rounds;
  const atLeast = (value: number) => ({ is: 'at least', value }) as const;
  const wrong = rounds.flat().reduce((sum, round) => sum + round.wrong, 0);
  return {
    figures: [
      ratioOf('GetValue with credentials, to bare node:http', [reads, bareReads], atLeast(0.85)),
      ratioOf('GetValue with credentials, to a fastify route', [reads, routedReads], atLeast(1)),
      ratioOf('SetValue, to bare node:http', [writes, bareWrites], atLeast(0.75)),
      ratioOf('calls in batches of 100, to single ones of bare node:http', [batches, bareReads], atLeast(8)),
      latency([reads, bareReads]),
      costOf('GetValue on a new connection each, to bare node:http', [opened, bareOpened], 1.2),
    ],
    wrong: wrong === 0 ? [] : [`${wrong} replies over HTTP were wrong`],
  };
}

/**
 * The slowest replies relative to the median, in the quietest round: load of other processes shows here
 * first.
 */
function latency([ours, theirs]: readonly [Calls[], Calls[]]): Figure {
  const spread = ({ latenciesMs }: Calls) => quantile(latenciesMs, 0.99) / median(latenciesMs);
  const text = (rounds: readonly Calls[]) => {
    const part = (of: number) => median(rounds.map(({ latenciesMs }) => quantile(latenciesMs, of)));
    return `p50 ${part(0.5).toFixed(2)} ms, p99 ${part(0.99).toFixed(2)} ms`;
  };
  return {
    name: `p99 to p50 at ${CONNECTIONS} connections`,
    value: Math.min(...ours.map(spread)),
    unit: '×',
    goal: { is: 'below', value: 3 },
    ours: text(ours),
    baseline: text(theirs),
    note: QUIETEST,
  };
}

const request = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });
const reply = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result });
