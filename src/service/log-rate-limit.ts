import type { Clock } from '../base/clock.js';

/** Lines of one subject that are written without a limit: a large gateway has some hundred when it starts. */
export const LOG_BURST = 500;

/** Lines per minute after that: a problem that lasts for days must not fill the disk. */
export const LOG_PER_MINUTE = 20;

/** Bounds how many lines of one subject are written (a token bucket). */
export class LogRateLimit {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  #left = LOG_BURST;
  #atNs: bigint;
  #omitted = 0;

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock;
    this.#atNs = clock.monotonicNs();
  }

  /** Whether a line may be written now, and how many before it were not. */
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
