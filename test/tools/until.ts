import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * How long a test waits for what should come immediately, ms: far beyond a busy machine's maximum, so it
 * means "never".
 */
export const PATIENCE_MS = 30_000;

/** Probes in consecutive turns of the event loop: enough for what needs no input or output. */
const QUICK_PROBES = 200;
/** The longest time for those, ms: a probe that calls a gateway takes a part of a millisecond. */
const QUICK_MS = 5;
/**
 * Pauses afterwards, ms, each this many times as long as the probe: a probe must not slow down what it waits
 * for.
 */
const PAUSE_MS = { minimum: 1, maximum: 20, timesProbe: 3 };

/**
 * Waits until `probe` gives something truthy and returns it; fails, naming `what`, if it has not within
 * `withinMs`. For conditions without an event to wait for; if there is one, use {@link withinPatience}.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  withinMs: number = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const startMs = performance.now();
  for (let probes = 0; ; probes++) {
    const probeMs = performance.now();
    const value = await probe();
    if (value) return value;
    const nowMs = performance.now();
    if (nowMs - startMs > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}`);
    if (probes < QUICK_PROBES && nowMs - startMs < QUICK_MS) await nextTurn();
    else await sleep(clamp(PAUSE_MS.timesProbe * (nowMs - probeMs)));
  }
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, PAUSE_MS.minimum), PAUSE_MS.maximum);
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
