import { priorities, type Entry, type Priority } from './entry.js';

/**
 * Values in memory: more go to the disk early. If the disk does not accept them, those above twice as many
 * are dropped.
 */
const MEMORY_LIMIT = 5_000;
/** Their texts, characters, in the same way. */
const MEMORY_TEXT_LIMIT = 2_000_000;
/** Shorter texts cannot exceed that limit. */
const LONG_TEXT = MEMORY_TEXT_LIMIT / MEMORY_LIMIT;

/** The values of a queue that are not on the disk. */
export class MemoryValues {
  /** Arrived in this iteration of the event loop. */
  readonly fresh: Entry[] = [];
  /** To be sent as live values; empty without a receiver. */
  readonly live: Entry[] = [];
  /** Historical values; older than those in `live`, newer than those on the disk. */
  late: Entry[] = [];
  /** Batches in flight, with the number of the attachment of their receiver. */
  readonly liveInFlight = new Map<readonly Entry[], number>();
  lateInFlight: readonly Entry[] | undefined;
  /** Being written to the disk. */
  readonly #writing = new Set<readonly Entry[]>();

  get hasAny(): boolean {
    return this.all().next().done !== true;
  }

  get isWriting(): boolean {
    return this.#writing.size > 0;
  }

  /** The lowest sequence number; undefined if there is none. */
  get firstSeq(): number | undefined {
    let first: number | undefined;
    for (const { seq } of this.all()) first = Math.min(first ?? seq, seq);
    return first;
  }

  /** All of them. */
  *all(): Generator<Entry> {
    for (const group of this.#writing) yield* group;
    yield* this.lateInFlight ?? [];
    yield* this.late;
    for (const batch of this.liveInFlight.keys()) yield* batch;
    yield* this.live;
    yield* this.fresh;
  }

  /** Makes the live values historical. */
  ageLive(): void {
    this.late.push(...this.live.splice(0));
  }

  /** Adds historical values, which may be older than others. */
  addLate(entries: readonly Entry[]): void {
    if (entries.length > 0) this.late = [...entries, ...this.late].sort((a, b) => a.seq - b.seq);
  }

  /** Takes the historical values by priority, to be written. */
  startWriting(of: (path: string) => Priority): [Priority, readonly Entry[]][] {
    const groups = Map.groupBy(this.late.splice(0), ({ path }) => of(path));
    const found = priorities.flatMap((priority): [Priority, readonly Entry[]][] => {
      const entries = groups.get(priority);
      return entries === undefined ? [] : [[priority, entries]];
    });
    for (const [, entries] of found) this.#writing.add(entries);
    return found;
  }

  /** The values are on the disk; if not, they are historical again. */
  endWriting(entries: readonly Entry[], isWritten: boolean): void {
    this.#writing.delete(entries);
    if (!isWritten) this.addLate(entries);
  }

  /** Removes all that are not being written, in their order. */
  takeAll(): Entry[] {
    const waiting = [...(this.lateInFlight ?? []), ...this.late, ...[...this.liveInFlight.keys()].flat()];
    const all = [...waiting, ...this.live, ...this.fresh].sort((a, b) => a.seq - b.seq);
    this.late = [];
    this.lateInFlight = undefined;
    this.liveInFlight.clear();
    this.fresh.length = this.live.length = 0;
    return all;
  }

  /** Whether values should go to the disk early, now that `fresh` have arrived. */
  isFull(fresh: readonly Entry[]): boolean {
    if (this.live.length + this.late.length > MEMORY_LIMIT) return true;
    if (!fresh.some((entry) => textLength(entry) > LONG_TEXT)) return false;
    return lengthOf([...this.live, ...this.late]) > MEMORY_TEXT_LIMIT;
  }

  /**
   * Drops values for which there is no memory, those of the lowest priority and the oldest first. Calls
   * `onDrop` with their number.
   */
  dropExcess(of: (path: string) => Priority, onDrop: (priority: Priority, count: number) => void): void {
    const inMemory = [...this.late, ...this.live];
    let values = inMemory.length - 2 * MEMORY_LIMIT;
    let characters = lengthOf(inMemory) - 2 * MEMORY_TEXT_LIMIT;
    for (const priority of [...priorities].reverse())
      for (const waiting of [this.late, this.live]) {
        if (values <= 0 && characters <= 0) return;
        const kept = waiting.filter((entry) => {
          const length = textLength(entry);
          const isExcess = values > 0 || (characters > 0 && length > 0);
          if (!isExcess || of(entry.path) !== priority) return true;
          values -= 1;
          characters -= length;
          return false;
        });
        onDrop(priority, waiting.length - kept.length);
        waiting.splice(0, waiting.length, ...kept);
      }
  }
}

const textLength = ({ value }: Entry): number => (typeof value === 'string' ? value.length : 0);

const lengthOf = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry) => sum + textLength(entry), 0);
