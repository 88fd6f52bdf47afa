/** Limits how many jobs run at the same time; the others wait, and start in the order they came. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** `permits`: how many jobs may run at the same time. */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Runs `job` as soon as a permit is free; settles as the job does. */
  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      // The permit passes to the next job in line without becoming free in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
