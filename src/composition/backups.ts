import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, fault, faultFrom, messageOf } from '../base/fault.js';
import type { BackupsPort } from '../functions/ports.js';
import { BACKUP_NAME, type BackupFile } from '../store/backup-list.js';
import type { ConfigurationFile } from './configuration-file.js';
import type { Foundation } from './foundation.js';
import { pendingRestore, restoredConfigPath, setPendingRestore } from './pending-restore.js';

type BackupRecord = Awaited<ReturnType<BackupsPort['make']>>;

/** The backups in the data directory. */
export class Backups implements BackupsPort {
  readonly #foundation: Pick<Foundation, 'store' | 'directory' | 'configSource'>;
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
  async make(note: string): Promise<BackupRecord> {
    try {
      const { file } = await this.#foundation.store.backup('manual', note);
      return await this.#named(file);
    } catch (thrown) {
      if (thrown instanceof Fault) throw thrown;
      throw faultFrom(thrown, 'FILE_FAILED', 'The backup', messageOf(thrown));
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
      throw faultFrom(thrown, 'STORE_UNUSABLE', `${name} is damaged: ${messageOf(thrown)}`);
    });
    if (configuration !== undefined) await (await this.#configuration()).rejectInvalid(configuration);
    await setPendingRestore(directory, name);
    const config =
      configuration === undefined
        ? 'the backup has no configuration: the present one stays'
        : `the configuration and its passwords are replaced: ${await restoredConfigPath(configSource(), directory)}`;
    return {
      Name: name,
      Effects: [
        'nothing changes before the next start',
        'objects, values, profiles, options, scripts, icons and media are replaced; what is there now is kept under other names',
        config,
        'records of the archive stay',
      ],
    };
  }

  /** See {@link BackupsPort}. */
  async path(name: string): Promise<string> {
    const path = join(this.#foundation.directory, 'backups', name);
    // Whatever prevents reading it, it is not there for the caller.
    const found = BACKUP_NAME.test(name) ? await stat(path).catch(() => undefined) : undefined;
    if (found?.isFile() !== true) throw fault('FILE_MISSING', name);
    return path;
  }

  async #named(file: string): Promise<BackupRecord> {
    const record = (await this.list()).find(({ Name }) => Name === file);
    if (record === undefined) throw fault('FILE_MISSING', file);
    return record;
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
