import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { codeOf, fault, faultFrom, messageOf } from '../base/fault.js';
import { replaceFile } from '../base/replace.js';
import { Turn } from '../base/turn.js';

/** A script is text that people write. */
export const SCRIPT_LIMIT = 1024 * 1024;

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}\.js$/;

/** The texts of scripts: files in one directory, so that people can edit them with their own editor. */
export class ScriptFiles {
  readonly directory: string;
  /** Two that write the same file must not meet. */
  readonly #turn = new Turn();

  constructor(directory: string) {
    this.directory = directory;
  }

  /** The text; '' where there is no file yet. Throws `FILE_NAME`, `SCRIPT_FAILED`. */
  async read(file: string): Promise<string> {
    const path = this.#path(file);
    try {
      return await readFile(path, 'utf8');
    } catch (thrown) {
      if (isMissing(thrown)) return '';
      throw faultFrom(thrown, 'SCRIPT_FAILED', `${file} cannot be read: ${messageOf(thrown)}`);
    }
  }

  /** Puts a text in place whole, durably. Its checksum (8 hex digits) and size in bytes come back. Throws `STORE_FAILED`. */
  async write(file: string, text: string): Promise<{ crc: string; size: number }> {
    const bytes = Buffer.from(text);
    if (bytes.length > SCRIPT_LIMIT) throw fault('TEXT_TOO_LONG', 'The script', SCRIPT_LIMIT);
    const path = this.#path(file);
    await this.#turn.run(async () => {
      try {
        await mkdir(this.directory, { recursive: true });
        await replaceFile(path, bytes);
      } catch (thrown) {
        throw faultFrom(thrown, 'STORE_FAILED', `${file}: ${messageOf(thrown)}`);
      }
    });
    return { crc: crc32(bytes).toString(16).toUpperCase().padStart(8, '0'), size: bytes.length };
  }

  /** Removes a file; one that is not there is fine. */
  async remove(file: string): Promise<void> {
    const path = this.#path(file);
    await this.#turn.run(() => rm(path, { force: true }));
  }

  #path(file: string): string {
    if (!NAME.test(file)) throw fault('FILE_NAME', file);
    return join(this.directory, file);
  }
}

const isMissing = (thrown: unknown): boolean => codeOf(thrown) === 'ENOENT';
