import { crc32 } from 'node:zlib';
import type { Entry, Priority } from './entry.js';
import { decodeFrames, FrameWriter, type DecodedFrame } from './frame-codec.js';
import type { QueueFile, QueueFiles } from './queue-files.js';

/** A file is closed at this size: small enough to be read at one time, large enough to be few. */
const SEGMENT_BYTES = 128 * 1024;
/** A file occupies blocks of this size. */
const BLOCK_BYTES = 4096;
/** Magic and version, the index of the first value, and the CRC-32 of both. */
const HEADER_BYTES = 16;
const MAGIC = 0x31465753;

interface Segment {
  readonly number: number;
  /** The number of values that were ever appended to the chain before this segment. */
  readonly firstIndex: number;
  /** Values in it, with those that are damaged. */
  count: number;
  /** Values of it that are not in the queue any more. */
  done: number;
  bytes: number;
  /** Whether the two times are known. */
  isNoted: boolean;
  oldestMs: number;
  newestMs: number;
}

interface SegmentReader {
  readonly segment: Segment;
  readonly frames: Iterator<DecodedFrame>;
}

/** The number of the first file of a chain, and of its values that are finished. */
export type ChainPosition = readonly [number: number, done: number];

/** What an earlier run left. */
interface LoadOptions {
  readonly position: ChainPosition;
  /** Values with smaller sequence numbers need not be passed to `onEntry`. */
  readonly sinceSeq: number;
  readonly onEntry: (entry: Entry) => void;
}

/**
 * The values of one priority on the disk, in files that are appended to, and removed from the first one on.
 */
export class SegmentChain {
  readonly priority: Priority;
  readonly #files: QueueFiles;
  readonly #segments: Segment[] = [];
  #nextNumber = 1;
  #nextIndex = 0;
  /** The file that is appended to; files of an earlier run are not. */
  #writer: { readonly segment: Segment; readonly frames: FrameWriter } | undefined;
  #reader: SegmentReader | undefined;
  /** Read and not taken. */
  #read: Entry[] = [];
  /** Taken and neither finished nor put back. */
  #taken = 0;
  /** Damaged values before those in `#read`, until {@link skipDamaged}. */
  #damaged = 0;
  #bytesWritten = 0;
  readonly #removable = new Set<string>();

  constructor(priority: Priority, files: QueueFiles) {
    this.priority = priority;
    this.#files = files;
  }

