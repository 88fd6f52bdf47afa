import { coded } from '../base/codes/coded-text.js';
import type { Cancel, Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';

/**
 * Maximum number of semaphores held at the same time; more indicates a script that creates new names in a
 * loop.
 */
const NAMES_LIMIT = 1000;

/** The holder of a semaphore: one run of a script. */
type Holder = object;

interface Semaphore {
  holder: Holder;
  /** Number of times that the holder has entered without leaving. */
  depth: number;
  readonly waiters: Waiter[];
}

interface Waiter {
  readonly holder: Holder;
  readonly settle: (has: boolean) => void;
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
      if (this.#all.size >= NAMES_LIMIT)
        throw fault('BUSY', coded`TOO_MANY_SEMAPHORES_HELD: Too many semaphores are held`);
      this.#all.set(name, { holder, depth: 1, waiters: [] });
      return true;
    }
    if (semaphore.holder === holder) {
      semaphore.depth++;
      return true;
    }
    if (ms <= 0) return false;
    return new Promise((resolve) => {
      const settle = (has: boolean) => {
        waiter.cancel();
        resolve(has);
      };
      const cancel = this.#clock.after(ms, () => {
        semaphore.waiters.splice(semaphore.waiters.indexOf(waiter), 1);
        settle(false);
      });
      const waiter: Waiter = { holder, settle, cancel };
      semaphore.waiters.push(waiter);
    });
  }

  /** Releases a semaphore; returns false if the caller is not the holder. */
  leave(name: string, holder: Holder): boolean {
    const semaphore = this.#all.get(name);
    if (semaphore?.holder !== holder) return false;
    if (--semaphore.depth === 0) this.#grantNext(name, semaphore);
    return true;
  }

  /** Called when a holder ends: releases all its semaphores and cancels its waits. */
  release(holder: Holder): void {
    for (const [name, semaphore] of this.#all) {
      for (const waiter of semaphore.waiters.filter((one) => one.holder === holder)) {
        semaphore.waiters.splice(semaphore.waiters.indexOf(waiter), 1);
        waiter.settle(false);
      }
      if (semaphore.holder === holder) this.#grantNext(name, semaphore);
    }
  }

  #grantNext(name: string, semaphore: Semaphore): void {
    const next = semaphore.waiters.shift();
    if (next === undefined) {
      this.#all.delete(name);
      return;
    }
    semaphore.holder = next.holder;
    semaphore.depth = 1;
    next.settle(true);
  }
}
