import type { FrameListener, Framer } from './framer.js';

/**
 * Returns the length of the frame that begins at `start`, `more` if it is not known yet, or `none` if no
 * frame begins there.
 */
type FrameLengthReader = (bytes: Buffer, start: number, end: number) => number | 'more' | 'none';

/** Splits frames whose length is known from their first bytes, with an optional header. */
export class LengthFramer implements Framer {
  readonly #measure: FrameLengthReader;
  readonly #header: Buffer;
  readonly #listener: FrameListener;
  #chunks: Buffer[] = [];
  #length = 0;
  /**
   * Minimum number of bytes of the next frame. Without it, parsing again for every received byte would take
   * quadratic time.
   */
  #need = 1;
  /** Initially true: the port may have been opened in the middle of a frame, which is not an error. */
  #isSkipping = true;

  constructor(measure: FrameLengthReader, header: Buffer, listener: FrameListener) {
    this.#measure = measure;
    this.#header = header;
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#need) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const start = this.#emitFrames(bytes);
    this.#length = bytes.length - start;
    // A copy, because a few buffered bytes must not keep an entire chunk in memory.
    this.#chunks = this.#length === 0 ? [] : [Buffer.from(bytes.subarray(start))];
  }

  close(): void {
    this.#chunks = [];
    this.#length = 0;
    this.#need = 1;
    this.#isSkipping = true;
  }

  /** Emits the complete frames; returns the start of the incomplete one. */
  #emitFrames(bytes: Buffer): number {
    let start = 0;
    for (;;) {
      const begin = this.#findHeader(bytes, start);
      if (begin > start) this.#reportSkipped();
      start = begin;
      const length = start < bytes.length ? this.#measure(bytes, start, bytes.length) : 'more';
      if (length === 'none') {
        start += 1;
        this.#reportSkipped();
      } else if (length === 'more' || start + length > bytes.length) {
        this.#need = length === 'more' ? bytes.length - start + 1 : length;
        return start;
      } else {
        this.#isSkipping = false;
        this.#listener.onFrame(bytes, start, start + length);
        start += length;
      }
    }
  }

  /** The start of the next header, or of a partial one at the end of the bytes. */
  #findHeader(bytes: Buffer, start: number): number {
    const header = this.#header;
    if (header.length === 0) return start;
    const found = bytes.indexOf(header, start);
    if (found >= 0) return found;
    for (let begin = Math.max(start, bytes.length - header.length + 1); begin < bytes.length; begin += 1) {
      if (header.subarray(0, bytes.length - begin).equals(bytes.subarray(begin))) return begin;
    }
    return bytes.length;
  }

  #reportSkipped(): void {
    if (!this.#isSkipping) this.#listener.onOverflow();
    this.#isSkipping = true;
  }
}

/** Frames of a fixed length, including the header. */
export function fixedLength(length: number): FrameLengthReader {
  return () => length;
}

interface LengthField {
  /** Offset from the start of the frame. */
  readonly offset: number;
  readonly size: 1 | 2 | 4;
  readonly endian: 'big' | 'little';
  /** Bytes after the field that it does not count; negative if it also counts bytes before them. */
  readonly add: number;
}

/** Frames with a field that contains the number of bytes after it. */
export function lengthField(field: LengthField, limit: number): FrameLengthReader {
  const fieldEnd = field.offset + field.size;
  return (bytes, start, end) => {
    if (end - start < fieldEnd) return 'more';
    const at = start + field.offset;
    const counted =
      field.endian === 'big' ? bytes.readUIntBE(at, field.size) : bytes.readUIntLE(at, field.size);
    const length = fieldEnd + counted + field.add;
    return length >= fieldEnd && length <= limit ? length : 'none';
  };
}
