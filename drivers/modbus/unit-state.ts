import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { Signal } from '../../src/base/signal.js';
import type { PendingRequest } from './bus-scheduler.js';

/** The first and the longest backoff of a unit that stopped replying. */
const FIRST_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 60_000;

/** Reads are coalesced until this many coalesced requests in a row have failed: not all units accept them. */
const MAX_FAILED_BLOCK_READS = 3;

/** The state of a unit, and its queued polls. A failing unit does not delay the others on its bus. */
export class UnitState {
  readonly number: number;
  /** Emits the reason when the unit goes offline, and undefined when it is back. */
  readonly onlineChanged = new Signal<Text | undefined>();
  /** Queued polls, oldest first. */
  readonly polls: PendingRequest[] = [];
  /** No request is sent before this time, monotonic milliseconds. */
  backoffUntilMs = -Infinity;
  /** When the last request was sent, monotonic milliseconds. */
  lastSentMs = -Infinity;
  /** Why the unit is offline; undefined while it is online. */
  offlineReason: Text | undefined;
  #blocksFailed = 0;
  #missed = 0;
  #backoffs = 0;

  constructor(number: number) {
    this.number = number;
  }

  /** Whether reads of this unit may be coalesced. */
  get canCoalesce(): boolean {
    return this.offlineReason === undefined && this.#blocksFailed < MAX_FAILED_BLOCK_READS;
  }

  /** Records whether a coalesced read succeeded. */
  recordBlockRead(isAnswered: boolean): void {
    this.#blocksFailed = isAnswered ? 0 : this.#blocksFailed + 1;
  }

  /** Records a reply, which may be an exception. */
  recordReply(): void {
    this.#missed = 0;
    this.#backoffs = 0;
    this.backoffUntilMs = -Infinity;
    if (this.offlineReason === undefined) return;
    this.offlineReason = undefined;
    this.onlineChanged.emit(undefined);
  }

  /**
   * Records a missing reply; returns true while the unit still counts as online. No request is sent for
   * `lateMs`, during which the late reply may arrive; while offline, for exponentially growing times.
   */
  recordMissedReply(why: Text, { nowMs, lateMs, retries, random }: MissedReply): boolean {
    this.#missed += 1;
    this.backoffUntilMs = nowMs + lateMs;
    if (this.offlineReason === undefined && this.#missed <= retries) return true;
    const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(this.#backoffs, 10));
    this.#backoffs += 1;
    this.backoffUntilMs = nowMs + Math.max(lateMs, backoffMs * (0.5 + random / 2));
    if (this.offlineReason === undefined) {
      this.offlineReason = coded`UNIT_DOES_NOT_REPLY: unit ${this.number} does not reply: ${why}`;
      this.onlineChanged.emit(this.offlineReason);
    }
    return false;
  }
}

/** The circumstances of a missing reply. */
interface MissedReply {
  readonly nowMs: number;
  readonly lateMs: number;
  readonly retries: number;
  /** In [0, 1). */
  readonly random: number;
}
