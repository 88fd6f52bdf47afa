import { coded, type Text } from '../../base/codes/coded-text.js';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncDirectory } from '../../base/atomic-write.js';
import { Fault, fault, faultFrom, messageOf, codedMessageOf } from '../../base/fault.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { TaskProgress } from '../../base/tasks/task-list.js';
import type { BackupsPort } from '../../functions/ports.js';
import { BACKUP_NAME, type BackupFile } from '../../store/backup-list.js';
import type { ConfigurationFile } from '../configuration-file.js';
import type { Foundation } from '../foundation.js';
import { requestReset } from './factory-reset.js';
import { pendingRestore, restoredConfigPath, setPendingRestore } from './pending-restore.js';

/** The beginning of the names of uploaded backups: damaged rows are never repaired from them. */
const UPLOAD = 'upload-';
/** Uploads are not deleted automatically. */
const UPLOADS_LIMIT = 10;
/** Maximum number of bytes of an upload; a database of 10,000 objects has 10 MiB. */
const UPLOAD_BYTES = 512 * 1024 * 1024;

type BackupRecord = Awaited<ReturnType<BackupsPort['make']>>;

/** The backups in the data directory. */
export class Backups implements BackupsPort {
  readonly #foundation: Pick<Foundation, 'store' | 'directory' | 'configSource'>;
  /** One at a time: an upload may be as large as everything else in the data directory. */
  readonly #uploads = new SerialQueue();
  readonly #configuration: () => Promise<ConfigurationFile>;

  constructor(
    foundation: Pick<Foundation, 'store' | 'directory' | 'configSource'>,
    configuration: () => Promise<ConfigurationFile>,
  ) {
    this.#foundation = foundation;
    this.#configuration = configuration;
  }

  /** See {@link BackupsPort}. */
  async list(): Promise<readonly BackupRecord[]> {
    const { store, directory } = this.#foundation;
    const [backups, pending] = await Promise.all([store.backups(), pendingRestore(directory)]);
    return backups.map((backup) => recordOf(backup, pending));
  }

  /** See {@link BackupsPort}. */
  async make(note: string, progress: TaskProgress): Promise<BackupRecord> {
    try {
      const { file } = await this.#foundation.store.backup('manual', note, progress);
      return await this.#named(file);
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown;
      throw faultFrom(thrown, 'FILE_FAILED', coded`WHAT_BACKUP: The backup`, messageOf(thrown));
    }
  }

  /** See {@link BackupsPort}. */
  async delete(name: string): Promise<void> {
    const { directory } = this.#foundation;
    if ((await pendingRestore(directory)) === name) await setPendingRestore(directory, undefined);
    await rm(await this.path(name));
  }

  /** See {@link BackupsPort}. */
  async restore(name: string): ReturnType<BackupsPort['restore']> {
    const { store, directory, configSource } = this.#foundation;
    if (name === '') {
      await setPendingRestore(directory, undefined);
      return { Name: '', Effects: [] };
    }
    const path = await this.path(name);
    const { configuration } = await store.readBackup(path).catch((thrown: unknown) => {
      throw faultFrom(
        thrown,
        'STORE_UNUSABLE',
        coded`DAMAGED_BECAUSE: ${name} is damaged: ${codedMessageOf(thrown)}`,
      );
    });
    if (configuration !== undefined) await (await this.#configuration()).rejectInvalid(configuration);
    await setPendingRestore(directory, name);
    const config =
      configuration === undefined
        ? 'the backup has no configuration: the current one stays'
        : `the configuration and its passwords are replaced: ${await restoredConfigPath(configSource(), directory)}`;
    return {
      Name: name,
      Effects: [
        'nothing changes until the next start',
        'objects, values, profiles, options, scripts, icons and media are replaced; the current ones are kept under other names',
        config,
        'records of the archive stay',
      ],
    };
  }

  /** See {@link BackupsPort}. */
  async path(name: string): Promise<string> {
    const path = join(this.#foundation.directory, 'backups', name);
    // Whatever the reason, a backup that cannot be read is a missing file to the caller.
    const found = BACKUP_NAME.test(name) ? await stat(path).catch(() => undefined) : undefined;
    if (found?.isFile() !== true) throw fault('FILE_MISSING', name);
    return path;
  }

  /** See {@link BackupsPort}. */
  reset(): Promise<void> {
    return requestReset(this.#foundation.directory, 'owner');
  }

  /**
   * Stores an uploaded backup after it has been verified. Throws `INVALID_REQUEST` with the reason if it is
   * not a backup, is too large, or there are too many.
   */
  receive(name: string, content: Readable, announcedBytes = 0): Promise<BackupRecord> {
    return this.#uploads.run(async () => {
      // Nothing of it is read or written.
      if (announcedBytes > UPLOAD_BYTES) throw tooLarge();
      const folder = join(this.#foundation.directory, 'backups');
      const file = name.startsWith(UPLOAD) ? name : `${UPLOAD}${name}`;
      const stored = (await this.list()).filter(({ Reason }) => Reason === 'uploaded');
      if (!BACKUP_NAME.test(file))
        throw rejected(coded`NAME_MUST_END_DB: the name must end in .db and have letters, digits and .-_`);
      if (stored.some(({ Name }) => Name === file))
        throw rejected(coded`FILE_EXISTS: ${file} exists already`);
      if (stored.length >= UPLOADS_LIMIT)
        throw rejected(coded`DELETE_UPLOADED_BACKUPS: delete one of the ${UPLOADS_LIMIT} uploaded backups`);
      const temporary = join(folder, 'upload.new');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        await pipeline(content, limited, createWriteStream(temporary, { mode: 0o600, flush: true }));
        const { madeMs } = await this.#foundation.store.readBackup(temporary);
        if (madeMs !== undefined) await utimes(temporary, madeMs / 1000, madeMs / 1000);
        await rename(temporary, join(folder, file));
        await syncDirectory(folder);
      } catch (thrown) {
        await rm(temporary, { force: true });
        throw thrown instanceof Fault
          ? thrown
          : rejected(coded`NO_VALID_BACKUP: ${name} is not a valid backup: ${codedMessageOf(thrown)}`);
      }
      return this.#named(file);
    });
  }

  async #named(file: string): Promise<BackupRecord> {
    const record = (await this.list()).find(({ Name }) => Name === file);
    if (record === undefined) throw fault('FILE_MISSING', file);
    return record;
  }
}

const tooLarge = () => rejected(coded`BACKUP_MOST_BYTES: a backup has at most ${UPLOAD_BYTES} bytes`);
const rejected = (why: Text) => fault('INVALID_REQUEST', why);

/** Passes the content through. Throws `INVALID_REQUEST` if it is too large. */
async function* limited(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > UPLOAD_BYTES) throw tooLarge();
    yield chunk;
  }
}

function recordOf(
  { name, bytes, madeMs, reason, note }: BackupFile,
  pending: string | undefined,
): BackupRecord {
  return {
    Name: name,
    Size: bytes,
    CreatedMs: madeMs,
    Reason: reason,
    Note: note,
    IsRestoredAtStart: name === pending,
  };
}
