import type { Cancel, Clock } from '../base/clock.js';

/** What falls due within one second is told together: a promise is given in seconds. */
const TOGETHER_MS = 1000;
/** So many are told in one turn of the event loop: about a millisecond. */
const SLICE = 500;

/** A promise of the next value within some time of the one before. */
export class Deadline {
  readonly withinMs: number;
  /** Called when it was not kept, once; the next value makes it anew. */
  readonly onOverdue: () => void;
  /** Monotonic milliseconds. */
  dueMs = 0;
  /** When it is looked at next: it may be due later by then. */
  checkMs = 0;
  /** Where it stands in the heap; below 0: nowhere. */
  place = -1;

  constructor(withinMs: number, overdue: () => void) {
    this.withinMs = withinMs;
    this.onOverdue = overdue;
  }
}

/**
 * Says when promises are not kept. One timer for all of them. A value that keeps its promise costs a few additions, and
 * each promise is looked at once in its time, however many values come: it stands in a heap by when it was last looked at.
 */
export class Deadlines {
  readonly #clock: Pick<Clock, 'monotonicNs' | 'after'>;
  readonly #heap: Deadline[] = [];
  #cancel: Cancel | undefined;
  #timerMs = Infinity;

  constructor(clock: Pick<Clock, 'monotonicNs' | 'after'>) {
    this.#clock = clock;
  }

  /** A value came that is `ageMs` old. False when it is too old already: then nothing more is promised until the next. */
  restart(promised: Deadline, ageMs: number): boolean {
    const nowMs = this.#nowMs();
    promised.dueMs = nowMs + promised.withinMs - ageMs;
    if (promised.dueMs <= nowMs) {
      this.cancel(promised);
      return false;
    }
    if (promised.place < 0) promised.place = this.#heap.push(promised) - 1;
    else if (promised.dueMs >= promised.checkMs) return true;
    promised.checkMs = promised.dueMs;
    this.#rise(promised);
    this.#arm(nowMs);
    return true;
  }

  /** Nothing is promised any more. */
  cancel(promised: Deadline): void {
    const { place } = promised;
    if (place < 0) return;
    promised.place = -1;
    const last = this.#heap.pop();
    if (last !== undefined && last !== promised) {
      last.place = place;
      this.#heap[place] = last;
      this.#rise(last);
      this.#sink(last);
    }
    if (this.#heap.length === 0) this.close();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#timerMs = Infinity;
  }

  #look(): void {
    this.#cancel = undefined;
    this.#timerMs = Infinity;
    const nowMs = this.#nowMs();
    for (let looks = 0; looks < SLICE; looks++) {
      const first = this.#heap[0];
      if (first === undefined || first.checkMs > nowMs) break;
      if (first.dueMs <= nowMs) {
        this.cancel(first);
        first.onOverdue();
      } else {
        first.checkMs = first.dueMs;
        this.#sink(first);
      }
    }
    this.#arm(nowMs);
  }

  #arm(nowMs: number): void {
    const first = this.#heap[0];
    if (first === undefined) return;
    const atMs = Math.ceil(first.checkMs / TOGETHER_MS) * TOGETHER_MS;
    if (atMs >= this.#timerMs) return;
    this.#cancel?.();
    this.#timerMs = atMs;
    this.#cancel = this.#clock.after(Math.max(0, atMs - nowMs), () => this.#look());
  }

  #rise(promised: Deadline): void {
    for (;;) {
      const above = this.#heap[(promised.place - 1) >> 1];
      if (above === undefined || promised.place === 0 || above.checkMs <= promised.checkMs) return;
      this.#swap(promised, above);
    }
  }

  #sink(promised: Deadline): void {
    for (;;) {
      const left = this.#heap[2 * promised.place + 1];
      const right = this.#heap[2 * promised.place + 2];
      const below = right !== undefined && left !== undefined && right.checkMs < left.checkMs ? right : left;
      if (below === undefined || below.checkMs >= promised.checkMs) return;
      this.#swap(promised, below);
    }
  }

  #swap(one: Deadline, other: Deadline): void {
    [one.place, other.place] = [other.place, one.place];
    this.#heap[one.place] = one;
    this.#heap[other.place] = other;
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs()) / 1e6;
  }
}
