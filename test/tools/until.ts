import { setTimeout as sleep } from 'node:timers/promises';

/** How long a test waits for what should come at once, ms: far beyond a noisy machine's worst, so that it means "never". */
export const PATIENCE_MS = 30_000;

/**
 * Waits until `probe` gives something truthy and returns it; fails, naming `what`, when it has not within `withinMs`.
 * For conditions without an event to wait on; where there is one, use {@link withinPatience}.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  withinMs: number = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > deadlineMs) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await sleep(5);
  }
}

/** Settles as `promise` does, but fails, naming `what`, when that takes longer than `withinMs`. */
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
