import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { BootFlags } from '../device/module.js';

const FILE = 'marks';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Texts that are remembered until the machine boots again, over restarts of the gateway: a line each in a
 * file of the runtime directory, below the boot's id. Where the file can't be written they live as long as
 * the process.
 */
export class BootFlagFile implements BootFlags {
  readonly #file: string;
  readonly #log: Log;
  readonly #boot: string;
  readonly #marks: Set<string>;

  constructor(directory: string, log: Log, boot = readFileSync(BOOT_ID, 'utf8').trim()) {
    this.#file = join(directory, FILE);
    this.#log = log;
    this.#boot = boot;
    const [marked, ...marks] = linesOf(this.#file);
    this.#marks = new Set(marked === boot ? marks : []);
    if (marked !== boot) this.#write(() => this.#rewrite());
  }

  has(mark: string): boolean {
    return this.#marks.has(mark);
  }

  add(mark: string): void {
    if (this.#marks.has(mark)) return;
    this.#marks.add(mark);
    this.#write(() => appendFileSync(this.#file, `${mark}\n`));
  }

  delete(mark: string): void {
    if (this.#marks.delete(mark)) this.#write(() => this.#rewrite());
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#marks.values();
  }

  /** Written atomically. */
  #rewrite(): void {
    const made = `${this.#file}.new`;
    writeFileSync(made, [this.#boot, ...this.#marks, ''].join('\n'));
    renameSync(made, this.#file);
  }

  #write(act: () => void): void {
    try {
      act();
    } catch (thrown) {
      this.#log.warn(
        {},
        `what outputs are to remember over a restart can't be written: ${messageOf(thrown)}`,
      );
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
