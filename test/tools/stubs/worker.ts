/**
 * A process that runs the subtests of a test file, each alone and repeatedly with another function stubbed,
 * and reports which stubs made one of them fail. Only the test file is loaded again for each run, all other
 * modules stay loaded, so that a run takes milliseconds.
 */
import { registerHooks } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceComparison, replaceDomain, replaceThreads } from '../../runner/replacements.js';
import { currentRun, type Subtest } from './current-run.js';

/** A test file, compiled and relative to dist/test/, with the functions to be stubbed in turn. */
export interface StubJob {
  readonly file: string;
  readonly functions: readonly string[];
}

/** The outcome of a job. */
export interface StubReport {
  /** The functions whose stub made a subtest fail. */
  readonly detected: readonly string[];
  /** Subtests that cannot be used, because they fail alone although all functions work. */
  readonly broken: readonly string[];
  readonly ms: number;
}

const url = (path: string): string => new URL(path, import.meta.url).href;
const DECLARE = url('../../../src/device/declare.js');
const STUBBED_DECLARE = url('stubbed-declare.js');
const UNTIL = url('../until.js');
const STOPPABLE_UNTIL = url('stoppable-until.js');

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (specifier === 'tap' && parentURL.startsWith(url('../../')) && !parentURL.startsWith(url('./')))
      return { url: url('collected-tap.js'), shortCircuit: true };
    const resolved = next(specifier, context);
    if (resolved.url === DECLARE && parentURL !== STUBBED_DECLARE)
      return { ...resolved, url: STUBBED_DECLARE };
    if (resolved.url === UNTIL && parentURL !== STOPPABLE_UNTIL) return { ...resolved, url: STOPPABLE_UNTIL };
    return resolved;
  },
});
replaceComparison();
replaceDomain();
replaceThreads();
const { Test } = await import('tap');
throwOnFailure();

/** Errors that no test has awaited. */
const stray: unknown[] = [];
process.on('uncaughtException', (thrown) => stray.push(thrown));
process.on('unhandledRejection', (thrown) => stray.push(thrown));

/** How one subtest, run alone, ended. */
interface SubtestRun {
  /** Why it failed; undefined if it passed. */
  readonly failure: string | undefined;
  readonly ms: number;
}

const loads = { count: 0 };

/** Loads a test file once more, so that its subtests find its constants as in a process of their own. */
async function load(file: string): Promise<readonly Subtest[]> {
  currentRun.subtests.length = 0;
  loads.count += 1;
  await import(`${url(`../../${file}`)}?load=${loads.count}`);
  return currentRun.subtests;
}

/** Loads a test file and runs one of its subtests, with or without a stub. */
async function runSubtest(
  file: string,
  index: number,
  { stubbed, limitMs }: { readonly stubbed?: string; readonly limitMs: number },
): Promise<SubtestRun> {
  const run = new AbortController();
  currentRun.over = run.signal;
  currentRun.stubbed = stubbed;
  currentRun.called.clear();
  stray.length = 0;
  const subtest = (await load(file))[index];
  if (subtest === undefined) return { failure: `${file} has no subtest ${index} any more`, ms: 0 };
  const fromMs = performance.now();
  const failure = await failureOf(subtest, limitMs, run);
  return { failure: failure ?? stray.map(String)[0], ms: performance.now() - fromMs };
}

async function failureOf(
  { name, body }: Subtest,
  limitMs: number,
  run: AbortController,
): Promise<string | undefined> {
  const t = new Test({ name });
  // A test that fails early never gets to its end, where tap runs these.
  const teardowns: (() => unknown)[] = [];
  t.teardown = (end) => void teardowns.unshift(end);
  t.resume();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${name}: not finished after ${limitMs} ms`)), limitMs);
  const ended = (async () => body(t))();
  const released = async () => {
    await ended.catch(() => undefined);
    for (const end of teardowns) await end();
  };
  try {
    await Promise.race([ended, late]);
    const complete = new Promise((resolve) => t.once('complete', resolve));
    t.end();
    if (t.results === undefined) await Promise.race([complete, late]);
  } catch (thrown) {
    return String(thrown);
  } finally {
    clearTimeout(timer);
    run.abort(new Error(`The run is over: ${name}`));
    await Promise.race([released(), sleep(CLEANUP_MS, undefined, { ref: false })]);
  }
  return t.passing() ? undefined : name;
}

/**
 * How long a subtest may take to release what it holds, ms, before the next run begins: its late errors must not
 * count as those of the next one.
 */
const CLEANUP_MS = 2_000;
/** The longest that a subtest may take while all functions work, ms. */
const LIMIT_MS = 60_000;
/**
 * Margin for a run with a stub, ms. A test that times out while it waits for an effect has detected the stub.
 */
const MARGIN_MS = 1_000;

/**
 * Runs every subtest alone, and again with a stub for each function that it calls, unless the stub was
 * detected before.
 */
async function report({ file, functions }: StubJob): Promise<StubReport> {
  const fromMs = performance.now();
  const detected = new Set<string>();
  const broken: string[] = [];
  for (const index of likelyFirst(await load(file), functions)) {
    if (detected.size === functions.length) break;
    const base = await runSubtest(file, index, { limitMs: LIMIT_MS });
    if (base.failure !== undefined) {
      broken.push(base.failure);
      continue;
    }
    const called = functions.filter((name) => currentRun.called.has(name) && !detected.has(name));
    for (const stubbed of called) {
      const run = await runSubtest(file, index, { stubbed, limitMs: MARGIN_MS + 2 * base.ms });
      if (run.failure !== undefined) detected.add(stubbed);
    }
  }
  return { detected: [...detected], broken, ms: performance.now() - fromMs };
}

/** The indices of all subtests; those that name most of the functions come first, and of them short ones. */
function likelyFirst(subtests: readonly Subtest[], functions: readonly string[]): readonly number[] {
  return subtests
    .map(({ body }, index) => {
      const text = String(body);
      const words = new Set(text.match(/\w+/g));
      const named = functions.filter((name) => words.has(name)).length;
      // One that names none calls a suite: its own text says nothing about its duration.
      return { index, named, length: named === 0 ? 0 : text.length };
    })
    .sort((a, b) => b.named - a.named || a.length - b.length)
    .map(({ index }) => index);
}

/** Ends a subtest at its first failed assertion: the rest of it proves nothing more. */
function throwOnFailure(): void {
  let base: object = Test.prototype;
  while (!Object.hasOwn(base, 'fail')) base = Object.getPrototypeOf(base) as object;
  const { fail } = base as { fail: (...args: unknown[]) => boolean };
  Object.defineProperty(base, 'fail', {
    value(this: object, ...args: unknown[]): boolean {
      if (fail.apply(this, args)) return true;
      throw new Error(`a failed assertion: ${String(args[0])}`);
    },
  });
}

const send = (message: StubReport): void => void process.send?.(message);
process.on('message', (job: StubJob) => {
  report(job).then(send, (thrown: unknown) => send({ detected: [], broken: [String(thrown)], ms: 0 }));
});
// Ready for the first job.
send({ detected: [], broken: [], ms: 0 });
