import { coded } from '../base/codes/coded-text.js';
import { copyFileSync, existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fault, faultFrom, codedMessageOf } from '../base/fault.js';
import { skipIdsAfterBackup } from '../kernel/ids.js';
import { writeBackup, type BackupResult } from './backup.js';
import { DatabaseDamage } from '../sqlite/connection.js';
import { connectToRead } from './connection.js';
import { counterAfterBackup } from './change-counter.js';
import { databasePath, foldersOf } from './data-directory.js';
import { dropBackupFiles } from './recovery.js';
import {
  copyInPlace,
  makeDirectory,
  putInPlace,
  removeDatabase,
  renameDatabase,
  syncPath,
  timeName,
} from '../sqlite/database-files.js';
import type { SharedProgress } from '../sqlite/shared-progress.js';
import { lockDirectory } from './directory-lock.js';
import { metaName } from './schema.js';
import { putMeta } from './checksums.js';

/** The name of the configuration in a backup. */
const CONFIGURATION = 'gateway.yaml';

/** Options of {@link restoreBackup}. */
interface RestoreOptions {
  readonly backup: string;
  /** The data directory; may be missing or empty. */
  readonly directory: string;
  /** The path for the configuration of the backup; undefined to skip it. */
  readonly config: string | undefined;
  /** Whether to replace an existing database and configuration, which are renamed and not deleted. */
  readonly replace: boolean;
  readonly nowMs: number;
  /** Other complete files that are moved to the data directory: file → path there. */
  readonly files?: Readonly<Record<string, string>>;
  /** Called before each step; what it throws ends the restore, and nothing has been changed. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The steps of {@link restoreBackup}. */
export const RESTORE_STEPS = [
  'checking the backup',
  'copying the database',
  'preparing the database',
  'replacing the files',
] as const;

/**
 * Restores a backup: the database, the configuration, scripts, icons and media. Changes nothing if the backup
 * is damaged, a gateway uses the directory, or existing files must not be replaced. Returns one line for each
 * file that was renamed or written. Throws `STORE_UNUSABLE`.
 */
export function restoreBackup({
  backup,
  directory,
  config,
  replace,
  nowMs,
  files: others = {},
  onProgress,
}: RestoreOptions): string[] {
  const begin = (step: number) => onProgress?.(step, RESTORE_STEPS.length);
  begin(0);
  const files = readFiles(backup);
  makeDirectory(directory);
  using _lock = lockDirectory(directory);
  const path = databasePath(directory);
  const configuration = config === undefined ? undefined : files.get(CONFIGURATION);
  const targets = [path, ...(configuration === undefined || config === undefined ? [] : [config])];
  const existing = targets.filter((target) => existsSync(target));
  if (existing.length > 0 && !replace)
    throw fault(
      'STORE_UNUSABLE',
      coded`WOULD_BE_REPLACED: ${existing} would be replaced; add --replace to confirm`,
    );
  try {
    begin(1);
    // SQLite would apply the journal of an interrupted restore to the copy.
    removeDatabase(`${path}.new`);
    copyFileSync(backup, `${path}.new`);
    begin(2);
    prepare(`${path}.new`, { backupMs: statSync(backup).mtimeMs, nowMs });
    begin(3);
  } catch (thrown) {
    removeDatabase(`${path}.new`);
    throw thrown;
  }
  const done = keepDatabase(path, nowMs);
  for (const target of existing) if (target !== path) done.push(keepConfiguration(target, nowMs));
  done.push(...renameFolders(directory, nowMs));
  putInPlace(`${path}.new`, path);
  done.push(`${path} from ${basename(backup)}`);
  for (const [name, content] of files)
    if (name !== CONFIGURATION) done.push(writeInPlace(join(directory, name), content));
  for (const [from, name] of Object.entries(others))
    done.push(...moveInPlace(from, join(directory, name), nowMs));
  if (configuration !== undefined && config !== undefined) done.push(writeInPlace(config, configuration));
  return done;
}

/**
 * Backs up a data directory to a file, whether or not a gateway is using it.
 * Throws `STORE_UNUSABLE`, `CANCELLED`.
 */
export function backupDirectory(
  directory: string,
  { to, config, progress }: { to: string; config: string | undefined; progress?: SharedProgress | undefined },
): BackupResult {
  const path = databasePath(directory);
  if (!existsSync(path))
    throw fault('STORE_UNUSABLE', coded`NO_DATABASE: there is no database in ${directory}`);
  if (existsSync(to)) throw fault('STORE_UNUSABLE', coded`ALREADY_EXISTS: ${to} already exists`);
  const files = {
    ...foldersOf(directory),
    ...(config !== undefined && { [CONFIGURATION]: config }),
  };
  try {
    using db = connectToRead(path, 'quick_check');
    return writeBackup({ db, files, progress }, to);
  } catch (thrown) {
    if (!(thrown instanceof DatabaseDamage)) throw thrown;
    throw faultFrom(
      thrown,
      'STORE_UNUSABLE',
      coded`DATABASE_DAMAGED: the database is damaged: ${codedMessageOf(thrown)}`,
    );
  }
}

/** The names that a backup may contain; none of them points outside the data directory. */
const FILE =
  /^(gateway\.yaml|scripts\/[A-Za-z0-9_-][A-Za-z0-9_.-]*|(icons|media)(\/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ .,+()-]*){1,8})$/u;

