import { Signal } from '../../src/base/signal.js';
import type { PendingRequest } from './bus-scheduler.js';

/** The first wait for a unit that stopped answering, and the longest. */
export const FIRST_BACKOFF_MS = 2_000;
export const MAX_BACKOFF_MS = 60_000;

/** Neighbours are read in one request, until so many such requests in a row failed: not all units take them. */
const MAX_FAILED_BLOCK_READS = 3;

/** How a unit stands, and what waits for it. Whatever it does, the others of its bus are asked meanwhile. */
export class UnitState {
  readonly number: number;
  /** Told with why when it stops answering, and with undefined when it answers again. */
  readonly onlineChanged = new Signal<string | undefined>();
  /** Routine reads, in the order in which they came. */
  readonly polls: PendingRequest[] = [];
  /** It is left alone until then, monotonic milliseconds. */
  backoffUntilMs = -Infinity;
  /** When it was last asked. */
  lastSentMs = -Infinity;
  /** Why it counts as away. */
  offlineReason: string | undefined;
  #blocksFailed = 0;
  #missed = 0;
  #rests = 0;

  constructor(number: number) {
    this.number = number;
  }

  /** Whether neighbours are read in one request. */
  get canCoalesce(): boolean {
    return this.offlineReason === undefined && this.#blocksFailed < MAX_FAILED_BLOCK_READS;
  }

  /** A request for several addresses was answered with what they have, or was not. */
  recordBlockRead(isAnswered: boolean): void {
    this.#blocksFailed = isAnswered ? 0 : this.#blocksFailed + 1;
  }

  /** It answered, be it with an exception. */
  recordReply(): void {
    this.#missed = 0;
    this.#rests = 0;
    this.backoffUntilMs = -Infinity;
    if (this.offlineReason === undefined) return;
    this.offlineReason = undefined;
    this.onlineChanged.emit(undefined);
  }

  /**
   * It did not answer. True while it counts as there: so often in a row may happen to one that is. It is left alone for
   * `lateMs`, in which an answer may still come that nobody waits for; once away, for longer and longer.
   */
  recordMissedReply(why: string, { nowMs, lateMs, retries, random }: MissedReply): boolean {
    this.#missed += 1;
    this.backoffUntilMs = nowMs + lateMs;
    if (this.offlineReason === undefined && this.#missed <= retries) return true;
    const restMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(this.#rests, 10));
    this.#rests += 1;
    this.backoffUntilMs = nowMs + Math.max(lateMs, restMs * (0.5 + random / 2));
    if (this.offlineReason === undefined) {
      this.offlineReason = `unit ${this.number} does not answer: ${why}`;
      this.onlineChanged.emit(this.offlineReason);
    }
    return false;
  }
}

/** What happened when an answer was missed. */
export interface MissedReply {
  readonly nowMs: number;
  readonly lateMs: number;
  readonly retries: number;
  /** In [0, 1). */
  readonly random: number;
}
