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
import { codeOf, Fault, fault, faultFrom, messageOf } from '../base/fault.js';
import { listBackups, makeBackup, findNewestSoundBackup, type BackupSource } from './backup.js';
import { connect } from './connection.js';
import {
  DatabaseDamage,
  createDatabase,
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
  renameDatabase,
  timeName,
} from '../sqlite/database-files.js';
import { FIRST_MS } from './change-counter.js';
import { databasePath } from './data-directory.js';
import { lockDirectory } from './directory-lock.js';
import type { StorePaths } from './worker-protocol.js';
import { rebuildDatabase, type RepairReport } from './repair.js';
import { SCHEMA_VERSION, storeShape } from './schema.js';

/** Damaged files that are kept aside: a dying card must not fill itself with them. */
const ASIDE_KEPT = 3;
const ASIDE = /^stellwerk\.db\.damaged-.*Z$/;

/** A database that is open, and how it was come by. */
export interface OpenDatabase {
  readonly db: DatabaseSync;
  /** Held as long as the database is; absent where the directory can't be written to. */
  readonly lock?: Disposable;
  readonly found: 'sound' | 'new' | 'lost' | 'repaired' | 'from-backup' | 'read-only';
  readonly text: string;
  /** Set when `db` is a backup's content: unix milliseconds at which that was made. */
  readonly backupMs?: number;
  /** A copy to read from, to be removed after that: the data directory can't be written to. */
  readonly passing?: string;
  /** What was replaced in it. */
  readonly repaired?: Pick<RepairReport, 'restored' | 'lost'>;
}

/**
 * Opens the database of a data directory: as it is, after a migration (a backup is made first), or, when it is damaged or
 * gone, from the newest sound backup, the damaged file being kept aside. It is made new only where there never was one.
 * Throws `STORE_UNUSABLE` with what to do.
 */
export function openDatabase(places: StorePaths, nowMs: number): OpenDatabase {
  const { directory } = places;
  try {
    makeDirectory(directory);
  } catch (thrown) {
    throw faultFrom(thrown, 'STORE_UNUSABLE', `the data directory cannot be made: ${messageOf(thrown)}`);
  }
  const path = databasePath(directory);
  let lock: Disposable | undefined;
  try {
    accessSync(directory, constants.W_OK);
    if (existsSync(path)) accessSync(path, constants.W_OK);
    lock = lockDirectory(directory);
    removeDatabase(`${path}.new`);
    return { ...openOrReplace(places, nowMs), lock };
  } catch (thrown) {
    lock?.[Symbol.dispose]();
    if (!isUnwritable(thrown)) throw thrown;
    return openReadOnlyCopy(places, nowMs, messageOf(thrown));
  }
}

/** Opens the database for writing again, after the disk could not be written to. Throws what stands in the way. */
export function reopenDatabase({ directory }: StorePaths): DatabaseSync {
  const path = databasePath(directory);
  if (!existsSync(path)) create(path);
  const db = connect(path);
  migrate(db, storeShape);
  return db;
}

/** Whether it is the disk that takes nothing, rather than the database that is bad. */
export function isUnwritable(thrown: unknown): boolean {
  const { full, ioError, readOnly, cannotOpen } = sqliteCode;
  const sqlite = sqliteCodeOf(thrown);
  if (sqlite !== undefined) return [full, ioError, readOnly, cannotOpen].some((code) => code === sqlite);
  const code = codeOf(thrown) ?? '';
  return ['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EIO'].includes(code);
}

function openOrReplace(places: StorePaths, nowMs: number): OpenDatabase {
  const { directory } = places;
  const path = databasePath(directory);
  if (!existsSync(path)) {
    if (!wasThereEver(directory)) {
      create(path);
      return { db: connect(path), found: 'new', text: 'a new database was made' };
    }
    // A log that it left behind would be taken for the backup's own.
    setAside(directory, nowMs);
    return fromBackup(places, nowMs, 'the database is gone') ?? begunAnew(directory, 'the database is gone');
  }
  try {
    if (statSync(path).size === 0) throw new DatabaseDamage('the file is empty');
    const db = connect(path);
    migrateSafely({ db, files: places.files }, directory, nowMs);
    return { db, found: 'sound', text: '' };
  } catch (thrown) {
    if (!(thrown instanceof DatabaseDamage)) throw thrown;
    return replaceDamaged(places, nowMs, thrown.message);
  }
}

