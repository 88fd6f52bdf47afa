import { setTimeout, setInterval, setImmediate, clearTimeout } from 'node:timers';

/** What a script has printed; past the limit it is stopped, whatever it does. */
export class Output {
  text = '';
  readonly #limit: number;
  readonly #over: (why: string) => never;

  constructor(limit: number, over: (why: string) => never) {
    this.#limit = limit;
    this.#over = over;
  }

  readonly print = (...items: unknown[]): void => {
    this.text += items.map(shown).join('');
    if (this.text.length <= this.#limit) return;
    this.text = '';
    this.#over(`the script printed more than ${this.#limit} characters and was stopped`);
  };

  readonly line = (...items: unknown[]): void => this.print(items.map(shown).join(' '), '\n');

  globals(): Record<string, unknown> {
    const { print, line } = this;
    const console = { log: line, info: line, debug: line, warn: line, error: line };
    return { print, echo: print, console };
  }
}

/** Texts as they are, lists and objects as JSON. */
function shown(item: unknown): string {
  if (typeof item !== 'object' || item === null || ('stack' in item && 'message' in item)) return plain(item);
  try {
    return JSON.stringify(item);
  } catch {
    return plain(item); // it contains itself, or a BigInt
  }
}

const plain = (item: unknown): string => String(item);

type Job = (...args: unknown[]) => unknown;

/** The timers of one script; it goes on as long as there are any. */
export class Timers {
  readonly #stops = new Map<number, () => void>();
  readonly #failed: (thrown: unknown) => void;
  #last = 0;
  #none: () => void = () => undefined;

  /** `failed` is told what a timer's function throws. */
  constructor(failed: (thrown: unknown) => void) {
    this.#failed = failed;
  }

  globals(): Record<string, unknown> {
    const clear = (id: unknown) => this.#end(Number(id));
    return {
      setTimeout: (job: unknown, ms?: unknown, ...args: unknown[]) =>
        this.#begin([job, args], true, (fire) => setTimeout(fire, Number(ms ?? 0))),
      setInterval: (job: unknown, ms?: unknown, ...args: unknown[]) =>
        this.#begin([job, args], false, (fire) => setInterval(fire, Number(ms ?? 0))),
      setImmediate: (job: unknown, ...args: unknown[]) =>
        this.#begin([job, args], true, (fire) => setTimeout(fire, 0)),
      queueMicrotask: (job: unknown) => void Promise.resolve().then(() => this.#do(job, [])),
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    };
  }

  /** Resolves when none is left, and what they began is done. */
  async done(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#stops.size === 0) return;
      await new Promise<void>((resolve) => (this.#none = resolve));
    }
  }

  clear(): void {
    for (const id of this.#stops.keys()) this.#end(id);
  }

  #begin(
    [job, args]: readonly [job: unknown, args: unknown[]],
    isOnce: boolean,
    start: (fire: () => void) => NodeJS.Timeout,
  ): number {
    if (typeof job !== 'function') throw new TypeError('a timer takes a function');
    const id = ++this.#last;
    const timer = start(() => {
      this.#do(job, args);
      if (isOnce) this.#end(id);
    });
    this.#stops.set(id, () => clearTimeout(timer));
    return id;
  }

  #do(job: unknown, args: unknown[]): void {
    try {
      (job as Job)(...args);
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #end(id: number): void {
    this.#stops.get(id)?.();
    this.#stops.delete(id);
    if (this.#stops.size === 0) this.#none();
  }
}
