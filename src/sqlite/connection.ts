import { CodedError, coded } from '../base/codes/coded-text.js';
import { DatabaseSync } from 'node:sqlite';
import { Fault, faultFrom } from '../base/fault.js';
import { removeDatabase } from './database-files.js';

/** One step of a schema migration: SQL, or a function. */
export type MigrationStep = string | ((db: DatabaseSync) => void);

/** The kind of a database and its schema. */
export interface DatabaseShape {
  /** `PRAGMA application_id`. */
  readonly id: number;
  /** `steps[n]` migrates from version n to n + 1 (`PRAGMA user_version`). A released step never changes. */
  readonly steps: readonly MigrationStep[];
  /** A second copy of the version, for databases that keep one in case the header is damaged. */
  readonly versionCopy?: {
    /** Undefined if there is none, or it cannot be read. */
    read(db: DatabaseSync): number | undefined;
    write(db: DatabaseSync, version: number): void;
  };
  /**
   * The oldest schema version whose programs can use a database of this one. The database contains it, so that
   * a program of that version knows. Without it, programs use no database that is newer than they are.
   */
  readonly oldestReader?: {
    readonly version: number;
    /** Undefined if the database does not contain it, or it cannot be read. */
    read(db: DatabaseSync): number | undefined;
    write(db: DatabaseSync, version: number): void;
  };
}

