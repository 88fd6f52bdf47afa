import { clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers';

/** The timers of a script, by the id that its realm assigned. The script runs as long as it has timers. */
export class ChildTimers {
  readonly #timers = new Map<number, NodeJS.Timeout>();
  readonly #fire: (id: number, isLast: boolean) => void;
  #onNone: () => void = () => undefined;

  constructor(fire: (id: number, isLast: boolean) => void) {
    this.#fire = fire;
  }

  start(id: number, ms: number, isRepeated: boolean): void {
    const once = () => {
      this.#fire(id, true);
      this.stop(id);
    };
    this.#timers.set(id, isRepeated ? setInterval(() => this.#fire(id, false), ms) : setTimeout(once, ms));
  }

  stop(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    if (this.#timers.size === 0) this.#onNone();
  }

  /** Resolves when no timer is left and their functions have finished. */
  async done(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#timers.size === 0) return;
      await new Promise<void>((resolve) => (this.#onNone = resolve));
    }
  }

  clear(): void {
    for (const id of this.#timers.keys()) this.stop(id);
  }
}
