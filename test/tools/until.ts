import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * How long a test waits for what should come immediately, ms: far beyond a busy machine's maximum, so it
 * means "never".
 */
export const PATIENCE_MS = 30_000;

/** Probes in consecutive turns of the event loop: enough for what needs no input or output. */
const QUICK_PROBES = 200;
/**
 * After those a probe per millisecond, and after as many again one every 5 ms: another process is probably
 * involved.
 */
const SLEEP_MS = [1, 5] as const;

/**
 * Waits until `probe` gives something truthy and returns it; fails, naming `what`, if it has not within
 * `withinMs`. For conditions without an event to wait for; if there is one, use {@link withinPatience}.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  withinMs: number = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const deadlineMs = performance.now() + withinMs;
  for (let probes = 0; ; probes++) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > deadlineMs) throw new Error(`Not within ${withinMs} ms: ${what}`);
    if (probes < QUICK_PROBES) await nextTurn();
    else await sleep(SLEEP_MS[probes < 2 * QUICK_PROBES ? 0 : 1]);
  }
}

/** Settles as `promise` does, but fails, naming `what`, if that takes longer than `withinMs`. */
export async function withinPatience<T>(
  what: string,
  promise: Promise<T>,
  withinMs: number = PATIENCE_MS,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Not within ${withinMs} ms: ${what}`)), withinMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
