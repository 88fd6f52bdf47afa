import { realTiming } from '../../client/timing.js';

/** Calls back at an interval until the result is called. */
export function every(ms: number, callback: () => void): () => void {
  let cancel = realTiming.after(ms, tick);
  function tick(): void {
    cancel = realTiming.after(ms, tick);
    callback();
  }
  return () => cancel();
}
