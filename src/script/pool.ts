import type { Cancel, Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import { ScriptWorker, type ScriptJob, type ScriptLimits, type ScriptResult } from './worker.js';

/** A script may run a script that runs a script…: each level is a process, as none can wait for its own. */
export const DEPTH_LIMIT = 8;
/** Runs that wait for their turn; more is a flood. */
export const WAITING_LIMIT = 1000;
/** A process that nobody needs for so long is ended: a house runs scripts in bursts. */
const IDLE_MS = 60_000;

/** What the pool works with. */
export interface PoolOptions {
  readonly clock: Clock;
  /** The functions that scripts find as globals, at the time when a process starts. */
  readonly names: () => readonly string[];
  /** Looked up whenever a process starts. */
  readonly limits: () => ScriptLimits;
}

/** The processes in which scripts run; started when the first script needs one. */
export class ScriptPool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #all = new Set<ScriptWorker>();
  readonly #idle = new Map<ScriptWorker, Cancel>();
  readonly #waiting: PromiseWithResolvers<ScriptWorker>[] = [];
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Runs a script. `depth` is 0 for one that was not started by a script; deeper ones never wait for a process, so that
   * scripts that wait for each other always go on. Rejects with `SCRIPT_FAILED` or `BUSY`.
   */
  async run(job: ScriptJob, depth: number): Promise<ScriptResult> {
    const worker = await this.#take(depth);
    try {
      return await worker.run(job);
    } finally {
      this.#give(worker);
    }
  }

  /** Stops all scripts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#idle.values()) cancel();
    for (const waiting of this.#waiting.splice(0)) waiting.reject(fault('STOPPING'));
    await Promise.all([...this.#all].map((worker) => worker.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #take(depth: number): Promise<ScriptWorker> {
    if (this.#isClosed) throw fault('STOPPING');
    if (depth > DEPTH_LIMIT)
      throw fault('SCRIPT_FAILED', `scripts started each other more than ${DEPTH_LIMIT} levels deep`);
    const [idle] = this.#idle;
    if (idle !== undefined) {
      const [worker, cancel] = idle;
      cancel();
      this.#idle.delete(worker);
      return Promise.resolve(worker);
    }
    if (depth > 0 || this.#all.size < this.#options.limits().atOnce) return Promise.resolve(this.#start());
    if (this.#waiting.length >= WAITING_LIMIT) throw fault('BUSY', 'Too many scripts wait for their turn');
    const waiting = Promise.withResolvers<ScriptWorker>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  #start(): ScriptWorker {
    const { names, clock, limits } = this.#options;
    const worker = new ScriptWorker(names(), clock, limits());
    this.#all.add(worker);
    void worker.exited.then(() => {
      this.#all.delete(worker);
      this.#idle.get(worker)?.();
      this.#idle.delete(worker);
      this.#next();
    });
    return worker;
  }

  #give(worker: ScriptWorker): void {
    if (!worker.isAlive || this.#isClosed) return;
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return waiting.resolve(worker);
    this.#idle.set(
      worker,
      this.#options.clock.after(IDLE_MS, () => void worker.close()),
    );
  }

  /** A process has ended: who waits gets a new one. */
  #next(): void {
    if (this.#isClosed || this.#all.size >= this.#options.limits().atOnce) return;
    this.#waiting.shift()?.resolve(this.#start());
  }
}
