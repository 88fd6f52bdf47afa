import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseJsonOr } from '../base/json.js';
import { connectToRead } from './connection.js';

/** A backup in the data directory. */
export interface BackupFile {
  /** Its file name. */
  readonly name: string;
  readonly bytes: number;
  /** When it was made, unix milliseconds. */
  readonly madeMs: number;
  /** Why it was made: `daily`, `manual` …; `uploaded` if it was not made here. */
  readonly reason: string;
  readonly note: string;
}

/** What a checked backup contains. */
export interface BackupContent {
  /** When it was made, unix milliseconds; undefined if it does not say so. */
  readonly madeMs: number | undefined;
  /** The configuration in it. */
  readonly configuration: string | undefined;
}

/** The row of the table `files` that describes the backup; a restore leaves it out. */
export const DESCRIPTION = 'backup.json';

/** What a backup says of itself. */
export interface BackupDescription {
  readonly note: string;
  readonly madeMs: number;
}

/** The backups that {@link listStoredBackups} lists: those made here, and uploaded ones. */
export const BACKUP_NAME = /^(?:backup-\d{6}-[\w-]+|upload-[\w][\w.-]{0,99})\.db$/;

/** The backups in a data directory, newest first. Unreadable ones are listed without a note. */
export function listStoredBackups(directory: string): BackupFile[] {
  const folder = join(directory, 'backups');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => BACKUP_NAME.test(name))
    .flatMap((name) => {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isFile() !== true) return [];
      const reason = name.startsWith('upload-') ? 'uploaded' : (/Z-([\w-]+)\.db$/.exec(name)?.[1] ?? '');
      const { note = '', madeMs = found.mtimeMs } = descriptionOf(path);
      return [{ name, bytes: found.size, madeMs: Math.floor(madeMs), reason, note }];
    })
    .sort((a, b) => b.madeMs - a.madeMs || (a.name < b.name ? 1 : -1));
}

function descriptionOf(path: string): Partial<BackupDescription> {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    return parseJsonOr<Partial<BackupDescription>>(textIn(db, DESCRIPTION), {});
  } catch {
    // It has no description: it is older, or damaged, which a check reports.
    return {};
  }
}

/** Checks a backup completely. Throws DatabaseDamage, or the error of the file system. */
export function readBackup(path: string): BackupContent {
  using db = connectToRead(path, 'integrity_check');
  const hasFiles = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'files'").get() !== undefined;
  if (!hasFiles) return { madeMs: undefined, configuration: undefined };
  const { madeMs } = parseJsonOr<Partial<BackupDescription>>(textIn(db, DESCRIPTION), {});
  const isTime = typeof madeMs === 'number' && Number.isFinite(madeMs);
  return { madeMs: isTime ? madeMs : undefined, configuration: textIn(db, 'gateway.yaml') };
}

function textIn(db: DatabaseSync, name: string): string | undefined {
  const content = db.prepare('SELECT content FROM files WHERE path = ?').get(name)?.['content'];
  return content instanceof Uint8Array ? Buffer.from(content).toString('utf8') : undefined;
}
