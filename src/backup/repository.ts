import { coded } from '../base/codes/coded-text.js';
import { codeOf, fault } from '../base/fault.js';
import { INDEX_NAME, parseIndex, type BackupIndex } from './backup-index.js';
import { reasonOf } from './failure-reason.js';
import type { RecoveryKey } from './recovery-key.js';
import { seal, unseal } from './sealed-file.js';
import type { BackupTarget } from './targets/backup-target.js';

/** The first hexadecimal digit of a chunk's name is its folder: lists stay short. */
const FOLDERS = Array.from({ length: 16 }, (_, digit) => digit.toString(16));
const SUFFIX = '.sealed';

/** The backups of one key on a target: `KEY/indexes/NAME.sealed` and `KEY/chunks/D/ID.sealed`. */
export class Repository {
  readonly #target: BackupTarget;
  readonly #key: RecoveryKey;

  constructor(target: BackupTarget, key: RecoveryKey) {
    this.#target = target;
    this.#key = key;
  }

  /** The names of the backups, newest first. */
  async names(): Promise<string[]> {
    const files = await this.#target.list(`${this.#key.id}/indexes`);
    return files
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => file.slice(0, -SUFFIX.length))
      .filter((name) => INDEX_NAME.test(name))
      .sort()
      .reverse();
  }

  /** Reads an index. Rejects with `FILE_MISSING`, `BACKUP_DAMAGED`, `RECOVERY_KEY_WRONG`. */
  async index(name: string): Promise<BackupIndex> {
    const file = await this.#target.get(this.#indexPath(name));
    if (file === undefined) throw fault('FILE_MISSING', name);
    return parseIndex(name, unseal(this.#key, 'index', file).toString('utf8'));
  }

  /** Stores an index and reads it back. Afterwards the backup exists. */
  async putIndex(index: BackupIndex): Promise<void> {
    const text = JSON.stringify(index);
    await this.#target.put(this.#indexPath(index.name), seal(this.#key, 'index', Buffer.from(text)));
    if (JSON.stringify(await this.index(index.name)) !== text) throw notAsWritten(index.name);
  }

  async deleteIndex(name: string): Promise<void> {
    await this.#target.delete(this.#indexPath(name));
  }

  /** The chunks that are on the target. */
  async chunks(): Promise<Set<string>> {
    const found = new Set<string>();
    for (const folder of FOLDERS)
      for (const file of await this.#target.list(`${this.#key.id}/chunks/${folder}`))
        if (file.endsWith(SUFFIX)) found.add(file.slice(0, -SUFFIX.length));
    return found;
  }

  chunkId(content: Uint8Array): string {
    return this.#key.chunkId(content);
  }

  /** Stores a chunk and reads it back; returns the bytes that were stored. */
  async putChunk(id: string, content: Uint8Array): Promise<number> {
    const file = seal(this.#key, 'chunk', content);
    await this.#target.put(this.#chunkPath(id), file);
    const stored = await this.#target.get(this.#chunkPath(id));
    if (stored?.equals(file) !== true) throw notAsWritten(id);
    return file.length;
  }

  /** Reads a chunk. Rejects with `BACKUP_DAMAGED` if it is missing, changed, or another one. */
  async chunk(id: string): Promise<Buffer> {
    const file = await this.#target.get(this.#chunkPath(id));
    if (file === undefined)
      throw fault('BACKUP_DAMAGED', coded`CHUNK_MISSING: the chunk ${id} is missing on the target`);
    const content = this.#unsealChunk(id, file);
    if (this.#key.chunkId(content) !== id)
      throw fault('BACKUP_DAMAGED', coded`CHUNK_OTHER: the chunk ${id} has the content of another`);
    return content;
  }

  async deleteChunk(id: string): Promise<void> {
    await this.#target.delete(this.#chunkPath(id));
  }

  /** Deletes a chunk that cannot be used, so that the next upload stores it again. */
  async deleteIfDamaged(id: string): Promise<void> {
    try {
      await this.chunk(id);
    } catch (thrown) {
      if (codeOf(thrown) !== 'BACKUP_DAMAGED') throw thrown;
      await this.deleteChunk(id);
    }
  }

  #unsealChunk(id: string, file: Buffer): Buffer {
    try {
      return unseal(this.#key, 'chunk', file);
    } catch (thrown) {
      // It is in the folder of this key: the id of another key in it is damage as well.
      throw fault('BACKUP_DAMAGED', coded`CHUNK_DAMAGED: the chunk ${id} is damaged: ${reasonOf(thrown)}`);
    }
  }

  #indexPath(name: string): string {
    return `${this.#key.id}/indexes/${name}${SUFFIX}`;
  }

  #chunkPath(id: string): string {
    return `${this.#key.id}/chunks/${id.slice(0, 1)}/${id}${SUFFIX}`;
  }
}

const notAsWritten = (name: string) =>
  fault('BACKUP_TARGET_FAILED', coded`NOT_AS_WRITTEN: ${name} was read back with different content`);
