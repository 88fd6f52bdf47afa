import { coded, type CodedText, joined, type Text } from '../base/codes/coded-text.js';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { codeOf, Fault, fault, faultFrom, codedMessageOf } from '../base/fault.js';
import {
  beforeSchema,
  listBackups,
  makeBackup,
  findNewestIntactBackup,
  type BackupSource,
} from './backup.js';
import { connect } from './connection.js';
import {
  DatabaseDamage,
  NewerDatabase,
  createDatabase,
  foldLog,
  migrate,
  sqliteCode,
  sqliteCodeOf,
  versionOf,
} from '../sqlite/connection.js';
import {
  copyInPlace,
  makeDirectory,
  putInPlace,
  removeDatabase,
  renameToFree,
  timeName,
} from '../sqlite/database-files.js';
import { FIRST_MS } from './change-counter.js';
import { databasePath } from './data-directory.js';
import { lockDirectory } from './directory-lock.js';
import type { StorePaths } from './worker-protocol.js';
import { rebuildDatabase, type RepairReport } from './repair.js';
import { SCHEMA_VERSION, storeShape } from './schema.js';

/** Number of quarantined databases that are kept; more could fill the card. */
const QUARANTINED_KEPT = 3;
/** Why a database is quarantined, as part of its name: a newer version of stellwerk wrote it. */
type Quarantine = 'damaged' | 'newer';

/** An open database and where it came from. */
export interface OpenDatabase {
  readonly db: DatabaseSync;
  /** The lock of the data directory; absent if the directory is not writable. */
  readonly lock?: Disposable;
  readonly found: 'sound' | 'new' | 'lost' | 'repaired' | 'from-backup' | 'read-only';
  /** Problems; undefined if there are none. */
  readonly text: CodedText | undefined;
  /** When the backup was made that `db` is from, unix milliseconds. */
  readonly backupMs?: number;
  /** Directory of a temporary copy to read from, because the data directory is not writable. */
  readonly passing?: string;
  /** The backup that replaces a database of a newer version. */
  readonly insteadOfNewer?: string;
  /** Rows that a repair replaced. */
  readonly repaired?: Pick<RepairReport, 'restored' | 'lost'>;
}

/**
 * Opens the database of a data directory, and migrates it if necessary (after a backup). A damaged or missing
 * database is replaced by the newest intact backup, and so is one that a newer version of stellwerk has
 * migrated; the file is quarantined. A new one is created only if there never was one. Throws `STORE_UNUSABLE` with what to do.
 */
export function openDatabase(paths: StorePaths, nowMs: number): OpenDatabase {
  const { directory } = paths;
  try {
    makeDirectory(directory);
  } catch (thrown) {
    throw faultFrom(
      thrown,
      'STORE_UNUSABLE',
      coded`DATA_DIRECTORY_CAN_NOT: the data directory cannot be created: ${codedMessageOf(thrown)}`,
    );
  }
  const path = databasePath(directory);
  let lock: Disposable | undefined;
  try {
    accessSync(directory, constants.W_OK);
    if (existsSync(path)) accessSync(path, constants.W_OK);
    lock = lockDirectory(directory);
    removeDatabase(`${path}.new`);
    return { ...openOrReplace(paths, nowMs), lock };
  } catch (thrown) {
    lock?.[Symbol.dispose]();
    if (!isUnwritable(thrown)) throw thrown;
    return openReadOnlyCopy(paths, nowMs, codedMessageOf(thrown));
  }
}

/**
 * Reopens the database for writing after the disk rejected writes. Throws the reason if it still does. Without
 * a file, the gateway works with what it read from a backup, which becomes the database.
 */
export function reopenDatabase(paths: StorePaths, nowMs: number): DatabaseSync {
  const path = databasePath(paths.directory);
  if (!existsSync(path)) return openOrReplace(paths, nowMs).db;
  const db = connect(path);
  migrate(db, storeShape);
  return db;
}