/** Repairs it, where all its objects can be reached; otherwise takes a backup; without one, what can be read. */
function replaceDamaged(places: StorePaths, nowMs: number, why: string): OpenDatabase {
  const { directory } = places;
  const path = databasePath(directory);
  const repaired = tryRebuild(path, directory, nowMs);
  const { path: backup } = findNewestSoundBackup(directory);
  const aside = setAside(directory, nowMs);
  const what = `the database was damaged (${why}) and is kept as ${aside}`;
  if (repaired === undefined || (!repaired.isComplete && backup !== undefined))
    return fromBackup(places, nowMs, what) ?? begunAnew(directory, what);
  putInPlace(`${path}.new`, path);
  if (repaired.isComplete) return { db: connect(path), found: 'repaired', text: what, repaired };
  const text = `${what}; there is no sound backup, and what could be read of it was kept`;
  return { db: connect(path), found: 'lost', text, repaired };
}

/** Leaves the repaired database beside the damaged one; undefined when too much of it is damaged. */
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
 * Repairs a database whose rows are damaged, in `passing` where the data directory can't be written to. No connection to
 * it may be open. The damaged file is kept. Throws what stands in the way.
 */
export function repairDatabase(places: StorePaths, nowMs: number, passing?: string): RepairReport {
  const { directory } = places;
  const path = databasePath(passing ?? directory);
  const repaired = rebuildDatabase({ from: path, to: `${path}.new`, directory }, nowMs);
  setAside(passing ?? directory, nowMs);
  putInPlace(`${path}.new`, path);
  return repaired;
}

/** Nothing of it is left: the gateway runs, and its health says what is missing. */
function begunAnew(directory: string, what: string): OpenDatabase {
  const path = databasePath(directory);
  create(path);
  const text = `${what}; ${noBackup(directory)}`;
  return { db: connect(path), found: 'lost', text, backupMs: FIRST_MS };
}

function migrateSafely(source: BackupSource, directory: string, nowMs: number): void {
  const version = versionOf(source.db);
  if (version === SCHEMA_VERSION) return;
  makeBackup(source, { directory, reason: `before-schema-${SCHEMA_VERSION}`, nowMs });
  migrate(source.db, storeShape);
}

