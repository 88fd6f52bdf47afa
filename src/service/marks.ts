import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { Marks } from '../device/module.js';

const FILE = 'marks';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Texts that are remembered until the machine boots again, over restarts of the gateway: a line each in a file of the
 * runtime directory, below the boot's id. Where the file can't be written they live as long as the process.
 */
export class BootMarks implements Marks {
  readonly #file: string;
  readonly #log: Log;
  readonly #marks: Set<string>;

  constructor(directory: string, log: Log, boot = readFileSync(BOOT_ID, 'utf8').trim()) {
    this.#file = join(directory, FILE);
    this.#log = log;
    const [marked, ...marks] = linesOf(this.#file);
    this.#marks = new Set(marked === boot ? marks : []);
    if (marked !== boot) this.#write(() => writeFileSync(this.#file, `${boot}\n`));
  }

  has(mark: string): boolean {
    return this.#marks.has(mark);
  }

  add(mark: string): void {
    if (this.#marks.has(mark)) return;
    this.#marks.add(mark);
    this.#write(() => appendFileSync(this.#file, `${mark}\n`));
  }

  #write(act: () => void): void {
    try {
      act();
    } catch (thrown) {
      this.#log.warn({}, `after a restart outputs go to their Boot value once more: ${messageOf(thrown)}`);
    }
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
