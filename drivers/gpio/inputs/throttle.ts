import type { Cancel, Clock } from '../../../src/base/clock.js';

/** Tells what there is to tell at once, and then no more often than so: what comes meanwhile is told together. */
export class Throttle {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #everyMs: number;
  readonly #tell: () => void;
  #pause: Cancel | undefined;
  #isDue = false;

  constructor(clock: Pick<Clock, 'after'>, everyMs: number, tell: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#tell = tell;
  }

  /** There is something to tell. */
  schedule(): void {
    this.#isDue = true;
    if (this.#pause === undefined) this.#next();
  }

  /** Tells now what is not told yet. */
  flush(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#tell();
  }

  close(): void {
    this.#pause?.();
    this.#isDue = false;
  }

  #next(): void {
    this.flush();
    this.#pause = this.#clock.after(this.#everyMs, () => {
      this.#pause = undefined;
      if (this.#isDue) this.#next();
    });
  }
}