function readFiles(backup: string): Map<string, Uint8Array> {
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() !== true)
    throw fault('STORE_UNUSABLE', coded`BACKUP_MISSING: ${backup} does not exist or is not a file`);
  try {
    using db = connectToRead(backup, 'integrity_check');
    const hasFiles = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'files'").get() !== undefined;
    const rows = hasFiles ? db.prepare('SELECT path, content FROM files').all() : [];
    return new Map(
      rows.flatMap(({ path, content }) =>
        typeof path === 'string' && FILE.test(path) && content instanceof Uint8Array
          ? [[path, content] as const]
          : [],
      ),
    );
  } catch (thrown) {
    if (!(thrown instanceof DatabaseDamage)) throw thrown;
    throw faultFrom(
      thrown,
      'STORE_UNUSABLE',
      coded`NOT_INTACT_BACKUP: ${backup} is not an intact backup: ${codedMessageOf(thrown)}`,
    );
  }
}

function prepare(path: string, when: { backupMs: number; nowMs: number }): void {
  using db = new DatabaseSync(path);
  dropBackupFiles(db);
  const stored = db.prepare('SELECT value FROM meta WHERE name = ?').get(metaName.counter)?.['value'] ?? 0;
  putMeta(db, metaName.counter, String(counterAfterBackup(Number(stored) || 0, when)));
  const ids = db.prepare('SELECT value FROM meta WHERE name = ?').get(metaName.ids)?.['value'];
  if (typeof ids === 'string') putMeta(db, metaName.ids, skipIdsAfterBackup(ids));
  // The runtime directory belongs to another run.
  putMeta(db, metaName.life, '');
}

const replacedName = (target: string, nowMs: number): string => `${target}.replaced-${timeName(nowMs)}`;

/**
 * Renames a database and its log. A restore that was interrupted may have left only the log, which SQLite would
 * apply to the new database.
 */
function keepDatabase(path: string, nowMs: number): string[] {
  const newName = replacedName(path, nowMs);
  const isThere = existsSync(path);
  renameDatabase(path, newName);
  return isThere ? [`${path} is kept as ${basename(newName)}`] : [];
}

/** A gateway without its configuration does not start: the new one replaces it, and at no time is there none. */
function keepConfiguration(path: string, nowMs: number): string {
  const newName = replacedName(path, nowMs);
  copyInPlace(path, newName);
  return `${path} is kept as ${basename(newName)}`;
}

function renameFolders(directory: string, nowMs: number): string[] {
  return Object.values(foldersOf(directory)).flatMap((folder) => {
    if (!existsSync(folder)) return [];
    const newName = replacedName(folder, nowMs);
    renameSync(folder, newName);
    return [`${folder} is kept as ${basename(newName)}`];
  });
}

/** Moves a file, or a closed database; one that exists is renamed. */
function moveInPlace(from: string, path: string, nowMs: number): string[] {
  makeDirectory(dirname(path));
  const done = keepDatabase(path, nowMs);
  putInPlace(from, path);
  return [...done, path];
}

function writeInPlace(path: string, content: Uint8Array): string {
  makeDirectory(dirname(path));
  writeFileSync(`${path}.new`, content, { mode: 0o600, flush: true });
  putInPlace(`${path}.new`, path);
  syncPath(dirname(path));
  return path;
}
