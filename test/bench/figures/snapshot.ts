import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import {
  interleaved,
  median,
  ratioOf,
  type Effort,
  type Figure,
  type Report,
  type Round,
} from '../statistics.js';
import { AUTHORIZATION, call, callAll, startGateway, startBaseline, type Server } from '../gateway.js';
import { cpuMs, idle, mainThreadMs, type Cores } from '../machine.js';
import { seed } from '../seed-variables.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const VARIABLES = 10_000;
/** Variables that are set by one batch. */
const BATCH = 1000;
/** Snapshots per round: each takes tens of milliseconds, and processor time is counted in tens. */
const SNAPSHOTS = 5;
/** Snapshots that the first one after a start is compared with. */
const LATER = 3;

/** The complete tree as one reply. */
export async function snapshotFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  const place = join(directory, 'snapshot');
  const ids = await seed(place, VARIABLES);
  const turns = join(PACKAGE_ROOT, 'dist/test/bench/event-loop-turns.js');
  await using gateway = await startGateway({
    directory: place,
    core: cores.server,
    nodeOptions: `--import=${turns}`,
  });
  const { result } = JSON.parse(await fetched(gateway)) as { result: { objects: object } };
  const wrong: string[] = [];
  const found = Object.keys(result.objects).length;
  if (found <= VARIABLES) wrong.push(`a snapshot had ${found} objects, with ${VARIABLES} variables`);
  const file = join(place, 'snapshot.json');
  writeFileSync(file, JSON.stringify(result));
  await using bare = await startBaseline(cores.server, 'snapshot', file);

  const setAll = async (value: number) => {
    for (let at = 0; at < ids.length; at += BATCH) {
      await callAll(
        gateway.port,
        ids.slice(at, at + BATCH).map((id) => ['SetValue', id, value] as const),
      );
    }
  };
  const [changed, asItWas, theirs] = await interleaved(effort.rounds, [
    () => round(gateway, setAll),
    () => round(gateway),
    () => round(bare),
  ]);
  const name = `snapshot of ${VARIABLES.toLocaleString('en-US')} variables`;
  return {
    figures: [
      costOf(`${name}, all changed since the last, to a bare JSON.stringify`, [changed, theirs]),
      costOf(`${name}, none changed, to a bare JSON.stringify`, [asItWas, theirs]),
      await longestTurn(gateway, setAll),
      await firstToLater(join(directory, 'starts'), { effort, cores }),
    ],
    wrong,
  };
}

/** Processor time relative to the baseline's: less is better. */
function costOf(name: string, rounds: [Round[], Round[]]): Figure {
  const figure = ratioOf(name, rounds, { is: 'at most', value: 1.1 });
  return { ...figure, value: 1 / figure.value };
}

async function round(server: Server, before: (value: number) => Promise<void> = async () => undefined) {
  let [usedMs, tookMs] = [0, 0];
  for (let i = 0; i < SNAPSHOTS; i++) {
    await before(i);
    const cpuBefore = cpuMs(server.pid);
    const startMs = performance.now();
    await fetched(server);
    tookMs += performance.now() - startMs;
    usedMs += cpuMs(server.pid) - cpuBefore;
  }
  return { cpuUs: (usedMs * 1000) / SNAPSHOTS, perSecond: (SNAPSHOTS * 1000) / tookMs };
}

/**
 * Processor time of the first snapshot after a start relative to that of the following ones, of idle
 * gateways.
 */
async function firstToLater(
  directory: string,
  { effort, cores }: { effort: Effort; cores: Cores },
): Promise<Figure> {
  await seed(directory, VARIABLES);
  const [first, later]: [number[], number[]] = [[], []];
  for (let start = 0; start < effort.rounds; start++) {
    await using gateway = await startGateway({ directory, core: cores.server });
    await idle(gateway.pid);
    // The login costs a password hash.
    await call(gateway.port, 'SVC_GetKernelVersion');
    first.push(await costMs(gateway));
    for (let next = 0; next < LATER; next++) later.push(await costMs(gateway));
  }
  const ms = (times: readonly number[]) => `${median(times).toFixed(1)} ms`;
  return {
    name: 'first snapshot after a start, to later ones',
    value: median(first) / median(later),
    unit: '×',
    goal: { is: 'at most', value: 1.5 },
    ours: ms(first),
    baseline: ms(later),
    note: `processor time of the main thread; the baseline is the next ${LATER} snapshots of the same gateway`,
  };
}

async function costMs(server: Server): Promise<number> {
  const before = mainThreadMs(server.pid);
  await fetched(server);
  return mainThreadMs(server.pid) - before;
}

/** The longest iteration of the event loop during snapshots with all entries to be rebuilt. */
async function longestTurn(
  { program, pid, port }: Server,
  setAll: (value: number) => Promise<void>,
): Promise<Figure> {
  const longest: number[] = [];
  for (let i = 0; i < 5; i++) {
    await setAll(i);
    process.kill(pid, 'SIGUSR2');
    await fetched({ port });
    const said = program.output.length;
    process.kill(pid, 'SIGUSR2');
    const [, us] = await program.waitFor(new RegExp(`^[^]{${said},}longest turn (\\d+) us`));
    longest.push(Number(us) / 1000);
  }
  return {
    name: 'longest iteration of the event loop during a snapshot',
    value: median(longest),
    unit: 'ms',
    goal: { is: 'at most', value: 5 },
    ours: `${longest.map((ms) => ms.toFixed(1)).join(', ')} ms`,
    baseline: '',
    note: 'processor time, which the kernel counts in steps of a few milliseconds',
  };
}

const agent = new Agent({ keepAlive: true });

async function fetched({ port }: Pick<Server, 'port'>): Promise<string> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"SVC_GetSnapshot","params":[]}';
  return new Promise((resolve, reject) => {
    const snapshotRequest = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        path: '/api/',
        method: 'POST',
        headers: { Authorization: AUTHORIZATION },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
        response.on('error', reject);
      },
    );
    snapshotRequest.on('error', reject);
    snapshotRequest.end(body);
  });
}
