/**
 * Splits a stream of bytes into frames. Does no IO, and copies nothing if a frame lies within one chunk. The
 * frames do not depend on how the bytes are divided into chunks, except for framing by idle gap, which
 * depends on time.
 */
export interface Framer {
  push(chunk: Buffer): void;
  /** Discards an incomplete frame, and cancels any timer. */
  close(): void;
}

export interface FrameListener {
  /** A frame is `bytes` from `start` to `end`; it is valid during the call only. */
  onFrame(bytes: Buffer, start: number, end: number): void;
  /**
   * Bytes were dropped because a frame was invalid or longer than the limit. The framer continues with the
   * next valid frame.
   */
  onOverflow(): void;
}

/** Splits at a delimiter, which is not part of the frames. */
export class DelimiterFramer implements Framer {
  readonly #delimiter: Buffer;
  readonly #limit: number;
  readonly #listener: FrameListener;
  /** The incomplete frame; large enough for the longest frame and its delimiter. */
  readonly #buffer: Buffer;
  #length = 0;
  #skipping = false;

  constructor(delimiter: Buffer, limit: number, listener: FrameListener) {
    this.#delimiter = delimiter;
    this.#limit = limit;
    this.#listener = listener;
    this.#buffer = Buffer.allocUnsafeSlow(limit + delimiter.length);
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

  /** Emits all frames that lie in the chunk from `start`, while nothing is buffered; buffers the rest. */
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
    this.#store(chunk, start);
  }

  /**
   * Appends to the buffered bytes until their frame ends or exceeds the limit; returns how much of the chunk
   * was used.
   */
  #complete(chunk: Buffer, from: number): number {
    const delimiter = this.#delimiter;
    const before = this.#length;
    const taken = chunk.copy(this.#buffer, before, from);
    const length = before + taken;
    const held = this.#buffer.subarray(0, length);
    const end = held.indexOf(delimiter, Math.max(0, before - delimiter.length + 1));
    if (end >= 0) {
      this.#length = 0;
      this.#emit(held, 0, end);
      return from + end + delimiter.length - before;
    }
    this.#length = length;
    if (length === this.#buffer.length) this.#skip();
    return from + taken;
  }

  #store(chunk: Buffer, start: number): void {
    const rest = chunk.length - start;
    const keep = Math.min(rest, this.#buffer.length);
    this.#length = chunk.copy(this.#buffer, 0, chunk.length - keep);
    if (rest >= this.#buffer.length) this.#skip();
  }

  /** Drops an oversized frame, except bytes that may be the start of the delimiter. */
  #skip(): void {
    if (!this.#skipping) this.#listener.onOverflow();
    this.#skipping = true;
    const keep = this.#delimiter.length - 1;
    this.#buffer.copyWithin(0, this.#length - keep, this.#length);
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

/** Treats each chunk as a frame, for streams that preserve message boundaries, such as UDP. */
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
    // Datagrams are never incomplete.
  }
}

/** Removes one carriage return from the end of each frame, so that lines may end with `\n` or `\r\n`. */
export function stripCarriageReturn(listener: FrameListener): FrameListener {
  return {
    onOverflow: () => listener.onOverflow(),
    onFrame(bytes, start, end) {
      listener.onFrame(bytes, start, end > start && bytes[end - 1] === 0x0d ? end - 1 : end);
    },
  };
}
