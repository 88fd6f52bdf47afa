import { coded } from '../base/codes/coded-text.js';
import type { HealthChecks } from '../base/health-check.js';
import type { Cancel, Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import type { LimitReporter } from '../base/limit-reporter.js';
import { monotonicMs } from './call-rate-limit.js';
import type { ScriptLimits } from './script-limits.js';
import type { RunResult, RunFailure } from './protocol.js';
import { isOfFront, RunQueue, type RunOwner } from './run-queue.js';
import { Threads, type RunInfo, type Thread, type ThreadRecord } from './threads.js';
import { ScriptProcess, type ScriptJob } from './script-process.js';

/** Nesting limit of scripts that run scripts; each level needs its own process. */
export const DEPTH_LIMIT = 8;
/**
 * Additional processes for scripts that other scripts wait for, and as many to resolve a deadlock of waiting
 * scripts.
 */
const NESTED_LIMIT = 12;
/** Idle time after which a process is stopped, except for the last one, because scripts run in bursts. */
const IDLE_MS = 60_000;
/**
 * If all running scripts have been waiting for a reply for this long and others are queued, one more is
 * started, so that none waits indefinitely.
 */
const DEADLOCK_CHECK_MS = 300;
/**
 * A process is replaced after this number of scripts, and after one that took more than this share of its
 * memory.
 */
const RUNS_LIMIT = 1000;
const MEMORY_SHARE = 0.5;

interface PoolOptions {
  readonly clock: Clock;
  /** The functions that are globals of scripts; read when a process starts. */
  readonly names: () => Promise<readonly string[]>;
  /** Called for each run. */
  readonly limits: () => ScriptLimits;
  readonly checks: HealthChecks;
  /** Receives limits that take effect. */
  readonly limitReporter: LimitReporter;
}

/** Options of a run. */
interface PoolRequest {
  /**
   * Reads what to run, once a process is free: the limits count the runs of one caller, however slowly its
   * texts are read.
   */
  readonly read: () => Promise<ScriptJob>;
  readonly owner: RunOwner;
  /** The nesting depth; 0 if it was not started by a script. */
  readonly depth: number;
  /**
   * Whether a script waits for the result. Such a run never waits for a process, so that nested scripts
   * always proceed.
   */
  readonly isAwaited: boolean;
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** The content of the thread record; absent for checks. */
  readonly info?: RunInfo;
}

interface Slot {
  readonly worker: ScriptProcess;
  readonly thread: Thread;
  /** Whether it counts towards the concurrency limit. */
  counts: boolean;
  /** The owner whose share it counts towards. */
  owner: RunOwner;
}

/**
 * Runs scripts in a pool of processes. Starts the first one with the first script, and keeps one from then
 * on.
 */
export class ProcessPool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #threads = new Threads();
  readonly #all = new Set<Slot>();
  readonly #idle = new Map<Slot, Cancel>();
  readonly #queue = new RunQueue<PromiseWithResolvers<Slot>>();
  #running = 0;
  /** The number of these that run for web fronts. */
  #ofFronts = 0;
  #cancelDeadlockCheck: Cancel | undefined;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Runs a script; resolves with its result or failure. Rejects with `SCRIPT_FAILED`, `BUSY`, `STOPPING` and
   * the error of `read` if it was not started.
   */
  async run(request: PoolRequest): Promise<RunResult | RunFailure> {
    const { read, signal } = request;
    signal.throwIfAborted();
    const slot = await this.#acquire(request);
    try {
      const job = await read();
      signal.throwIfAborted();
      return await this.#execute(slot, job, request);
    } finally {
      this.#release(slot);
    }
  }

  async #execute({ worker, thread }: Slot, job: ScriptJob, { info, signal }: PoolRequest) {
    const { clock, limits } = this.#options;
    const startMs = monotonicMs(clock);
    if (info !== undefined) thread.start(info, clock.nowMs());
    try {
      return await worker.run(job, limits(), signal);
    } finally {
      thread.recordMemory(worker.peakBytes);
      if (info !== undefined) thread.end(monotonicMs(clock) - startMs);
    }
  }

  /** Throws `BUSY` if a script started now would be rejected. */
  requireCapacity(owner: RunOwner): void {
    const limit = this.#queue.limitFor(owner);
    if (limit === undefined) return;
    this.#options.limitReporter.report(
      limit,
      owner,
      'check what starts these scripts (UC_GetScriptSenderList)',
    );
    throw fault('BUSY', coded`TOO_MANY_SCRIPTS_QUEUED: Too many scripts are queued`);
  }

  threads(): ThreadRecord[] {
    return this.#threads.records(this.#options.limits().concurrent);
  }

  /** Stops all scripts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelDeadlockCheck?.();
    for (const cancel of this.#idle.values()) cancel();
    for (const waiting of this.#queue) waiting.reject(fault('STOPPING'));
    await Promise.all([...this.#all].map(({ worker }) => worker.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #acquire({ owner, depth, isAwaited, signal }: PoolRequest): Promise<Slot> {
    if (this.#isClosed) throw fault('STOPPING');
    if (depth > DEPTH_LIMIT)
      throw fault(
        'SCRIPT_FAILED',
        coded`SCRIPTS_STARTED_EACH_OTHER: scripts started each other more than ${DEPTH_LIMIT} levels deep`,
      );
    const { concurrent: limit } = this.#options.limits();
    if (isAwaited) {
      const nested = this.#all.size - this.#idle.size - this.#running;
      if (depth > 0 && nested >= NESTED_LIMIT)
        throw fault('BUSY', coded`TOO_MANY_SCRIPTS_WAIT: Too many scripts wait for each other`);
      return this.#takeProcess();
    }
    if (this.#queue.size === 0 && this.#running < limit && this.#canRun(owner))
      return this.#countRun(this.#takeProcess(), owner);
    this.requireCapacity(owner);
    const waiting = Promise.withResolvers<Slot>();
    this.#queue.add(owner, waiting);
    const stop = () => waiting.reject(signal.reason as Error);
    signal.addEventListener('abort', stop);
    this.#cancelDeadlockCheck ??= this.#options.clock.every(DEADLOCK_CHECK_MS, () => this.#resolveDeadlock());
    // This run may start immediately: the queued ones may be of fronts that have used up their share.
    this.#startQueued();
    try {
      return await waiting.promise;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#queue.delete(owner, waiting);
    }
  }

  /** Web fronts get at most half of the processes, so that the owner and events never wait for them. */
  #canRun(owner: RunOwner, extra = 0): boolean {
    const share = Math.max(1, Math.floor(this.#options.limits().concurrent / 2));
    return !isOfFront(owner) || this.#ofFronts < share + extra;
  }

  #countRun(slot: Slot, owner: RunOwner): Slot {
    slot.counts = true;
    slot.owner = owner;
    this.#running++;
    if (isOfFront(owner)) this.#ofFronts++;
    return slot;
  }

  /** An idle process, the most recently used first, otherwise a new one. */
  #takeProcess(): Slot {
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
    const worker = new ScriptProcess({ names: names(), clock, heapMiB: limits().heapMiB, checks });
    const slot: Slot = { worker, thread, counts: false, owner: 'owner' };
    this.#all.add(slot);
    void worker.exited.then(() => {
      this.#all.delete(slot);
      this.#idle.get(slot)?.();
      this.#idle.delete(slot);
      thread.isTaken = false;
      thread.recordCleanup();
      // One process is kept ready, unless none could be started.
      if (!this.#isClosed && this.#all.size === 0 && worker.runs > 0) this.#keepIdle(this.#start());
      this.#startQueued();
    });
    return slot;
  }

  #release(slot: Slot): void {
    const { worker } = slot;
    if (slot.counts) this.#running--;
    if (slot.counts && isOfFront(slot.owner)) this.#ofFronts--;
    slot.counts = false;
    const { residentMiB } = this.#options.limits();
    const isWornOut =
      worker.runs >= RUNS_LIMIT || worker.peakBytes > MEMORY_SHARE * residentMiB * 1024 * 1024;
    if (isWornOut) void worker.close();
    else if (worker.isUsable && !this.#isClosed) this.#keepIdle(slot);
    this.#startQueued();
  }

  #keepIdle(slot: Slot): void {
    const end = () => {
      if (this.#idle.size <= 1) return;
      this.#idle.delete(slot);
      void slot.worker.close();
    };
    this.#idle.set(slot, this.#options.clock.after(IDLE_MS, end));
  }

  /** Starts queued runs. */
  #startQueued(): void {
    while (!this.#isClosed && this.#running < this.#options.limits().concurrent && this.#startNext());
    if (this.#queue.size > 0) return;
    this.#cancelDeadlockCheck?.();
    this.#cancelDeadlockCheck = undefined;
  }

  /** Starts the next queued run that may run; returns false if there is none. */
  #startNext(extraForFronts = 0): boolean {
    const next = this.#queue.take((owner) => this.#canRun(owner, extraForFronts));
    if (next === undefined) return false;
    next.item.resolve(this.#countRun(this.#takeProcess(), next.owner));
    return true;
  }

  #resolveDeadlock(): void {
    if (this.#running >= this.#options.limits().concurrent + NESTED_LIMIT) return;
    if ([...this.#all].every(({ worker, counts }) => !counts || worker.isCalling))
      this.#startNext(NESTED_LIMIT / 2);
  }
}
