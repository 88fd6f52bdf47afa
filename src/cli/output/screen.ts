/**
 * Switches to the terminal's alternate screen and hides the cursor; leaving it restores the previous content.
 */
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
/** Clears the rest of the line, and the screen below. */
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

const CTRL_C = '\u0003';

/** A full-screen display on the terminal. `q`, Ctrl-C or a signal ends it. */
export class Screen implements Disposable {
  /** Aborts when the user ends the display. */
  readonly ended: AbortSignal;
  readonly #stop = new AbortController();
  readonly #onKeys = (keys: string): void => {
    if (/[qQ]/.test(keys) || keys.includes(CTRL_C)) this.#end();
  };
  #shown = '';
  readonly #end = (): void => this.#stop.abort();

  constructor() {
    this.ended = this.#stop.signal;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, this.#end);
    if (process.stdin.isTTY) process.stdin.setRawMode(true).setEncoding('utf8').on('data', this.#onKeys);
    process.stdout.write(ENTER);
  }

  get width(): number {
    return process.stdout.columns;
  }

  /**
   * Shows rows, in one write and only if they have changed, so that the display does not flicker. The last
   * row counts the rows that do not fit.
   */
  show(rows: readonly string[]): void {
    const room = process.stdout.rows;
    const shown =
      rows.length <= room
        ? rows
        : [...rows.slice(0, room - 1), `… ${rows.length - room + 1} more rows: make the window taller`];
    const frame = `${HOME}${shown.map((row) => row + CLEAR_LINE).join('\n')}${CLEAR_BELOW}`;
    if (frame !== this.#shown) process.stdout.write(frame);
    this.#shown = frame;
  }

  [Symbol.dispose](): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, this.#end);
    if (process.stdin.isTTY) process.stdin.off('data', this.#onKeys).setRawMode(false).pause();
    process.stdout.write(LEAVE);
  }
}
