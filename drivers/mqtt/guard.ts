/**
 * Follows the packets in what a broker sends, by their lengths alone (MQTT 3.1.1 §2.2), to find one that is too large
 * before it is collected in memory.
 */
export class PacketGuard {
  readonly #limit: number;
  /** Bytes of the present packet that are still to come. */
  #left = 0;
  #length = 0;
  /** Which byte of the fixed header is next: 0 its type, then up to four of its length. */
  #at = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False when the bytes begin a packet larger than the limit. */
  allows(bytes: Uint8Array): boolean {
    let index = 0;
    while (index < bytes.length) {
      if (this.#left > 0) {
        const skipped = Math.min(this.#left, bytes.length - index);
        this.#left -= skipped;
        index += skipped;
        continue;
      }
      const byte = bytes[index++] as number;
      if (this.#at === 0) {
        this.#length = 0;
        this.#at = 1;
        continue;
      }
      this.#length += (byte & 0x7f) * 128 ** (this.#at - 1);
      if ((byte & 0x80) !== 0 && this.#at < 4) {
        this.#at += 1;
        continue;
      }
      if (this.#length > this.#limit) return false;
      this.#left = this.#length;
      this.#at = 0;
    }
    return true;
  }
}
