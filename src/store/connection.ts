import { DatabaseSync } from 'node:sqlite';
import { faultFrom, fault } from '../base/fault.js';
import { APPLICATION_ID, metaName, SCHEMA_VERSION, steps, type MigrationStep } from './schema.js';
import { hasChecksums, isSound, putMeta, iterateRows } from './checksums.js';

/** What a database is: whose, and the steps to its newest version. */
export interface DatabaseShape {
  readonly id: number;
  readonly steps: readonly MigrationStep[];
}
/** The store's own. */
const storeShape: DatabaseShape = { id: APPLICATION_ID, steps };

/** SQLite result codes that the store tells apart (sqlite.org/rescode.html); extended ones carry them in the low byte. */
export const sqliteCode = {
  busy: 5,
  error: 1,
  internal: 2,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  schema: 17,
  tooBig: 18,
  mismatch: 20,
  notADatabase: 26,
} as const;

/** The primary result code of an SQLite failure; undefined for all else. */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  const code = thrown instanceof Error && 'errcode' in thrown ? Number(thrown.errcode) : NaN;
  return Number.isInteger(code) ? code & 0xff : undefined;
}

/** A database that is not what it should be; nothing else throws this. */
export class DatabaseDamage extends Error {}

/** Pages that a connection keeps, KiB: everything is in the gateway's memory already. */
const CACHE_KIB = 512;
/** A backup by another process may hold a lock for a moment. */
const BUSY_MS = 5_000;

/**
 * Opens a database for reading and writing as the store needs it: WAL, every commit fsynced. Throws {@link DatabaseDamage} when it
 * is damaged, `STORE_UNUSABLE` when a newer version wrote it (nothing is changed then), and SQLite's errors.
 */
export function connect(path: string): DatabaseSync {
  return connectAs(storeShape, path, (db) => {
    checkSound(db, 'quick_check');
    if (versionOf(db) === SCHEMA_VERSION) checkRows(db);
  });
}

