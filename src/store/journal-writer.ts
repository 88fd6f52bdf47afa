import type { Cancel, Clock } from '../base/clock.js';
import { type Fault, fault, messageOf } from '../base/fault.js';
import { onNextIteration, yieldToEventLoop } from '../base/serial-queue.js';
import type { Kernel } from '../kernel/kernel.js';
import type { StoreWorker, ValueRow } from './worker-protocol.js';
import type { PendingChanges, CommitSet, ValueSelection } from './pending-changes.js';

/** A caller waits no longer for the disk; the commit itself goes on. */
export const COMMIT_DEADLINE_MS = 10_000;
/** The back-off after failed commits: doubling from a second to a minute. */
const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 60_000;

/** What the writer works with. */
export interface JournalWriterOptions {
  readonly kernel: Kernel;
  readonly pending: PendingChanges;
  readonly port: StoreWorker;
  readonly clock: Clock;
  /** Called after each commit, and after each failure with its reason. */
  readonly onState: (failure: unknown) => void;
}

interface Waiter {
  readonly version: number;
  resolve(): void;
  reject(reason: Fault): void;
}

/**
 * Brings the journal to the disk. What changes within one turn of the event loop, and while a commit is under way, goes
 * into one commit together. What can't be committed stays in memory and is tried again with a growing pause.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  #waiters: Waiter[] = [];
  /** The journal's version that is on the disk. */
  #durable: number;
  #isScheduled = false;
  #isWriting = false;
  #wants: ValueSelection = 'configured';
  #failures = 0;
  #unretry: Cancel = () => undefined;
  #settled: (() => void)[] = [];

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.#durable = options.kernel.journal.version;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Something changed: a commit begins at the end of this turn, or when the one under way has ended. */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (!this.#isWriting) onNextIteration(() => void this.#write());
  }

  /** Last values go to the disk with the next commit: all, or those that are due. */
  saveValues(which: 'all' | 'due' = 'all'): void {
    if (this.#wants !== 'all') this.#wants = which;
    this.schedule();
  }

  /**
   * Resolves when all changes of the configuration up to now are on the disk; rejects with `STORE_FAILED` when they can't
   * be written now, or the disk does not answer. They stay in memory and are tried again.
   */
  committed(): Promise<void> {
    const { version } = this.#options.kernel.journal;
    if (version <= this.#durable) return Promise.resolve();
    this.schedule();
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(fault('STORE_FAILED', `the disk has not answered for ${COMMIT_DEADLINE_MS / 1000} s`));
      };
      const cancel = this.#options.clock.after(COMMIT_DEADLINE_MS, late);
      const waiter: Waiter = {
        version,
        resolve: () => {
          cancel();
          resolve();
        },
        reject: (reason) => {
          cancel();
          reject(reason);
        },
      };
      this.#waiters.push(waiter);
    });
  }

  /** Resolves when no commit is scheduled or under way; whether it succeeded shows in `isFailing`. */
  settled(): Promise<void> {
    if (!this.#isScheduled && !this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  close(): void {
    this.#unretry();
    this.#settle(Number.POSITIVE_INFINITY, fault('STOPPING'));
  }

  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#isScheduled) {
      this.#isScheduled = false;
      const taken = this.#options.pending.take(this.#wants, this.#options.clock.nowMs());
      this.#wants = 'configured';
      try {
        await this.#commit(taken);
        this.#succeeded(taken);
      } catch (thrown) {
        this.#failed(taken, thrown);
      }
    }
    this.#isWriting = false;
    for (const tell of this.#settled.splice(0)) tell();
  }

  async #commit(taken: CommitSet): Promise<void> {
    const { pending, port } = this.#options;
    const batch = pending.batchOf(taken);
    let values: readonly ValueRow[] = [];
    for (const slice of pending.valueRows(taken)) {
      if (values.length > 0) {
        await port.request('stage', { values });
        await yieldToEventLoop();
      }
      values = slice;
    }
    const { objects, removed, profiles, meta, audit } = batch;
    if ([objects, removed, profiles, meta, audit, values].every(({ length }) => length === 0)) return;
    await port.request('commit', { batch: { ...batch, values } });
  }

  #succeeded(taken: CommitSet): void {
    this.#durable = taken.version;
    this.#failures = 0;
    this.#unretry();
    this.#settle(taken.version);
    this.#options.onState(undefined);
  }

  #failed(taken: CommitSet, thrown: unknown): void {
    this.#options.pending.putBack(taken);
    const pauseMs = Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#unretry();
    // Values that could not be written now go with the next try: nothing else asks for them soon.
    this.#unretry = this.#options.clock.after(pauseMs, () => this.saveValues());
    this.#settle(taken.version, fault('STORE_FAILED', messageOf(thrown)));
    this.#options.onState(thrown);
  }

  #settle(version: number, failure?: Fault): void {
    const mine = this.#waiters.filter((waiter) => waiter.version <= version);
    this.#waiters = this.#waiters.filter((waiter) => waiter.version > version);
    for (const waiter of mine)
      if (failure === undefined) waiter.resolve();
      else waiter.reject(failure);
  }
}
