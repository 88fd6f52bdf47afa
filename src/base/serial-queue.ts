import type { Cancel } from './clock.js';

/** Lets jobs run one after the other, in the order they asked, whatever each does. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `job` when all earlier ones have ended; a failure goes to this caller alone. */
  run<T>(job: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(job, job);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

/** Resolves in the next iteration of the event loop, so that long work never blocks it. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Calls back in the next iteration of the event loop, unless cancelled before. */
export function onNextIteration(callback: () => void): Cancel {
  const immediate = setImmediate(callback);
  return () => clearImmediate(immediate);
}
