import type { Clock } from '../base/clock.js';
import type { UntrustedClock } from './worker-protocol.js';

/**
 * Marks from here on are of clocks whose error is unknown, such as those of another archive: these records
 * stay marked, and no correction applies to them.
 */
export const UNKNOWN_CLOCK = 1_000_000_000;

/** Drift between wall clock and monotonic clock is less than this unless the wall clock is set, ms. */
const SAME_MS = 100;

/**
 * Numbers the untrusted clocks that times come from. The difference of an untrusted wall clock to the
 * monotonic clock is stored; as soon as the time is known, it gives the correction.
 */
export class UntrustedClocks {
  readonly #clock: Clock;
  #mark = 0;
  #present: UntrustedClock | undefined;
  /** Clocks that are not in the archive yet. */
  #fresh: UntrustedClock[] = [];
  #isWaiting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * `mark` is the highest in use; `isMarked`: records since the boot wait for a correction. Returns by how
   * much marks that were assigned earlier must be increased.
   */
  begin({ mark, isMarked }: { readonly mark: number; readonly isMarked: boolean }): number {
    this.#mark += mark;
    this.#fresh = this.#fresh.map((one) => ({ ...one, mark: one.mark + mark }));
    if (this.#present !== undefined) this.#present = this.#fresh.at(-1);
    this.#isWaiting ||= isMarked;
    return mark;
  }

  /** The mark for a time of the clock now; 0 while it is trusted. */
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
   * The difference to the monotonic clock if the clock is trusted now and records wait for a correction.
   * Earlier marks are not reused, because the correction removes them.
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
