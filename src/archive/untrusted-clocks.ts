import type { Clock } from '../base/clock.js';
import type { UntrustedClock } from './worker-protocol.js';

/**
 * Marks from here on are of clocks whose error is unknown, such as those of another archive: these records stay marked,
 * and no correction applies to them.
 */
export const UNKNOWN_CLOCK = 1_000_000_000;

/** Wall clock and monotonic clock drift apart by less than this while nobody sets the one. */
const SAME_MS = 100;

/**
 * Which untrusted clocks times are of. While the wall clock is not trusted, what it is off the monotonic clock by is
 * remembered: once it is right, that tells what the time was.
 */
export class UntrustedClocks {
  readonly #clock: Clock;
  #mark = 0;
  #present: UntrustedClock | undefined;
  /** Those that the archive does not know yet. */
  #fresh: UntrustedClock[] = [];
  #isWaiting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * `mark` is the highest in use; `isMarked`: records of this run of the machine wait for the right time. Returns by how
   * much the marks that were given before that must rise.
   */
  begin({ mark, isMarked }: { readonly mark: number; readonly isMarked: boolean }): number {
    this.#mark += mark;
    this.#fresh = this.#fresh.map((one) => ({ ...one, mark: one.mark + mark }));
    if (this.#present !== undefined) this.#present = this.#fresh.at(-1);
    this.#isWaiting ||= isMarked;
    return mark;
  }

  /** The mark of a time that the clock says now: 0 while it is trusted. */
  mark(): number {
    if (this.#clock.isTrusted()) return 0;
    const offsetMs = this.#offsetMs();
    if (this.#present === undefined || Math.abs(this.#present.offsetMs - offsetMs) > SAME_MS) {
      this.#present = { mark: ++this.#mark, offsetMs };
      this.#fresh.push(this.#present);
      this.#isWaiting = true;
    }
    return this.#present.mark;
  }

  take(): UntrustedClock[] {
    return this.#fresh.splice(0);
  }

  putBack(clocks: readonly UntrustedClock[]): void {
    this.#fresh.unshift(...clocks);
  }

  /**
   * Where the clock is right now and records wait for it: what it is off the monotonic one by. A mark that was given before
   * is not given again: it may be gone when a record comes to have it.
   */
  correctionMs(): number | undefined {
    if (!this.#isWaiting || !this.#clock.isTrusted()) return undefined;
    this.#present = undefined;
    return this.#offsetMs();
  }

  /** All that had come before it was {@link correctionMs} has its right time. */
  corrected(): void {
    this.#isWaiting = this.#present !== undefined;
  }

  #offsetMs(): number {
    return Math.round(this.#clock.nowMs() - Number(this.#clock.monotonicNs() / 1_000_000n));
  }
}
