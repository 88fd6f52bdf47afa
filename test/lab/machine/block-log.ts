/**
 * The state of a disk after a power cut, in the least favourable case. A killed qemu leaves everything
 * that the guest's disk had accepted in the host's page cache; a real disk or card guarantees only what was
 * there at the last flush. So qemu records writes and flushes (blklogwrites, in the format of the kernel's
 * dm-log-writes), and the disk is rebuilt from them: everything up to the last flush, and a random selection
 * of the writes after it.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { Random } from '../../tools/random.js';
import { outcomeOf, SECTOR_BYTES, writtenParts, type WriteOutcome } from '../../tools/torn-write.js';

/** qemu does not let the log grow: the file is created with this size, and empty. */
const LOG_BYTES = 4 * 1024 ** 3;
const MAGIC = 0x6a736677736872n;
const FLAG = { flush: 1, fua: 2, discard: 4 } as const;

/** One entry of the log: `bytes` of data, at `from` in the log, written to `to` on the disk. */
interface Entry {
  readonly flags: number;
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}

/** Counts of the writes after the last flush, by their outcome. */
export type WriteOutcomes = Record<WriteOutcome, number>;

/** Creates the empty file for a machine's `writeLog`. */
export async function makeLog(path: string): Promise<void> {
  await using file = await open(path, 'wx');
  await file.truncate(LOG_BYTES);
}

/** A log that a machine has left. */
export class BlockLog {
  readonly #path: string;
  readonly #entries: readonly Entry[];

  private constructor(path: string, entries: readonly Entry[]) {
    this.#path = path;
    this.#entries = entries;
  }

  static async read(path: string): Promise<BlockLog> {
    await using file = await open(path, 'r');
    return new BlockLog(path, await readEntries(file));
  }

  /** The positions of the flushes: the number of entries before each. */
  get flushes(): number[] {
    return [...this.#entries.entries()].filter(([, { flags }]) => flags & FLAG.flush).map(([place]) => place);
  }

  /**
   * Turns a raw image of the disk at the beginning of the log into the disk after a power cut behind the
   * first `count` entries; all by default.
   */
  async replay(imagePath: string, random: Random, count = Infinity): Promise<WriteOutcomes> {
    await using log = await open(this.#path, 'r');
    await using image = await open(imagePath, 'r+');
    const entries = this.#entries.slice(0, count);
    const lastFlush = entries.findLastIndex(({ flags }) => flags & FLAG.flush);
    const outcomes: WriteOutcomes = { lost: 0, complete: 0, torn: 0 };
    for (const [index, { flags, bytes, from, to }] of entries.entries()) {
      if (bytes === 0) continue;
      const data = await bytesAt(log, from, bytes);
      const isSafe = index < lastFlush || (flags & FLAG.fua) !== 0;
      const outcome = outcomeOf(isSafe, random);
      if (!isSafe) outcomes[outcome]++;
      for (const part of writtenParts({ offset: to, length: bytes }, outcome, random))
        await image.write(data, part.from, part.to - part.from, to + part.from);
    }
    return outcomes;
  }
}

/** The entries up to the first missing one; the log's own count is behind. */
async function readEntries(log: FileHandle): Promise<Entry[]> {
  const head = await bytesAt(log, 0, SECTOR_BYTES);
  if (head.readBigUInt64LE(0) !== MAGIC || head.readUInt32LE(24) !== SECTOR_BYTES)
    throw new Error('this is not a log of a disk of 512-byte sectors');
  const entries: Entry[] = [];
  for (let at = SECTOR_BYTES; at < LOG_BYTES;) {
    const header = await bytesAt(log, at, SECTOR_BYTES);
    const [to, length, flags] = [0, 8, 16].map((field) => Number(header.readBigUInt64LE(field))) as [
      number,
      number,
      number,
    ];
    if (length === 0 && flags === 0) break;
    // A discard has a length and no data; the discarded data may still be there.
    const bytes = flags & FLAG.discard ? 0 : length * SECTOR_BYTES;
    entries.push({ flags, bytes, from: at + SECTOR_BYTES, to: to * SECTOR_BYTES });
    at += SECTOR_BYTES + bytes;
  }
  return entries;
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error(`the file ends before ${position + length}`);
  return buffer;
}
