import { coded } from '../base/codes/coded-text.js';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { codeOf, fault, faultFrom, messageOf, codedMessageOf } from '../base/fault.js';
import { writeFileAtomically, syncDirectory } from '../base/atomic-write.js';
import { SerialQueue } from '../base/serial-queue.js';

/** Size limit of a script file, bytes; ample for texts that are written by hand. */
export const SCRIPT_LIMIT = 1024 * 1024;

/** Declaration files (`.d.ts`) may be in the directory for editors, but are not scripts. */
const NAME = /^[A-Za-z0-9_](?!.*\.d\.ts$)[A-Za-z0-9_.-]{0,100}\.(js|ts)$/;

/** The text of a script file, with its checksum (8 hex digits) and its size in bytes. */
export interface ScriptContent {
  readonly text: string;
  readonly crc: string;
  readonly size: number;
}

/** Script texts: files in one directory, which users edit with their own editors. */
export class ScriptFiles {
  readonly directory: string;
  /** Serialises writes, because two must not write the same file. */
  readonly #queue = new SerialQueue();

  constructor(directory: string) {
    this.directory = directory;
  }

  /** The names of all script files, sorted; none if the directory cannot be read. */
  async names(): Promise<string[]> {
    const entries = await readdir(this.directory, { withFileTypes: true }).catch(() => []);
    return entries.flatMap((one) => (one.isFile() && NAME.test(one.name) ? [one.name] : [])).toSorted();
  }

  /** Reads a file; undefined if it does not exist. Throws `FILE_NAME`, `SCRIPT_FAILED`. */
  async read(file: string): Promise<ScriptContent | undefined> {
    const path = this.#path(file);
    try {
      // Without O_NONBLOCK, opening a FIFO would wait for a writer.
      const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const stats = await handle.stat();
        if (!stats.isFile()) throw new Error('it is not a regular file');
        if (stats.size > SCRIPT_LIMIT) throw new Error(`it is larger than ${SCRIPT_LIMIT} bytes`);
        return contentOf(await handle.readFile());
      } finally {
        await handle.close();
      }
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw faultFrom(
        thrown,
        'SCRIPT_FAILED',
        coded`CANNOT_BE_READ: ${file} cannot be read: ${codedMessageOf(thrown)}`,
      );
    }
  }

  /**
   * Like {@link read}, but waits for pending writes, so that a write of the gateway is not taken for a change
   * by an editor.
   */
  readSettled(file: string): Promise<ScriptContent | undefined> {
    return this.#queue.run(() => this.read(file));
  }

  /** Writes a file atomically and durably. Throws `FILE_NAME`, `TEXT_TOO_LONG`, `STORE_FAILED`. */
  async write(file: string, text: string): Promise<ScriptContent> {
    const bytes = Buffer.from(text);
    if (bytes.length > SCRIPT_LIMIT)
      throw fault('TEXT_TOO_LONG', coded`WHAT_SCRIPT: The script`, SCRIPT_LIMIT, 'bytes');
    const path = this.#path(file);
    await this.#queue.run(async () => {
      try {
        await mkdir(this.directory, { recursive: true });
        await writeFileAtomically(path, bytes);
      } catch (thrown) {
        throw faultFrom(thrown, 'STORE_FAILED', `${file}: ${messageOf(thrown)}`);
      }
    });
    return contentOf(bytes);
  }

  /** Renames a file; the new name must not exist. Throws `FILE_NAME`, `FILE_MISSING`, `STORE_FAILED`. */
  async rename(file: string, to: string): Promise<void> {
    const [from, path] = [this.#path(file), this.#path(to)];
    await this.#queue.run(async () => {
      const isFree = await lstat(path).then(
        () => false,
        (thrown: unknown) => codeOf(thrown) === 'ENOENT',
      );
      if (!isFree) throw fault('FILE_NAME', to, coded`FILE_NAME_EXISTS: a file with this name exists`);
      try {
        await rename(from, path);
        await syncDirectory(this.directory);
      } catch (thrown) {
        if (codeOf(thrown) === 'ENOENT') throw fault('FILE_MISSING', file);
        throw faultFrom(thrown, 'STORE_FAILED', `${to}: ${messageOf(thrown)}`);
      }
    });
  }

  /** Removes a file, if it exists. */
  async remove(file: string): Promise<void> {
    const path = this.#path(file);
    await this.#queue.run(() => rm(path, { force: true }));
  }

  #path(file: string): string {
    if (!NAME.test(file))
      throw fault(
        'FILE_NAME',
        file,
        coded`SCRIPT_FILE_NAME: use a name like light.js or light.ts, without a directory`,
      );
    return join(this.directory, file);
  }
}

function contentOf(bytes: Buffer): ScriptContent {
  const crc = crc32(bytes).toString(16).toUpperCase().padStart(8, '0');
  return { text: bytes.toString('utf8'), crc, size: bytes.length };
}
