import type { Cancel } from './clock.js';

/** Resolves in the next iteration of the event loop, so that long work never blocks it. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Calls back in the next iteration of the event loop, unless cancelled before. */
export function onNextIteration(callback: () => void): Cancel {
  const immediate = setImmediate(callback);
  return () => clearImmediate(immediate);
}
