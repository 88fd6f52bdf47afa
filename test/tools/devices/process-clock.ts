import type { Cancel, Clock, ManualClock } from '../../../src/base/clock.js';

/** The clock of a simulated process: the time is the machine's, the timers end with the process. */
export class ProcessClock implements Clock {
  readonly #machine: ManualClock;
  readonly #timers = new Set<Cancel>();
  #isDead = false;

  constructor(machine: ManualClock) {
    this.#machine = machine;
  }

  nowMs = () => this.#machine.nowMs();
  monotonicNs = () => this.#machine.monotonicNs();
  isTrusted = () => this.#machine.isTrusted();
  random = () => this.#machine.random();

  after(ms: number, callback: () => void): Cancel {
    const stop = this.#machine.after(ms, () => {
      this.#timers.delete(stop);
      callback();
    });
    return this.#kept(stop);
  }

  every(ms: number, callback: () => void): Cancel {
    return this.#kept(this.#machine.every(ms, callback));
  }

  /** Kills the process: its timers are cancelled, and new ones never fire. */
  die(): void {
    this.#isDead = true;
    for (const stop of this.#timers) stop();
    this.#timers.clear();
  }

  #kept(stop: Cancel): Cancel {
    if (this.#isDead) stop();
    else this.#timers.add(stop);
    return () => {
      this.#timers.delete(stop);
      stop();
    };
  }
}