/** As {@link connect}, for a database of another shape; `check` throws when something is wrong with it. */
export function connectAs(
  shape: DatabaseShape,
  path: string,
  check: (db: DatabaseSync) => void,
): DatabaseSync {
  refuseNewer(shape, path);
  return guarded(path, { readOnly: false }, (db) => {
    db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = MEMORY`,
    );
    check(db);
  });
}

/** Opens a database to read from it, having checked it with `check`. Throws as {@link connect} does. */
export function connectToRead(path: string, check: 'quick_check' | 'integrity_check'): DatabaseSync {
  return guarded(path, { readOnly: true }, (db) => {
    refuseVersion(storeShape, db, path);
    checkSound(db, check);
  });
}

/** Makes a new database with the newest schema; `path` must not exist. */
export function createDatabase(path: string, shape = storeShape): void {
  using db = opened(path, { readOnly: false });
  db.exec(`PRAGMA application_id = ${shape.id}`);
  migrate(db, shape.steps);
}

export function versionOf(db: DatabaseSync): number {
  return pragma(db, 'user_version');
}

/** Takes the database to the newest version, a transaction a step: a failing step leaves the one before it. */
export function migrate(db: DatabaseSync, by: readonly MigrationStep[]): void {
  for (let version = versionOf(db); version < by.length; version++) {
    db.exec('BEGIN IMMEDIATE');
    try {
      const step = by[version] ?? '';
      if (typeof step === 'string') db.exec(step);
      else step(db);
      if (hasChecksums(db)) putMeta(db, metaName.schema, String(version + 1));
      db.exec(`PRAGMA user_version = ${version + 1}; COMMIT`);
    } catch (thrown) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw thrown;
    }
  }
}

function opened(path: string, { readOnly }: { readOnly: boolean }): DatabaseSync {
  return new DatabaseSync(path, { readOnly, timeout: BUSY_MS });
}

function guarded(
  path: string,
  how: { readOnly: boolean },
  prepare: (db: DatabaseSync) => void,
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = opened(path, how);
    prepare(db);
    return db;
  } catch (thrown) {
    db?.close();
    if (isDamage(thrown)) throw new DatabaseDamage((thrown as Error).message, { cause: thrown });
    if (sqliteCodeOf(thrown) === sqliteCode.busy)
      throw faultFrom(thrown, 'STORE_UNUSABLE', `${path} is in use by another program`);
    throw thrown;
  }
}

/** Whether it is what SQLite, or reading a row, says of a database with flipped bits. */
function isDamage(thrown: unknown): boolean {
  const { error, internal, corrupt, schema, tooBig, mismatch, notADatabase } = sqliteCode;
  const code = sqliteCodeOf(thrown);
  return [error, internal, corrupt, schema, tooBig, mismatch, notADatabase].some((damage) => damage === code);
}

/** Reads the version without changing anything, as a program older than the database must. */
function refuseNewer(shape: DatabaseShape, path: string): void {
  const look = (readOnly: boolean) =>
    guarded(path, { readOnly }, (reader) => refuseVersion(shape, reader, path)).close();
  try {
    look(true);
  } catch (thrown) {
    // The power went in the midst of a change that has a journal: only who may write can take it back.
    if (sqliteCodeOf(thrown) !== sqliteCode.readOnly) throw thrown;
    look(false);
  }
}

function refuseVersion(shape: DatabaseShape, db: DatabaseSync, path: string): void {
  if (pragma(db, 'application_id') !== shape.id)
    throw new DatabaseDamage('it is not a database of stellwerk');
  const [version, known] = [versionOf(db), shape.steps.length];
  const recorded = recordedVersion(db);
  if (recorded !== undefined && recorded !== version)
    throw new DatabaseDamage(`its header says schema ${version}, and it has schema ${recorded}`);
  if (version > known)
    throw fault(
      'STORE_UNUSABLE',
      `${path} was written by a newer stellwerk (schema ${version}, this one knows ${known}); install that one again, or restore a backup of this one's time`,
    );
}

/** The version that stands beside the header's, where it can be read. */
function recordedVersion(db: DatabaseSync): number | undefined {
  try {
    for (const row of iterateRows(db, 'SELECT name, value, sum FROM meta WHERE name = ?', metaName.schema))
      return isSound(row) ? Number(row[1]) : undefined;
  } catch {
    // An archive, a database of version 1, or a damaged one: the header's counts.
  }
  return undefined;
}

/**
 * What SQLite's quick check leaves out: the definitions of the tables, the index of the objects' ids, and the checksums of
 * the small tables. Those of objects and values are verified when they are read.
 */
function checkRows(db: DatabaseSync): void {
  const definitions =
    "SELECT group_concat(sql, ';' ORDER BY name) AS all_sql FROM sqlite_schema WHERE name IN";
  const names = "('meta', 'profiles', 'objects', 'last_values', 'audit')";
  const sqlOf = (of: DatabaseSync) => of.prepare(`${definitions} ${names}`).get()?.['all_sql'];
  using model = new DatabaseSync(':memory:');
  migrate(model, steps);
  if (sqlOf(db) !== sqlOf(model)) throw new DatabaseDamage('the definition of a table is damaged');
  const digest = 'SELECT count(*), total(id + born) FROM objects';
  const [byRow, byIndex] = ['NOT INDEXED', 'INDEXED BY sqlite_autoindex_objects_1 WHERE id >= -1e18'].map(
    (how) => [...iterateRows(db, `${digest} ${how}`)].join(),
  );
  if (byRow !== byIndex) throw new DatabaseDamage('the index of the objects is damaged');
  for (const [table, columns] of [
    ['meta', 'name, value'],
    ['profiles', 'name, profile'],
  ])
    for (const row of iterateRows(db, `SELECT ${columns}, sum FROM ${table}`))
      if (!isSound(row)) throw new DatabaseDamage(`the checksum of ${table} "${String(row[0])}" is wrong`);
}

function checkSound(db: DatabaseSync, check: 'quick_check' | 'integrity_check'): void {
  const rows = db.prepare(`PRAGMA ${check}(3)`).all();
  const complaints = rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
  if (complaints.length > 0) throw new DatabaseDamage(complaints.join('; '));
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}
