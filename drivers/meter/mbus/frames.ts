import type { RejectionReason } from '../telegram.js';

/** The longest frame: four bytes of a header, 255 bytes, checksum and stop (EN 13757-2). */
export const FRAME_LIMIT = 261;

const ACK = 0xe5;
const START_SHORT = 0x10;
const START_LONG = 0x68;
const STOP = 0x16;
const SHORT_LENGTH = 5;
/** Bytes of a long frame that its length does not count. */
const LONG_OVERHEAD = 6;
/** Control, address and CI field. */
const MIN_CONTENT = 3;
/** Set in frames of the master. */
const FROM_MASTER = 0x40;

/** A long frame of a meter. */
export interface MbusFrame {
  readonly address: number;
  /** What the data are: the CI field. */
  readonly kind: number;
  readonly data: Uint8Array;
}

interface FrameListener {
  onFrame(frame: MbusFrame): void;
  onAcknowledge?(): void;
  onRejected?(reason: RejectionReason): void;
}

/** Finds the frames of meters in a stream (EN 13757-2, FT 1.2). Frames of the master (echoes) are skipped. */
export class FrameParser {
  readonly #listener: FrameListener;
  #bytes = Buffer.alloc(0);

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  push(bytes: Uint8Array): void {
    // Large input in parts: what is kept is never longer than a frame and a part.
    for (let at = 0; at < bytes.length; at += FRAME_LIMIT) {
      this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(at, at + FRAME_LIMIT)]);
      this.#parse();
    }
  }

  reset(): void {
    this.#bytes = Buffer.alloc(0);
  }

  #parse(): void {
    let at = 0;
    while (at < this.#bytes.length) {
      const taken = this.#take(this.#bytes.subarray(at));
      if (taken === 0) break;
      at += taken;
    }
    this.#bytes = this.#bytes.subarray(at);
  }

  /** The number of bytes of the frame at the beginning, 1 to skip a byte, or 0 if bytes are missing. */
  #take(bytes: Buffer): number {
    switch (bytes[0]) {
      case ACK:
        this.#listener.onAcknowledge?.();
        return 1;
      case START_SHORT:
        if (bytes.length < SHORT_LENGTH) return 0;
        return bytes[4] === STOP && bytes[3] === sumOf(bytes.subarray(1, 3)) ? SHORT_LENGTH : 1;
      case START_LONG:
        return this.#takeLong(bytes);
      default:
        return 1;
    }
  }

  #takeLong(bytes: Buffer): number {
    const length = bytes[1] ?? 0;
    const isHeader =
      (bytes.length < 2 || length >= MIN_CONTENT) &&
      (bytes.length < 3 || bytes[2] === length) &&
      (bytes.length < 4 || bytes[3] === START_LONG);
    if (!isHeader) return 1;
    const end = length + LONG_OVERHEAD;
    if (bytes.length < 4 || bytes.length < end) return 0;
    const content = bytes.subarray(4, end - 2);
    if (bytes[end - 1] !== STOP || bytes[end - 2] !== sumOf(content)) {
      this.#listener.onRejected?.('checksum');
      return 1;
    }
    const [control = 0, address = 0, kind = 0] = content;
    if ((control & FROM_MASTER) === 0)
      this.#listener.onFrame({ address, kind, data: new Uint8Array(content.subarray(MIN_CONTENT)) });
    return end;
  }
}

/** The checksum: the sum of all bytes modulo 256. */
function sumOf(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum + byte, 0) & 0xff;
}

/** A short frame of the master. */
export function shortFrame(control: number, address: number): Buffer {
  return Buffer.from([START_SHORT, control, address, (control + address) & 0xff, STOP]);
}

/** A long frame of the master. */
export function longFrame({
  control,
  address,
  kind,
  data,
}: MbusFrame & { readonly control: number }): Buffer {
  const content = Buffer.from([control, address, kind, ...data]);
  const { length } = content;
  return Buffer.from([START_LONG, length, length, START_LONG, ...content, sumOf(content), STOP]);
}
