import { coded } from '../base/codes/coded-text.js';
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom, messageOf, codedMessageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { DebugFile } from '../device/debug.js';

/** A file of this size is renamed to `.1`, which replaces the previous one, and a new file is started. */
export const FILE_LIMIT = 1024 * 1024;
/** Maximum number of characters that are buffered for a slow disk; further lines are dropped. */
const WAITING_LIMIT = 1024 * 1024;

/**
 * Opens `<directory>/<id>.log` for appending; creates the directory if it is missing. Only the gateway's user
 * can read the files. Rejects with `STORE_UNUSABLE`.
 */
export async function openDebugFile(directory: string, id: number, log: Log): Promise<DebugFile> {
  const path = join(directory, `${id}.log`);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await appendFile(path, '', { mode: 0o600 });
    return new LimitedFile(path, (await stat(path)).size, log);
  } catch (thrown) {
    throw faultFrom(
      thrown,
      'STORE_UNUSABLE',
      coded`CANNOT_BE_WRITTEN: ${path} cannot be written: ${codedMessageOf(thrown)}`,
    );
  }
}

/**
 * A file of limited size. Lines that arrive during a write are written together after it.
 */
class LimitedFile implements DebugFile {
  readonly #path: string;
  readonly #log: Log;
  #size: number;
  #waiting: string[] = [];
  #length = 0;
  #isFailing = false;
  #writing: Promise<void> | undefined;

  constructor(path: string, size: number, log: Log) {
    this.#path = path;
    this.#size = size;
    this.#log = log;
  }

  write(line: string): void {
    if (this.#length + line.length > WAITING_LIMIT) return;
    this.#waiting.push(line);
    this.#length += line.length;
    this.#writing ??= this.#write();
  }

  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const text = this.#waiting.join('');
      this.#waiting = [];
      this.#length = 0;
      try {
        if (this.#size > 0 && this.#size + text.length > FILE_LIMIT) {
          await rename(this.#path, `${this.#path}.1`);
          this.#size = 0;
        }
        await appendFile(this.#path, text, { mode: 0o600 });
        this.#size += Buffer.byteLength(text);
        this.#isFailing = false;
      } catch (thrown) {
        if (!this.#isFailing)
          this.#log.warn({ path: this.#path, error: messageOf(thrown) }, 'a debug file cannot be written');
        this.#isFailing = true;
      }
    }
    this.#writing = undefined;
  }
}
