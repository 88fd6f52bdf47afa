import { coded } from '../../src/base/codes/coded-text.js';
import { protocolError, reasonCode } from './protocol-error.js';

/**
 * Longest PUBLISH, bytes. A longer packet closes the connection: no reading is that large, and memory is
 * limited.
 */
export const PACKET_LIMIT = 16 * 1024 * 1024;

/**
 * Longest packet of any other type: an acknowledgement of a few filters with its properties is far smaller.
 */
const CONTROL_PACKET_LIMIT = 64 * 1024;

/** The packet type of PUBLISH in the first four bits (MQTT 3.1.1 §2.2.1). */
const PUBLISH = 3;

const EMPTY: Buffer = Buffer.alloc(0);

/**
 * Splits the byte stream of a broker into packets (MQTT 3.1.1 §2.2), and rejects an oversized packet by its
 * header.
 */
export class PacketReader {
  #chunk = EMPTY;
  #at = 0;
  /** A packet of known length that is still being received. */
  #partial: Buffer | undefined;
  #filled = 0;

  /** Adds received bytes. All packets of the previous chunk must have been read. */
  feed(chunk: Buffer): void {
    // At most the four bytes of an incomplete header are left over.
    const rest = this.#chunk.subarray(this.#at);
    this.#chunk = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#at = 0;
  }

  /** The next complete packet; undefined until more bytes arrive. Throws a protocol error. */
  next(): Buffer | undefined {
    const chunk = this.#chunk;
    if (this.#partial !== undefined) {
      const copied = chunk.copy(this.#partial, this.#filled, this.#at);
      this.#filled += copied;
      this.#at += copied;
      if (this.#filled < this.#partial.length) return undefined;
      const packet = this.#partial;
      this.#partial = undefined;
      return packet;
    }
    const size = this.#size();
    if (size === undefined) return undefined;
    const start = this.#at;
    if (start + size <= chunk.length) {
      this.#at += size;
      return chunk.subarray(start, start + size);
    }
    // One buffer, because a list of many small chunks would cost many times the size of the packet.
    this.#partial = Buffer.allocUnsafeSlow(size);
    this.#filled = chunk.copy(this.#partial, 0, start);
    this.#at = chunk.length;
    return undefined;
  }

  /** The size of the packet that begins here, header included; undefined while the header is incomplete. */
  #size(): number | undefined {
    const first = this.#chunk[this.#at];
    if (first === undefined) return undefined;
    let length = 0;
    for (let index = 1; index <= 4; index++) {
      const byte = this.#chunk[this.#at + index];
      if (byte === undefined) return undefined;
      length += (byte & 0x7f) * 128 ** (index - 1);
      if (byte < 0x80) {
        const limit = first >> 4 === PUBLISH ? PACKET_LIMIT : CONTROL_PACKET_LIMIT;
        if (length > limit)
          throw protocolError(coded`PACKET_TOO_LARGE: a packet is too large`, reasonCode.tooLarge);
        return 1 + index + length;
      }
    }
    throw protocolError(
      coded`PACKET_LENGTH_FOUR_BYTES: the length of a packet has more than four bytes`,
      reasonCode.malformed,
    );
  }
}
