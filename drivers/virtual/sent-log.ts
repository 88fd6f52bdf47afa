import { fault } from '../../src/base/fault.js';

/** Of the texts that were sent so many are kept, the newest, and so many bytes of them. */
export const SENT_ENTRIES_LIMIT = 100;
export const SENT_BYTES_LIMIT = 256 * 1024;

/** The newest of what was sent, within limits. */
export class SentLog<T extends { readonly Text: string }> {
  readonly #all: T[] = [];
  #size = 0;

  /** Throws `TEXT_TOO_LONG` for one that is larger than all that is kept. */
  add(sent: T): void {
    if (sent.Text.length > SENT_BYTES_LIMIT) throw fault('TEXT_TOO_LONG', 'What is sent', SENT_BYTES_LIMIT);
    this.#all.push(sent);
    this.#size += sent.Text.length;
    while (this.#all.length > SENT_ENTRIES_LIMIT || this.#size > SENT_BYTES_LIMIT)
      this.#size -= this.#all.shift()?.Text.length ?? 0;
  }

  /** The oldest first. */
  list(): readonly T[] {
    return [...this.#all];
  }
}
