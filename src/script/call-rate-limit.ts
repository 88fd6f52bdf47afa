import type { Clock } from '../base/clock.js';

/**
 * Size of the burst, in seconds at the rate limit: a script that reads some thousand variables is not
 * delayed.
 */
const BURST_S = 5;
/** Shorter delays are skipped, because timers are not that precise. */
const MIN_DELAY_MS = 10;

/** Limits a script's calls: a burst, then a rate, and a total. */
export class CallRateLimit {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  readonly #intervalMs: number;
  readonly #startMs: number;
  #remaining: number;
  /** When the calls so far would end if they were made at the rate limit, ms after the start. */
  #untilMs = 0;

  constructor(
    { callsPerS, calls }: { readonly callsPerS: number; readonly calls: number },
    clock: Pick<Clock, 'monotonicNs'>,
  ) {
    this.#clock = clock;
    this.#intervalMs = 1000 / callsPerS;
    this.#remaining = calls;
    this.#startMs = monotonicMs(this.#clock);
  }

  /** Counts a call. Returns how long to delay its reply, ms; undefined if the total is exceeded. */
  take(): number | undefined {
    if (this.#remaining-- <= 0) return undefined;
    const nowMs = monotonicMs(this.#clock) - this.#startMs;
    this.#untilMs = Math.max(this.#untilMs, nowMs) + this.#intervalMs;
    const waitMs = this.#untilMs - nowMs - BURST_S * 1000;
    return waitMs < MIN_DELAY_MS ? 0 : waitMs;
  }
}

/** Monotonic milliseconds, for durations. */
export const monotonicMs = (clock: Pick<Clock, 'monotonicNs'>): number =>
  Number(clock.monotonicNs() / 1000n) / 1000;
