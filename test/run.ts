/**
 * Runs suites of compiled tests: `node dist/test/run.js SUITE…`. A suite is a folder beside this file; its tests are
 * the files `*.test.js` and `*.lab.js` in it, each a plain program that prints TAP. Prints one line a file, what failed
 * in full, what was skipped and why, and last `N passed, N failed`; writes build/results/SUITE.json for `.ci/run`.
 *
 * Why not tap's own runner: with TypeScript 7 it needs its plugins rebuilt in every fresh clone, and costs twice the time.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Parser, type Result } from 'tap-parser';

const ROUNDS = Number(process.env['ROUNDS'] ?? 1);
/** A file that runs longer hangs; a lab file boots machines under emulation, and the proof of the outputs does so ROUNDS times. */
const LIMIT_MS = { quick: Math.max(120_000, 5_000 * ROUNDS), lab: 900_000 * Math.max(1, ROUNDS / 4) };
/** What is kept of a file's output on stderr, to be shown when it fails. */
const STDERR_KEPT = 64 * 1024;

interface Outcome {
  file: string;
  seconds: number;
  passed: number;
  failed: string[];
  skipped: string[];
}

const here = import.meta.dirname;
const root = join(here, '..', '..');
const suites = process.argv.slice(2);
if (suites.length === 0) {
  console.error('usage: node dist/test/run.js SUITE…');
  process.exit(2);
}

const outcomes: Outcome[] = [];
mkdirSync(join(root, 'build', 'results'), { recursive: true });
for (const suite of suites) {
  const files = testsOf(suite);
  // Two machines at a time: each waits a good part of its time.
  const jobs = isLab(suite) ? 2 : Math.min(availableParallelism(), 4);
  const mine: Outcome[] = [];
  // Each lane takes the next file when it has finished one.
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let file = files.shift(); file !== undefined; file = files.shift()) {
        const outcome = await run(suite, file);
        report(outcome);
        mine.push(outcome);
      }
    }),
  );
  outcomes.push(...mine);
  writeFileSync(
    join(root, 'build', 'results', `${suite.replaceAll('/', '-')}.json`),
    JSON.stringify({ suite, ...sum(mine), files: mine }, null, 1),
  );
}
for (const { file, skipped } of outcomes) for (const why of skipped) console.log(`skipped  ${file}: ${why}`);
const { passed, failed, skipped } = sum(outcomes);
if (passed + failed === 0) console.error('no tests found: that is a failure');
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/** The lab, or a folder of it. */
function isLab(suite: string): boolean {
  return suite.split('/')[0] === 'lab';
}

/** The files of a suite; a suite without a folder has none. */
function testsOf(suite: string): string[] {
  try {
    const names = readdirSync(join(here, suite), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => /\.(test|lab)\.js$/.test(name)).sort();
  } catch {
    return [];
  }
}

/** Runs one file to its end or its limit, and never throws: a crash is a failure with the file's name. */
async function run(suite: string, name: string): Promise<Outcome> {
  const outcome: Outcome = {
    file: `${suite}/${name.replace(/\.js$/, '')}`,
    seconds: 0,
    passed: 0,
    failed: [],
    skipped: [],
  };
  const started = performance.now();
  const limit = isLab(suite) ? LIMIT_MS.lab : LIMIT_MS.quick;
  // A group of its own, so that what a hanging test has started ends with it.
  const child = spawn(process.execPath, ['--enable-source-maps', join(here, suite, name)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    // tap would end a file after 30 s by itself, busy machine or not.
    env: { ...process.env, TAP_TIMEOUT: String(limit / 1000) },
  });
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The group has ended already.
    }
  };
  const stop = (): void => kill('SIGTERM');
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const timer = setTimeout(() => {
    outcome.failed.push(`not finished after ${limit / 1000} s`);
    kill('SIGKILL');
  }, limit);
  const parser = new Parser();
  parser.on('result', (result: Result) => {
    if (result.skip !== false || result.todo !== false) outcome.skipped.push(nameOf(result));
    else if (result.ok) outcome.passed += 1;
    else outcome.failed.push(`${nameOf(result)}${explain(result.diag)}`);
  });
  child.stdout.pipe(parser);
  let stderr = '';
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (stderr = (stderr + text).slice(-STDERR_KEPT)));
  const [finalResults, ending] = await Promise.all([
    new Promise<{ ok: boolean }>((resolve) => parser.once('complete', resolve)),
    new Promise<string>((resolve) => child.once('close', (code, signal) => resolve(signal ?? String(code)))),
  ]);
  clearTimeout(timer);
  process.off('SIGINT', stop).off('SIGTERM', stop);
  kill('SIGKILL');
  if (outcome.failed.length === 0 && (ending !== '0' || !finalResults.ok)) {
    outcome.failed.push(`ended with ${ending} and ${outcome.passed} passed assertions, no failed one`);
  }
  if (outcome.failed.length > 0 && stderr !== '')
    outcome.failed[outcome.failed.length - 1] += `\nstderr:\n${stderr}`;
  outcome.seconds = Math.round(performance.now() - started) / 1000;
  return outcome;
}

function nameOf(result: Result): string {
  const why = [result.skip, result.todo].find((reason) => typeof reason === 'string' && reason !== '');
  return (
    [result.fullname, result.name].filter(Boolean).join(' > ') + (why === undefined ? '' : `: ${String(why)}`)
  );
}

/** The diagnosis of a failed assertion, as the test printed it. */
function explain(diag: unknown): string {
  if (typeof diag !== 'object' || diag === null) return '';
  const { diff, stack } = diag as { diff?: unknown; stack?: unknown };
  const parts = [diff, stack].filter((part) => typeof part === 'string');
  return `\n${parts.length > 0 ? parts.join('\n') : JSON.stringify(diag)}`;
}

function report({ file, seconds, passed, failed, skipped }: Outcome): void {
  const skips = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
  console.log(
    `${failed.length > 0 ? 'FAILED' : 'ok    '}  ${file}  ${passed} passed${skips}  ${seconds.toFixed(1)} s`,
  );
  for (const text of failed) console.log(text.replace(/^/gm, '        '));
}

function sum(of: readonly Outcome[]): { passed: number; failed: number; skipped: number } {
  return {
    passed: of.reduce((count, { passed }) => count + passed, 0),
    failed: of.reduce((count, { failed }) => count + failed.length, 0),
    skipped: of.reduce((count, { skipped }) => count + skipped.length, 0),
  };
}
