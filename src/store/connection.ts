import { coded } from '../base/codes/coded-text.js';
import { DatabaseSync } from 'node:sqlite';
import {
  checkPages,
  DatabaseDamage,
  migrate,
  openForReading,
  openForWriting,
  versionOf,
} from '../sqlite/connection.js';
import { isSound, iterateRows } from './checksums.js';
import { SCHEMA_VERSION, storeShape } from './schema.js';

/**
 * Opens the store's database for reading and writing and checks it. Throws as `openForWriting` in
 * `sqlite/connection.ts` does.
 */
export function connect(path: string): DatabaseSync {
  return openForWriting(storeShape, path, (db) => {
    checkPages(db, 'quick_check');
    // A newer version that this program can use has the same tables, and more.
    if (versionOf(db) >= SCHEMA_VERSION) checkRows(db);
  });
}

/** Opens the store's database, or a backup of it, for reading. Throws as {@link connect} does. */
export function connectToRead(path: string, check: 'quick_check' | 'integrity_check'): DatabaseSync {
  return openForReading(storeShape, path, check);
}

/**
 * Checks what SQLite's quick check does not: the definitions of the tables, the index of the object ids, and
 * the checksums of the small tables. Rows of objects and values are verified when they are read.
 */
function checkRows(db: DatabaseSync): void {
  const definitions =
    "SELECT group_concat(sql, ';' ORDER BY name) AS all_sql FROM sqlite_schema WHERE name IN";
  const names = "('meta', 'profiles', 'objects', 'last_values', 'audit')";
  const sqlOf = (of: DatabaseSync) => of.prepare(`${definitions} ${names}`).get()?.['all_sql'];
  using model = new DatabaseSync(':memory:');
  migrate(model, storeShape);
  if (sqlOf(db) !== sqlOf(model))
    throw new DatabaseDamage(coded`TABLE_DEFINITION_DAMAGED: the definition of a table is damaged`);
  const digest = 'SELECT count(*), total(id + born) FROM objects';
  const [byRow, byIndex] = ['NOT INDEXED', 'INDEXED BY sqlite_autoindex_objects_1 WHERE id >= -1e18'].map(
    (source) => [...iterateRows(db, `${digest} ${source}`)].join(),
  );
  if (byRow !== byIndex)
    throw new DatabaseDamage(coded`OBJECT_INDEX_DAMAGED: the index of the objects is damaged`);
  for (const [table, columns] of [
    ['meta', 'name, value'],
    ['profiles', 'name, profile'],
  ])
    for (const row of iterateRows(db, `SELECT ${columns}, sum FROM ${table}`))
      if (!isSound(row))
        throw new DatabaseDamage(
          coded`ROW_CHECKSUM_WRONG: the checksum of ${table ?? ''} "${String(row[0])}" is wrong`,
        );
}
