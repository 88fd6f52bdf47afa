import { readFile } from 'node:fs/promises';
import type { Cancel, Clock } from '../../../src/base/clock.js';
import { messageOf } from '../../../src/base/fault.js';
import type { Log } from '../../../src/base/log.js';
import { writeFileAtomically } from '../../../src/base/atomic-write.js';
import { SerialQueue } from '../../../src/base/serial-queue.js';
import { parseTable, entryKey, formatTable } from './output-table.js';

/** Changes that come together are one write. */
const WRITE_AFTER_MS = 1000;

/** What a table's file is kept with. */
export interface OutputTableFileOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The file by which the line keeper boots: the outputs that are, or were just, held, and those of an earlier run. */
export class OutputTableFile {
  readonly #with: OutputTableFileOptions;
  readonly #entries: Map<string, string>;
  readonly #writing = new SerialQueue();
  #cancel: Cancel | undefined;

  /** Begins with what is in the file; with nothing where it is not whole. */
  static async open(parts: OutputTableFileOptions): Promise<OutputTableFile> {
    const before = await readFile(parts.path, 'utf8').catch(() => '');
    return new OutputTableFile(parts, parseTable(before));
  }

  private constructor(parts: OutputTableFileOptions, before: readonly string[]) {
    this.#with = parts;
    this.#entries = new Map(before.map((entry) => [entryKey(entry), entry]));
  }

  add(entry: string): void {
    this.#entries.set(entryKey(entry), entry);
    this.#soon();
  }

  /** Leaves only those entries whose key is wanted. */
  retain(isWanted: (key: string) => boolean): void {
    for (const key of this.#entries.keys())
      if (!isWanted(key)) {
        this.#entries.delete(key);
        this.#soon();
      }
  }

  /** Writes now what was to be written soon. */
  async close(): Promise<void> {
    if (this.#cancel !== undefined) await this.#write();
  }

  #soon(): void {
    this.#cancel ??= this.#with.clock.after(WRITE_AFTER_MS, () => void this.#write());
  }

  async #write(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const text = formatTable([...this.#entries.values()].sort());
    const { path, log } = this.#with;
    await this.#writing
      .run(() => writeIfChanged(path, text))
      .catch((thrown: unknown) =>
        log.warn({}, `at the next boot the line keeper does what it did at this one: ${messageOf(thrown)}`),
      );
  }
}

/** Leaves the file alone where it says the same. */
async function writeIfChanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) !== text) await writeFileAtomically(path, text);
}