  /**
   * Continues with the files of an earlier run. Reads the last ones, down to `sinceSeq`: the values of a chain
   * are in the order of their numbers. Of the others it reads the headers, as all of them would take minutes on
   * a small machine.
   */
  async load(files: readonly QueueFile[], { position, sinceSeq, onEntry }: LoadOptions): Promise<void> {
    const found = await this.#readHeaders(files);
    let isRecent = true;
    let end = 0;
    for (const segment of found.reverse()) {
      // With those of damaged frames and files, which are counted when they are reached.
      segment.count = end - segment.firstIndex;
      if (isRecent || segment.count <= 0) {
        const { entries, count } = decode(segment, await this.#contentOf(segment));
        for (const entry of entries) onEntry(entry);
        segment.count = Math.max(segment.count, count);
        isRecent &&= (entries.at(-1)?.seq ?? Infinity) >= sinceSeq;
      }
      this.#nextIndex = Math.max(this.#nextIndex, segment.firstIndex + segment.count);
      if (segment.count === 0) await this.#files.remove(nameOf(this.priority, segment.number));
      else this.#segments.unshift(segment);
      end = segment.firstIndex;
    }
    const [first] = this.#segments;
    if (first === undefined) return;
    if (!first.isNoted) decode(first, await this.#contentOf(first));
    const [number, done] = position;
    if (first.number === number) first.done = Math.min(done, first.count);
  }

  /** The files in their order. Removes those of which nothing can be read. */
  async #readHeaders(files: readonly QueueFile[]): Promise<Segment[]> {
    const segments: Segment[] = [];
    for (const { name, bytes } of files.toSorted((a, b) => numberOf(a.name) - numberOf(b.name))) {
      const number = numberOf(name);
      this.#nextNumber = Math.max(this.#nextNumber, number + 1);
      const firstIndex = firstIndexOf(await this.#files.readStart(name, HEADER_BYTES));
      // The next file says how many values it had.
      if (firstIndex === undefined) await this.#files.remove(name);
      else segments.push({ ...newSegment(number, firstIndex), bytes, isNoted: false });
    }
    return segments;
  }

  #contentOf(segment: Segment): Promise<Buffer> {
    return this.#files.read(nameOf(this.priority, segment.number));
  }

  /** Values on the disk that are not finished. */
  get waiting(): number {
    return this.#segments.reduce((sum, { count, done }) => sum + count - done, 0);
  }

  /** Bytes that the files occupy. */
  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES, 0);
  }

  /** Bytes written since it was opened. */
  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  get oldestMs(): number | undefined {
    return this.#segments.find((segment) => segment.isNoted && !isUnreadable(segment))?.oldestMs;
  }

  /** The number of the first file, and of its values that are finished, for {@link load}. */
  get position(): ChainPosition {
    const [first] = this.#segments;
    return first === undefined ? [0, 0] : [first.number, first.done];
  }

  async append(entries: readonly Entry[]): Promise<void> {
    if (this.#writer !== undefined && this.#writer.segment.bytes >= SEGMENT_BYTES) this.#writer = undefined;
    this.#writer ??= {
      segment: newSegment(this.#nextNumber, this.#nextIndex),
      frames: new FrameWriter(),
    };
    const { segment, frames } = this.#writer;
    const isNew = segment.count === 0;
    const frame = frames.encode(entries);
    const bytes = isNew ? Buffer.concat([headerOf(segment.firstIndex), frame]) : frame;
    try {
      this.#nextNumber = Math.max(this.#nextNumber, segment.number + 1);
      await this.#files.append(nameOf(this.priority, segment.number), bytes);
    } catch (thrown) {
      // Its dictionary has texts that are not in the file.
      this.#writer = undefined;
      if (isNew) this.#removable.add(nameOf(this.priority, segment.number));
      throw thrown;
    }
    if (isNew) this.#segments.push(segment);
    segment.bytes += bytes.length;
    segment.count += entries.length;
    for (const entry of entries) noteTime(segment, entry);
    this.#nextIndex += entries.length;
    this.#bytesWritten += bytes.length;
  }

  /**
   * The next values, at most `limit`: they are finished or put back before the next ones are taken. If values
   * before them are damaged, none: these are counted and passed to {@link skipDamaged} first.
   */
  async take(limit: number): Promise<{ entries: readonly Entry[]; damaged: number }> {
    while (this.#read.length === 0 && this.#damaged === 0) {
      const reader = (this.#reader ??= await this.#openReader());
      if (reader === undefined) break;
      if (this.#read.length > 0) continue;
      const { segment } = reader;
      const frame = reader.frames.next();
      // At the end of a file, what its readable frames did not contain is damaged.
      this.#damaged = frame.done === true ? Math.max(0, segment.count - segment.done) : frame.value.damaged;
      if (frame.done !== true) this.#read.push(...frame.value.entries);
      else if (this.#damaged === 0) this.#finishFirst();
    }
    if (this.#damaged > 0) return { entries: [], damaged: this.#damaged };
    const entries = this.#read.splice(0, limit);
    this.#taken += entries.length;
    return { entries, damaged: 0 };
  }

  /** The damaged values are counted. */
  skipDamaged(): void {
    const [first] = this.#segments;
    if (first !== undefined) first.done += this.#damaged;
    this.#damaged = 0;
  }

  /** Values that were taken are sent or dropped. The caller then removes the files. */
  finish(count: number): void {
    this.#taken -= count;
    const [first] = this.#segments;
    if (first === undefined) return;
    first.done += count;
    if (first.done >= first.count) this.#finishFirst();
  }

  /** Values that were taken come first again. */
  putBack(entries: readonly Entry[]): void {
    this.#taken -= entries.length;
    this.#read.unshift(...entries);
  }

  /** Whether there is a file, and no values are taken. */
  get canDropFirst(): boolean {
    return this.#segments.length > 0 && this.#taken === 0;
  }

  get waitingInFirst(): number {
    const [first] = this.#segments;
    return first === undefined ? 0 : first.count - first.done;
  }

  /**
   * Drops the first file with what waits in it. Requires {@link canDropFirst}. The caller then removes the
   * files.
   */
  dropFirst(): void {
    this.#finishFirst();
  }

  /** Whether no value of the first file can be read, as after a power cut. Requires {@link isFirstOlderThan}. */
  get isFirstUnreadable(): boolean {
    const [first] = this.#segments;
    return first !== undefined && isUnreadable(first);
  }

  /** Whether all values of the first file that can be read are older. */
  async isFirstOlderThan(atMs: number): Promise<boolean> {
    const [first] = this.#segments;
    if (first === undefined || first === this.#writer?.segment) return false;
    if (!first.isNoted) decode(first, await this.#contentOf(first));
    return first.newestMs < atMs;
  }

  async #openReader(): Promise<SegmentReader | undefined> {
    const [segment] = this.#segments;
    if (segment === undefined) return undefined;
    // What is read is not appended to any more.
    if (this.#writer?.segment === segment) this.#writer = undefined;
    const bytes = await this.#contentOf(segment);
    if (!segment.isNoted) decode(segment, bytes);
    // A failed write may have left more.
    const frames = decodeFrames(bytes.subarray(HEADER_BYTES, segment.bytes));
    let skipped = 0;
    const { done } = segment;
    while (skipped < done) {
      const frame = frames.next();
      if (frame.done === true) break;
      const { entries, damaged } = frame.value;
      this.#read = entries.slice(Math.max(0, done - skipped - damaged));
      skipped += entries.length + damaged;
    }
    segment.done = Math.max(done, skipped - this.#read.length);
    return { segment, frames };
  }

  #finishFirst(): void {
    const first = this.#segments.shift();
    if (first === undefined) return;
    if (this.#reader?.segment === first) {
      this.#reader = undefined;
      this.#read = [];
      this.#damaged = 0;
    }
    if (this.#writer?.segment === first) this.#writer = undefined;
    this.#removable.add(nameOf(this.priority, first.number));
  }

  /** Whether {@link removeFiles} removes something. */
  get hasFinishedFiles(): boolean {
    return this.#removable.size > 0;
  }

  /**
   * Removes the files of finished values, once what was dropped of them is stored. Can be repeated if it
   * rejects.
   */
  async removeFiles(): Promise<void> {
    for (const name of this.#removable) {
      await this.#files.remove(name);
      this.#removable.delete(name);
    }
  }
}

/** The name of a file; names of one priority sort by age. */
const nameOf = (priority: Priority, number: number): string =>
  `${priority}-${String(number).padStart(12, '0')}.queue`;

const numberOf = (name: string): number => Number(/-(\d{12})\.queue$/.exec(name)?.[1] ?? 0);

/** The priority of a file of a queue; undefined for another file. */
export const priorityOf = (name: string): string | undefined => /^([a-z]+)-\d{12}\.queue$/.exec(name)?.[1];

const newSegment = (number: number, firstIndex: number): Segment => ({
  number,
  firstIndex,
  count: 0,
  done: 0,
  bytes: 0,
  isNoted: true,
  oldestMs: Infinity,
  newestMs: -Infinity,
});

/** The values of a file, and their number with those that are damaged. Notes the times. */
function decode(segment: Segment, bytes: Buffer): { entries: readonly Entry[]; count: number } {
  const frames = [...decodeFrames(bytes.subarray(HEADER_BYTES))];
  const entries = frames.flatMap((frame) => frame.entries);
  for (const entry of entries) noteTime(segment, entry);
  segment.isNoted = true;
  return { entries, count: frames.reduce((sum, { damaged }) => sum + damaged, entries.length) };
}

/** None of its times was noted. */
const isUnreadable = ({ newestMs }: Segment): boolean => newestMs === -Infinity;

/** Times of clocks that were not synchronised say nothing about the age. */
function noteTime(segment: Segment, { atMs, untrusted }: Entry): void {
  if (untrusted !== undefined) segment.newestMs = Infinity;
  segment.oldestMs = Math.min(segment.oldestMs, atMs);
  segment.newestMs = Math.max(segment.newestMs, atMs);
}

function headerOf(firstIndex: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUIntLE(firstIndex, 4, 6);
  header.writeUInt32LE(crc32(header.subarray(0, 12)), 12);
  return header;
}

function firstIndexOf(bytes: Buffer): number | undefined {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC) return undefined;
  if (crc32(bytes.subarray(0, 12)) !== bytes.readUInt32LE(12)) return undefined;
  return bytes.readUIntLE(4, 6);
}
