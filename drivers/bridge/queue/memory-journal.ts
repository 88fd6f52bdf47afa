import type { Entry } from './entry.js';
import { decodeFrames, FrameWriter } from './frame-codec.js';
import { COUNTS } from './queue-counters.js';
import type { MemoryFile } from './queue-files.js';

/**
 * When no value is in memory only, the file is emptied if it has this size, bytes. After a crash, values in
 * it may be sent a second time.
 */
const EMPTY_BYTES = 4096;
/** It is written again without what is no longer in memory when it has become this much larger, bytes. */
const COMPACT_BYTES = 1024 * 1024;
/** Boot (36 characters), next sequence number, counts of dropped values. */
const BOOT_BYTES = 36;
const COUNTS_AT = 48;
const HEADER_BYTES = COUNTS_AT + COUNTS * 8;

/** What is in memory only. */
interface MemoryState {
  readonly entries: Iterable<Entry>;
  readonly nextSeq: number;
  /** Of dropped values, as {@link QueueCounters} has them. */
  readonly counts: readonly number[];
}

interface MemoryJournalOptions {
  state(): MemoryState;
  /** Called with the error when a write fails, and with undefined when one succeeds. */
  onState(thrown: unknown): void;
}

/**
 * What is in memory only, in a file that survives a crash of the process. It costs one write to a tmpfs per
 * change, and no write to a disk.
 */
export class MemoryJournal {
  readonly #file: MemoryFile;
  readonly #boot: string;
  readonly #options: MemoryJournalOptions;
  #frames = new FrameWriter();
  #bytes = 0;
  #compactAt = COMPACT_BYTES;
  /** A write failed: the file does not have all that is in memory. */
  #isIncomplete = false;

  constructor(file: MemoryFile, boot: string, options: MemoryJournalOptions) {
    this.#file = file;
    this.#boot = boot.padEnd(BOOT_BYTES).slice(0, BOOT_BYTES);
    this.#options = options;
  }

  /** What a crashed process of the same boot left. */
  left(): (MemoryState & { readonly entries: readonly Entry[] }) | undefined {
    const { left } = this.#file;
    if (left.length < HEADER_BYTES) return undefined;
    if (left.subarray(0, BOOT_BYTES).toString('latin1') !== this.#boot) return undefined;
    const entries = [...decodeFrames(left.subarray(HEADER_BYTES))].flatMap((frame) => frame.entries);
    const first = Number(left.readBigUInt64LE(BOOT_BYTES));
    const nextSeq = entries.reduce((next, { seq }) => Math.max(next, seq + 1), first);
    const counts = Array.from({ length: COUNTS }, (_, n) => left.readDoubleLE(COUNTS_AT + n * 8));
    return { entries, nextSeq, counts: counts.map((count) => (Number.isSafeInteger(count) ? count : 0)) };
  }

  /** Called with values that have just been added to the memory. */
  append(entries: readonly Entry[]): void {
    if (this.#isIncomplete) return this.reset();
    this.#try(() => {
      const frame = this.#frames.encode(entries);
      this.#file.append(frame);
      this.#bytes += frame.length;
    });
  }

  /** Called when values were dropped. */
  count(): void {
    if (this.#isIncomplete) return this.reset();
    this.#try(() => {
      const { nextSeq, counts } = this.#options.state();
      this.#file.write(this.#headerOf(nextSeq, counts), 0);
    });
  }

  /** Called when values have left the memory; `isEmpty`: none is there. */
  settle(isEmpty: boolean): void {
    if (this.#bytes >= (isEmpty ? EMPTY_BYTES : this.#compactAt)) this.reset();
  }

  /** Writes what is in memory. */
  reset(): void {
    this.#try(() => {
      const { entries, nextSeq, counts } = this.#options.state();
      this.#frames = new FrameWriter();
      const inMemory = [...entries];
      const frames = inMemory.length === 0 ? [] : [this.#frames.encode(inMemory)];
      const content = Buffer.concat([this.#headerOf(nextSeq, counts), ...frames]);
      this.#file.reset(content);
      this.#bytes = content.length;
      this.#compactAt = content.length + COMPACT_BYTES;
      if (this.#isIncomplete) this.#options.onState(undefined);
      this.#isIncomplete = false;
    });
  }

  #headerOf(nextSeq: number, counts: readonly number[]): Buffer {
    const header = Buffer.alloc(HEADER_BYTES);
    header.write(this.#boot, 'latin1');
    header.writeBigUInt64LE(BigInt(nextSeq), BOOT_BYTES);
    for (const [index, count] of counts.entries()) header.writeDoubleLE(count, COUNTS_AT + index * 8);
    return header;
  }

  #try(write: () => void): void {
    try {
      write();
    } catch (thrown) {
      this.#isIncomplete = true;
      this.#options.onState(thrown);
    }
  }
}
