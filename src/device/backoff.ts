/**
 * The back-off doubles from 0.5 s to 30 s, so an adapter that is plugged in is opened within half a minute.
 */
export const BACKOFF_FIRST_MS = 500;
export const BACKOFF_MAX_MS = 30_000;
/** After this time online, an instance has recovered: its next failure starts with the shortest delay. */
export const SETTLED_MS = 10_000;

/**
 * The delay after the nth failure in a row (from 0): a random time between half of the back-off and all of
 * it.
 */
export function backoffMs(attempt: number, random: number, maximumMs = BACKOFF_MAX_MS): number {
  return Math.min(maximumMs, BACKOFF_FIRST_MS * 2 ** Math.min(attempt, 10)) * (0.5 + random / 2);
}
