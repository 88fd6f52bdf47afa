import type { Clock } from '../base/clock.js';

/** So many seconds' worth of calls may come at once: a script that reads a whole house is not held up. */
const AT_ONCE_S = 5;
/** Waits shorter than this are not waited: a timer is not that exact. */
const LEAST_MS = 10;

/** How many calls a script may make: some at once, then so many a second, and so many altogether. */
export class CallRateLimit {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  readonly #eachMs: number;
  readonly #startMs: number;
  #left: number;
  /** When all calls so far would have been made one after the other, ms after the start. */
  #untilMs = 0;

  constructor(
    { callsPerS, calls }: { readonly callsPerS: number; readonly calls: number },
    clock: Pick<Clock, 'monotonicNs'>,
  ) {
    this.#clock = clock;
    this.#eachMs = 1000 / callsPerS;
    this.#left = calls;
    this.#startMs = monotonicMs(this.#clock);
  }

  /** Takes one: how long its answer has to wait, ms; undefined when no more may be made. */
  take(): number | undefined {
    if (this.#left-- <= 0) return undefined;
    const nowMs = monotonicMs(this.#clock) - this.#startMs;
    this.#untilMs = Math.max(this.#untilMs, nowMs) + this.#eachMs;
    const waitMs = this.#untilMs - nowMs - AT_ONCE_S * 1000;
    return waitMs < LEAST_MS ? 0 : waitMs;
  }
}

/** Milliseconds that pass evenly, for how long something took. */
export const monotonicMs = (clock: Pick<Clock, 'monotonicNs'>): number =>
  Number(clock.monotonicNs() / 1000n) / 1000;
