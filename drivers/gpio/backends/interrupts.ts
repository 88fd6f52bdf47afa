import { readdir, readFile } from 'node:fs/promises';
import { CONSUMER } from './line.js';

/** The kernel's own count of its interrupts (Linux 4.9 on, where it has sparse interrupts). */
const ROOT = '/sys/kernel/irq';

/**
 * The interrupts of one line of ours. Chips number them as they number their lines; where more than one interrupt of ours
 * has that number, or none, it can't be told which is the line's.
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

  /** How many there were since this was first asked; undefined where that can't be known. */
  async count(): Promise<number | undefined> {
    try {
      const isFirst = this.#directory === undefined;
      this.#directory ??= await this.#find();
      if (this.#directory === undefined) return undefined;
      const now = (await attribute(this.#directory, 'per_cpu_count')).split(',').map(Number);
      // Each processor's count is an unsigned 32-bit one, and wraps.
      const more = now.map((one, cpu) => (one - (this.#before[cpu] ?? 0)) >>> 0);
      this.#before = now;
      if (!isFirst) this.#count += more.reduce((sum, one) => sum + one, 0);
      return this.#count;
    } catch {
      return undefined; // no such directory, or the chip is gone
    }
  }

  async #find(): Promise<string | undefined> {
    const all = (await readdir(this.#root)).map((number) => `${this.#root}/${number}`);
    const isOurs = await Promise.all(
      all.map(
        async (directory) =>
          (await attribute(directory, 'actions')) === CONSUMER &&
          Number(await attribute(directory, 'hwirq')) === this.#offset,
      ),
    );
    const ours = all.filter((_, n) => isOurs[n]);
    return ours.length === 1 ? ours[0] : undefined;
  }
}

const attribute = async (directory: string, name: string): Promise<string> =>
  (await readFile(`${directory}/${name}`, 'utf8')).trim();
