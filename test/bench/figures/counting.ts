import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../tools/until.js';
import { interleaved, median, type Effort, type Report } from '../statistics.js';
import { call, startGateway, startBaseline, type Server } from '../gateway.js';
import type { Cores } from '../machine.js';

/** Edges per second on one line; the buffer covers a stall of a tenth of a second. */
const PER_S = 10_000;
const FLOOD_MS = 1_000;
/** A counter reports five times per second. */
const LAST_TOLD_MS = 300;

/**
 * One line of the simulated board changes 10,000 times per second, and a Counter counts: completeness and
 * cost.
 */
export async function countingFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  const counter = {
    instance: 'Counter',
    ident: 'counter',
    module: 'Counter',
    properties: { Line: 'BUTTON1', Edges: 'both' },
  };
  await using gateway = await startGateway({
    directory: join(directory, 'counting'),
    core: cores.server,
    config: { tree: [counter] },
  });
  await using bare = await startBaseline(cores.server, 'counter');
  const id = await call(gateway.port, 'SVC_GetObjectIDByIdent', 'counter', 0);
  const variable = async (ident: string) =>
    Number(await call(gateway.port, 'SVC_GetObjectIDByIdent', ident, id));
  const [count, lost] = [await variable('COUNT'), await variable('LOST')];
  const wrong: string[] = [];
  const [ours, theirs] = await interleaved(Math.ceil(effort.rounds / 3), [
    () => flooded(gateway, [count, lost], ['GW_SimulateFlood', 'BUTTON1', PER_S, FLOOD_MS]),
    () => flooded(bare, [2], ['SetValue', 1, PER_S]),
  ]);
  const missing = [...ours, ...theirs].reduce((sum, one) => sum + one.missing, 0);
  if (missing !== 0) wrong.push(`${missing} edges are neither counted nor LOST`);
  const dropped = Number(await call(gateway.port, 'GetValue', lost));
  const us = (rounds: readonly Flooded[]) => median(rounds.map(({ cpuUs }) => cpuUs));
  const text = (rounds: readonly Flooded[]) => `${us(rounds).toFixed(2)} µs CPU per edge`;
  return {
    figures: [
      {
        name: '10,000 edges per second on a simulated line, each counted: to a bare count',
        value: us(theirs) / us(ours),
        unit: '×',
        goal: { is: 'at least', value: 0.5 },
        ours: `${text(ours)}, ${dropped} LOST`,
        baseline: text(theirs),
        note: 'both with the simulation, which makes the edges; LOST are edges during stalls of a tenth of a second',
      },
    ],
    wrong,
  };
}

interface Flooded {
  readonly missing: number;
  /** Processor time per edge. */
  readonly cpuUs: number;
}

/** One flood, from its first edge to the last reported one. */
async function flooded(
  { pid, port }: Server,
  counts: readonly number[],
  flood: readonly [string, ...unknown[]],
): Promise<Flooded> {
  const value = async () => {
    const all = await Promise.all(counts.map((one) => call(port, 'GetValue', one)));
    return all.reduce<number>((sum, one) => sum + Number(one), 0);
  };
  const before = await value();
  const cpuBefore = ranUs(pid);
  await call(port, ...flood);
  await sleep(FLOOD_MS + LAST_TOLD_MS);
  const cpuUs = (ranUs(pid) - cpuBefore) / PER_S;
  // On a busy machine the flood may still be running.
  await until('all edges', async () => (await value()) >= before + PER_S).catch(() => undefined);
  return { missing: before + PER_S - (await value()), cpuUs };
}

/**
 * Processor time of a process's threads, µs: with nanosecond resolution, because ticks would be too coarse.
 */
function ranUs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ranNs = threads.map((thread) => {
    try {
      const [ns] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ');
      return Number(ns);
    } catch {
      return 0; // it has just ended
    }
  });
  return ranNs.reduce((sum, ns) => sum + ns, 0) / 1000;
}
