/**
 * So many reads that wait in the kernel may go on at once, whatever the number of buses: each holds one of the process's four threads
 * for files, and two of them are for everybody else.
 */
const AT_ONCE = 2;

/** Lets slow jobs through, a few at a time, in the order they came. One for each gateway. */
export class Gate {
  #free = AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
