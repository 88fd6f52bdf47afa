import { Signal } from '../../src/base/signal.js';
import type { Job } from './bus.js';

/** The first wait for a unit that stopped answering, and the longest. */
export const FIRST_REST_MS = 2_000;
export const LONGEST_REST_MS = 60_000;

/** Neighbours are read in one request, until so many such requests in a row failed: not all units take them. */
const BLOCKS_FAILED_MOST = 3;

/** How a unit stands, and what waits for it. Whatever it does, the others of its bus are asked meanwhile. */
export class Unit {
  readonly number: number;
  /** Told with why when it stops answering, and with undefined when it answers again. */
  readonly changed = new Signal<string | undefined>();
  /** Routine reads, in the order in which they came. */
  readonly routine: Job[] = [];
  /** It is left alone until then, monotonic milliseconds. */
  restUntilMs = -Infinity;
  /** When it was last asked. */
  askedMs = -Infinity;
  /** Why it counts as away. */
  away: string | undefined;
  #blocksFailed = 0;
  #missed = 0;
  #rests = 0;

  constructor(number: number) {
    this.number = number;
  }

  /** Whether neighbours are read in one request. */
  get takesBlocks(): boolean {
    return this.away === undefined && this.#blocksFailed < BLOCKS_FAILED_MOST;
  }

  /** A request for several addresses was answered with what they have, or was not. */
  block(isAnswered: boolean): void {
    this.#blocksFailed = isAnswered ? 0 : this.#blocksFailed + 1;
  }

  /** It answered, be it with an exception. */
  answered(): void {
    this.#missed = 0;
    this.#rests = 0;
    this.restUntilMs = -Infinity;
    if (this.away === undefined) return;
    this.away = undefined;
    this.changed.emit(undefined);
  }

  /**
   * It did not answer. True while it counts as there: so often in a row may happen to one that is. It is left alone for
   * `lateMs`, in which an answer may still come that nobody waits for; once away, for longer and longer.
   */
  missed(why: string, { nowMs, lateMs, retries, random }: Missed): boolean {
    this.#missed += 1;
    this.restUntilMs = nowMs + lateMs;
    if (this.away === undefined && this.#missed <= retries) return true;
    const restMs = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(this.#rests, 10));
    this.#rests += 1;
    this.restUntilMs = nowMs + Math.max(lateMs, restMs * (0.5 + random / 2));
    if (this.away === undefined) {
      this.away = `unit ${this.number} does not answer: ${why}`;
      this.changed.emit(this.away);
    }
    return false;
  }
}

/** What happened when an answer was missed. */
export interface Missed {
  readonly nowMs: number;
  readonly lateMs: number;
  readonly retries: number;
  /** In [0, 1). */
  readonly random: number;
}
