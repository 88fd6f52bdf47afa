import { rmSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { makeBackup } from './backup.js';
import { messageOf } from '../base/fault.js';
import { Damage, sqliteCode, sqliteCodeOf } from './connection.js';
import { asideOf, copyToRead, findDatabase, isUnwritable, reopen, type Found } from './find.js';
import {
  AUDIT_KEPT,
  blockAfter,
  type Asked,
  type Batch,
  type Opened,
  type Places,
  type Rows,
  type ValueRow,
} from './messages.js';
import { writtenByThread } from './files.js';
import { lockDirectory } from './lock.js';
import { metaName } from './schema.js';
import { RuntimeValues } from './runtime.js';

/** Objects in one answer: a few hundred KB, so that neither side holds much of a large tree at once. */
const ROWS = 1000;
/**
 * A database from a backup knows nothing of the counters given out since. It goes on after as many as can have been: a
 * thousand changes a second since then, and a week where the clock can't say.
 */
const CHANGES_PER_S = 1000;
const WEEK_S = 7 * 24 * 3600;

/** Where a counter goes on after a backup of that time was taken, so that it never goes back. */
export function counterAfterBackup(
  counter: number,
  { backupMs, nowMs }: { backupMs: number; nowMs: number },
): number {
  return blockAfter(counter + Math.max(WEEK_S, (nowMs - backupMs) / 1000) * CHANGES_PER_S);
}

/** The database of one gateway, as the worker holds it. Synchronous; every failure is thrown. */
export class Database {
  readonly #places: Places;
  /** Undefined while the disk can't be written to. */
  #db: DatabaseSync | undefined;
  #lock: Disposable | undefined;
  /** What is read from at the start, where that is not `#db`. */
  #reading: { readonly db: DatabaseSync; readonly directory: string } | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #runtime: RuntimeValues | undefined;
  #born = 0;
  #staged: ValueRow[] = [];

  constructor(places: Places) {
    this.#places = places;
  }

  /** Finds, checks and opens the database; takes over what a crashed run left in the runtime directory. */
  open(nowMs: number, life: string): Opened {
    const found = findDatabase(this.#places, nowMs);
    try {
      return this.#begin(found, nowMs, life);
    } catch (thrown) {
      // Room enough to open it, and not to write to it.
      this.close();
      if (found.passing !== undefined || !isUnwritable(thrown)) throw thrown;
      return this.#begin(copyToRead(this.#places, messageOf(thrown)), nowMs, life);
    }
  }

  #begin(found: Found, nowMs: number, life: string): Opened {
    this.#lock = found.lock;
    const meta = metaOf(found.db);
    const { runtime, problem } = openRuntime(this.#places.runtimeDirectory);
    this.#runtime = runtime;
    const left = runtime?.of(meta.get(metaName.life)) ?? { values: [], counter: 0 };
    const counter = firstCounter(found, { meta, left: left.counter, nowMs });
    const reserved = blockAfter(counter);
    const isWritable = found.passing === undefined;
    if (isWritable) this.#db = found.db;
    else this.#reading = { db: found.db, directory: found.passing };
    const first = {
      values: left.values.filter(([id]) => hasObject(found.db, id)),
      // The life on a disk that can't be written to stays the one that the runtime directory goes with.
      meta: isWritable ? metaAtStart(reserved, life) : [],
    };
    if (isWritable) this.commit({ ...nothing, ...first, emptiesRuntime: true });
    else this.#write(found.db, { ...nothing, ...first });
    if (isWritable) runtime?.begin(life);
    return {
      found: found.found,
      text: [found.text, problem].filter((part) => part !== '').join('; '),
      aside: asideOf(this.#places.directory),
      counter,
      reserved,
      meta: [...metaOf(found.db)],
      profiles: found.db
        .prepare('SELECT profile FROM profiles')
        .all()
        .map((row) => String(row['profile'])),
    };
  }

  /** The objects born after `after`, in that order, with their last values. */
  rows(after: number): Rows {
    // SQLite joins the texts, so that few strings are made here; it would round floats, so values come as they are.
    const statement = (this.#reading?.db ?? this.#connected()).prepare(`
      SELECT born, '[' || o.id || ',' || type || ',' || parent || ',' || attributes || ',' || data, value, updated, changed
      FROM objects o LEFT JOIN last_values v ON v.id = o.id WHERE born > ? ORDER BY born LIMIT ${ROWS}`);
    statement.setReturnArrays(true);
    const rows = statement.all(after) as unknown as (readonly (number | string | null)[])[];
    const texts = rows.map(([, text, value, updated, changed]) =>
      value === null ? `${text}]` : `${text},${JSON.stringify(value)},${updated},${changed}]`,
    );
    const last = rows.at(-1)?.[0];
    return { text: `[${texts.join(',')}]`, next: rows.length === ROWS ? Number(last) : undefined };
  }

  /** All was read: a copy that was made for it goes. */
  loaded(): void {
    const reading = this.#reading;
    this.#reading = undefined;
    if (reading === undefined) return;
    reading.db.close();
    rmSync(reading.directory, { recursive: true, force: true });
  }

  /** Takes values that go with the next {@link commit}: of a large tree they come in slices. */
  stage(values: readonly ValueRow[]): void {
    this.#staged.push(...values);
  }

  /** One transaction, on the disk when this returns. Throws and has changed nothing when it can't be. */
  commit(batch: Batch): void {
    const values = [...this.#staged.splice(0), ...batch.values];
    const db = this.#connected();
    try {
      this.#write(db, { ...batch, values });
    } catch (thrown) {
      const code = sqliteCodeOf(thrown);
      // What such a connection thinks of the file may be wrong now; the next attempt opens anew.
      if (isUnwritable(thrown) && code !== sqliteCode.full) this.#disconnect();
      throw thrown;
    }
    if (batch.emptiesRuntime) this.#withRuntime((runtime) => runtime.empty());
    else if (values.length > 0) this.#withRuntime((runtime) => runtime.forget(values));
  }

  /** To the runtime directory: there in a second life after a crash of the process. */
  keep(values: readonly ValueRow[], counter: number): void {
    this.#withRuntime((runtime) => runtime.keep(values, counter));
  }

  /** The newest audit records, newest first, as JSON. */
  audit(limit: number): string[] {
    const rows = this.#connected()
      .prepare('SELECT record FROM audit ORDER BY number DESC LIMIT ?')
      .all(limit);
    return rows.map(({ record }) => String(record));
  }

  backup({ reason, nowMs, kept }: Asked['backup']['request']): Asked['backup']['answer'] {
    const { directory, files } = this.#places;
    return makeBackup({ db: this.#connected(), files }, { directory, reason, nowMs, kept });
  }

  /** Bytes that this thread has caused to be written to disks. */
  written(): number | undefined {
    return writtenByThread();
  }

  /** Calling twice is fine. */
  close(): void {
    this.loaded();
    this.#disconnect();
    this.#runtime?.close();
    this.#runtime = undefined;
    this.#lock?.[Symbol.dispose]();
    this.#lock = undefined;
  }

  #connected(): DatabaseSync {
    if (this.#db === undefined) {
      this.#lock ??= lockDirectory(this.#places.directory);
      this.#db = reopen(this.#places);
      this.#born = 0;
    }
    return this.#db;
  }

  /** What can't be kept up there must not stand there: it would pass for newer than the disk's. */
  #withRuntime(act: (runtime: RuntimeValues) => void): void {
    try {
      if (this.#runtime !== undefined) act(this.#runtime);
    } catch (thrown) {
      this.#runtime?.remove();
      this.#runtime = undefined;
      throw thrown;
    }
  }

  #disconnect(): void {
    this.#statements.clear();
    const db = this.#db;
    this.#db = undefined;
    db?.close();
  }

  #write(db: DatabaseSync, batch: Batch): void {
    db.exec('BEGIN IMMEDIATE');
    try {
      this.#fill(db, batch);
      db.exec('COMMIT');
    } catch (thrown) {
      if (db.isTransaction) db.exec('ROLLBACK');
      this.#born = 0;
      throw thrown;
    }
  }

  #fill(db: DatabaseSync, { objects, removed, profiles, meta, values, audit }: Batch): void {
    const run = (sql: string, ...parameters: (string | number)[]) =>
      this.#statement(db, sql).run(...parameters);
    // Removed ones first: an id that was given back may belong to a new object already.
    for (const id of removed) {
      run('DELETE FROM objects WHERE id = ?', id);
      run('DELETE FROM last_values WHERE id = ?', id);
    }
    if (objects.length > 0 && this.#born === 0)
      this.#born = Number(db.prepare('SELECT coalesce(max(born), 0) AS most FROM objects').get()?.['most']);
    for (const [id, type, parent, attributes, data] of objects) {
      const { changes } = run(
        'UPDATE objects SET type = ?, parent = ?, attributes = ?, data = ? WHERE id = ?',
        type,
        parent,
        attributes,
        data,
        id,
      );
      if (changes === 0)
        run(
          'INSERT INTO objects (born, id, type, parent, attributes, data) VALUES (?, ?, ?, ?, ?, ?)',
          ++this.#born,
          id,
          type,
          parent,
          attributes,
          data,
        );
    }
    for (const [name, profile] of profiles)
      if (profile === null) run('DELETE FROM profiles WHERE name = ?', name);
      else run('INSERT OR REPLACE INTO profiles VALUES (?, ?)', name, profile);
    for (const [name, value] of meta) run('INSERT OR REPLACE INTO meta VALUES (?, ?)', name, value);
    for (const [id, value, updated, changed] of values)
      run('INSERT OR REPLACE INTO last_values VALUES (?, ?, ?, ?)', id, value, updated, changed);
    for (const record of audit) run('INSERT INTO audit (record) VALUES (?)', record);
    if (audit.length > 0)
      run(`DELETE FROM audit WHERE number <= (SELECT max(number) FROM audit) - ${AUDIT_KEPT}`);
  }

  #statement(db: DatabaseSync, sql: string): StatementSync {
    if (db !== this.#db) return db.prepare(sql);
    const ready = this.#statements.get(sql) ?? db.prepare(sql);
    this.#statements.set(sql, ready);
    return ready;
  }
}

const nothing: Batch = {
  objects: [],
  removed: [],
  profiles: [],
  meta: [],
  values: [],
  audit: [],
  emptiesRuntime: false,
};

function metaAtStart(reserved: number, life: string): Batch['meta'] {
  return [
    [metaName.counter, String(reserved)],
    [metaName.clean, '0'],
    [metaName.life, life],
  ];
}

function firstCounter(
  { backupMs }: Found,
  { meta, left, nowMs }: { meta: ReadonlyMap<string, string>; left: number; nowMs: number },
): number {
  const stored = Number(meta.get(metaName.counter) ?? 0);
  if (!Number.isSafeInteger(stored)) throw new Damage('the counter is not a number');
  if (backupMs !== undefined) return counterAfterBackup(Math.max(stored, left), { backupMs, nowMs });
  // Where reserving ahead failed, the runtime directory knows of counters beyond what is reserved.
  return Math.max(stored, left > stored ? blockAfter(left) : 0);
}

function metaOf(db: DatabaseSync): Map<string, string> {
  const rows = db.prepare('SELECT name, value FROM meta').all();
  return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
}

function hasObject(db: DatabaseSync, id: number): boolean {
  return db.prepare('SELECT 1 FROM objects WHERE id = ?').get(id) !== undefined;
}

function openRuntime(directory: string | undefined): { runtime: RuntimeValues | undefined; problem: string } {
  try {
    return { runtime: RuntimeValues.open(directory), problem: '' };
  } catch (thrown) {
    return { runtime: undefined, problem: `the runtime directory can't be used: ${messageOf(thrown)}` };
  }
}
