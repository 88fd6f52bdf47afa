import type { Clock } from '../../base/clock.js';
import { fault } from '../../base/fault.js';

/** How long something may take, what to call it when it took longer, and what ends the wait before. */
interface Limit {
  readonly ms: number;
  readonly what: string;
  readonly signal?: AbortSignal;
}

/** The promise's result, or `TIMED_OUT` after the limit, or the signal's reason. */
export function withTimeout<T>(
  clock: Pick<Clock, 'after'>,
  { ms, what, signal }: Limit,
  promise: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      cancel();
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const abort = () => end(() => reject(signal?.reason as Error));
    const cancel = clock.after(ms, () => end(() => reject(fault('TIMED_OUT', what))));
    // Before all else: should it reject when nobody waits any more, that is no unhandled rejection.
    promise.then(
      (value) => end(() => resolve(value)),
      (thrown: Error) => end(() => reject(thrown)),
    );
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}
