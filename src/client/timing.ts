import type { Clock } from '../base/clock.js';

/** The clock of the client; tests use a controlled one. */
export type Timing = Pick<Clock, 'nowMs' | 'after' | 'random'>;

/** The system's time, in Node and in browsers. Unlike the gateway's timers, these keep the process alive. */
export const realTiming: Timing = {
  nowMs: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** First pause before a new attempt, ms: short, because most interruptions are short. */
const FIRST_PAUSE_MS = 250;
/** Longest pause, ms: the maximum delay until the client reconnects to a gateway that is available again. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * The pause before attempt 0, 1, 2, … doubles and is randomised by ±50 %, so that many clients do not
 * reconnect at the same time.
 */
export function pauseMs(attempt: number, random: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + random);
}
