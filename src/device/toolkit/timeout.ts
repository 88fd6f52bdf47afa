import type { Text } from '../../base/codes/coded-text.js';
import type { Clock } from '../../base/clock.js';
import { fault } from '../../base/fault.js';

/** A timeout, the name of the operation for its error text, and a signal that ends the wait early. */
interface Limit {
  readonly ms: number;
  readonly what: Text;
  readonly signal?: AbortSignal;
}

/**
 * Settles as the promise does, rejects with `TIMED_OUT` after the timeout, or rejects with the signal's
 * reason.
 */
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
    // Attached first: a late rejection must not be an unhandled one.
    promise.then(
      (value) => end(() => resolve(value)),
      (thrown: Error) => end(() => reject(thrown)),
    );
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}
