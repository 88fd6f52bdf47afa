/**
 * Replaces `test/tools/until.ts` in a stub worker: what a subtest still waits for when its run is over fails, so
 * that it takes no processor time from the runs that follow.
 */
import * as original from '../until.js';
import { currentRun } from './current-run.js';

export * from '../until.js';

/** The original, which fails when the run that called it is over. */
export const until: typeof original.until = (what, probe, withinMs) => {
  const { over } = currentRun;
  return original.until(
    what,
    () => {
      over.throwIfAborted();
      return probe();
    },
    withinMs,
  );
};

/** The original, which fails when the run that called it is over. */
export const withinPatience: typeof original.withinPatience = async (what, promise, withinMs) => {
  const { over } = currentRun;
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(over.reason as Error);
  over.addEventListener('abort', stop);
  try {
    return await original.withinPatience(what, Promise.race([promise, stopped]), withinMs);
  } finally {
    over.removeEventListener('abort', stop);
  }
};
