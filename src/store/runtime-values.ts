import { codedMessageOf } from '../base/fault.js';
import { coded, type CodedText } from '../base/codes/coded-text.js';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ValueRow } from './worker-protocol.js';
import { metaName, runtimeSchema } from './schema.js';
import { isSound, iterateRows, checksumOf } from './checksums.js';
import { BUSY_MS } from '../sqlite/connection.js';
import { makeDirectory, removeDatabase } from '../sqlite/database-files.js';

/** Values and counter of a run that crashed. */
interface LeftValues {
  /** Reads one after the other: together they might not fit into memory. */
  readonly values: () => IteratorObject<ValueRow>;
  readonly counter: number;
}

export const noLeftValues: LeftValues = { values: () => Iterator.from([]), counter: 0 };

/**
 * Stores last values between two commits in the runtime directory (a tmpfs), where they survive a crash of
 * the process, but not of the machine.
 */
export class RuntimeValues {
  #db: DatabaseSync;
  readonly #path: string;

  private constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
  }

  /**
   * Opens the file and returns the values of the run `life`; values of other runs are older than those on the
   * disk. Returns undefined without a runtime directory. Replaces an unusable file.
   */
  static open(
    directory: string | undefined,
    life: string | undefined,
  ): { runtime: RuntimeValues | undefined; left: LeftValues } {
    if (directory === undefined) return { runtime: undefined, left: noLeftValues };
    const path = join(directory, 'values.db');
    makeDirectory(directory);
    for (const isLast of [false, true]) {
      let runtime: RuntimeValues | undefined;
      try {
        runtime = new RuntimeValues(connect(path), path);
        return { runtime, left: runtime.#of(life) };
      } catch (thrown) {
        runtime?.close();
        if (isLast) throw thrown;
        removeDatabase(path);
      }
    }
    return { runtime: undefined, left: noLeftValues };
  }

  #of(life: string | undefined): LeftValues {
    const meta = new Map(
      this.#db
        .prepare('SELECT name, value FROM meta')
        .all()
        .map(({ name, value }) => [name, value]),
    );
    if (life === undefined || meta.get(metaName.life) !== life) return noLeftValues;
    const values = () => this.#intactRows();
    // Reads all rows, so that the caller replaces a file with an unreadable one.
    values().forEach(() => undefined);
    const counter = Number(meta.get(metaName.counter) ?? 0);
    return { values, counter: Number.isSafeInteger(counter) ? counter : 0 };
  }

  *#intactRows(): Generator<ValueRow> {
    const rows = iterateRows(this.#db, 'SELECT id, value, updated, changed, sum FROM last_values');
    for (const row of rows) {
      if (!isSound(row)) continue;
      const [id, value, updated, changed] = row;
      const stored = typeof value === 'bigint' ? Number(value) : (value as number | string);
      yield [Number(id), stored, Number(updated), Number(changed)];
    }
  }

  /** Empties the file and assigns it to a run. Replaces a file in which only a write finds damage. */
  begin(life: string): void {
    try {
      this.#assignTo(life);
    } catch {
      this.remove();
      this.#db = connect(this.#path);
      this.#assignTo(life);
    }
  }

  #assignTo(life: string): void {
    this.#db.exec('BEGIN; DELETE FROM last_values; DELETE FROM meta');
    this.#db.prepare('INSERT INTO meta VALUES (?, ?)').run(metaName.life, life);
    this.#db.exec('COMMIT');
  }

  /** Removes the values of objects; those values are on the disk now, or the objects are deleted. */
  forget(ids: readonly number[]): void {
    const drop = this.#db.prepare('DELETE FROM last_values WHERE id = ?');
    this.#transact(() => {
      for (const id of ids) drop.run(id);
    });
  }

  /** Replaces the values that are there by newer ones, and adds none. */
  update(values: readonly ValueRow[]): void {
    const put = this.#db.prepare(
      'UPDATE last_values SET value = ?, updated = ?, changed = ?, sum = ? WHERE id = ?',
    );
    this.#transact(() => {
      for (const row of values) {
        const [id, ...columns] = row;
        put.run(...columns, checksumOf(row), id);
      }
    });
  }

  keep(values: readonly ValueRow[], counter: number): void {
    const put = this.#db.prepare('INSERT OR REPLACE INTO last_values VALUES (?, ?, ?, ?, ?)');
    this.#transact(() => {
      for (const row of values) put.run(...row, checksumOf(row));
      this.#db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(metaName.counter, String(counter));
    });
  }

  #transact(act: () => void): void {
    this.#db.exec('BEGIN');
    try {
      act();
      this.#db.exec('COMMIT');
    } catch (thrown) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw thrown;
    }
  }

  close(): void {
    this.#db.close();
  }

  /** Closes and deletes the file. */
  remove(): void {
    this.close();
    removeDatabase(this.#path);
  }
}

function connect(path: string): DatabaseSync {
  // Waits for programs that read the file: after an error, the directory is not used any more.
  const db = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    // A tmpfs needs no flush.
    db.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = TRUNCATE; PRAGMA cache_size = -64');
    addSums(db);
    db.exec(runtimeSchema);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

/** Adds checksums to a file from a version without them; assumes that its values are intact. */
function addSums(db: DatabaseSync): void {
  const names = db.prepare("SELECT name FROM pragma_table_info('last_values')").all();
  if (names.length === 0 || names.some(({ name }) => name === 'sum')) return;
  db.exec('BEGIN; ALTER TABLE last_values ADD COLUMN sum INTEGER NOT NULL DEFAULT 0');
  const put = db.prepare('UPDATE last_values SET sum = ? WHERE id = ?');
  // Read completely first: SQLite must not write to the table while it is read.
  const rows = Array.from(iterateRows(db, 'SELECT id, value, updated, changed FROM last_values'));
  for (const row of rows) put.run(checksumOf(row), row[0] as bigint);
  db.exec('COMMIT');
}

/** Why there are no runtime values, for health. */
export const runtimeProblem = (thrown: unknown): CodedText =>
  coded`RUNTIME_DIRECTORY_UNUSABLE: the runtime directory cannot be used: ${codedMessageOf(thrown)}`;
