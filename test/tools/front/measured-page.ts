import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { quantile } from '../../bench/statistics.js';

/** How a page is opened; the default is a phone. */
export interface MeasuredPageOptions {
  readonly width?: number;
  readonly height?: number;
  /** The processor is slowed down by this factor. */
  readonly slowdown?: number;
  /** A network of 6.4 Mbit/s with 40 ms latency. */
  readonly isSlowNetwork?: boolean;
}

/** What a page did during a measurement. */
export interface Pace {
  /** Times between painted frames, ms. */
  readonly frames: readonly number[];
  /** Durations of tasks of more than 50 ms. */
  readonly longTasks: readonly number[];
  /** Processor time of the page's main thread, ms per second. */
  readonly busyMs: number;
}

/** Records the frames and the long tasks of a page. */
const RECORDER = `window.fixture = { frames: [], tasks: [] };
let last = 0;
const next = (now) => { if (last > 0) window.fixture.frames.push(now - last); last = now; requestAnimationFrame(next); };
requestAnimationFrame(next);
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.fixture.tasks.push(one.duration); })
  .observe({ type: 'longtask' });`;

/** An event of a trace of the browser; `tdur`: processor time, µs. */
interface TraceEvent {
  readonly name: string;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** A page in a context of its own, with the browser's own figures about it. */
export class MeasuredPage implements AsyncDisposable {
  readonly page: Page;
  readonly #cdp: CDPSession;

  private constructor(page: Page, cdp: CDPSession) {
    this.page = page;
    this.#cdp = cdp;
  }

  /** Opens an empty page; `goto` follows. */
  static async open(browser: Browser, options: MeasuredPageOptions = {}): Promise<MeasuredPage> {
    const { width = 390, height = 844, slowdown = 1, isSlowNetwork = false } = options;
    const context = await browser.newContext({ viewport: { width, height }, locale: 'en-GB' });
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    if (isSlowNetwork) {
      const throughput = 6_400_000 / 8;
      const network = {
        offline: false,
        latency: 40,
        downloadThroughput: throughput,
        uploadThroughput: throughput,
      };
      await cdp.send('Network.enable');
      await cdp.send('Network.emulateNetworkConditions', network);
    }
    return new MeasuredPage(page, cdp);
  }

  /** Begins to record frames and long tasks. */
  async record(): Promise<void> {
    await this.page.evaluate(RECORDER);
  }

  /** What the page does during an action. */
  async during(action: () => Promise<unknown>): Promise<Pace> {
    await this.page.evaluate('window.fixture.frames.length = 0; window.fixture.tasks.length = 0');
    const atMs = performance.now();
    const busyMs = (await this.costMs(action)) / ((performance.now() - atMs) / 1000);
    const { frames, tasks } = await this.page.evaluate<{ frames: number[]; tasks: number[] }>(
      'window.fixture',
    );
    return { frames, longTasks: tasks, busyMs };
  }

  /** Processor time that the main thread takes during an action, ms. */
  async costMs(action: () => Promise<unknown>): Promise<number> {
    const busy = await this.#busyMs();
    await action();
    return (await this.#busyMs()) - busy;
  }

  /** The most processor time that one task of the main thread takes during an action, ms. */
  async longestTaskMs(action: () => Promise<unknown>): Promise<number> {
    const browser = this.page.context().browser();
    await browser?.startTracing(this.page, { categories: ['disabled-by-default-devtools.timeline'] });
    await action();
    const trace = JSON.parse(String(await browser?.stopTracing())) as {
      readonly traceEvents: readonly TraceEvent[];
    };
    const threads = trace.traceEvents
      .filter(({ args }) => args?.name === 'CrRendererMain')
      .map(({ tid }) => tid);
    // An event without it had not ended when the trace did.
    const tasks = trace.traceEvents.flatMap(({ name, tid, tdur }) =>
      name === 'RunTask' && threads.includes(tid) && tdur !== undefined ? [tdur] : [],
    );
    return quantile(tasks, 1) / 1000;
  }

  /** The heap after a garbage collection, bytes. */
  async heapBytes(): Promise<number> {
    // Twice: what finalizers and weak references hold goes with the second one.
    for (let times = 0; times < 2; times++) await this.#cdp.send('HeapProfiler.collectGarbage');
    return (await this.#cdp.send('Runtime.getHeapUsage')).usedSize;
  }

  /** A named figure of the browser about the page. */
  async metric(name: string): Promise<number> {
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    return metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }

  async #busyMs(): Promise<number> {
    return (await this.metric('TaskDuration')) * 1000;
  }
}

/** Repeats a measurement and returns the round with the smallest figure: others on the machine only add time. */
export async function quietest<T>(
  rounds: number,
  measure: () => Promise<T>,
  figure: (one: T) => number,
): Promise<T> {
  let best: T | undefined;
  for (let round = 0; round < rounds; round++) {
    const one = await measure();
    if (best === undefined || figure(one) < figure(best)) best = one;
    // Chromium collects garbage and compiles after a load.
    await sleep(300);
  }
  if (best === undefined) throw new Error('nothing was measured');
  return best;
}

export const frameAt = ({ frames }: Pace, part: number): number => quantile(frames, part);
