import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from '../../../src/base/atomic-write.js';
import type { Cancel, Clock } from '../../../src/base/clock.js';
import { messageOf } from '../../../src/base/fault.js';
import type { Log } from '../../../src/base/log.js';
import { SerialQueue } from '../../../src/base/serial-queue.js';
import { entryKey, formatTable, parseTable } from './output-table.js';

/** Changes within this time are written together. */
const WRITE_AFTER_MS = 1000;

interface OutputTableFileOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The file that the line keeper reads at boot: the outputs that are held, were held recently, or in an
 * earlier run.
 */
export class OutputTableFile {
  readonly #options: OutputTableFileOptions;
  readonly #entries: Map<string, string>;
  readonly #writes = new SerialQueue();
  #cancelWrite: Cancel | undefined;

  /** Starts with the entries of the file, or with none if it is missing or damaged. */
  static async open(options: OutputTableFileOptions): Promise<OutputTableFile> {
    const text = await readFile(options.path, 'utf8').catch(() => '');
    return new OutputTableFile(options, parseTable(text));
  }

  private constructor(options: OutputTableFileOptions, entries: readonly string[]) {
    this.#options = options;
    this.#entries = new Map(entries.map((entry) => [entryKey(entry), entry]));
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  add(entry: string): void {
    this.#entries.set(entryKey(entry), entry);
    this.#scheduleWrite();
  }

  /** Removes the entries whose key the predicate rejects. */
  retain(isRetained: (key: string) => boolean): void {
    for (const key of this.#entries.keys())
      if (!isRetained(key)) {
        this.#entries.delete(key);
        this.#scheduleWrite();
      }
  }

  /** Writes pending changes now. */
  async close(): Promise<void> {
    if (this.#cancelWrite !== undefined) await this.#write();
  }

  #scheduleWrite(): void {
    this.#cancelWrite ??= this.#options.clock.after(WRITE_AFTER_MS, () => void this.#write());
  }

  async #write(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    const text = formatTable([...this.#entries.values()].sort());
    const { path, log } = this.#options;
    await this.#writes
      .run(() => writeIfChanged(path, text))
      .catch((thrown: unknown) =>
        log.warn({}, `${path} was not written, so the next boot uses its old content: ${messageOf(thrown)}`),
      );
  }
}

async function writeIfChanged(path: string, text: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch(() => undefined); // missing or unreadable: rewritten
  if (present !== text) await writeFileAtomically(path, text);
}
