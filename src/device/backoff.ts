/** The back-off: doubling from half a second to 30 s, so that a plugged-in adapter is taken up within half a minute. */
export const BACKOFF_FIRST_MS = 500;
export const BACKOFF_MAX_MS = 30_000;
/** Online for this long, an instance has recovered and its next failure begins with the shortest wait. */
export const SETTLED_MS = 10_000;

/** How long to wait after the nth failure in a row (from 0): between half and all of a doubling time, at random. */
export function backoffMs(attempt: number, random: number, mostMs = BACKOFF_MAX_MS): number {
  return Math.min(mostMs, BACKOFF_FIRST_MS * 2 ** Math.min(attempt, 10)) * (0.5 + random / 2);
}
