import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { until } from '../../tools/until.js';
import {
  QUIETEST,
  interleaved,
  lagFigure,
  median,
  quantile,
  type Effort,
  type Report,
} from '../statistics.js';
import { call, startGateway, startBaseline } from '../gateway.js';
import { Callers, shot, type Calls } from '../load.js';
import type { Cores } from '../machine.js';

/** Calls per run: fewer than the burst limit. */
const CALLS = 2000;
/** Starts per round. */
const STARTS = 5;

/**
 * Scripts: the cost of a start and of a call, and the effect of a script that floods the tree on other
 * clients.
 */
export async function scriptFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  await using gateway = await startGateway({ directory: join(directory, 'scripts'), core: cores.server });
  await using line = await startBaseline(cores.server, 'line');
  const ask = (method: string, ...params: unknown[]) => call(gateway.port, method, ...params);
  const id = Number(await ask('SVC_CreateVariable', 2));
  await ask('SetValue', id, 21.5);
  const text = (source: string) => ask('SVC_RunScriptTextWait', source);
  await text('print(1)');

  const spawned = () => startMs(() => bareNode(cores.server));
  const [warm, bare] = await interleaved(effort.rounds, [() => startMs(() => text('')), spawned]);
  const counting = `const start = Date.now(); for (let i = 0; i < ${CALLS}; i++) GetValue(${id}); print(Date.now() - start)`;
  const [ours, theirs] = await interleaved(effort.rounds, [
    async () => (Number(await text(counting)) * 1000) / CALLS,
    () => bareCalls(line.port),
  ]);

  const flood = Number(await ask('SVC_CreateScript', 0));
  const written = Number(await ask('SVC_CreateVariable', 1));
  await ask('SVC_SetScriptContent', flood, `for (let i = 0; ; i++) SetValue(${written}, i)`);
  await ask('SVC_SetOption', 'ScriptCallLimit', 10_000_000);
  using callers = await Callers.open(gateway, 1);
  const get = shot(
    { jsonrpc: '2.0', id: 1, method: 'GetValue', params: [id] },
    { jsonrpc: '2.0', id: 1, result: 21.5 },
  );
  const measure = () => callers.run([get], effort.seconds);
  const [calm, flooded] = await interleaved(Math.ceil(effort.rounds / 2), [
    measure,
    async () => {
      const before = Number(await ask('GetValue', written));
      await ask('SVC_RunScript', flood);
      await until('it floods', async () => Number(await ask('GetValue', written)) !== before);
      const seen = await measure();
      await ask('SVC_AbortScript', flood);
      return seen;
    },
  ]);
  const wrong = [...calm, ...flooded].reduce((sum, round) => sum + round.wrong, 0);
  const lag = lagFigure(
    'GetValue over HTTP while a script floods the tree, to without',
    [middles(flooded), middles(calm)],
    { is: 'at most', value: 2 },
  );
  const least = (values: readonly number[]) => Math.min(...values);
  return {
    figures: [
      {
        name: 'start and end of a script in a prepared process, by a call: to a bare process of Node',
        value: least(bare) / least(warm),
        unit: '×',
        goal: { is: 'at least', value: 5 },
        ours: `${least(warm).toFixed(2)} ms`,
        baseline: `${least(bare).toFixed(1)} ms`,
        note: QUIETEST,
      },
      {
        name: 'a call of GetValue in a script, to a bare line over a socket pair',
        value: least(theirs) / least(ours),
        unit: '×',
        goal: { is: 'at least', value: 0.5 },
        ours: `${least(ours).toFixed(1)} µs`,
        baseline: `${least(theirs).toFixed(1)} µs`,
        note: QUIETEST,
      },
      {
        ...lag,
        ours: `${lag.ours}, p99 ${slowest(flooded)} ms`,
        baseline: `${lag.baseline}, p99 ${slowest(calm)} ms`,
      },
    ],
    wrong: wrong === 0 ? [] : [`${wrong} replies during a script were wrong`],
  };
}

const middles = (rounds: readonly Calls[]) => rounds.map(({ latenciesMs }) => median(latenciesMs));
const slowest = (rounds: readonly Calls[]) =>
  Math.min(...rounds.map(({ latenciesMs }) => quantile(latenciesMs, 0.99))).toFixed(2);

/** Median duration of some starts, ms. */
async function startMs(start: () => unknown): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < STARTS; i++) {
    const beforeMs = performance.now();
    await start();
    took.push(performance.now() - beforeMs);
  }
  return median(took);
}

/** A process that does nothing, on the servers' core. */
function bareNode(core: number | undefined): void {
  const bare = [process.execPath, '-e', '0'] as const;
  if (core === undefined) execFileSync(bare[0], bare.slice(1));
  else execFileSync('taskset', ['-c', String(core), ...bare]);
}

/** Median duration of some calls over the bare line, µs. */
async function bareCalls(port: number): Promise<number> {
  await call(port, 'SetValue', 1, CALLS);
  return until('the bare calls', async () => Number(await call(port, 'GetValue', 2)));
}