/** Whether the disk rejects writes, as opposed to a damaged database. */
export function isUnwritable(thrown: unknown): boolean {
  const { full, ioError, readOnly, cannotOpen } = sqliteCode;
  const sqlite = sqliteCodeOf(thrown);
  if (sqlite !== undefined) return [full, ioError, readOnly, cannotOpen].some((code) => code === sqlite);
  const code = codeOf(thrown) ?? '';
  return ['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EIO'].includes(code);
}

function openOrReplace(paths: StorePaths, nowMs: number): OpenDatabase {
  const { directory } = paths;
  const path = databasePath(directory);
  if (!existsSync(path)) {
    if (!hadDatabase(directory)) {
      create(path);
      return { db: connect(path), found: 'new', text: coded`NEW_DATABASE: a new database was created` };
    }
    // SQLite would apply a remaining log to the backup.
    quarantine(directory, nowMs);
    return (
      fromBackup(paths, nowMs, coded`DATABASE_MISSING: the database is missing`) ??
      createAfterLoss(directory, coded`DATABASE_MISSING: the database is missing`)
    );
  }
  try {
    if (statSync(path).size === 0) throw new DatabaseDamage(coded`FILE_EMPTY: the file is empty`);
    const db = connect(path);
    migrateSafely({ db, files: paths.files }, directory, nowMs);
    return { db, found: 'sound', text: undefined };
  } catch (thrown) {
    if (thrown instanceof NewerDatabase) return replaceNewer(paths, nowMs, thrown);
    if (!(thrown instanceof DatabaseDamage)) throw thrown;
    return replaceDamaged(paths, nowMs, thrown.codedText);
  }
}

/**
 * After a rollback: replaces a database that this version cannot use by the newest backup that it can, which
 * the migration made. Throws the reason, and changes nothing, if there is none.
 */
function replaceNewer(paths: StorePaths, nowMs: number, reason: NewerDatabase): OpenDatabase {
  const { directory } = paths;
  const { path: backup } = findNewestIntactBackup(directory);
  if (backup === undefined) throw reason;
  // A restore of the quarantined file reads no log.
  foldLog(databasePath(directory));
  const name = quarantine(directory, nowMs, 'newer');
  const what = coded`DATABASE_NEWER: the database is of a newer version of stellwerk and is kept as ${name}`;
  const opened = fromBackup(paths, nowMs, what) ?? createAfterLoss(directory, what);
  return { ...opened, insteadOfNewer: basename(backup) };
}

/**
 * Repairs the database if all its objects are readable. Otherwise uses a backup or, without one, the readable
 * rows.
 */
function replaceDamaged(paths: StorePaths, nowMs: number, why: CodedText): OpenDatabase {
  const { directory } = paths;
  const path = databasePath(directory);
  const repaired = tryRebuild(path, directory, nowMs);
  const { path: backup } = findNewestIntactBackup(directory);
  const name = quarantine(directory, nowMs);
  const what = coded`DATABASE_WAS_DAMAGED: the database was damaged (${why}) and is kept as ${name}`;
  if (repaired === undefined || (!repaired.isComplete && backup !== undefined))
    return fromBackup(paths, nowMs, what) ?? createAfterLoss(directory, what);
  putInPlace(`${path}.new`, path);
  if (repaired.isComplete) return { db: connect(path), found: 'repaired', text: what, repaired };
  const kept = coded`ONLY_READABLE_ROWS: there is no intact backup, and only the readable rows were kept`;
  return { db: connect(path), found: 'lost', text: joined([what, kept]), repaired };
}

/** Writes the repaired database next to the damaged one; undefined if too much is damaged. */
function tryRebuild(path: string, directory: string, nowMs: number): RepairReport | undefined {
  try {
    const repaired = rebuildDatabase({ from: path, to: `${path}.new`, directory }, nowMs);
    connect(`${path}.new`).close();
    return repaired;
  } catch (thrown) {
    removeDatabase(`${path}.new`);
    if (isUnwritable(thrown)) throw thrown;
    return undefined;
  }
}

/**
 * Repairs damaged rows of a database, or of its copy in `passing` if the data directory is not writable. No
 * connection to it may be open. The damaged file is quarantined. Throws if the repair is not possible.
 */
