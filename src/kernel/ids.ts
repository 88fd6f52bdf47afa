import { fault } from '../base/fault.js';

/** Object ids are 10000–59999 (interface §5). */
export const FIRST_ID = 10_000;
export const LAST_ID = 59_999;
/** How many objects there can be beside the root. */
export const ID_COUNT = LAST_ID - FIRST_ID + 1;

/**
 * The shuffled pool of object ids. Taking and giving back cost the same however many are in use: a Fisher–Yates shuffle
 * that is done a step at a time, as ids are taken.
 */
export class IdPool {
  /** ids[0..#taken) are in use, the rest are free; #place[id − FIRST_ID] says where an id stands. */
  readonly #ids = new Uint16Array(ID_COUNT);
  readonly #place = new Uint16Array(ID_COUNT);
  #taken = 0;
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
    for (let i = 0; i < ID_COUNT; i++) {
      this.#ids[i] = FIRST_ID + i;
      this.#place[i] = i;
    }
  }

  get free(): number {
    return ID_COUNT - this.#taken;
  }

  /** A free id at random. Throws `IDS_EXHAUSTED`. */
  take(): number {
    if (this.#taken === ID_COUNT) throw fault('IDS_EXHAUSTED');
    const place = this.#taken + Math.floor(this.#random() * (ID_COUNT - this.#taken));
    const id = this.#ids[place] as number;
    this.#swap(place, this.#taken++);
    return id;
  }

  /** Marks an id as in use, when a tree is loaded. */
  claim(id: number): void {
    const place = this.#place[id - FIRST_ID];
    if (place === undefined || place < this.#taken) throw new RangeError(`id ${id} cannot be claimed`);
    this.#swap(place, this.#taken++);
  }

  /** Gives an id back. */
  release(id: number): void {
    const place = this.#place[id - FIRST_ID];
    if (place === undefined || place >= this.#taken) throw new RangeError(`id ${id} is not taken`);
    this.#swap(place, --this.#taken);
  }

  #swap(a: number, b: number): void {
    const idA = this.#ids[a] as number;
    const idB = this.#ids[b] as number;
    this.#ids[a] = idB;
    this.#ids[b] = idA;
    this.#place[idB - FIRST_ID] = a;
    this.#place[idA - FIRST_ID] = b;
  }
}
