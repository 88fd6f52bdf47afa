import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { coded, type CodedText } from '../base/codes/coded-text.js';
import { codedMessageOf } from '../base/fault.js';
import { DESCRIPTION, type BackupDescription } from './backup-list.js';
import { connectToRead } from './connection.js';
import { SCHEMA_VERSION } from './schema.js';
import { noteProgress, type SharedProgress } from '../sqlite/shared-progress.js';
import { makeDirectory, putInPlace, removeDatabase, timeName } from '../sqlite/database-files.js';

/**
 * Maximum number of bytes of a directory in a backup, smallest files first (`scripts` is complete). Charts
 * and floor plans fit, videos do not. Seven backups have at most about 60 MiB of such files.
 */
export const FOLDER_BUDGET = 8 * 1024 * 1024;

const NAME = /^backup-(\d{6})-.*\.db$/;

/** A backup in the data directory. Numbers increase even if the clock is set back. */
interface Backup {
  readonly number: number;
  readonly path: string;
}

/** The backups of a data directory, newest first. */
export function listBackups(directory: string): Backup[] {
  const folder = join(directory, 'backups');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .flatMap((name) => {
      const number = NAME.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), path: join(folder, name) }];
    })
    .sort((a, b) => b.number - a.number);
}

/** What a backup contains. */
export interface BackupSource {
  /** Any connection to the database; others may continue to write. */
  readonly db: DatabaseSync;
  /**
   * Files and folders to include: the name in the backup → the path, or paths of which the first that exists
   * is meant. Missing ones are skipped.
   */
  readonly files: Readonly<Record<string, string | readonly string[]>>;
  readonly description?: BackupDescription;
  readonly progress?: SharedProgress | undefined;
}

/** The steps of a backup. */
export const BACKUP_STEPS = ['copying the database', 'adding the files', 'checking the backup'] as const;
const STEPS = BACKUP_STEPS.length;

/** The result of a backup. */
export interface BackupResult {
  readonly bytes: number;
  /** Names of files that were too large to include. */
  readonly leftOut: readonly string[];
}

/** The reason of a backup that is made before a migration to a schema version. */
export const beforeSchema = (version: number): string => `before-schema-${version}`;

/**
 * Makes and checks a backup in the data directory; with `kept`, deletes the oldest beyond that number, except
 * the newest one from before a migration, from which the previous version starts after a rollback.
 */
export function makeBackup(
  source: BackupSource,
  {
    directory,
    reason,
    note = '',
    nowMs,
    kept,
    progress,
  }: {
    directory: string;
    reason: string;
    note?: string;
    nowMs: number;
    kept?: number;
    progress?: SharedProgress | undefined;
  },
): BackupResult & { readonly file: string } {
  const number = (listBackups(directory)[0]?.number ?? 0) + 1;
  const name = `backup-${String(number).padStart(6, '0')}-${timeName(nowMs)}-${reason}.db`;
  makeDirectory(join(directory, 'backups'), 0o700);
  removeUnfinished(join(directory, 'backups'));
  const made = writeBackup(
    { ...source, description: { note, madeMs: nowMs }, progress },
    join(directory, 'backups', name),
  );
  if (kept !== undefined) {
    const all = listBackups(directory);
    const beforeMigration = all.find(({ path }) => path.includes(`-${beforeSchema(SCHEMA_VERSION)}.db`));
    for (const one of all.slice(kept))
      if (one !== beforeMigration) rmSync(one.path, { force: true, recursive: true });
  }
  return { file: name, ...made };
}

/** Removes files of backups that a power cut interrupted, because each is as large as the database. */
function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder))
    if (/^backup-.*\.db\.new(-\w+)?$/.test(name))
      rmSync(join(folder, name), { force: true, recursive: true });
}

/**
 * Writes a backup: an SQLite file with the complete database and, in the table `files`, the files next to it.
 * The file gets its final name after a check and a flush.
 */
export function writeBackup(source: BackupSource, path: string): BackupResult {
  const { db, progress } = source;
  const temporary = `${path}.new`;
  removeDatabase(temporary);
  try {
    noteProgress(progress, 0, STEPS);
    db.prepare('VACUUM INTO ?').run(temporary);
    chmodSync(temporary, 0o600);
    noteProgress(progress, 1, STEPS);
    const leftOut = addFiles(temporary, source);
    noteProgress(progress, 2, STEPS);
    connectToRead(temporary, 'integrity_check').close();
    const { size } = statSync(temporary);
    noteProgress(progress, STEPS, STEPS);
    putInPlace(temporary, path);
    return { bytes: size, leftOut };
  } catch (thrown) {
    removeDatabase(temporary);
    throw thrown;
  }
}

/** Adds the files; returns the names of those that were too large. */
function addFiles(path: string, { files, description, progress }: BackupSource): string[] {
  const leftOut: string[] = [];
  using db = new DatabaseSync(path);
  db.exec('CREATE TABLE files (path TEXT PRIMARY KEY, content BLOB NOT NULL); BEGIN');
  const insert = db.prepare('INSERT INTO files VALUES (?, ?)');
  if (description !== undefined) insert.run(DESCRIPTION, Buffer.from(JSON.stringify(description)));
  for (const [name, paths] of Object.entries(files)) {
    const from = [paths].flat().find((path) => existsSync(path));
    if (from === undefined) continue;
    if (!statSync(from).isDirectory()) insert.run(name, readFileSync(from));
    else {
      let left = name === 'scripts' ? Infinity : FOLDER_BUDGET;
      for (const { file, size } of filesBelow(from)) {
        const inside = `${name}/${relative(from, file)}`;
        left -= size;
        noteProgress(progress, 1, STEPS);
        if (left < 0) leftOut.push(inside);
        else insert.run(inside, readFileSync(file));
      }
    }
  }
  db.exec('COMMIT');
  return leftOut;
}

/** The regular files below a folder, smallest first; symbolic links are not followed. */
function filesBelow(folder: string): { file: string; size: number }[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, size: statSync(file).size }))
    .sort((a, b) => a.size - b.size);
}

/** The newest intact backup, and the problems of newer ones. */
export function findNewestIntactBackup(directory: string): {
  path: string | undefined;
  skipped: CodedText[];
} {
  const skipped: CodedText[] = [];
  for (const { path } of listBackups(directory)) {
    try {
      connectToRead(path, 'integrity_check').close();
      return { path, skipped };
    } catch (thrown) {
      skipped.push(coded`BACKUP_NOT_USABLE: ${basename(path)}: ${codedMessageOf(thrown)}`);
    }
  }
  return { path: undefined, skipped };
}
