import type { Cancel, Clock } from '../../../src/base/clock.js';

/** Runs an action immediately, and then at most once per interval; calls in between are combined into one. */
export class Throttle {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #intervalMs: number;
  readonly #action: () => void;
  #cancelPause: Cancel | undefined;
  #isScheduled = false;

  constructor(clock: Pick<Clock, 'after'>, intervalMs: number, action: () => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#action = action;
  }

  /** Runs the action now, or at the end of the interval. */
  schedule(): void {
    this.#isScheduled = true;
    if (this.#cancelPause === undefined) this.#run();
  }

  /** Runs a scheduled action now. */
  flush(): void {
    if (!this.#isScheduled) return;
    this.#isScheduled = false;
    this.#action();
  }

  close(): void {
    this.#cancelPause?.();
    this.#isScheduled = false;
  }

  #run(): void {
    this.flush();
    this.#cancelPause = this.#clock.after(this.#intervalMs, () => {
      this.#cancelPause = undefined;
      if (this.#isScheduled) this.#run();
    });
  }
}
