import { readdir, readFile } from 'node:fs/promises';
import { CONSUMER } from './line.js';

/** The kernel's interrupt counters (since Linux 4.9, on kernels with sparse interrupts). */
const ROOT = '/sys/kernel/irq';

/**
 * Counts the interrupts of one line that the gateway has requested. A chip numbers its interrupts like its lines.
 * If the gateway has no interrupt with that number, or more than one, the line's interrupt cannot be identified.
 */
export class LineInterrupts {
  readonly #offset: number;
  readonly #root: string;
  #directory: string | undefined;
  #before: readonly number[] = [];
  #count = 0;

  constructor(offset: number, root = ROOT) {
    this.#offset = offset;
    this.#root = root;
  }

  /** The interrupts since the first call; undefined if they cannot be counted. */
  async count(): Promise<number | undefined> {
    try {
      const isFirst = this.#directory === undefined;
      this.#directory ??= await this.#find();
      if (this.#directory === undefined) return undefined;
      const now = (await readAttribute(this.#directory, 'per_cpu_count')).split(',').map(Number);
      // Each processor has its own counter, an unsigned 32-bit number that wraps.
      const increments = now.map((one, cpu) => (one - (this.#before[cpu] ?? 0)) >>> 0);
      this.#before = now;
      if (!isFirst) this.#count += increments.reduce((sum, one) => sum + one, 0);
      return this.#count;
    } catch {
      return undefined; // the directory does not exist, or the chip is gone
    }
  }

  async #find(): Promise<string | undefined> {
    const all = (await readdir(this.#root)).map((number) => `${this.#root}/${number}`);
    const isOurs = await Promise.all(
      all.map(
        async (directory) =>
          (await readAttribute(directory, 'actions')) === CONSUMER &&
          Number(await readAttribute(directory, 'hwirq')) === this.#offset,
      ),
    );
    const ours = all.filter((_, n) => isOurs[n]);
    return ours.length === 1 ? ours[0] : undefined;
  }
}

const readAttribute = async (directory: string, name: string): Promise<string> =>
  (await readFile(`${directory}/${name}`, 'utf8')).trim();
