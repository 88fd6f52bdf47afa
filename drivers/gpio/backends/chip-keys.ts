import type { Chip } from './line.js';

/**
 * Names chips: by their label, because the kernel may give a chip another number when it is plugged in again, and
 * with the number if there are several of one label. The name of a chip stays when another one with its label comes
 * or goes: what is known of its lines is found by it.
 */
export class ChipKeys {
  /** By number and label. */
  readonly #keys = new Map<string, string>();

  /** `all` are the chips that are there now. */
  of({ name, label }: Chip, all: readonly Chip[]): string {
    const id = `${name} ${label}`;
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const isOnlyOne = all.filter((other) => other.label === label).length === 1;
    const key = isOnlyOne ? label : `${label} ${name}`;
    // The chip that had this name is gone, or it is this one with another number.
    for (const [other, itsKey] of this.#keys) if (itsKey === key) this.#keys.delete(other);
    this.#keys.set(id, key);
    return key;
  }
}
