interface Entry {
  readonly id: number;
  readonly atMs: number;
}

/**
 * Who is due when, the earliest first. Putting and taking cost the logarithm of how many there are; what was replaced or
 * taken out stays in the heap until it comes up or is cleared away with all the like.
 */
export class DueQueue {
  readonly #dues = new Map<number, number>();
  #heap: Entry[] = [];

  get size(): number {
    return this.#dues.size;
  }

  /** The earliest time; undefined when nobody is due. */
  get firstMs(): number | undefined {
    this.#drop();
    return this.#heap[0]?.atMs;
  }

  /** It is due then, and no longer at another time; undefined: never. */
  set(id: number, atMs: number | undefined): void {
    if (this.#dues.get(id) === atMs) return;
    if (atMs === undefined) return void this.#dues.delete(id);
    this.#dues.set(id, atMs);
    if (this.#heap.length > SPARE + this.#dues.size * 2) this.#clear();
    else this.#push({ id, atMs });
  }

  /** The earliest that is due by now, which then is due no longer. */
  take(nowMs: number): number | undefined {
    const firstMs = this.firstMs;
    if (firstMs === undefined || firstMs > nowMs) return undefined;
    const { id } = this.#pop() as Entry;
    this.#dues.delete(id);
    return id;
  }

  /** Drops from the top what is no longer so. */
  #drop(): void {
    for (let [top] = this.#heap; top !== undefined; [top] = this.#heap) {
      if (this.#dues.get(top.id) === top.atMs) return;
      this.#pop();
    }
  }

  #clear(): void {
    // In the order of their times they are a heap.
    this.#heap = Array.from(this.#dues, ([id, atMs]) => ({ id, atMs })).sort((a, b) => a.atMs - b.atMs);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    for (;;) {
      const up = (at - 1) >> 1;
      const above = heap[up];
      if (at === 0 || above === undefined || above.atMs <= entry.atMs) break;
      heap[at] = above;
      at = up;
    }
    heap[at] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const [top] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      const left = at * 2 + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      if (a === undefined) break;
      const [least, down] = b !== undefined && b.atMs < a.atMs ? [b, left + 1] : [a, left];
      if (least.atMs >= last.atMs) break;
      heap[at] = least;
      at = down;
    }
    heap[at] = last;
    return top;
  }
}

/** Entries that are no longer so, before a small heap is cleared of them. */
const SPARE = 64;
