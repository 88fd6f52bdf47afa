import type { Cancel, Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';

/** Names held at the same time; more is a script that makes them up without end. */
const NAMES_LIMIT = 1000;

/** Who holds a semaphore: one run of a script. */
type Holder = object;

interface Semaphore {
  holder: Holder;
  /** How often it entered; it leaves as often. */
  depth: number;
  readonly waiting: Waiting[];
}

interface Waiting {
  readonly holder: Holder;
  readonly answer: (has: boolean) => void;
  readonly cancel: Cancel;
}

/** Semaphores by name: each is held by one run at a time, and those that wait get it in the order they came. */
export class Semaphores {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #all = new Map<string, Semaphore>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Resolves with whether it is the holder's within that time; who has it already enters once more. Throws `BUSY`. */
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

  /** Leaves it; false when it is not the holder's. */
  leave(name: string, holder: Holder): boolean {
    const semaphore = this.#all.get(name);
    if (semaphore?.holder !== holder) return false;
    if (--semaphore.depth === 0) this.#next(name, semaphore);
    return true;
  }

  /** The holder has ended: it leaves all that it has, and waits for none. */
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
