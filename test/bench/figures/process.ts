import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reservePort } from '../../tools/reserve-port.js';
import { withinPatience } from '../../tools/until.js';
import { interleaved, median, quantile, type Effort, type Figure, type Report } from '../statistics.js';
import { gatewayProgram } from '../gateway.js';
import { shot } from '../load.js';
import { RELEASED_MS, cpuMs, idle, idOf, pinned, residentMiB, type Cores } from '../machine.js';
import { seed } from '../seed-variables.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

/** With their categories, nearly all ids of five digits. */
const VARIABLES = 49_000;
/** A start is limited by the processor; the elapsed time is given too. */
const BY_CPU = 'by processor time, with the elapsed time of the quietest start';
/** Delay before a rejected connection is retried, ms. */
const RETRY_MS = 2;

/** The cost of the process itself: memory, and the time until it replies. */
export async function processFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  const empty = join(directory, 'empty');
  const full = join(directory, 'full');
  await seed(empty, 0);
  await seed(full, VARIABLES);
  const config = { board: undefined };
  const file = join(PACKAGE_ROOT, 'dist/test/bench/baselines/start.js');
  const core = cores.server;
  const bare = async () => {
    const port = await reservePort();
    return { port, program: pinned(core, [process.execPath, file, String(port)]) };
  };
  const [rounds] = await interleaved(effort.rounds, [
    () =>
      startAll([
        () => gatewayProgram({ directory: empty, config, core }),
        bare,
        () => gatewayProgram({ directory: full, config, core }),
      ]),
  ]);
  const [ours, theirs, loaded] = [0, 1, 2].map((at) => rounds.map((round) => round[at] as Start)) as [
    Start[],
    Start[],
    Start[],
  ];
  const cpu = (starts: readonly Start[]) =>
    quantile(
      starts.map((start) => start.cpuMs),
      0.25,
    );
  // Other processes can only make a start longer.
  const text = (starts: readonly Start[]) =>
    `${Math.min(...starts.map(({ answeredMs }) => answeredMs)).toFixed(0)} ms, ${cpu(starts)} ms CPU`;
  return {
    figures: [
      memory('resident set with an empty tree and no driver', 72, [ours, theirs]),
      memory(`resident set with ${VARIABLES.toLocaleString('en-US')} variables`, 150, [loaded, theirs]),
      {
        name: 'start to the first reply, to a bare process with the same packages',
        value: cpu(ours) / cpu(theirs),
        unit: '×',
        goal: { is: 'at most', value: 1.2 },
        ours: text(ours),
        baseline: text(theirs),
        note: BY_CPU,
      },
      {
        name: `start with ${VARIABLES.toLocaleString('en-US')} variables: later than with none by`,
        value: (cpu(loaded) - cpu(ours)) / 1000,
        unit: 's',
        goal: { is: 'at most', value: 0.7 },
        ours: text(loaded),
        baseline: `empty: ${text(ours)}`,
        note: BY_CPU,
      },
    ],
    wrong: [],
  };
}

const memory = (name: string, below: number, [ours, theirs]: readonly [Start[], Start[]]): Figure => {
  const mib = (starts: readonly Start[]) => median(starts.map((start) => start.mib));
  return {
    name,
    value: mib(ours),
    unit: 'MiB',
    goal: { is: 'below', value: below },
    ours: `${mib(ours).toFixed(1)} MiB`,
    baseline: `${mib(theirs).toFixed(1)} MiB, the packages alone`,
  };
};

interface Start {
  readonly answeredMs: number;
  /** Processor time until then. */
  readonly cpuMs: number;
  /** Resident memory when it is idle. */
  readonly mib: number;
}

/**
 * Starts processes one after the other, each when the one before has replied, waits until they are idle and
 * have returned the memory of the start, and ends them.
 */
async function startAll(
  programs: readonly (() => Promise<{ port: number; program: ReturnType<typeof pinned> }>)[],
): Promise<Start[]> {
  await using ends = new AsyncDisposableStack();
  const starts = [];
  for (const begin of programs) {
    const { program, port } = await begin();
    ends.use(program);
    const sinceMs = performance.now();
    const { request } = shot({ jsonrpc: '2.0', id: 1, method: 'GetValue', params: [1] }, {});
    await answered(port, request);
    const pid = idOf(program);
    starts.push({ pid, answeredMs: performance.now() - sinceMs, cpuMs: cpuMs(pid) });
  }
  await sleep(RELEASED_MS);
  const all: Start[] = [];
  for (const { pid, ...times } of starts) {
    await idle(pid);
    all.push({ ...times, mib: residentMiB(pid) });
  }
  return all;
}

async function answered(port: number, request: Buffer): Promise<void> {
  for (const endMs = performance.now() + 30_000; performance.now() < endMs;) {
    const socket = connect({ port, host: '127.0.0.1' });
    const reply = new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false)).once('data', () => resolve(true));
      socket.once('connect', () => socket.write(request));
    });
    const isAnswered = await withinPatience('a reply', reply, 30_000);
    socket.destroy();
    if (isAnswered) return;
    await sleep(RETRY_MS);
  }
  throw new Error('it does not reply');
}
