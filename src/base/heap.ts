/** An item of a {@link Heap}; only the heap writes the two fields. */
export interface HeapItem {
  /** What the heap is ordered by, usually a time in milliseconds. */
  key: number;
  /** Where the item is in the heap; -1 while it is not in one. */
  heapIndex: number;
}

/** A binary min-heap. Items know their index, so any of them can be moved or removed in logarithmic time. */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The item with the lowest key. */
  get first(): T | undefined {
    return this.#items[0];
  }

  /** Adds an item with this key, or moves it if it is in the heap. */
  set(item: T, key: number): void {
    item.key = key;
    if (item.heapIndex < 0) item.heapIndex = this.#items.push(item) - 1;
    this.#moveUp(item);
    this.#moveDown(item);
  }

  /** Removes an item; does nothing if it is not in the heap. */
  remove(item: T): void {
    const index = item.heapIndex;
    if (index < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    last.heapIndex = index;
    this.#items[index] = last;
    this.#moveUp(last);
    this.#moveDown(last);
  }

  #moveUp(item: T): void {
    for (;;) {
      const parent = this.#items[(item.heapIndex - 1) >> 1];
      if (parent === undefined || item.heapIndex === 0 || parent.key <= item.key) return;
      this.#swap(item, parent);
    }
  }

  #moveDown(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.heapIndex + 1];
      const right = this.#items[2 * item.heapIndex + 2];
      const child = right !== undefined && left !== undefined && right.key < left.key ? right : left;
      if (child === undefined || child.key >= item.key) return;
      this.#swap(item, child);
    }
  }

  #swap(one: T, other: T): void {
    [one.heapIndex, other.heapIndex] = [other.heapIndex, one.heapIndex];
    this.#items[one.heapIndex] = one;
    this.#items[other.heapIndex] = other;
  }
}
