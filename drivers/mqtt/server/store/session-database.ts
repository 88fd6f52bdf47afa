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
import { RECORD_BYTES } from './kept-bytes.js';

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

  /**
   * Opens or creates the database. A damaged one is moved aside, and an empty one takes its place. Rows that exceed
   * a limit of bytes are removed.
   */
  static open(path: string, maxBytes = Infinity): { database: SessionDatabase; loaded: LoadedRecords } {
    makeDirectory(dirname(path), 0o700);
    try {
      const database = new SessionDatabase(openOrCreate(path));
      return { database, loaded: database.#load(maxBytes) };
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

  #load(maxBytes: number): LoadedRecords {
    const records: (readonly [string, Uint8Array])[] = [];
    const removed: string[] = [];
    let damaged = 0;
    let bytes = 0;
    // Sessions come first: what waits is of no use without them.
    for (const condition of ["key GLOB 's*'", "key NOT GLOB 's*'"]) {
      const rows = prepareArrays<readonly [string, Uint8Array, number]>(
        this.#db,
        `SELECT key, value, sum FROM record WHERE ${condition}`,
      );
      for (const [key, value, sum] of rows.iterate()) {
        const isDamaged = crc32(value, crc32(key)) !== sum;
        if (isDamaged) damaged += 1;
        else bytes += RECORD_BYTES + value.length;
        if (isDamaged || bytes > maxBytes) removed.push(key);
        else records.push([key, value]);
      }
    }
    if (removed.length > 0) this.write([], removed);
    return { records, damaged };
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
