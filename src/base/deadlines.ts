import type { Cancel, Clock } from './clock.js';
import { Heap, type HeapItem } from './heap.js';

/** Deadlines are rounded up to a multiple of this, so that those of the same second share one wake-up. */
const RESOLUTION_MS = 1000;
/** How many deadlines may expire in one turn of the event loop: about a millisecond. */
const SLICE = 500;

/** Something that must happen within a time, again and again or once. */
export class Deadline implements HeapItem {
  readonly withinMs: number;
  /** Called once when the time has passed; nothing is pending then until the next `restart`. */
  readonly onOverdue: () => void;
  /** When it expires, monotonic milliseconds. */
  dueMs = 0;
  /** When it is checked next; it may expire later than that. See {@link HeapItem}. */
  key = 0;
  heapIndex = -1;

  constructor(withinMs: number, onOverdue: () => void) {
    this.withinMs = withinMs;
    this.onOverdue = onOverdue;
  }
}

/**
 * All deadlines of a gateway on one timer: of values that are due, of commands that a device must answer.
 * Restarting a deadline costs a few additions: it stays where it is in the heap, and is checked once per
 * period however often it is restarted. Deadlines expire up to a second late, never early.
 */
export class Deadlines {
  readonly #clock: Pick<Clock, 'monotonicNs' | 'after'>;
  readonly #heap = new Heap<Deadline>();
  #cancelTimer: Cancel | undefined;
  #timerMs = Infinity;

  constructor(clock: Pick<Clock, 'monotonicNs' | 'after'>) {
    this.#clock = clock;
  }

  /**
   * Starts a deadline, or starts it again; `ageMs` of its time have passed already. Returns false if all of
   * it has: then it is not pending.
   */
  restart(deadline: Deadline, ageMs = 0): boolean {
    const nowMs = this.#nowMs();
    deadline.dueMs = nowMs + deadline.withinMs - ageMs;
    if (deadline.dueMs <= nowMs) {
      this.cancel(deadline);
      return false;
    }
    if (deadline.heapIndex >= 0 && deadline.dueMs >= deadline.key) return true;
    this.#heap.set(deadline, deadline.dueMs);
    this.#arm(nowMs);
    return true;
  }

  /** The timer stays: setting one for each command would cost more than waking up once in vain. */
  cancel(deadline: Deadline): void {
    this.#heap.remove(deadline);
  }

  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#timerMs = Infinity;
  }

  #check(): void {
    this.#cancelTimer = undefined;
    this.#timerMs = Infinity;
    const nowMs = this.#nowMs();
    for (let checks = 0; checks < SLICE; checks++) {
      const { first } = this.#heap;
      if (first === undefined || first.key > nowMs) break;
      if (first.dueMs > nowMs) this.#heap.set(first, first.dueMs);
      else {
        this.#heap.remove(first);
        first.onOverdue();
      }
    }
    this.#arm(nowMs);
  }

  #arm(nowMs: number): void {
    const { first } = this.#heap;
    if (first === undefined) return;
    const atMs = Math.ceil(first.key / RESOLUTION_MS) * RESOLUTION_MS;
    if (atMs >= this.#timerMs) return;
    this.#cancelTimer?.();
    this.#timerMs = atMs;
    this.#cancelTimer = this.#clock.after(Math.max(0, atMs - nowMs), () => this.#check());
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs()) / 1e6;
  }
}
