import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Parser, type Result } from 'tap-parser';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';
import { END_MARK, FLUSH_MARK } from './marks.js';
import { addResult, newOutcome, type Outcome } from './outcome.js';

/** How much of a process's stderr is kept, to be shown if a file fails. */
const STDERR_LIMIT = 64 * 1024;
/** How long a process may take to exit when no more files come. */
const EXIT_MS = 15_000;

const WORKER = join(PACKAGE_ROOT, 'dist/test/runner/worker.js');

/** A file in progress. */
interface Current {
  readonly outcome: Outcome;
  readonly startedMs: number;
  readonly done: (outcome: Outcome) => void;
}

/**
 * A process that runs one test file, or, as a worker, several of them one after the other. It never throws: a
 * crash and a timeout are failures of the file that was running, and end the process.
 */
export class TestProcess {
  /** All that run, to be killed with the program that started them. */
  static readonly running = new Set<TestProcess>();
  readonly #child: ChildProcess;
  readonly #parser = new Parser();
  readonly #ended: Promise<string>;
  readonly #isWorker: boolean;
  #current: Current | undefined;
  #stderr = '';
  #hasEnded = false;

  private constructor(program: string, limitMs: number) {
    this.#isWorker = program === WORKER;
    TestProcess.running.add(this);
    // Many short-lived objects: in a larger young generation most of them are gone when it is collected.
    const flags = ['--min-semi-space-size=32', '--max-semi-space-size=32'];
    this.#child = spawn(process.execPath, [...flags, program], {
      cwd: PACKAGE_ROOT,
      stdio: [this.#isWorker ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // A process group of its own, so that whatever a test has started can be killed with it.
      detached: true,
      // tap's own limit is 30 s. A worker has none: run() limits each of its files.
      env: { ...process.env, TAP_TIMEOUT: String(this.#isWorker ? 0 : limitMs / 1000) },
    });
    this.#child.stdin?.on('error', () => undefined /* Its end shows in `#ended`. */);
    this.#child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (this.#stderr = (this.#stderr + text).slice(-STDERR_LIMIT)));
    this.#parser.on('result', (result: Result) => this.#onResult(result));
    const complete = new Promise((resolve) => this.#parser.once('complete', resolve));
    const closed = new Promise<string>((resolve) =>
      this.#child.once('close', (code, signal) => resolve(signal ?? String(code))),
    );
    this.#child.stdout?.pipe(this.#parser);
    this.#ended = Promise.all([closed, complete]).then(([ending]) => this.#onEnd(ending));
  }

  /** Starts a worker for {@link runNext}. */
  static worker(): TestProcess {
    return new TestProcess(WORKER, 0);
  }

  /** Runs one file in a process of its own. */
  static async runAlone(name: string, program: string, limitMs: number): Promise<Outcome> {
    const process = new TestProcess(program, limitMs);
    const outcome = process.#run(name, limitMs);
    await process.#ended;
    return outcome;
  }

  /** False after a crash or a timeout, and after `close`. */
  get isUsable(): boolean {
    return !this.#hasEnded;
  }

  /** Runs the next file in this worker. */
  runNext(name: string, program: string, limitMs: number): Promise<Outcome> {
    const outcome = this.#run(name, limitMs);
    this.#child.stdin?.write(`${program}\n`);
    return outcome;
  }

  /** Lets a worker exit; kills it if it does not. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.kill('SIGKILL'), EXIT_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  kill(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch {
      // The group has ended.
    }
  }

  #run(name: string, limitMs: number): Promise<Outcome> {
    return new Promise((resolve) => {
      const outcome = newOutcome(name);
      const timer = setTimeout(() => {
        outcome.failed.push(`not finished after ${limitMs / 1000} s`);
        this.kill('SIGKILL');
      }, limitMs);
      this.#current = {
        outcome,
        startedMs: performance.now(),
        done: (result) => {
          clearTimeout(timer);
          resolve(result);
        },
      };
    });
  }

  #onResult(result: Result): void {
    if (result.name === FLUSH_MARK) return;
    if (result.name.startsWith(END_MARK)) this.#finish();
    else if (this.#current !== undefined) addResult(this.#current.outcome, result);
  }

  #onEnd(ending: string): string {
    this.#hasEnded = true;
    TestProcess.running.delete(this);
    this.kill('SIGKILL');
    const { outcome } = this.#current ?? {};
    // A worker that ends in the middle of a file has crashed; a file of its own ends like this.
    if (outcome?.failed.length === 0 && (this.#isWorker || ending !== '0' || !this.#parser.ok))
      outcome.failed.push(`ended with ${ending} and ${outcome.passed} passed assertions, no failed one`);
    this.#finish();
    return ending;
  }

  #finish(): void {
    if (this.#current === undefined) return;
    const { outcome, startedMs, done } = this.#current;
    this.#current = undefined;
    if (outcome.passed + outcome.failed.length + outcome.skipped.length === 0)
      outcome.failed.push('it asserted nothing');
    if (outcome.failed.length > 0 && this.#stderr !== '') {
      outcome.failed[outcome.failed.length - 1] += `\nstderr:\n${this.#stderr}`;
      this.#stderr = '';
    }
    outcome.seconds = Math.round(performance.now() - startedMs) / 1000;
    done(outcome);
  }
}
