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

/** Gives the event loop a turn, so that long work never holds it. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
