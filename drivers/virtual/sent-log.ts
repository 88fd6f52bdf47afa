import { coded } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';

/** Limits of the log of sent texts: entries, and bytes. */
export const SENT_ENTRIES_LIMIT = 100;
export const SENT_BYTES_LIMIT = 256 * 1024;

/** A log of the latest sent texts. */
export class SentLog<T extends { readonly Text: string }> {
  readonly #all: T[] = [];
  #size = 0;

  /** Throws `TEXT_TOO_LONG` for a text that exceeds the limit of the log. */
  add(sent: T): void {
    if (sent.Text.length > SENT_BYTES_LIMIT)
      throw fault('TEXT_TOO_LONG', coded`WHAT_IS_SENT: What is sent`, SENT_BYTES_LIMIT, 'bytes');
    this.#all.push(sent);
    this.#size += sent.Text.length;
    while (this.#all.length > SENT_ENTRIES_LIMIT || this.#size > SENT_BYTES_LIMIT)
      this.#size -= this.#all.shift()?.Text.length ?? 0;
  }

  /** The entries, oldest first. */
  list(): readonly T[] {
    return [...this.#all];
  }
}
