/**
 * A process that runs test files one after the other: `node worker.js`, started by run.ts. Each line of its
 * standard input is the path of a compiled file; its standard output is TAP, in which {@link END_MARK} ends
 * each file.
 *
 * A file gets the environment and the event loop as the worker found them, and must leave them so: what still
 * keeps the event loop alive when its tests are over (a socket, a timer, a child process) fails the file.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { END_MARK, FLUSH_MARK } from './marks.js';
import { replaceComparison, replaceDomain, replaceThreads } from './replacements.js';

/** How long the end of a test may take: sockets close within some turns of the event loop. */
const CLEANUP_MS = 15_000;

const environment = { ...process.env };
replaceComparison();
replaceDomain();
replaceThreads();
const { t, Test } = await import('tap');

for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (thrown: unknown) => failRunningTest(thrown));

/** What the file has asked to be done at its end; tap itself would end with the first of them. */
const teardowns: (() => unknown)[] = [];
t.teardown = (end) => void teardowns.unshift(end);

for await (const file of createInterface({ input: process.stdin })) {
  const before = activeResources();
  try {
    await import(file);
    await testsDone();
    for (const end of teardowns.splice(0)) await end();
  } catch (thrown) {
    t.fail(`${file} failed outside of its tests`, { found: String((thrown as Error).stack ?? thrown) });
  }
  const left = await leftovers(before);
  if (left.length > 0) t.fail(`still open when its tests were over: ${left.join(', ')}`);
  restoreEnvironment();
  t.pass(END_MARK + file);
  // A parser holds a result back until the next one, which may belong to it.
  t.pass(FLUSH_MARK);
}

/** Waits until every test that the file has queued is over. */
async function testsDone(): Promise<void> {
  while (!t.idle) await new Promise<void>((resolve) => t.once('idle', resolve));
}

/** An error that nobody caught fails the innermost test that is running. */
function failRunningTest(thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error(`uncaught: ${String(thrown)}`);
  let [running] = t.activeSubtests;
  for (let inner = running; inner instanceof Test; [inner] = inner.activeSubtests) running = inner;
  if (running === undefined) t.fail('an uncaught error outside of the tests', { found: String(error.stack) });
  else running.threw(error);
}

/** What keeps the event loop alive. A socket is listed even if nobody reads it, when it does not. */
function activeResources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => !/^(TCPSocketWrap|Immediate)$/.test(name));
}

async function leftovers(before: readonly string[]): Promise<string[]> {
  const deadline = performance.now() + CLEANUP_MS;
  for (;;) {
    const left = activeResources();
    for (const name of before) {
      const at = left.indexOf(name);
      if (at >= 0) left.splice(at, 1);
    }
    if (left.length === 0 || performance.now() > deadline) return left;
    await sleep(1);
  }
}

function restoreEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  for (const [name, value] of Object.entries(environment))
    if (process.env[name] !== value) process.env[name] = value;
}
