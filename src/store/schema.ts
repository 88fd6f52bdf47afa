import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { DatabaseShape, MigrationStep } from '../sqlite/connection.js';
import { checksummedColumns, checksumOf, hasChecksums, isSound, iterateRows, putMeta } from './checksums.js';

/**
 * The migrations of the store's database. No BLOBs in WITHOUT ROWID tables.
 */
export const steps: readonly MigrationStep[] = [
  `
  -- Small things by name: counter, clean, life, options, what the configuration applied last.
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- born: the order in which objects came into the tree; it is the rowid, so that they are read in it without sorting.
  CREATE TABLE objects (
    born INTEGER PRIMARY KEY,
    id INTEGER NOT NULL UNIQUE CHECK (id BETWEEN 10000 AND 59999),
    type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 6),
    parent INTEGER NOT NULL,
    attributes TEXT NOT NULL CHECK (json_valid(attributes)),
    data TEXT NOT NULL CHECK (json_valid(data))
  );

  -- Booleans as 0 and 1; the variable's own type says what a value is. Times are unix seconds; updated is below 0
  -- when the clock was not trusted then.
  CREATE TABLE last_values (
    id INTEGER PRIMARY KEY,
    value NOT NULL,
    updated INTEGER NOT NULL,
    changed INTEGER NOT NULL
  );

  CREATE TABLE profiles (name TEXT PRIMARY KEY, profile TEXT NOT NULL CHECK (json_valid(profile))) WITHOUT ROWID;

  CREATE TABLE audit (number INTEGER PRIMARY KEY, record TEXT NOT NULL);
  `,
  addSums,
];

/**
 * Version 2: a checksum per row. It replaces the constraints, because SQLite's check would reject the
 * entire database because of one row that violates them.
 */
function addSums(db: DatabaseSync): void {
  const tables = Object.entries(checksummedColumns);
  for (const [table] of tables) db.exec(`ALTER TABLE ${table} RENAME TO old_${table}`);
  db.exec(`
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT, sum INTEGER) WITHOUT ROWID;
    CREATE TABLE profiles (name TEXT PRIMARY KEY, profile TEXT, sum INTEGER) WITHOUT ROWID;
    CREATE TABLE objects (
      born INTEGER PRIMARY KEY, id INTEGER UNIQUE, type INTEGER, parent INTEGER, attributes TEXT, data TEXT, sum INTEGER);
    CREATE TABLE last_values (id INTEGER PRIMARY KEY, value, updated INTEGER, changed INTEGER, sum INTEGER);
    CREATE TABLE audit (number INTEGER PRIMARY KEY, record TEXT, sum INTEGER);`);
  for (const [table, columns] of tables) {
    const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')}, ?)`);
    const put = (row: readonly SQLOutputValue[]) => insert.run(...row, checksumOf(row));
    for (const row of iterateRows(db, `SELECT ${columns.join(', ')} FROM old_${table}`))
      put(table === 'audit' ? inRing(row) : row);
    db.exec(`DROP TABLE old_${table}`);
  }
}

/**
 * Since version 2, audit numbers are multiples of four plus the ring; older records are in the first ring.
 */
function inRing([number, record]: readonly SQLOutputValue[]): readonly SQLOutputValue[] {
  return [BigInt(number as bigint) * 4n, record as SQLOutputValue];
}

/** The schema version of this program. */
export const SCHEMA_VERSION = steps.length;

/**
 * The oldest schema version whose programs can use a database of {@link SCHEMA_VERSION}. A step that only adds
 * tables and indexes leaves it; any other step sets it to its own version: after a rollback, older programs
 * start from the backup that the migration made (recovery.ts). A table that a step adds must allow for
 * changes that older programs made to the other tables meanwhile.
 */
const OLDEST_READER = 2;

/** The store's database. `PRAGMA application_id` is "stlw". */
export const storeShape: DatabaseShape = {
  id: 0x73746c77,
  steps,
  versionCopy: {
    read(db) {
      return numberIn(db, metaName.schema);
    },
    write(db, version) {
      if (hasChecksums(db)) putMeta(db, metaName.schema, String(version));
    },
  },
  oldestReader: {
    version: OLDEST_READER,
    read(db) {
      return numberIn(db, metaName.oldestReader);
    },
    write(db, version) {
      if (hasChecksums(db)) putMeta(db, metaName.oldestReader, String(version));
    },
  },
};

/** A number in `meta`, if its row is intact. */
function numberIn(db: DatabaseSync, name: string): number | undefined {
  try {
    for (const row of iterateRows(db, 'SELECT name, value, sum FROM meta WHERE name = ?', name))
      return isSound(row) ? Number(row[1]) : undefined;
  } catch {
    // Version 1 has no checksums, and a damaged table cannot be read: the header's version counts.
  }
  return undefined;
}

/** The file in the runtime directory: values since the last commit. */
export const runtimeSchema = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS last_values (
    id INTEGER PRIMARY KEY, value NOT NULL, updated INTEGER NOT NULL, changed INTEGER NOT NULL, sum INTEGER NOT NULL);
`;

/** Names in `meta`. */
export const metaName = {
  /** A copy of the schema version in case the header is damaged. */
  schema: 'schema',
  /** The oldest schema version whose programs can use this database. */
  oldestReader: 'oldest_reader',
  /** The last counter after a clean stop, otherwise the end of the reserved ones. */
  counter: 'counter',
  /** Which object ids were assigned: `IdPool.state`. */
  ids: 'ids',
  /** '1' after a clean stop. */
  clean: 'clean',
  /** The id of a run of the gateway. */
  life: 'life',
  /** When the newest daily backup was made, unix milliseconds. */
  backupMs: 'backup_ms',
} as const;
