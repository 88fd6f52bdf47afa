import { coded } from '../base/codes/coded-text.js';
import type { Cancel, Clock } from '../base/clock.js';
import { codedMessageOf, type Fault, fault } from '../base/fault.js';
import { Histogram } from '../base/metrics/histogram.js';
import { onNextIteration, yieldToEventLoop } from '../base/event-loop.js';
import type { Kernel } from '../kernel/kernel.js';
import type { StoreWorker, ValueRow } from './worker-protocol.js';
import { VALUES_SLICE, type PendingChanges, type CommitSet, type ValueSelection } from './pending-changes.js';

/** Longest wait of a caller for the disk; the commit itself continues. */
const COMMIT_DEADLINE_MS = 10_000;
/** Back-off after failed commits: doubles from a second to a minute. */
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;

/** Options of a {@link JournalWriter}. */
interface JournalWriterOptions {
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
 * Writes the journal to the disk. Changes within one iteration of the event loop, and during a running
 * commit, share a commit. Changes that cannot be committed stay in memory and are retried with increasing
 * pauses.
 */
export class JournalWriter {
  /** Durations of commits until the data is on disk, s. */
  readonly durations = new Histogram();
  readonly #options: JournalWriterOptions;
  #waiters: Waiter[] = [];
  /** The journal's version that is on the disk. */
  #durable: number;
  #isScheduled = false;
  #isWriting = false;
  #selection: ValueSelection = 'configured';
  #failures = 0;
  #cancelRetry: Cancel = () => undefined;
  #onSettled: (() => void)[] = [];

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.#durable = options.kernel.journal.version;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Schedules a commit for the end of this iteration of the event loop, or after the running one. */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (!this.#isWriting) onNextIteration(() => void this.#write());
  }

  /** Includes last values in the next commit: all, or those that are due. */
  saveValues(which: 'all' | 'due' = 'all'): void {
    if (this.#selection !== 'all') this.#selection = which;
    this.schedule();
  }

  /**
   * Resolves when all changes of the configuration so far are on the disk. Rejects with `STORE_FAILED` if
   * they cannot be written now, or the disk does not respond; they stay in memory and are retried.
   */
  committed(): Promise<void> {
    const { version } = this.#options.kernel.journal;
    if (version <= this.#durable) return Promise.resolve();
    this.schedule();
    return new Promise((resolve, reject) => {
      const onDeadline = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(
          fault(
            'STORE_FAILED',
            coded`DISK_NOT_RESPONDED_S: the disk has not responded for ${COMMIT_DEADLINE_MS / 1000} s`,
          ),
        );
      };
      const cancel = this.#options.clock.after(COMMIT_DEADLINE_MS, onDeadline);
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

  /** Resolves when no commit is scheduled or running; `isFailing` is whether the last one failed. */
  settled(): Promise<void> {
    if (!this.#isScheduled && !this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => this.#onSettled.push(resolve));
  }

  close(): void {
    this.#cancelRetry();
    this.#settle(Number.POSITIVE_INFINITY, fault('STOPPING'));
  }

  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#isScheduled) {
      this.#isScheduled = false;
      const taken = this.#options.pending.take(this.#selection, this.#options.clock.nowMs());
      this.#selection = 'configured';
      try {
        await this.#commit(taken);
        this.#succeeded(taken);
        if (this.#options.pending.hasMore) this.saveValues();
      } catch (thrown) {
        this.#failed(taken, thrown);
      }
    }
    this.#isWriting = false;
    for (const resolve of this.#onSettled.splice(0)) resolve();
  }

  async #commit(taken: CommitSet): Promise<void> {
    const { pending, port } = this.#options;
    const batch = pending.batchOf(taken);
    const { objects, removed, profiles, meta, audit } = batch;
    let isEmpty = [objects, removed, profiles, meta, audit].every(({ length }) => length === 0);
    let values: readonly ValueRow[] = [];
    for (const slice of pending.valueRows(taken)) {
      isEmpty = false;
      // Send each slice before yielding: newer values for the runtime directory must not overtake it on the
      // way to the worker.
      if (slice.length < VALUES_SLICE) values = slice;
      else {
        await port.request('stage', { values: slice });
        await yieldToEventLoop();
      }
    }
    if (isEmpty) return;
    const fromNs = this.#options.clock.monotonicNs();
    await port.request('commit', { batch: { ...batch, values } });
    this.durations.add(Number(this.#options.clock.monotonicNs() - fromNs) / 1e9);
  }

  #succeeded(taken: CommitSet): void {
    this.#durable = taken.version;
    this.#failures = 0;
    this.#cancelRetry();
    this.#settle(taken.version);
    this.#options.onState(undefined);
  }

  #failed(taken: CommitSet, thrown: unknown): void {
    this.#options.pending.putBack(taken);
    const pauseMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#cancelRetry();
    // The next attempt includes the values, which nothing else would write soon.
    this.#cancelRetry = this.#options.clock.after(pauseMs, () => this.saveValues());
    this.#settle(taken.version, fault('STORE_FAILED', codedMessageOf(thrown)));
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
