import type { Entry } from './entry.js';
import { decodeFrames, FrameWriter } from './frame-codec.js';
import type { MemoryFile } from './queue-files.js';

/**
 * It is emptied at this size if nothing is in memory. After a crash, values in it may be sent a second time.
 */
const EMPTY_BYTES = 4096;
/** It is written again without what is no longer in memory when it has become this much larger, bytes. */
const COMPACT_BYTES = 1024 * 1024;
/** Boot (36 characters), next sequence number. */
const HEADER_BYTES = 48;
const BOOT_BYTES = 36;

/**
 * The values that are in memory only, in a file that survives a crash of the process. It costs one write to a
 * tmpfs per change, and no write to a disk.
 */
export class MemoryJournal {
  readonly #file: MemoryFile;
  readonly #boot: string;
  readonly #onFailure: (thrown: unknown) => void;
  #frames = new FrameWriter();
  #bytes = 0;
  #compactAt = COMPACT_BYTES;

  constructor(file: MemoryFile, boot: string, onFailure: (thrown: unknown) => void) {
    this.#file = file;
    this.#boot = boot;
    this.#onFailure = onFailure;
  }

  /** What a crashed process of the same boot left: its values, and the next sequence number. */
  left(): { readonly entries: readonly Entry[]; readonly nextSeq: number } | undefined {
    const { left } = this.#file;
    if (left.length < HEADER_BYTES) return undefined;
    if (
      left.subarray(0, BOOT_BYTES).toString('latin1') !== this.#boot.padEnd(BOOT_BYTES).slice(0, BOOT_BYTES)
    )
      return undefined;
    const entries = [...decodeFrames(left.subarray(HEADER_BYTES))].flatMap((frame) => frame.entries);
    const first = Number(left.readBigUInt64LE(BOOT_BYTES));
    return { entries, nextSeq: entries.reduce((next, { seq }) => Math.max(next, seq + 1), first) };
  }

  append(entries: readonly Entry[]): void {
    this.#try(() => {
      const frame = this.#frames.encode(entries);
      this.#file.append(frame);
      this.#bytes += frame.length;
    });
  }

  /** Called with what is in memory when values have left it. */
  settle(entries: () => readonly Entry[], isEmpty: boolean, nextSeq: number): void {
    if (this.#bytes >= (isEmpty ? EMPTY_BYTES : this.#compactAt)) this.reset(entries(), nextSeq);
  }

  reset(entries: readonly Entry[], nextSeq: number): void {
    this.#try(() => {
      this.#frames = new FrameWriter();
      const header = Buffer.alloc(HEADER_BYTES);
      header.write(this.#boot.padEnd(BOOT_BYTES).slice(0, BOOT_BYTES), 'latin1');
      header.writeBigUInt64LE(BigInt(nextSeq), BOOT_BYTES);
      const frames = entries.length === 0 ? [] : [this.#frames.encode(entries)];
      const content = Buffer.concat([header, ...frames]);
      this.#file.reset(content);
      this.#bytes = content.length;
      this.#compactAt = content.length + COMPACT_BYTES;
    });
  }

  #try(write: () => void): void {
    try {
      write();
    } catch (thrown) {
      this.#onFailure(thrown);
    }
  }
}
