/**
 * The variable with the seed of a fuzz run; without it a new seed is generated, and printed, so that the run
 * can be repeated.
 */
const SEED_VARIABLE = 'STELLWERK_FUZZ_SEED';

/** The seed of this run: that of the environment, or a new one. */
export function fuzzSeed(): number {
  const given = process.env[SEED_VARIABLE];
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given) >>> 0;
}

/** How to repeat the same inputs; a part of the test's name. */
export const seedLabel = (seed: number): string => `${SEED_VARIABLE}=${seed}`;

/**
 * Random choices that are the same for the same seed (mulberry32: 32 bits of state, good enough to shuffle
 * inputs).
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to `limit` − 1. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True with the probability `p`. */
  chance(p: number): boolean {
    return this.next() < p;
  }

  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** `count` results of `make`, at most `limit` − 1 of them. */
  some<T>(limit: number, make: () => T): T[] {
    return Array.from({ length: this.below(limit) }, make);
  }
}
