/**
 * Cutting a stream of bytes into frames. No IO and no copies where a frame lies within one chunk: however the same bytes
 * are cut into chunks, the same frames come out (but for the idle gap, which is about time).
 */
export interface Framer {
  push(chunk: Buffer): void;
  /** Forgets a begun frame, and any timer. */
  close(): void;
}

export interface FrameListener {
  /** A frame is `bytes` from `start` to `end`; valid during the call only. */
  onFrame(bytes: Buffer, start: number, end: number): void;
  /** Bytes were dropped: a frame was longer than the limit, or was none. The framer goes on at the next sound frame. */
  onOverflow(): void;
}

/** Frames that end with a delimiter, which is not part of them. */
export class DelimiterFramer implements Framer {
  readonly #delimiter: Buffer;
  readonly #limit: number;
  readonly #listener: FrameListener;
  /** The begun frame: room for the longest one and its delimiter. */
  readonly #held: Buffer;
  #length = 0;
  #skipping = false;

  constructor(delimiter: Buffer, limit: number, listener: FrameListener) {
    this.#delimiter = delimiter;
    this.#limit = limit;
    this.#listener = listener;
    this.#held = Buffer.allocUnsafeSlow(limit + delimiter.length);
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (this.#length > 0 && start < chunk.length) start = this.#complete(chunk, start);
    if (start < chunk.length) this.#scan(chunk, start);
  }

  close(): void {
    this.#length = 0;
    this.#skipping = false;
  }

  /** All frames that lie in the chunk, from `start`; nothing is held. What remains is held then. */
  #scan(chunk: Buffer, from: number): void {
    const delimiter = this.#delimiter;
    let start = from;
    const single = delimiter.length === 1 ? (delimiter[0] as number) : -1;
    for (;;) {
      const end = single < 0 ? chunk.indexOf(delimiter, start) : chunk.indexOf(single, start);
      if (end < 0) break;
      this.#emit(chunk, start, end);
      start = end + delimiter.length;
    }
    this.#hold(chunk, start);
  }

  /** Adds to the held bytes until their frame ends or they are too many; returns how far it used the chunk. */
  #complete(chunk: Buffer, from: number): number {
    const delimiter = this.#delimiter;
    const before = this.#length;
    const taken = chunk.copy(this.#held, before, from);
    const length = before + taken;
    const held = this.#held.subarray(0, length);
    const end = held.indexOf(delimiter, Math.max(0, before - delimiter.length + 1));
    if (end >= 0) {
      this.#length = 0;
      this.#emit(held, 0, end);
      return from + end + delimiter.length - before;
    }
    this.#length = length;
    if (length === this.#held.length) this.#skip();
    return from + taken;
  }

  #hold(chunk: Buffer, start: number): void {
    const rest = chunk.length - start;
    const keep = Math.min(rest, this.#held.length);
    this.#length = chunk.copy(this.#held, 0, chunk.length - keep);
    if (rest >= this.#held.length) this.#skip();
  }

  /** No frame is this long: drops all but what may be the beginning of the delimiter. */
  #skip(): void {
    if (!this.#skipping) this.#listener.onOverflow();
    this.#skipping = true;
    const keep = this.#delimiter.length - 1;
    this.#held.copyWithin(0, this.#length - keep, this.#length);
    this.#length = keep;
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    if (this.#skipping) {
      this.#skipping = false;
    } else if (end - start > this.#limit) {
      this.#listener.onOverflow();
    } else {
      this.#listener.onFrame(bytes, start, end);
    }
  }
}

/** What comes at once is a frame: where those who send have frames of their own, as datagrams are. */
export class DatagramFramer implements Framer {
  readonly #limit: number;
  readonly #listener: FrameListener;

  constructor(limit: number, listener: FrameListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    if (chunk.length > this.#limit) this.#listener.onOverflow();
    else this.#listener.onFrame(chunk, 0, chunk.length);
  }

  close(): void {
    // Nothing is ever begun.
  }
}

/** Drops one carriage return at the end of each frame: lines end with `\n` or `\r\n`. */
export function stripCarriageReturn(listener: FrameListener): FrameListener {
  return {
    onOverflow: () => listener.onOverflow(),
    onFrame(bytes, start, end) {
      listener.onFrame(bytes, start, end > start && bytes[end - 1] === 0x0d ? end - 1 : end);
    },
  };
}
