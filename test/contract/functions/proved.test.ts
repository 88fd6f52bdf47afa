import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { allFunctions } from '../../tools/generate/all-functions.js';
import type { StubJob, StubReport } from '../../tools/stubs/worker.js';
import { ROOT, filesOf, importsOf, textOf } from '../../law/sources.js';

/**
 * Every function is replaced by a stub once, which checks its parameters and returns an empty result without
 * doing anything. A test must fail then. All functions are verified in every run: subtests run alone in
 * worker processes in which all modules stay loaded, which takes about 15 s of processor time for more than
 * 400 functions.
 */

/** Each loads all modules once, and there are other tests for the other processors. */
const WORKERS = Math.min(Math.ceil(availableParallelism() / 2), 4);
/** The tests of single functions. */
const FUNCTION_TESTS = 'test/unit/functions/';
/** Suites with tests that call functions in their own process, quickest first. */
const SUITES = [
  FUNCTION_TESTS,
  'test/unit/',
  'test/contract/functions/',
  'test/contract/',
  'test/story/',
  'test/fuzz/model/',
];
/**
 * Tests that call all functions in the same way, or make trees of all objects, which proves little about a
 * single function.
 */
const OF_ALL =
  /^test\/(law|fixtures|tools)\/|^test\/contract\/functions\/(declarations|duplicate|proved|rejections|confinement)\.test\.ts$|^test\/story\/api\/every-function\.test\.ts$/;

t.test('the test of every function fails when the function does nothing', async (t) => {
  const functions = (await allFunctions())
    .filter(({ unsupported }) => unsupported === undefined)
    .map(({ name }) => name);
  const files = testFiles();
  const candidates = new Map(functions.map((name) => [name, candidatesFor(name, files)]));
  const jobs = new Map<string, string[]>();
  const left = new Set(functions);
  const assign = (name: string) => {
    const file = candidates.get(name)?.shift();
    if (file !== undefined) jobs.set(file, [...(jobs.get(file) ?? []), name]);
  };
  functions.forEach(assign);
  const order = (file: string) => files.findIndex(({ path }) => path === file);
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      await using worker = new Worker();
      for (;;) {
        const file = [...jobs.keys()].sort((a, b) => order(a) - order(b))[0];
        if (file === undefined) return;
        const names = jobs.get(file) ?? [];
        jobs.delete(file);
        const { detected, broken, ms } = await worker.run({
          file: file.replace(/^test\//, '').replace(/ts$/, 'js'),
          functions: names,
        });
        for (const why of broken) t.comment(`${file}: ${why}`);
        t.comment(`${file}: ${detected.length} of ${names.length} in ${Math.round(ms)} ms`);
        for (const name of names)
          if (detected.includes(name)) left.delete(name);
          else assign(name);
      }
    }),
  );
  t.strictSame([...left], [], 'functions whose stub no test detects');
});

/**
 * The files to try for a function: quick ones that name it, those that assemble names, and then slow ones
 * that name it.
 */
function candidatesFor(name: string, files: readonly TestFile[]): string[] {
  const named = files.filter(({ words }) => words.has(name));
  const candidates = [
    ...named.filter(({ isSlow }) => !isSlow),
    ...files.filter(({ assemblesNames }) => assemblesNames),
    ...named,
  ];
  return [...new Set(candidates.map(({ path }) => path))];
}

interface TestFile {
  readonly path: string;
  /** All words in it and in its helpers. */
  readonly words: ReadonlySet<string>;
  /** Whether it is a test of functions that calls some by a name made of parts. */
  readonly assemblesNames: boolean;
  /** Whether it starts a complete gateway or a program. */
  readonly isSlow: boolean;
}

/** The test files of the suites, quickest first. */
function testFiles(): readonly TestFile[] {
  const rank = (path: string) => SUITES.findIndex((suite) => path.startsWith(suite));
  return filesOf('test')
    .filter((path) => path.endsWith('.test.ts') && rank(path) >= 0 && !OF_ALL.test(path))
    .sort((a, b) => rank(a) - rank(b) || statSync(join(ROOT, a)).size - statSync(join(ROOT, b)).size)
    .map((path) => ({
      path,
      words: wordsIn(path, new Set()),
      assemblesNames: path.startsWith(FUNCTION_TESTS) && /\bcall\(\s*`/.test(textOf(path)),
      isSlow: /^test\/story\/|\/server-suites\./.test(path),
    }));
}

function wordsIn(path: string, seen: Set<string>): Set<string> {
  seen.add(path);
  const words = new Set(
    (textOf(path).match(/\w+(\.\w+)?/g) ?? []).flatMap((word) => [word, ...word.split('.')]),
  );
  for (const { file } of importsOf(path))
    if (file?.startsWith('test/') && !OF_ALL.test(file) && !seen.has(file))
      for (const word of wordsIn(file, seen)) words.add(word);
  return words;
}

/** A process that runs tests with stubs. */
class Worker implements AsyncDisposable {
  readonly #process: ChildProcess = fork(join(ROOT, 'dist/test/tools/stubs/worker.js'), {
    // A worker sets its own limits; tap would end it after 30 s.
    env: { ...process.env, TAP_TIMEOUT: '0' },
    // Every run loads a test file again; its source map would be read each time, and no trace is shown.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  readonly #exited = once(this.#process, 'exit');
  readonly #ready = this.#report();

  async run(job: StubJob): Promise<StubReport> {
    await this.#ready;
    this.#process.send(job);
    return this.#report();
  }

  /** The worker's next report; rejects when it ends instead. */
  #report(): Promise<StubReport> {
    const { promise, resolve, reject } = Promise.withResolvers<StubReport>();
    // tap sends a message of its own to a parent.
    const take = (message: Partial<StubReport>) => {
      if (message.detected === undefined) return;
      this.#process.off('message', take);
      resolve(message as StubReport);
    };
    this.#process.on('message', take);
    void this.#exited.then(([code, signal]) =>
      reject(new Error(`a stub worker ended with ${code ?? signal}`)),
    );
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }
}
