import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { BootFlags } from '../device/module.js';

const FILE = 'marks';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Flags that are kept until the machine boots again, across restarts of the gateway. They are in a file of
 * the runtime directory: the boot's id, then one flag per line. If the file cannot be written, they last as
 * long as the process.
 */
export class BootFlagFile implements BootFlags {
  readonly #file: string;
  readonly #log: Log;
  readonly #boot: string;
  readonly #flags: Set<string>;

  constructor(directory: string, log: Log, boot = readFileSync(BOOT_ID, 'utf8').trim()) {
    this.#file = join(directory, FILE);
    this.#log = log;
    this.#boot = boot;
    const [fileBoot, ...flags] = linesOf(this.#file);
    this.#flags = new Set(fileBoot === boot ? flags : []);
    if (fileBoot !== boot) this.#write(() => this.#rewrite());
  }

  has(flag: string): boolean {
    return this.#flags.has(flag);
  }

  add(flag: string): void {
    if (this.#flags.has(flag)) return;
    this.#flags.add(flag);
    this.#write(() => appendFileSync(this.#file, `${flag}\n`));
  }

  delete(flag: string): void {
    if (this.#flags.delete(flag)) this.#write(() => this.#rewrite());
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#flags.values();
  }

  /** Writes the file atomically. */
  #rewrite(): void {
    const temporary = `${this.#file}.new`;
    writeFileSync(temporary, [this.#boot, ...this.#flags, ''].join('\n'));
    renameSync(temporary, this.#file);
  }

  #write(act: () => void): void {
    try {
      act();
    } catch (thrown) {
      this.#log.warn({}, `the state of outputs for the next restart cannot be saved: ${messageOf(thrown)}`);
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
