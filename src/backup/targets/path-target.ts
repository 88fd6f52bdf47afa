import { mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-write.js';
import { coded } from '../../base/codes/coded-text.js';
import { codeOf, fault, faultFrom } from '../../base/fault.js';
import { reasonOf } from '../failure-reason.js';
import { FILE_BYTES, type BackupTarget } from './backup-target.js';

/**
 * A directory, such as a mounted USB stick. It must exist: nothing is written to the mount point of a stick
 * that is not mounted.
 */
export class PathTarget implements BackupTarget {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  put(path: string, content: Uint8Array): Promise<void> {
    return this.#run(async () => {
      await stat(this.#root);
      const file = join(this.#root, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFileAtomically(file, content, 0o600);
    });
  }

  get(path: string): Promise<Buffer | undefined> {
    return this.#run(async () => {
      await stat(this.#root);
      const file = join(this.#root, path);
      return ifExists(async () => {
        if ((await stat(file)).size > FILE_BYTES)
          throw fault('BACKUP_TARGET_FAILED', coded`TARGET_FILE_LARGE: ${path} is too large`);
        return readFile(file);
      });
    });
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#run(async () => {
      await stat(this.#root);
      return (await ifExists(() => readdir(join(this.#root, folder)))) ?? [];
    });
  }

  delete(path: string): Promise<void> {
    return this.#run(() => rm(join(this.#root, path), { force: true }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing is open between calls.
  }

  async #run<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (thrown) {
      throw faultFrom(thrown, 'BACKUP_TARGET_FAILED', reasonOf(thrown));
    }
  }
}

async function ifExists<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
