import type { Clock } from '../base/clock.js';

/** Lines of one subject that may be written in a burst: a large gateway logs some hundred when it starts. */
export const LOG_BURST = 500;

/** Lines per minute after the burst, so that a lasting problem does not fill the disk. */
export const LOG_PER_MINUTE = 20;

/** Limits the number of lines of a subject (token bucket). */
export class LogRateLimit {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  #left = LOG_BURST;
  #atNs: bigint;
  #omitted = 0;

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock;
    this.#atNs = clock.monotonicNs();
  }

  /** Whether a line may be written now, and the number of lines omitted before it. */
  take(): { readonly isAllowed: boolean; readonly omitted: number } {
    const nowNs = this.#clock.monotonicNs();
    this.#left = Math.min(LOG_BURST, this.#left + (Number(nowNs - this.#atNs) / 60e9) * LOG_PER_MINUTE);
    this.#atNs = nowNs;
    if (this.#left < 1) {
      this.#omitted += 1;
      return { isAllowed: false, omitted: 0 };
    }
    this.#left -= 1;
    const omitted = this.#omitted;
    this.#omitted = 0;
    return { isAllowed: true, omitted };
  }
}
