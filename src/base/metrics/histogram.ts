/** Upper bounds in seconds: from a call in memory to one that waits for a device. */
const BOUNDS_S = [0.0001, 0.001, 0.01, 0.1, 1, 10] as const;

/** Counts durations by size; adding one allocates nothing. */
export class Histogram {
  /** Durations per bucket; the last one has those above all bounds. */
  readonly #counts: number[] = [...BOUNDS_S, Infinity].map(() => 0);
  #count = 0;
  #sum = 0;

  add(seconds: number): void {
    let at = 0;
    while (at < BOUNDS_S.length && seconds > (BOUNDS_S[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#count += 1;
    this.#sum += seconds;
  }

  get count(): number {
    return this.#count;
  }

  /** Seconds of all durations. */
  get sum(): number {
    return this.#sum;
  }

  /** Each bound, with the number of durations that are not longer. */
  *cumulative(): Generator<readonly [bound: number, count: number]> {
    let below = 0;
    for (const [n, bound] of BOUNDS_S.entries()) {
      below += this.#counts[n] ?? 0;
      yield [bound, below];
    }
  }
}
