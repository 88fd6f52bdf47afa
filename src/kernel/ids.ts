import { fault } from '../base/fault.js';

/** Object ids have five digits (interface §5), and six after all of those were used. */
export const FIRST_ID = 10_000;
export const LAST_ID = 999_999;

/** Ids from `first` on. */
interface Range {
  readonly first: number;
  readonly count: number;
}

const RANGES: readonly Range[] = [
  { first: FIRST_ID, count: 50_000 },
  { first: 100_000, count: 900_000 },
];
const countOf = (ranges: readonly Range[]) => ranges.reduce((sum, { count }) => sum + count, 0);
/** Maximum number of objects in a tree, not counting the root. */
export const ID_COUNT = countOf(RANGES);

/** With fewer unused ids left, reusable ones are searched. A large copy needs fewer. */
const LOW = 10_000;
/** Ids skipped after a restore: those assigned since the backup must not be assigned again. */
const AFTER_BACKUP = 1_000;

const UNSURE = ':unsure';
const STATE = /^(\d{1,10}):(\d{1,7})(:unsure)?$/;

/** The state of a pool from a backup, moved on so that ids assigned since then are not assigned again. */
export function skipIdsAfterBackup(state: string): string {
  const [, seed, position, unsure = ''] = STATE.exec(state) ?? [];
  return position === undefined ? state : `${seed}:${Number(position) + AFTER_BACKUP}${unsure}`;
}

/** Dependencies of a pool. */
interface IdPoolOptions {
  /** In [0, 1), for the order of the ids. */
  readonly random: () => number;
  readonly isTaken: (id: number) => boolean;
  /** Ranges in the order in which they are used up. */
  readonly ranges?: readonly Range[];
}

/**
 * Assigns object ids in random order. Each id is assigned once before any is reused, across restarts: the
 * order follows from a seed, and `state` contains the position in it. Assigning an id costs the same for any
 * number of objects.
 */
export class IdPool {
  #requestRefill: () => void = () => undefined;
  #isUnsure = false;
  readonly #options: IdPoolOptions;
  readonly #ranges: readonly Range[];
  readonly #count: number;
  readonly #retired = new Set<number>();
  #spare: number[] = [];
  #seed: number;
  #position = 0;
  #orders: readonly Order[] | undefined;

  constructor(options: IdPoolOptions) {
    this.#options = options;
    this.#ranges = options.ranges ?? RANGES;
    this.#count = countOf(this.#ranges);
    this.#seed = Math.floor(options.random() * 2 ** 32);
  }

  /** Calls back when few ids are left, until {@link refill} adds others. */
  onLow(requestRefill: () => void): void {
    this.#requestRefill = requestRefill;
  }

  /**
   * Whether ids may have been assigned that this pool does not know of: ids that anything refers to must then
   * be retired at each start.
   */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  /** Declares that no id was assigned before this pool existed. */
  markComplete(): void {
    this.#isUnsure = false;
  }

  /** Ids that are left; some of them may turn out to be taken. */
  get left(): number {
    return this.#count - this.#position + this.#spare.length;
  }

  /** Ids assigned or skipped so far. It grows with each {@link take}, and `state` changes with it. */
  get position(): number {
    return this.#position;
  }

  /** For {@link restore}. */
  get state(): string {
    return `${this.#seed}:${this.#position}${this.#isUnsure ? UNSURE : ''}`;
  }

  /** Continues at the position of another pool. Without a valid state the pool is unsure. */
  restore(state: string | undefined): void {
    const [, seed, position, unsure] = STATE.exec(state ?? '') ?? [];
    this.#isUnsure = position === undefined || unsure !== undefined;
    if (position === undefined) return;
    this.#seed = Number(seed);
    this.#orders = undefined;
    this.#position = Math.min(this.#count, Number(position));
  }

  /** Whether an object may have this id. */
  isPossible(id: number): boolean {
    return this.#ranges.some(({ first, count }) => Number.isInteger(id) && id >= first && id < first + count);
  }

  /** Excludes ids without an object that something still refers to. */
  retire(ids: Iterable<number>): void {
    for (const id of ids) this.#retired.add(id);
  }

  /** Adds used ids that nothing refers to any more; they are assigned after all others. */
  refill(ids: readonly number[]): void {
    this.#spare = [...ids];
  }

  /** All used ids without an object. Takes time in proportion to the number of ids. */
  *spent(): Generator<number> {
    const ahead = new Set<number>();
    for (let place = this.#position; place < this.#count; place++) ahead.add(this.#at(place));
    for (const { first, count } of this.#ranges)
      for (let id = first; id < first + count; id++)
        if (!ahead.has(id) && !this.#options.isTaken(id)) yield id;
  }

  /** A free id. Throws `IDS_EXHAUSTED`. */
  take(): number {
    const { isTaken } = this.#options;
    if (this.left <= LOW) this.#requestRefill();
    while (this.#position < this.#count) {
      const id = this.#at(this.#position++);
      if (!isTaken(id) && !this.#retired.has(id)) return id;
    }
    for (let id = this.#spare.pop(); id !== undefined; id = this.#spare.pop()) if (!isTaken(id)) return id;
    throw fault('IDS_EXHAUSTED');
  }

  #at(position: number): number {
    this.#orders ??= this.#ranges.map((range) => new Order(range, this.#seed));
    let rest = position;
    for (const order of this.#orders) {
      if (rest < order.count) return order.at(rest);
      rest -= order.count;
    }
    throw new RangeError(`no id has place ${position}`);
  }
}

/**
 * A pseudo-random permutation of a range without memory: a Feistel network over the smallest power of four
 * that covers the range, applied repeatedly while the result is outside the range.
 */
class Order {
  readonly count: number;
  readonly #first: number;
  readonly #seed: number;
  readonly #halfBits: number;
  readonly #mask: number;

  constructor({ first, count }: Range, seed: number) {
    this.count = count;
    this.#first = first;
    this.#seed = seed;
    this.#halfBits = Math.max(1, Math.ceil(Math.log2(count) / 2));
    this.#mask = 2 ** this.#halfBits - 1;
  }

  at(place: number): number {
    let value = place;
    do value = this.#mixed(value);
    while (value >= this.count);
    return this.#first + value;
  }

  #mixed(value: number): number {
    let left = value >>> this.#halfBits;
    let right = value & this.#mask;
    for (let round = 0; round < ROUNDS; round++)
      [left, right] = [right, left ^ (scrambled(right, this.#seed + round) & this.#mask)];
    return left * (this.#mask + 1) + right;
  }
}

/** Three rounds look random; a fourth costs nothing. */
const ROUNDS = 4;

/** The finalizer of MurmurHash3 over a number and a seed. */
function scrambled(value: number, seed: number): number {
  let hash = Math.imul(value + 1, 0x9e3779b1) ^ seed;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
