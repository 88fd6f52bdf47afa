/** Runs asynchronous jobs one at a time, in the order they were added. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `job` after all earlier ones. Its failure goes to this caller only. */
  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job, job);
    // The caller handles the failure; the next job only waits.
    this.#last = result.catch(() => undefined);
    return result;
  }
}
