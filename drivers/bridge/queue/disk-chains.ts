import { priorities, type DropReason, type Entry, type Priority } from './entry.js';
import type { QueueFiles } from './queue-files.js';
import { priorityOf, SegmentChain, type ChainPosition } from './segment-chain.js';

/** The headers of a new file and a frame, and the rest of the last block, bytes. */
const FRAME_BYTES = 8192;
/** The longest a number takes with its differences, bytes. */
const VALUE_BYTES = 24;
/** The longest a character takes, bytes. */
const CHARACTER_BYTES = 3;

/** What the chains of a queue may occupy, and what happens to values that are dropped. */
interface DiskChainsOptions {
  readonly files: QueueFiles;
  readonly maxBytes: number;
  /** Called before values are dropped. If it rejects, they are not counted, and not dropped. */
  onDrop(priority: Priority, reason: DropReason, count: number): Promise<void>;
}

/** The chains of all priorities, within a limit of bytes. Its methods must not overlap. */
export class DiskChains {
  readonly #options: DiskChainsOptions;
  readonly #chains: readonly SegmentChain[];

  constructor(options: DiskChainsOptions) {
    this.#options = options;
    this.#chains = priorities.map((priority) => new SegmentChain(priority, options.files));
  }

  /** Continues with the files of an earlier run. Calls `onEntry` with the values from `sinceSeq` on. */
  async load(
    positions: Readonly<Record<string, ChainPosition>>,
    sinceSeq: number,
    onEntry: (entry: Entry) => void,
  ): Promise<void> {
    const files = await this.#options.files.list();
    for (const chain of this.#chains) {
      const { priority } = chain;
      const mine = files.filter(({ name }) => priorityOf(name) === priority);
      await chain.load(mine, { position: positions[priority] ?? [0, 0], sinceSeq, onEntry });
    }
  }

  chain(priority: Priority): SegmentChain {
    return this.#chains[priorities.indexOf(priority)] as SegmentChain;
  }

  get waiting(): number {
    return this.#chains.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get bytes(): number {
    return this.#chains.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get bytesWritten(): number {
    return this.#chains.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  }

  /** Appends values of one priority; those for which there is no room are dropped. Rejects if the disk does. */
  async append(priority: Priority, entries: readonly Entry[]): Promise<void> {
    if (await this.#makeRoom(priority, sizeLimitOf(entries))) await this.chain(priority).append(entries);
    else await this.#options.onDrop(priority, 'full', entries.length);
  }

  /** Drops the oldest values of the lowest priority, but none of a higher one than `priority`. */
  async #makeRoom(priority: Priority, size: number): Promise<boolean> {
    const candidates = this.#chains.slice(priorities.indexOf(priority)).reverse();
    while (this.bytes + size > this.#options.maxBytes) {
      const victim = candidates.find((chain) => chain.canDropFirst);
      if (victim === undefined) return false;
      await this.#dropFirst(victim, 'full');
    }
    return true;
  }

  /** Drops files whose values are all older. */
  async dropOlderThan(atMs: number): Promise<void> {
    for (const chain of this.#chains)
      while (chain.canDropFirst && (await chain.isFirstOlderThan(atMs)))
        await this.#dropFirst(chain, chain.isFirstUnreadable ? 'damaged' : 'age');
  }

  async #dropFirst(chain: SegmentChain, reason: DropReason): Promise<void> {
    await this.#options.onDrop(chain.priority, reason, chain.waitingInFirst);
    chain.dropFirst();
    await chain.removeFiles();
  }

  /** The next values of the highest priority. */
  async take(limit: number): Promise<{ chain: SegmentChain; entries: readonly Entry[] } | undefined> {
    for (const chain of this.#chains) {
      let { entries, damaged } = await chain.take(limit);
      while (damaged > 0) {
        await this.#options.onDrop(chain.priority, 'damaged', damaged);
        chain.skipDamaged();
        ({ entries, damaged } = await chain.take(limit));
      }
      if (entries.length > 0) return { chain, entries };
    }
    return undefined;
  }

  get hasFinishedFiles(): boolean {
    return this.#chains.some((chain) => chain.hasFinishedFiles);
  }

  /** Removes the files of finished values, once what was dropped of them is stored. */
  async removeFiles(): Promise<void> {
    for (const chain of this.#chains) await chain.removeFiles();
  }

  /** Where the chains begin, for {@link load}. */
  positions(): Record<string, ChainPosition> {
    return Object.fromEntries(this.#chains.map(({ priority, position }) => [priority, position]));
  }
}

/** What these values take at most. */
function sizeLimitOf(entries: readonly Entry[]): number {
  const texts = new Set(entries.flatMap(({ path, reason }) => [path, reason]));
  let characters = 0;
  for (const text of texts) characters += text.length;
  for (const { value } of entries) if (typeof value === 'string') characters += value.length;
  return FRAME_BYTES + entries.length * VALUE_BYTES + characters * CHARACTER_BYTES;
}
