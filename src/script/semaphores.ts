import type { Cancel, Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';

/** The limit of semaphores held at the same time; more indicates a script that creates names without end. */
const NAMES_LIMIT = 1000;

/** The holder of a semaphore: one run of a script. */
type Holder = object;

interface Semaphore {
  holder: Holder;
  /** How often the holder has entered; it must leave as often. */
  depth: number;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly holder: Holder;
  readonly answer: (has: boolean) => void;
  readonly cancel: Cancel;
}

/**
 * Semaphores by name. Each is held by one run at a time; waiting runs get it in the order of their requests.
 */
export class Semaphores {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #all = new Map<string, Semaphore>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /**
   * Acquires a semaphore; resolves with whether that succeeded within the time. The holder may enter again.
   * Throws `BUSY`.
   */
  enter(name: string, ms: number, holder: Holder): boolean | Promise<boolean> {
    const semaphore = this.#all.get(name);
    if (semaphore === undefined) {
      if (this.#all.size >= NAMES_LIMIT) throw fault('BUSY', 'Too many semaphores are held');
      this.#all.set(name, { holder, depth: 1, waiting: [] });
      return true;
    }
    if (semaphore.holder === holder) {
      semaphore.depth++;
      return true;
    }
    if (ms <= 0) return false;
    return new Promise((resolve) => {
      const answer = (has: boolean) => {
        waiting.cancel();
        resolve(has);
      };
      const cancel = this.#clock.after(ms, () => {
        semaphore.waiting.splice(semaphore.waiting.indexOf(waiting), 1);
        answer(false);
      });
      const waiting: Waiting = { holder, answer, cancel };
      semaphore.waiting.push(waiting);
    });
  }

  /** Releases a semaphore; returns false if the caller is not the holder. */
  leave(name: string, holder: Holder): boolean {
    const semaphore = this.#all.get(name);
    if (semaphore?.holder !== holder) return false;
    if (--semaphore.depth === 0) this.#next(name, semaphore);
    return true;
  }

  /** Called when a holder ends: releases all its semaphores and cancels its waits. */
  release(holder: Holder): void {
    for (const [name, semaphore] of this.#all) {
      for (const waiting of semaphore.waiting.filter((one) => one.holder === holder)) {
        semaphore.waiting.splice(semaphore.waiting.indexOf(waiting), 1);
        waiting.answer(false);
      }
      if (semaphore.holder === holder) this.#next(name, semaphore);
    }
  }

  #next(name: string, semaphore: Semaphore): void {
    const next = semaphore.waiting.shift();
    if (next === undefined) {
      this.#all.delete(name);
      return;
    }
    semaphore.holder = next.holder;
    semaphore.depth = 1;
    next.answer(true);
  }
}
