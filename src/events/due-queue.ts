import { Heap, type HeapItem } from '../base/heap.js';

interface Entry extends HeapItem {
  readonly id: number;
}

/** A priority queue of event ids by due time, earliest first. */
export class DueQueue {
  readonly #entries = new Map<number, Entry>();
  readonly #heap = new Heap<Entry>();

  get size(): number {
    return this.#heap.size;
  }

  /** The earliest time; undefined if the queue is empty. */
  get firstMs(): number | undefined {
    return this.#heap.first?.key;
  }

  /** Sets the due time of an event; undefined removes it. */
  set(id: number, atMs: number | undefined): void {
    let entry = this.#entries.get(id);
    if (atMs === undefined) {
      if (entry !== undefined) this.#remove(entry);
      return;
    }
    if (entry === undefined) this.#entries.set(id, (entry = { id, key: atMs, heapIndex: -1 }));
    this.#heap.set(entry, atMs);
  }

  /** Removes and returns the earliest event that is due at `nowMs`. */
  take(nowMs: number): number | undefined {
    const { first } = this.#heap;
    if (first === undefined || first.key > nowMs) return undefined;
    this.#remove(first);
    return first.id;
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.id);
    this.#heap.remove(entry);
  }
}
