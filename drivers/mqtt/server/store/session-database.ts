import { existsSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { DatabaseSync } from 'node:sqlite';
import { prepareArrays } from '../../../../src/sqlite/array-rows.js';
import {
  createDatabase,
  DatabaseDamage,
  migrate,
  openForWriting,
  type DatabaseShape,
} from '../../../../src/sqlite/connection.js';
import {
  makeDirectory,
  putInPlace,
  removeDatabase,
  renameDatabase,
} from '../../../../src/sqlite/database-files.js';
import { dirname } from 'node:path';

/** `stwb`: the sessions of an MQTT Server. */
const SHAPE: DatabaseShape = {
  id: 0x73747762,
  steps: [
    'CREATE TABLE record (key TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL, sum INTEGER NOT NULL) STRICT',
  ],
};

/**
 * Suffix of a damaged database that is kept for inspection; only one is kept, because more would fill the
 * disk.
 */
const DAMAGED = '.damaged';

/** What is in a database, and what was wrong with it. */
export interface LoadedRecords {
  readonly records: readonly (readonly [key: string, value: Uint8Array])[];
  /**
   * The number of rows with a wrong checksum, which are dropped; -1 if the complete database was unusable.
   */
  readonly damaged: number;
}

/** The records of a broker in an SQLite database. */
export class SessionDatabase {
  readonly #db: DatabaseSync;

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Opens or creates the database. A damaged one is moved aside, and an empty one takes its place. */
  static open(path: string): { database: SessionDatabase; loaded: LoadedRecords } {
    makeDirectory(dirname(path), 0o700);
    try {
      const database = new SessionDatabase(openOrCreate(path));
      return { database, loaded: database.#load() };
    } catch (thrown) {
      if (!(thrown instanceof DatabaseDamage)) throw thrown;
      removeDatabase(path + DAMAGED);
      renameDatabase(path, path + DAMAGED);
      return { database: new SessionDatabase(openOrCreate(path)), loaded: { records: [], damaged: -1 } };
    }
  }

  /** Writes in one transaction. */
  write(puts: readonly (readonly [string, Uint8Array])[], deletes: readonly string[]): void {
    const put = this.#db.prepare(
      'INSERT INTO record VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, sum = excluded.sum',
    );
    const remove = this.#db.prepare('DELETE FROM record WHERE key = ?');
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const key of deletes) remove.run(key);
      for (const [key, value] of puts) put.run(key, value, crc32(value, crc32(key)));
      this.#db.exec('COMMIT');
    } catch (thrown) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw thrown;
    }
  }

  close(): void {
    this.#db.close();
  }

  #load(): LoadedRecords {
    const rows = prepareArrays<readonly [string, Uint8Array, number]>(
      this.#db,
      'SELECT key, value, sum FROM record',
    );
    const records: (readonly [string, Uint8Array])[] = [];
    const damaged: string[] = [];
    for (const [key, value, sum] of rows.all())
      if (crc32(value, crc32(key)) === sum) records.push([key, value]);
      else damaged.push(key);
    if (damaged.length > 0) this.write([], damaged);
    return { records, damaged: damaged.length };
  }
}

function openOrCreate(path: string): DatabaseSync {
  if (!existsSync(path)) {
    removeDatabase(`${path}.new`);
    createDatabase(`${path}.new`, SHAPE);
    putInPlace(`${path}.new`, path);
  }
  const db = openForWriting(SHAPE, path, () => undefined);
  migrate(db, SHAPE);
  return db;
}
