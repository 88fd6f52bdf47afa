import { coded } from '../base/codes/coded-text.js';
import { copyFileSync, existsSync, linkSync, statSync, writeFileSync } from 'node:fs';
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
import { makeDirectory, timeName } from '../sqlite/database-files.js';
import type { SharedProgress } from '../sqlite/shared-progress.js';
import { lockDirectory } from './directory-lock.js';
import { commitStaging, completeStaged, CONFIGURATION, removeStaging, stagingIn } from './restore-journal.js';
import { metaName } from './schema.js';
import { putMeta } from './checksums.js';

/** Options of {@link restoreBackup}. */
interface RestoreOptions {
  readonly backup: string;
  /** The data directory; may be missing or empty. */
  readonly directory: string;
  /**
   * The path for the configuration of the backup; undefined to skip it. If it is not the one in the data
   * directory, that one is renamed.
   */
  readonly config: string | undefined;
  /** Whether to replace an existing database and configuration, which are renamed and not deleted. */
  readonly replace: boolean;
  readonly nowMs: number;
  /** Other complete files that belong in the data directory: file → path there. */
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
 * is damaged, a gateway uses the directory, or existing files must not be replaced. If it is interrupted in its
 * last step, {@link completeRestore} does the rest. Returns one line for each file or folder that was renamed or
 * written. Throws `STORE_UNUSABLE`.
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
  completeStaged(directory, config);
  const path = databasePath(directory);
  const restoredConfig = files.has(CONFIGURATION) ? config : undefined;
  const configs = restoredConfig === undefined ? [] : [restoredConfig, join(directory, CONFIGURATION)];
  const existing = [...new Set([path, ...configs])].filter((target) => existsSync(target));
  if (existing.length > 0 && !replace)
    throw fault(
      'STORE_UNUSABLE',
      coded`WOULD_BE_REPLACED: ${existing} would be replaced; add --replace to confirm`,
    );
  const staging = stagingIn(directory);
  try {
    begin(1);
    const database = join(staging, basename(path));
    makeDirectory(staging, 0o700);
    copyFileSync(backup, database);
    begin(2);
    prepare(database, { backupMs: statSync(backup).mtimeMs, nowMs });
    for (const [name, content] of files) stage(join(staging, name), content);
    for (const [from, name] of Object.entries(others)) stageFile(from, join(staging, name));
    begin(3);
    const [added, removed] = [[basename(path)], [] as string[]];
    for (const folder of Object.keys(foldersOf(directory)))
      (existsSync(join(staging, folder)) ? added : removed).push(folder);
    commitStaging(directory, {
      backup: basename(backup),
      added: [...added, ...Object.values(others)],
      removed,
      hasConfiguration: restoredConfig !== undefined,
      suffix: `.replaced-${timeName(nowMs)}`,
    });
  } catch (thrown) {
    removeStaging(directory);
    throw thrown;
  }
  return completeStaged(directory, restoredConfig) ?? [];
}

/**
 * Completes a restore that was interrupted in its last step. Returns its lines, or undefined if there is none;
 * then removes what one that was interrupted before has left. `config` is the path for the configuration.
 * Throws `STORE_UNUSABLE` if a gateway uses the directory.
 */
export function completeRestore(directory: string, config: string): string[] | undefined {
  using _lock = lockDirectory(directory);
  return completeStaged(directory, config);
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

function stage(path: string, content: Uint8Array): void {
  makeDirectory(dirname(path));
  writeFileSync(path, content, { mode: 0o600 });
}

/** Does not move the file: if the restore is interrupted before its last step, it starts again with it. */
function stageFile(from: string, path: string): void {
  makeDirectory(dirname(path));
  try {
    linkSync(from, path);
  } catch {
    // Not all file systems have hard links.
    copyFileSync(from, path);
  }
}
