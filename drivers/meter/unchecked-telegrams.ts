import type { Telegram } from './telegram.js';

/**
 * `unchecked`: the owner has not consented. `disturbed`: the meter has sent checksums. `unconfirmed`: the next
 * telegram decides.
 */
export type Verdict = 'accepted' | 'unchecked' | 'disturbed' | 'unconfirmed';

/**
 * Decides about telegrams without a checksum. They are accepted only with the owner's consent, if two in a
 * row have the same codes and units, and as long as the meter has never sent a checksum: a disturbed
 * telegram may have lost it.
 */
export class UncheckedTelegrams {
  readonly #isAllowed: boolean;
  #hasSeenChecksum = false;
  #structure = '';

  constructor(isAllowed: boolean) {
    this.#isAllowed = isAllowed;
  }

  judge({ check, records }: Telegram): Verdict {
    if (check === 'valid') {
      this.#hasSeenChecksum = true;
      return 'accepted';
    }
    if (this.#hasSeenChecksum) return 'disturbed';
    if (!this.#isAllowed) return 'unchecked';
    const before = this.#structure;
    this.#structure = records.map(({ code, unit }) => `${code}*${unit}`).join(' ');
    return this.#structure === before ? 'accepted' : 'unconfirmed';
  }
}
