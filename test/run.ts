/**
 * Runs suites of compiled tests: `node dist/test/run.js SUITE…`. A suite is a directory next to this file;
 * its tests are the files `*.test.js` and `*.lab.js` in it and below. Prints one line per file, each failure
 * in full, what was skipped and why, and last `N passed, N failed`; writes build/results/SUITE.json for
 * `.ci/run`.
 *
 * The files of a suite share processes (runner/worker.ts); those in `runner/alone.ts` and the lab's get one
 * each. tap's own runner is not used: with TypeScript 7 its plugins must be rebuilt in every fresh clone.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/base/package-root.js';
import { ALONE } from './runner/alone.js';
import { LONG_S } from './runner/long-files.js';
import { sumOf, type Outcome } from './runner/outcome.js';
import { withSourcePositions } from './runner/source-positions.js';
import { TestProcess } from './runner/test-process.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 1);
/** The longest timer of Node; a longer one expires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const POINTS = Number(process.env['POINTS'] ?? 1);
/**
 * A file that takes longer hangs. A browser checks each page in many sizes. A lab file boots emulated
 * machines; the proof of the outputs does so ROUNDS times. The campaign has POINTS crashes.
 */
const LIMIT_MS = {
  quick: Math.min(MAX_TIMER_MS, Math.max(600_000, 5_000 * ROUNDS, 10_000 * POINTS)),
  front: 900_000,
  lab: 1_800_000 * Math.max(1, ROUNDS / 4),
};
const RESULTS = join(PACKAGE_ROOT, 'build/results');
/** A file system in memory (tmpfs(5)). */
const MEMORY_DIRECTORY = '/dev/shm';
/** What it must have room for: four times what the tests store at a time. */
const ROOM_BYTES = 1024 ** 3;

const suites = process.argv.slice(2);
if (suites.length === 0) {
  console.error('usage: node dist/test/run.js SUITE…');
  process.exit(2);
}
mkdirSync(RESULTS, { recursive: true });
// Compiled code is kept between processes; the programs that tests start use it, too.
process.env['NODE_COMPILE_CACHE'] ??= join(PACKAGE_ROOT, 'build/compile-cache');
// Thousands of commits wait for the disk otherwise. What a disk keeps through a power cut is tested in the lab.
if (!suites.some(isLab) && isRoomy(MEMORY_DIRECTORY)) process.env['TMPDIR'] ??= MEMORY_DIRECTORY;

interface TestFile {
  readonly suite: string;
  /** `unit/kernel/events.test` */
  readonly name: string;
  readonly path: string;
}

/** Seconds that each file took in the last run; in a fresh checkout the long ones are known. */
const lastSeconds = new Map(suites.flatMap(lastResults));
const secondsOf = ({ name }: TestFile): number => lastSeconds.get(name) ?? LONG_S.get(name) ?? 1;
// Long files first, so that none of them is left to run on its own. The suites of long files are named last.
const waiting = suites
  .toReversed()
  .flatMap(filesOf)
  .sort((a, b) => secondsOf(b) - secondsOf(a));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const one of TestProcess.running) one.kill('SIGKILL');
    process.exit(1);
  });

const outcomes = new Map<TestFile, Outcome>();
// Two machines or three browsers at a time. Of the quick tests, the long ones wait for most of their time: with
// six lanes no processor is idle, with eight nothing is won.
const lanes = suites.some(isLab) ? 2 : suites.some(isFront) ? 3 : Math.min(availableParallelism() + 4, 8);
await Promise.all(Array.from({ length: lanes }, runLane));
for (const suite of suites) {
  const mine = [...outcomes].filter(([file]) => file.suite === suite).map(([, outcome]) => outcome);
  const text = JSON.stringify({ suite, ...sumOf(mine), files: mine }, null, 1);
  writeFileSync(resultsFile(suite), text);
}
const all = [...outcomes.values()];
for (const { file, skipped } of all) for (const reason of skipped) console.log(`skipped  ${file}: ${reason}`);
const { passed, failed, skipped } = sumOf(all);
if (passed + failed === 0) console.error('no tests found: that is a failure');
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/**
 * Takes the next file when one has finished, until none is left. Files that share a process go to the lane's
 * worker.
 */
async function runLane(): Promise<void> {
  let worker: TestProcess | undefined;
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const limitMs = LIMIT_MS[isLab(file.suite) ? 'lab' : isFront(file.suite) ? 'front' : 'quick'];
    let outcome: Outcome;
    if (isLab(file.suite) || ALONE.has(file.name)) {
      outcome = await TestProcess.runAlone(file.name, file.path, limitMs);
    } else {
      if (worker?.isUsable !== true) worker = TestProcess.worker();
      outcome = await worker.runNext(file.name, file.path, limitMs);
    }
    print(outcome);
    outcomes.set(file, outcome);
  }
  await worker?.close();
}

/** Whether a mounted file system has room for temporary files, also for programs; containers often have less. */
function isRoomy(mountPoint: string): boolean {
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, path]) => path === mountPoint);
  if (mount === undefined || mount[3]?.split(',').includes('noexec') === true) return false;
  const { bavail, bsize } = statfsSync(mountPoint);
  return bavail * bsize >= ROOM_BYTES;
}

/** The lab, or a directory of it. */
function isLab(suite: string): boolean {
  return suite.split('/')[0] === 'lab';
}

/** The pages in a browser. */
function isFront(suite: string): boolean {
  return suite.split('/')[0] === 'front';
}

/** The files of a suite, in the order of their names; none if there is no such directory. */
function filesOf(suite: string): TestFile[] {
  const directory = join(import.meta.dirname, suite);
  // A single file: `fuzz/meters`, with or without its ending.
  const single = [`${suite}.test.js`, `${suite}.js`].find((file) =>
    existsSync(join(import.meta.dirname, file)),
  );
  if (single !== undefined)
    return [{ suite, name: single.replace(/\.js$/, ''), path: join(import.meta.dirname, single) }];
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|lab)\.js$/.test(name))
    .sort()
    .map((name) => ({ suite, name: `${suite}/${name.replace(/\.js$/, '')}`, path: join(directory, name) }));
}

function lastResults(suite: string): [name: string, seconds: number][] {
  const file = resultsFile(suite);
  if (!existsSync(file)) return [];
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as { files: Outcome[] };
  return files.map((outcome) => [outcome.file, outcome.seconds]);
}

function resultsFile(suite: string): string {
  return join(RESULTS, `${suite.replaceAll('/', '-')}.json`);
}

function print({ file, seconds, passed, failed, skipped }: Outcome): void {
  const skips = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
  const state = failed.length > 0 ? 'FAILED' : 'ok    ';
  console.log(`${state}  ${file}  ${passed} passed${skips}  ${seconds.toFixed(1)} s`);
  for (const text of failed) console.log(withSourcePositions(text).replace(/^/gm, '        '));
}
