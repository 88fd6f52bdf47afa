/**
 * How many TCP connections share the one serial port between the host and the guest: frames of `kind (1
 * byte), channel (4), length (4), payload`, big-endian.
 */

/**
 * `reset` ends all channels; `open` contains the TCP port in two bytes; `end` closes one direction, `close`
 * both.
 */
export const KIND = { reset: 0, open: 1, data: 2, end: 3, close: 4 } as const;

const HEADER_BYTES = 9;

/** Encodes a frame. */
export function encodeFrame(kind: number, channel: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(channel, 1);
  header.writeUInt32BE(payload.length, 5);
  return Buffer.concat([header, payload]);
}

/** Assembles frames from received bytes. */
export class FrameReader {
  #rest = Buffer.alloc(0);

  /** The frames that `bytes` completes. */
  *read(bytes: Uint8Array): Generator<{ kind: number; channel: number; payload: Buffer }> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.#rest.readUInt32BE(5);
      if (this.#rest.length < end) return;
      const frame = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      yield {
        kind: frame.readUInt8(0),
        channel: frame.readUInt32BE(1),
        payload: frame.subarray(HEADER_BYTES),
      };
    }
  }
}
