import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../tools/until.js';
import type { Effort, Report } from '../statistics.js';
import { call, callAll, LOGIN, served, type Server } from '../gateway.js';
import { RELEASED_MS, cpuMs, idle, pinned, residentMiB, type Cores } from '../machine.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

/** The lines of a large cabinet. */
const INPUTS = 200;
const OUTPUTS = 100;
/** Changes of each input, and commands for each output, per second. */
const CHANGES_PER_S = 10;
const MODULES = ['GPIO Input', 'Button', 'Counter', 'Frequency'];

const line = (kind: string, n: number) => `${kind}${n}`;
const inputs = Array.from({ length: INPUTS }, (_, n) => line('IN', n));
const outputs = Array.from({ length: OUTPUTS }, (_, n) => line('OUT', n));
const tree = [
  ...inputs.map((Line, n) => ({
    instance: Line,
    ident: Line,
    module: MODULES[n % MODULES.length],
    properties: { Line },
  })),
  ...outputs.map((Line, n) => ({
    instance: Line,
    ident: Line,
    module: n % 2 === 0 ? 'GPIO Output' : 'Relay',
    properties: { Line },
  })),
];

/** A cabinet with many lines: memory, and processor time while all are in use. */
export async function largeBoardFigures(
  { rounds }: Effort,
  cores: Cores,
  directory: string,
): Promise<Report> {
  await using full = await start(join(directory, 'cabinet'), tree, cores);
  await using bare = await start(join(directory, 'shelf'), [], cores);
  const instances = await idsOf(
    full.port,
    tree.map(({ ident }) => [ident, 0]),
  );
  const links = await idsOf(
    full.port,
    instances.map((id) => ['LINK', id]),
  );
  const outputIds = instances.slice(INPUTS);
  const areOnline = async () => {
    const values = (await call(full.port, 'GW_GetValues', links)) as { Value: unknown }[];
    return values.every(({ Value }) => Value === 'online');
  };
  await until('all lines', areOnline, 120_000);
  await sleep(RELEASED_MS);
  await idle(full.pid);
  await idle(bare.pid);
  const mib = [residentMiB(full.pid), residentMiB(bare.pid)] as const;
  const seconds = Math.max(2, Math.round(rounds / 2));
  await callAll(
    full.port,
    inputs.map((one) => ['GW_SimulateFlood', one, CHANGES_PER_S, (seconds + 2) * 1000]),
  );
  const cpuBefore = cpuMs(full.pid);
  const startMs = performance.now();
  for (let second = 0; second < seconds; second++) {
    await callAll(
      full.port,
      outputIds.map((id) => ['HW_WriteValueBoolean', id, 'STATE', second % 2 === 0]),
    );
    await sleep(startMs + (second + 1) * 1000 - performance.now());
  }
  const usedMs = cpuMs(full.pid) - cpuBefore;
  const tookMs = performance.now() - startMs;
  return {
    figures: [
      {
        name: `resident set with ${INPUTS} inputs and ${OUTPUTS} outputs`,
        value: mib[0],
        unit: 'MiB',
        goal: { is: 'below', value: 150 },
        ours: `${mib[0].toFixed(1)} MiB`,
        baseline: `${mib[1].toFixed(1)} MiB, the same without them`,
      },
      {
        name: `processor time while ${INPUTS} inputs change ${CHANGES_PER_S} times per second, and ${OUTPUTS} outputs once`,
        value: (usedMs / tookMs) * 100,
        unit: '%',
        goal: { is: 'below', value: 25 },
        ours: `${usedMs} ms in ${(tookMs / 1000).toFixed(1)} s`,
        baseline: '',
        note: 'of one core, with the simulation that makes the changes',
      },
    ],
    wrong: [],
  };
}

/** A gateway on a board with all these lines. */
async function start(directory: string, instances: readonly object[], cores: Cores): Promise<Server> {
  const boards = join(directory, 'boards');
  mkdirSync(boards, { recursive: true });
  const lines = Object.fromEntries([...inputs, ...outputs].map((name, offset) => [name, offset]));
  const none = { compatible: [], serial: [], leds: [] };
  const board = {
    title: 'A cabinet',
    ...none,
    gpio: [{ chip: 'simulated', lines }],
    simulated: { wires: [] },
  };
  writeFileSync(join(boards, 'cabinet.yaml'), JSON.stringify(board));
  const file = join(directory, 'gateway.yaml');
  const api = { host: '127.0.0.1', port: 0 };
  const config = { remoteAccess: LOGIN, api, board: 'cabinet', tree: instances };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const program = join(PACKAGE_ROOT, 'dist/test/bench/large-board-gateway.js');
  const args = [program, file, join(directory, 'data'), boards];
  return served(pinned(cores.server, [process.execPath, ...args]));
}

/** The ids of objects, by their idents and parents, in one batch: a client may open 256 connections. */
async function idsOf(port: number, paths: readonly (readonly [string, number])[]): Promise<number[]> {
  const calls = paths.map(([ident, parent]) => ['SVC_GetObjectIDByIdent', ident, parent] as const);
  return (await callAll(port, calls)) as number[];
}
