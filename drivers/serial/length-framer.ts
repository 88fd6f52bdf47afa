import type { FrameListener, Framer } from './framer.js';

/** How long the frame is that begins at `start`; `more` when that can't be seen yet, `none` when no frame begins there. */
export type FrameLengthReader = (bytes: Buffer, start: number, end: number) => number | 'more' | 'none';

/** Frames whose length is known from their beginning, each behind a header where there is one. */
export class LengthFramer implements Framer {
  readonly #measure: FrameLengthReader;
  readonly #header: Buffer;
  readonly #listener: FrameListener;
  #held: Buffer[] = [];
  #length = 0;
  /** Fewer bytes than this can't be a frame; looking at them again and again would cost their square. */
  #need = 1;
  /** True from the beginning: what was under way when the port was opened is nobody's mistake. */
  #skipping = true;

  constructor(measure: FrameLengthReader, header: Buffer, listener: FrameListener) {
    this.#measure = measure;
    this.#header = header;
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    this.#held.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#need) return;
    const bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held);
    const start = this.#cut(bytes);
    this.#length = bytes.length - start;
    // A copy: a few held bytes must not keep a whole chunk in memory.
    this.#held = this.#length === 0 ? [] : [Buffer.from(bytes.subarray(start))];
  }

  close(): void {
    this.#held = [];
    this.#length = 0;
    this.#need = 1;
    this.#skipping = true;
  }

  /** Emits the frames that are whole; returns where the one begins that is not. */
  #cut(bytes: Buffer): number {
    let start = 0;
    for (;;) {
      const begin = this.#begin(bytes, start);
      if (begin > start) this.#skipped();
      start = begin;
      const length = start < bytes.length ? this.#measure(bytes, start, bytes.length) : 'more';
      if (length === 'none') {
        start += 1;
        this.#skipped();
      } else if (length === 'more' || start + length > bytes.length) {
        this.#need = length === 'more' ? bytes.length - start + 1 : length;
        return start;
      } else {
        this.#skipping = false;
        this.#listener.onFrame(bytes, start, start + length);
        start += length;
      }
    }
  }

  /** Where the next header begins, or may begin at the end of what is there. */
  #begin(bytes: Buffer, start: number): number {
    const header = this.#header;
    if (header.length === 0) return start;
    const found = bytes.indexOf(header, start);
    if (found >= 0) return found;
    for (let begin = Math.max(start, bytes.length - header.length + 1); begin < bytes.length; begin += 1) {
      if (header.subarray(0, bytes.length - begin).equals(bytes.subarray(begin))) return begin;
    }
    return bytes.length;
  }

  #skipped(): void {
    if (!this.#skipping) this.#listener.onOverflow();
    this.#skipping = true;
  }
}

/** All frames have this length, header included. */
export function fixedLength(length: number): FrameLengthReader {
  return () => length;
}

export interface LengthField {
  /** Where the field is, from the frame's first byte. */
  readonly offset: number;
  readonly size: 1 | 2 | 4;
  readonly endian: 'big' | 'little';
  /** Bytes of the frame behind the field that the field does not count; below 0 where it counts bytes before them too. */
  readonly add: number;
}

/** A field in the frame says how many bytes follow it. */
export function lengthField(field: LengthField, limit: number): FrameLengthReader {
  const behind = field.offset + field.size;
  return (bytes, start, end) => {
    if (end - start < behind) return 'more';
    const at = start + field.offset;
    const counted =
      field.endian === 'big' ? bytes.readUIntBE(at, field.size) : bytes.readUIntLE(at, field.size);
    const length = behind + counted + field.add;
    return length >= behind && length <= limit ? length : 'none';
  };
}
