/** Shortest time between two updates, ms. */
const UPDATE_MS = 200;
const CLEAR = '\r\u001b[K';

/**
 * Progress of long work in one line of stderr that updates, if stderr is a terminal; otherwise nothing. While
 * it exists, Ctrl-C aborts the signal instead of ending the process; a second one ends it.
 */
export class ProgressLine implements Disposable {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #cancel = () => this.#controller.abort();
  readonly #nowMs: () => number;
  #shownMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.signal = this.#controller.signal;
    process.once('SIGINT', this.#cancel);
  }

  /** Shows a text, at most five times a second. Throws an `AbortError` after Ctrl-C. */
  update(text: string): void {
    this.signal.throwIfAborted();
    const nowMs = this.#nowMs();
    if (!process.stderr.isTTY || Math.abs(nowMs - this.#shownMs) < UPDATE_MS) return;
    this.#shownMs = nowMs;
    process.stderr.write(`${CLEAR}${text}`);
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#cancel);
    if (this.#shownMs !== 0) process.stderr.write(CLEAR);
  }
}