function create(path: string): void {
  createDatabase(`${path}.new`, storeShape);
  putInPlace(`${path}.new`, path);
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Whether a data directory has, or had, a database. */
function wasThereEver(directory: string): boolean {
  return (
    listBackups(directory).length > 0 ||
    listQuarantined(directory).length > 0 ||
    existsSync(`${databasePath(directory)}-wal`) ||
    // Only a gateway makes an archive, and scripts that are named by their ids.
    readdirSync(directory).some((name) => name.startsWith('archive.db')) ||
    namesIn(join(directory, 'scripts')).some((name) => /^\d{5,6}\.[jt]s$/.test(name))
  );
}

/** For people: that there is none, and what to do. */
function noBackup(directory: string): string {
  const { passedOver } = findNewestSoundBackup(directory);
  const others = passedOver.length > 0 ? ` (${passedOver.join('; ')})` : '';
  return `there is no sound backup in ${join(directory, 'backups')}${others}, and a new database was made`;
}

/** Undefined where there is no sound backup. */
function fromBackup({ directory }: StorePaths, nowMs: number, what: string): OpenDatabase | undefined {
  const { path: backup, passedOver } = findNewestSoundBackup(directory);
  if (backup === undefined) return undefined;
  const path = databasePath(directory);
  copyInPlace(backup, path);
  let repaired: RepairReport | undefined;
  try {
    connect(path).close();
  } catch (thrown) {
    if (!(thrown instanceof DatabaseDamage)) throw thrown;
    // Its pages are sound, and some of its rows are not.
    repaired = tryRebuild(path, directory, nowMs);
    removeDatabase(path);
    if (repaired === undefined) return undefined;
    putInPlace(`${path}.new`, path);
  }
  const db = connect(path);
  dropBackupFiles(db);
  migrate(db, storeShape);
  const skipped = passedOver.length > 0 ? ` (not usable: ${passedOver.join('; ')})` : '';
  return {
    db,
    found: 'from-backup',
    text: `${what}; the backup ${basename(backup)} was taken instead${skipped}`,
    backupMs: statSync(backup).mtimeMs,
    ...(repaired && { repaired }),
  };
}

/** The database is the backup's without the files that stand beside it. */
export function dropBackupFiles(db: DatabaseSync): void {
  db.exec('DROP TABLE IF EXISTS files');
}

/**
 * The data directory can't be written to: what is in it is read from a copy, so that the gateway can run. The copy goes to
 * the first of some places that takes it.
 */
export function openReadOnlyCopy(places: StorePaths, nowMs: number, why: string): OpenDatabase {
  const { directory, runtimeDirectory } = places;
  const others = [runtimeDirectory, tmpdir(), '/dev/shm'].filter((place) => place !== undefined);
  const refused: string[] = [];
  // Another disk first: the data directory's own may be full.
  for (const place of [...others.filter(isElsewhere), ...others.filter((other) => !isElsewhere(other))]) {
    let passing: string | undefined;
    try {
      passing = mkdtempSync(join(place, 'stellwerk-read-'));
      return readFrom(passing, directory, { why, nowMs });
    } catch (thrown) {
      if (passing !== undefined) rmSync(passing, { recursive: true, force: true });
      if (thrown instanceof Fault) throw thrown;
      refused.push(messageOf(thrown));
    }
  }
  throw fault(
    'STORE_UNUSABLE',
    `neither the data directory nor a passing one can be written to: ${refused.join('; ')}`,
  );

  function isElsewhere(place: string): boolean {
    return existsSync(place) && statSync(place).dev !== statSync(directory).dev;
  }
}

/** A copy in `passing` of the database of `directory`, or of its newest sound backup, or a new one where it has none. */
function readFrom(
  passing: string,
  directory: string,
  { why, nowMs }: { why: string; nowMs: number },
): OpenDatabase {
  const copy = databasePath(passing);
  const wrong: string[] = [];
  for (const candidate of [databasePath(directory), ...listBackups(directory).map(({ path }) => path)]) {
    if (!existsSync(candidate)) continue;
    try {
      removeDatabase(copy);
      copyFileSync(candidate, copy);
      if (existsSync(`${candidate}-wal`)) copyFileSync(`${candidate}-wal`, `${copy}-wal`);
      const { db, repaired } = connectedOrRepaired(copy, directory, nowMs);
      migrate(db, storeShape);
      const text = [`${directory} cannot be written to (${why})`, ...wrong].join('; ');
      return { db, found: 'read-only', text, passing, ...(repaired && { repaired }) };
    } catch (thrown) {
      if (!(thrown instanceof DatabaseDamage)) throw thrown;
      wrong.push(`${basename(candidate)} is damaged (${thrown.message})`);
    }
  }
  removeDatabase(copy);
  createDatabase(copy, storeShape);
  const none =
    wrong.length > 0 ? `${wrong.join('; ')}; ${noBackup(directory)}` : 'there is no database in it';
  const text = `${directory} cannot be written to (${why}), and ${none}`;
  return { db: connect(copy), found: 'read-only', text, passing };
}

function connectedOrRepaired(path: string, directory: string, nowMs: number) {
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

/** Names of the damaged databases that are kept, newest first. */
export function listQuarantined(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => ASIDE.test(name))
    .sort()
    .reverse();
}

/** Renames the database with what belongs to it. Returns its new name. */
function setAside(directory: string, nowMs: number): string {
  const path = databasePath(directory);
  const aside = `${path}.damaged-${timeName(nowMs)}`;
  renameDatabase(path, aside);
  for (const name of listQuarantined(directory).slice(ASIDE_KEPT)) removeDatabase(join(directory, name));
  return basename(aside);
}
