import type { Clock } from '../../base/clock.js';
import type { PendingCode } from '../../base/codes/stable-codes.js';
import type { TimedRule } from './rule-fault.js';

/** Two wall times of one moment that differ by less, in ms, differ by rounding; otherwise the clock was set. */
const CLOCK_STEP_MS = 1000;

/** The wall times at which the rules of an output end and its scheduled changes happen. */
export class WallTimes {
  readonly #clock: Clock;
  /** Those that were calculated last, by code, with their monotonic times, in ms. */
  readonly #known = new Map<TimedRule | PendingCode, { readonly atMs: number; readonly wallMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The wall time of a moment that is `leftMs` ahead, unix milliseconds. For the same moment it is the same as
   * before, unless the clock was set: rounding would be reported as a change.
   */
  of(code: TimedRule | PendingCode, leftMs: number): number {
    const atMs = Number(this.#clock.monotonicNs()) / 1e6 + leftMs;
    const wallMs = Math.round(this.#clock.nowMs() + leftMs);
    const known = this.#known.get(code);
    const isSame = known !== undefined && Math.abs(known.atMs - atMs) < 1;
    if (isSame && Math.abs(known.wallMs - wallMs) < CLOCK_STEP_MS) return known.wallMs;
    this.#known.set(code, { atMs, wallMs });
    return wallMs;
  }
}

/** A time in unix milliseconds as UTC text. */
export const utcText = (unixMs: number): string => new Date(unixMs).toISOString().slice(0, 19) + 'Z';
