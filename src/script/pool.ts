import type { Checks } from '../base/check.js';
import type { Cancel, Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import { evenMs } from './budget.js';
import type { ScriptLimits } from './limits.js';
import type { Ended, Failed } from './protocol.js';
import { Threads, type Shown, type Thread, type ThreadRecord } from './threads.js';
import { ScriptWorker, type ScriptJob } from './worker.js';

/** A script may run a script that runs a script…: each level is a process, as none can wait for its own. */
export const DEPTH_LIMIT = 8;
/** Processes besides those that may run at once: of scripts that others wait for, and as many to relieve those that wait. */
const NESTED_LIMIT = 12;
/** Runs that wait for their turn; more is a flood. */
export const WAITING_LIMIT = 1000;
/** A process that nobody needs for so long is ended, but for the last: a house runs scripts in bursts. */
const IDLE_MS = 60_000;
/** When for so long every script waits for an answer, and others for their turn, one more is let in: none waits for ever. */
const RELIEF_MS = 300;
/** A process is replaced after so many scripts, and after one that took more than this part of its memory. */
const RUNS_LIMIT = 1000;
const REPLACED_FROM = 0.5;

/** What the pool works with. */
export interface PoolOptions {
  readonly clock: Clock;
  /** The functions that scripts find as globals, asked for when a process starts. */
  readonly names: () => Promise<readonly string[]>;
  /** Looked up for every run. */
  readonly limits: () => ScriptLimits;
  readonly checks: Checks;
}

/** How a script is to be run. */
export interface Turn {
  /** 0 for one that was not started by a script. */
  readonly depth: number;
  /** Whether a script waits for it: it then never waits for a process, so that scripts that wait for each other always go on. */
  readonly isAwaited: boolean;
  /** Stops it. */
  readonly signal: AbortSignal;
  /** What its thread shows; absent for what is no run. */
  readonly shown?: Shown;
}

interface Slot {
  readonly worker: ScriptWorker;
  readonly thread: Thread;
  /** It counts among those that run at once. */
  counts: boolean;
}

/** The processes in which scripts run; the first is started when the first script needs one, and one is kept from then on. */
export class ScriptPool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #threads = new Threads();
  readonly #all = new Set<Slot>();
  readonly #idle = new Map<Slot, Cancel>();
  readonly #waiting = new Set<PromiseWithResolvers<Slot>>();
  #running = 0;
  #cancelRelief: Cancel | undefined;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Runs a script to its end, whatever that is. Rejects with `SCRIPT_FAILED`, `BUSY`, `STOPPING` when it was not begun. */
  async run(job: ScriptJob, turn: Turn): Promise<Ended | Failed> {
    const slot = await this.#take(turn);
    const { worker, thread } = slot;
    const { clock, limits } = this.#options;
    const startMs = evenMs(clock);
    if (turn.shown !== undefined) thread.began(turn.shown, clock.nowMs());
    try {
      return await worker.run(job, limits(), turn.signal);
    } finally {
      thread.used(worker.peakBytes);
      if (turn.shown !== undefined) thread.ended(evenMs(clock) - startMs);
      this.#give(slot);
    }
  }

  /** Whether a script that is started now would be refused. */
  get isFull(): boolean {
    return this.#waiting.size >= WAITING_LIMIT;
  }

  threads(): ThreadRecord[] {
    return this.#threads.records(this.#options.limits().atOnce);
  }

  /** Stops all scripts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRelief?.();
    for (const cancel of this.#idle.values()) cancel();
    for (const waiting of this.#waiting) waiting.reject(fault('STOPPING'));
    await Promise.all([...this.#all].map(({ worker }) => worker.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #take({ depth, isAwaited, signal }: Turn): Promise<Slot> {
    if (this.#isClosed) throw fault('STOPPING');
    if (depth > DEPTH_LIMIT)
      throw fault('SCRIPT_FAILED', `scripts started each other more than ${DEPTH_LIMIT} levels deep`);
    const { atOnce } = this.#options.limits();
    if (isAwaited) {
      const nested = this.#all.size - this.#idle.size - this.#running;
      if (depth > 0 && nested >= NESTED_LIMIT) throw fault('BUSY', 'Too many scripts wait for each other');
      return this.#ready();
    }
    if (this.#waiting.size === 0 && this.#running < atOnce) return this.#counted(this.#ready());
    if (this.isFull) throw fault('BUSY', 'Too many scripts wait for their turn');
    const waiting = Promise.withResolvers<Slot>();
    this.#waiting.add(waiting);
    const stop = () => waiting.reject(signal.reason as Error);
    signal.addEventListener('abort', stop);
    this.#cancelRelief ??= this.#options.clock.every(RELIEF_MS, () => this.#relieve());
    try {
      return await waiting.promise;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#waiting.delete(waiting);
    }
  }

  #counted(slot: Slot): Slot {
    slot.counts = true;
    this.#running++;
    return slot;
  }

  /** A process that is idle, the one that worked last, or else a new one. */
  #ready(): Slot {
    const { heapMiB } = this.#options.limits();
    for (const slot of [...this.#idle.keys()].reverse()) {
      this.#idle.get(slot)?.();
      this.#idle.delete(slot);
      if (slot.worker.isUsable && slot.worker.heapMiB === heapMiB) return slot;
      void slot.worker.close();
    }
    return this.#start();
  }

  #start(): Slot {
    const { names, clock, limits, checks } = this.#options;
    const thread = this.#threads.take();
    const worker = new ScriptWorker({ names: names(), clock, heapMiB: limits().heapMiB, checks });
    const slot = { worker, thread, counts: false };
    this.#all.add(slot);
    void worker.exited.then(() => {
      this.#all.delete(slot);
      this.#idle.get(slot)?.();
      this.#idle.delete(slot);
      thread.isTaken = false;
      thread.cleaned();
      // One is kept ready; not where none could even be started.
      if (!this.#isClosed && this.#all.size === 0 && worker.runs > 0) this.#rest(this.#start());
      this.#next();
    });
    return slot;
  }

  #give(slot: Slot): void {
    const { worker } = slot;
    if (slot.counts) this.#running--;
    slot.counts = false;
    const { residentMiB } = this.#options.limits();
    const isWorn = worker.runs >= RUNS_LIMIT || worker.peakBytes > REPLACED_FROM * residentMiB * 1024 * 1024;
    if (isWorn) void worker.close();
    else if (worker.isUsable && !this.#isClosed) this.#rest(slot);
    this.#next();
  }

  #rest(slot: Slot): void {
    const end = () => {
      if (this.#idle.size <= 1) return;
      this.#idle.delete(slot);
      void slot.worker.close();
    };
    this.#idle.set(slot, this.#options.clock.after(IDLE_MS, end));
  }

  /** Who waits gets its turn. */
  #next(): void {
    while (!this.#isClosed && this.#running < this.#options.limits().atOnce && this.#admit());
    if (this.#waiting.size > 0) return;
    this.#cancelRelief?.();
    this.#cancelRelief = undefined;
  }

  /** Lets in the one that waits longest; false where nobody waits. */
  #admit(): boolean {
    const [first] = this.#waiting;
    if (first === undefined) return false;
    this.#waiting.delete(first);
    first.resolve(this.#counted(this.#ready()));
    return true;
  }

  #relieve(): void {
    if (this.#running >= this.#options.limits().atOnce + NESTED_LIMIT) return;
    if ([...this.#all].every(({ worker, counts }) => !counts || worker.isCalling)) this.#admit();
  }
}
