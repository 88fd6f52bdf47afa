import type { Clock } from '../base/clock.js';
import type { UntrustedClock } from './worker-protocol.js';

/**
 * Lowest mark of clocks whose error is unknown, such as those of another archive. Records with these marks
 * are never corrected and stay marked.
 */
export const UNKNOWN_CLOCK = 1_000_000_000;

/**
 * A larger change of the difference between wall clock and monotonic clock means that the wall clock was set,
 * ms.
 */
const CLOCK_SET_MS = 100;

/**
 * Numbers the untrusted clocks that record times come from. Stores the difference of each to the monotonic
 * clock, which gives the correction as soon as the clock is trusted.
 */
export class UntrustedClocks {
  readonly #clock: Clock;
  #mark = 0;
  #present: UntrustedClock | undefined;
  /** Clocks of this run with records that were not corrected yet. */
  #clocks: UntrustedClock[] = [];
  /** The highest mark that the correction in progress removes. */
  #lastCorrected = 0;
  #isCorrectionDue = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Continues after the highest mark in use. `isMarked`: records since the boot are to be corrected. Returns
   * by how much marks that were assigned before must be increased.
   */
  begin({ mark, isMarked }: { readonly mark: number; readonly isMarked: boolean }): number {
    this.#mark += mark;
    this.#clocks = this.#clocks.map((one) => ({ ...one, mark: one.mark + mark }));
    if (this.#present !== undefined) this.#present = this.#clocks.at(-1);
    this.#isCorrectionDue ||= isMarked;
    return mark;
  }

  /** The mark of a record that is made now; 0 while the clock is trusted. */
  mark(): number {
    if (this.#clock.isTrusted()) return 0;
    const offsetMs = this.#offsetMs();
    if (this.#present === undefined || Math.abs(this.#present.offsetMs - offsetMs) > CLOCK_SET_MS) {
      this.#present = { mark: ++this.#mark, offsetMs };
      this.#clocks.push(this.#present);
      this.#isCorrectionDue = true;
    }
    return this.#present.mark;
  }

  /**
   * The clocks of this run with records that were not corrected yet. Each write stores them, because a damaged
   * archive may have been replaced by a new one.
   */
  uncorrected(): readonly UntrustedClock[] {
    return [...this.#clocks];
  }

  /**
   * The difference to the monotonic clock if the clock is trusted now and there are records to be corrected.
   * Marks assigned before are not reused, because the correction removes them.
   */
  correctionMs(): number | undefined {
    if (!this.#isCorrectionDue || !this.#clock.isTrusted()) return undefined;
    this.#present = undefined;
    this.#lastCorrected = this.#mark;
    return this.#offsetMs();
  }

  /** The records from before the call of {@link correctionMs} were corrected. */
  corrected(): void {
    this.#clocks = this.#clocks.filter(({ mark }) => mark > this.#lastCorrected);
    this.#isCorrectionDue = this.#clocks.length > 0;
  }

  #offsetMs(): number {
    return Math.round(this.#clock.nowMs() - Number(this.#clock.monotonicNs() / 1_000_000n));
  }
}
