import { fault } from '../../src/base/fault.js';

/** Of the texts that were sent so many are kept, the newest, and so many bytes of them. */
export const KEPT_TEXTS = 100;
export const KEPT_BYTES = 256 * 1024;

/** The newest of what was sent, within limits. */
export class Kept<T extends { readonly Text: string }> {
  readonly #all: T[] = [];
  #size = 0;

  /** Throws `TEXT_TOO_LONG` for one that is larger than all that is kept. */
  add(sent: T): void {
    if (sent.Text.length > KEPT_BYTES) throw fault('TEXT_TOO_LONG', 'What is sent', KEPT_BYTES);
    this.#all.push(sent);
    this.#size += sent.Text.length;
    while (this.#all.length > KEPT_TEXTS || this.#size > KEPT_BYTES)
      this.#size -= this.#all.shift()?.Text.length ?? 0;
  }

  /** The oldest first. */
  list(): readonly T[] {
    return [...this.#all];
  }
}
