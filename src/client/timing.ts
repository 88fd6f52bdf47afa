import type { Clock } from '../base/clock.js';

/** What the client needs of a clock; tests hand in one that is turned by hand. */
export type Timing = Pick<Clock, 'nowMs' | 'after' | 'random'>;

/** Real time, in Node and in browsers. Unlike the gateway's clock its timers keep a waiting program alive. */
export const realTiming: Timing = {
  nowMs: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** First pause before a new attempt, ms: short, because most interruptions are a restart or a hiccup. */
const FIRST_PAUSE_MS = 250;
/** Longest pause, ms: a gateway that comes back is noticed within half a minute. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * The pause before attempt 0, 1, 2, …: doubling, and spread by ±50 % so that many clients do not come back at
 * once.
 */
export function pauseMs(attempt: number, random: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + random);
}
