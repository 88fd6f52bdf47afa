/** The packet type of CONNECT (MQTT 3.1.1 §2.2.1). */
const CONNECT = 1;
/** More than the identifier, the will and the login of any client need. */
const CONNECT_LIMIT = 64 * 1024;
/** The remaining length has at most four bytes (MQTT 3.1.1 §2.2.3). */
const LENGTH_BYTES = 4;

/**
 * Follows the headers of the packets in a stream of bytes, without keeping any of them. aedes would collect a
 * packet of any size, even of a client that has not logged in.
 */
export class PacketGate {
  readonly #limit: number;
  #isFirst = true;
  /** The remaining bytes of the present packet. */
  #left = 0;
  #type = 0;
  /** Bytes of the length that have been read; 0 between packets. */
  #lengthBytes = 0;
  #length = 0;
  #isInHeader = false;
  #packets = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of packets that have begun. */
  get packets(): number {
    return this.#packets;
  }

  /** Why the connection must be closed, or undefined if the bytes are acceptable. */
  check(chunk: Buffer): string | undefined {
    for (let at = 0; at < chunk.length;) {
      if (this.#left > 0) {
        const skipped = Math.min(this.#left, chunk.length - at);
        this.#left -= skipped;
        at += skipped;
        continue;
      }
      const why = this.#header(chunk[at] ?? 0);
      if (why !== undefined) return why;
      at += 1;
    }
    return undefined;
  }

  #header(byte: number): string | undefined {
    if (!this.#isInHeader) {
      this.#isInHeader = true;
      this.#type = byte >> 4;
      this.#lengthBytes = 0;
      this.#length = 0;
      this.#packets += 1;
      return this.#isFirst && this.#type !== CONNECT ? 'the first packet is not CONNECT' : undefined;
    }
    this.#length += (byte & 0x7f) * 128 ** this.#lengthBytes;
    this.#lengthBytes += 1;
    if (byte >= 0x80)
      return this.#lengthBytes < LENGTH_BYTES ? undefined : 'the length of a packet is malformed';
    const limit = this.#isFirst ? Math.min(this.#limit, CONNECT_LIMIT) : this.#limit;
    if (this.#length > limit) return `a packet has ${this.#length} bytes; the limit is ${limit}`;
    this.#left = this.#length;
    this.#isInHeader = false;
    this.#isFirst = false;
    return undefined;
  }
}