/** SQLite's primary result codes that the gateway distinguishes (sqlite.org/rescode.html). */
export const sqliteCode = {
  error: 1,
  internal: 2,
  busy: 5,
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

/**
 * The primary result code of an SQLite error (the low byte of the extended code); undefined for any other
 * error.
 */
export function sqliteCodeOf(thrown: unknown): number | undefined {
  const code = thrown instanceof Error && 'errcode' in thrown ? Number(thrown.errcode) : NaN;
  return Number.isInteger(code) ? code & 0xff : undefined;
}

/** The database is damaged, or belongs to another program. */
export class DatabaseDamage extends CodedError {}

/** A newer version of stellwerk wrote the database, in a schema that this version cannot use. */
export class NewerDatabase extends Fault {
  constructor(path: string, version: number, known: number) {
    const text = coded`WRITTEN_NEWER_VERSION_STELLWERK: ${path} was written by a newer version of stellwerk (schema version ${version}, supported up to ${known}); install that version again, or restore a backup made with this one`;
    super('STORE_UNUSABLE', text.text, { parameters: [text] });
  }
}

/** Page cache of a connection, KiB. Small, because the gateway holds its state in memory anyway. */
const CACHE_KIB = 512;
/** How long to wait for a lock; a backup by another process holds one for a moment. */
export const BUSY_MS = 5_000;

/**
 * Opens a database for reading and writing, in WAL mode with every commit fsynced. `check` throws if the
 * content is wrong. Throws {@link DatabaseDamage} for a damaged file, {@link NewerDatabase} (nothing is changed
 * in that case), and SQLite's own errors.
 */
export function openForWriting(
  shape: DatabaseShape,
  path: string,
  check: (db: DatabaseSync) => void,
): DatabaseSync {
  rejectNewerVersion(shape, path);
  return openChecked(path, { readOnly: false }, (db) => {
    db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA temp_store = MEMORY`,
    );
    check(db);
  });
}

/**
 * Opens a database for reading, after SQLite's own check of its pages. Throws as {@link openForWriting} does.
 */
export function openForReading(
  shape: DatabaseShape,
  path: string,
  check: 'quick_check' | 'integrity_check',
): DatabaseSync {
  return openChecked(path, { readOnly: true }, (db) => {
    checkVersion(shape, db, path);
    checkPages(db, check);
  });
}

/**
 * Creates a database with the newest schema, in place of what is left at `path`. Nothing is flushed to the
 * disk: use the file as a temporary one, or after `putInPlace`.
 */
export function createDatabase(path: string, shape: DatabaseShape): void {
  removeDatabase(path);
  using db = open(path, { readOnly: false });
  db.exec(`PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA application_id = ${shape.id}`);
  migrate(db, shape);
}

/** The schema version in the header. */
export function versionOf(db: DatabaseSync): number {
  return pragma(db, 'user_version');
}

/**
 * Migrates a database to the newest version, one transaction per step: a step that fails leaves the version
 * before it.
 */
export function migrate(db: DatabaseSync, { steps, versionCopy, oldestReader }: DatabaseShape): void {
  for (let version = versionOf(db); version < steps.length; version++) {
    db.exec('BEGIN IMMEDIATE');
    try {
      const step = steps[version] ?? '';
      if (typeof step === 'string') db.exec(step);
      else step(db);
      versionCopy?.write(db, version + 1);
      oldestReader?.write(db, Math.min(oldestReader.version, version + 1));
      db.exec(`PRAGMA user_version = ${version + 1}; COMMIT`);
    } catch (thrown) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw thrown;
    }
  }
}

/**
 * Runs SQLite's check of a database's pages. Throws {@link DatabaseDamage} with the first problems it
 * reports.
 */
export function checkPages(db: DatabaseSync, check: 'quick_check' | 'integrity_check'): void {
  const rows = db.prepare(`PRAGMA ${check}(3)`).all();
  const problems = rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
  if (problems.length > 0) throw new DatabaseDamage(problems.join('; '));
}

function open(path: string, { readOnly }: { readOnly: boolean }): DatabaseSync {
  return new DatabaseSync(path, { readOnly, timeout: BUSY_MS });
}

/** Opens a database and runs `prepare` on it; translates the errors of both. */
function openChecked(
  path: string,
  mode: { readOnly: boolean },
  prepare: (db: DatabaseSync) => void,
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = open(path, mode);
    prepare(db);
    return db;
  } catch (thrown) {
    db?.close();
    if (isDamage(thrown)) throw new DatabaseDamage((thrown as Error).message, { cause: thrown });
    if (sqliteCodeOf(thrown) === sqliteCode.busy)
      throw faultFrom(thrown, 'STORE_UNUSABLE', coded`DATABASE_IN_USE: ${path} is in use by another program`);
    throw thrown;
  }
}

/** Whether SQLite reports this error for a database with flipped bits, on opening it or on reading a row. */
function isDamage(thrown: unknown): boolean {
  const { error, internal, corrupt, schema, tooBig, mismatch, notADatabase } = sqliteCode;
  const code = sqliteCodeOf(thrown);
  return [error, internal, corrupt, schema, tooBig, mismatch, notADatabase].some((damage) => damage === code);
}

/** Reads the version without changing anything, as a program older than the database must. */
function rejectNewerVersion(shape: DatabaseShape, path: string): void {
  const check = (readOnly: boolean) =>
    openChecked(path, { readOnly }, (db) => checkVersion(shape, db, path)).close();
  try {
    check(true);
  } catch (thrown) {
    // A hot journal is left from a power cut: only a connection that may write can roll it back.
    if (sqliteCodeOf(thrown) !== sqliteCode.readOnly) throw thrown;
    check(false);
  }
}

function checkVersion(shape: DatabaseShape, db: DatabaseSync, path: string): void {
  if (pragma(db, 'application_id') !== shape.id)
    throw new DatabaseDamage(coded`NO_DATABASE_OF_STELLWERK: it is not a database of stellwerk`);
  const [version, known] = [versionOf(db), shape.steps.length];
  const copy = shape.versionCopy?.read(db);
  if (copy !== undefined && copy !== version)
    throw new DatabaseDamage(
      coded`SCHEMA_VERSIONS_DIFFER: its header has schema version ${version}, its tables version ${copy}`,
    );
  // A newer version writes the copy as well. Without it, bits of the header or of the tables have flipped.
  if (version > known && shape.versionCopy !== undefined && copy === undefined)
    throw new DatabaseDamage(
      coded`TABLES_UNREADABLE: its header has schema version ${version}, and its tables cannot be read`,
    );
  if (version > known && (shape.oldestReader?.read(db) ?? Infinity) > known)
    throw new NewerDatabase(path, version, known);
}

/** Writes the log of a database into its file, which is complete without the log then. */
export function foldLog(path: string): void {
  using db = open(path, { readOnly: false });
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}