export function repairDatabase(paths: StorePaths, nowMs: number, passing?: string): RepairReport {
  const { directory } = paths;
  const path = databasePath(passing ?? directory);
  const repaired = rebuildDatabase({ from: path, to: `${path}.new`, directory }, nowMs);
  quarantine(passing ?? directory, nowMs);
  putInPlace(`${path}.new`, path);
  return repaired;
}

/** Creates a new database after all data was lost. The gateway runs, and health reports the loss. */
function createAfterLoss(directory: string, what: CodedText): OpenDatabase {
  const path = databasePath(directory);
  create(path);
  const text = joined([what, noBackup(directory)]);
  return { db: connect(path), found: 'lost', text, backupMs: FIRST_MS };
}

function migrateSafely(source: BackupSource, directory: string, nowMs: number): void {
  const version = versionOf(source.db);
  if (version >= SCHEMA_VERSION) return;
  makeBackup(source, { directory, reason: beforeSchema(SCHEMA_VERSION), nowMs });
  migrate(source.db, storeShape);
}

function create(path: string): void {
  createDatabase(`${path}.new`, storeShape);
  putInPlace(`${path}.new`, path);
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Whether a data directory has, or had, a database. */
function hadDatabase(directory: string): boolean {
  return (
    listBackups(directory).length > 0 ||
    listQuarantined(directory).length > 0 ||
    existsSync(`${databasePath(directory)}-wal`) ||
    // Only a gateway creates an archive, and scripts named after ids.
    readdirSync(directory).some((name) => name.startsWith('archive.db')) ||
    namesIn(join(directory, 'scripts')).some((name) => /^\d{5,6}\.[jt]s$/.test(name))
  );
}

/** Text for log and health: there is no intact backup. */
function noBackup(directory: string): CodedText {
  const { skipped } = findNewestIntactBackup(directory);
  const folder = join(directory, 'backups');
  return skipped.length === 0
    ? coded`NO_INTACT_BACKUP: there is no intact backup in ${folder}, and a new database was created`
    : coded`NO_INTACT_BACKUP_OF: there is no intact backup in ${folder} (${joined(skipped)}), and a new database was created`;
}

/** Uses the newest intact backup; undefined if there is none. */
function fromBackup({ directory }: StorePaths, nowMs: number, what: CodedText): OpenDatabase | undefined {
  const { path: backup, skipped } = findNewestIntactBackup(directory);
  if (backup === undefined) return undefined;
  const path = databasePath(directory);
  copyInPlace(backup, path);
  let repaired: RepairReport | undefined;
  try {
    connect(path).close();
  } catch (thrown) {
    if (!(thrown instanceof DatabaseDamage)) throw thrown;
    // The backup's pages are intact, but some of its rows are not.
    repaired = tryRebuild(path, directory, nowMs);
    removeDatabase(path);
    if (repaired === undefined) return undefined;
    putInPlace(`${path}.new`, path);
  }
  const db = connect(path);
  dropBackupFiles(db);
  migrate(db, storeShape);
  return {
    db,
    found: 'from-backup',
    text: joined([
      what,
      skipped.length === 0
        ? coded`BACKUP_RESTORED: the backup ${basename(backup)} was restored`
        : coded`BACKUP_RESTORED_AFTER: the backup ${basename(backup)} was restored (not usable: ${joined(skipped)})`,
    ]),
    backupMs: statSync(backup).mtimeMs,
    ...(repaired && { repaired }),
  };
}

/** Removes the files that a backup contains in addition to the database. */
export function dropBackupFiles(db: DatabaseSync): void {
  db.exec('DROP TABLE IF EXISTS files');
}

/**
 * Reads the database from a copy if the data directory is not writable, so that the gateway can run. The copy
 * is written to the first of several directories that accepts it.
 */
export function openReadOnlyCopy(paths: StorePaths, nowMs: number, why: Text): OpenDatabase {
  const { directory, runtimeDirectory } = paths;
  const others = [runtimeDirectory, tmpdir(), '/dev/shm'].filter((place) => place !== undefined);
  const rejected: Text[] = [];
  // Directories on other disks first, because the data directory's disk may be full.
  for (const place of [...others.filter(isElsewhere), ...others.filter((other) => !isElsewhere(other))]) {
    let passing: string | undefined;
    try {
      passing = mkdtempSync(join(place, 'stellwerk-read-'));
      return copyForReading(passing, directory, { why, nowMs });
    } catch (thrown) {
      if (passing !== undefined) rmSync(passing, { recursive: true, force: true });
      if (thrown instanceof Fault) throw thrown;
      rejected.push(codedMessageOf(thrown));
    }
  }
  throw fault(
    'STORE_UNUSABLE',
    coded`NEITHER_DATA_DIRECTORY_NOR: neither the data directory nor a temporary one can be written to: ${joined(rejected)}`,
  );

  function isElsewhere(place: string): boolean {
    return existsSync(place) && statSync(place).dev !== statSync(directory).dev;
  }
}

/**
 * Copies the database of `directory`, or its newest intact backup, to `temporary`; creates a new one if there
 * is none.
 */
function copyForReading(
  passing: string,
  directory: string,
  { why, nowMs }: { why: Text; nowMs: number },
): OpenDatabase {
  const copy = databasePath(passing);
  const problems: CodedText[] = [];
  for (const candidate of [databasePath(directory), ...listBackups(directory).map(({ path }) => path)]) {
    if (!existsSync(candidate)) continue;
    try {
      removeDatabase(copy);
      copyFileSync(candidate, copy);
      if (existsSync(`${candidate}-wal`)) copyFileSync(`${candidate}-wal`, `${copy}-wal`);
      const { db, repaired } = connectOrRepair(copy, directory, nowMs);
      migrate(db, storeShape);
      const text = joined([
        coded`NOT_WRITABLE_BECAUSE: ${directory} cannot be written to (${why})`,
        ...problems,
      ]);
      return { db, found: 'read-only', text, passing, ...(repaired && { repaired }) };
    } catch (thrown) {
      if (thrown instanceof NewerDatabase)
        problems.push(coded`CANDIDATE_NEWER: ${basename(candidate)} is of a newer version of stellwerk`);
      else if (thrown instanceof DatabaseDamage)
        problems.push(coded`CANDIDATE_DAMAGED: ${basename(candidate)} is damaged (${thrown.codedText})`);
      else throw thrown;
    }
  }
  createDatabase(copy, storeShape);
  const none =
    problems.length > 0
      ? joined([...problems, noBackup(directory)])
      : coded`HAS_NO_DATABASE: it has no database`;
  const text = coded`NOT_WRITABLE_AND: ${directory} cannot be written to (${why}), and ${none}`;
  return { db: connect(copy), found: 'read-only', text, passing };
}

function connectOrRepair(path: string, directory: string, nowMs: number) {
  try {
    return { db: connect(path) };
  } catch (thrown) {
    if (!(thrown instanceof DatabaseDamage)) throw thrown;
    const repaired = tryRebuild(path, directory, nowMs);
    if (repaired?.isComplete !== true) throw thrown;
    removeDatabase(path);
    putInPlace(`${path}.new`, path);
    return { db: connect(path), repaired };
  }
}

/** Names of quarantined databases: damaged ones, and those of newer versions. */
export const quarantinedIn = (directory: string) => ({
  quarantined: listQuarantined(directory),
  newer: listQuarantined(directory, 'newer'),
});

/** Names of quarantined databases, newest first. */
function listQuarantined(directory: string, why: Quarantine = 'damaged'): string[] {
  const isQuarantined = (name: string) => name.startsWith(`stellwerk.db.${why}-`) && /Z(-\d+)?$/.test(name);
  return readdirSync(directory).filter(isQuarantined).sort().reverse();
}

/** Quarantines the database. Returns its new name. It is kept even if the clock is behind earlier ones. */
function quarantine(directory: string, nowMs: number, why: Quarantine = 'damaged'): string {
  const path = databasePath(directory);
  const base = `${path}.${why}-${timeName(nowMs)}`;
  const earlier = listQuarantined(directory, why);
  const target = renameToFree(path, base);
  for (const name of earlier.slice(QUARANTINED_KEPT - 1)) removeDatabase(join(directory, name));
  return basename(target);
}
