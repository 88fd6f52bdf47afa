import { rmSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { AuditRings, newestAudit } from './audit-rings.js';
import { makeBackup } from './backup.js';
import { joined, recordOf } from '../base/codes/coded-text.js';
import { codedMessageOf, messageOf } from '../base/fault.js';
import { sqliteCode, sqliteCodeOf } from '../sqlite/connection.js';
import { prepareArrays } from '../sqlite/array-rows.js';
import { connect } from './connection.js';
import {
  openReadOnlyCopy,
  quarantinedIn,
  openDatabase,
  isUnwritable,
  reopenDatabase,
  repairDatabase,
  type OpenDatabase,
} from './recovery.js';
import { isSound, iterateRows, checksummedColumns, checksumOf, type ChecksummedTable } from './checksums.js';
import {
  blockAfter,
  type StoreRequests,
  type Batch,
  type OpenReport,
  type StorePaths,
  type RowPage,
  type ValueRow,
} from './worker-protocol.js';
import { writtenByThread } from '../sqlite/database-files.js';
import { counterAfterBackup } from './change-counter.js';
import { databasePath } from './data-directory.js';
import { lockDirectory } from './directory-lock.js';
import { metaName } from './schema.js';
import { noLeftValues, RuntimeValues, runtimeProblem } from './runtime-values.js';

/** Objects in one reply: a few hundred KB, so that neither side has much of a large tree in memory twice. */
const ROWS = 1000;
/** A reply ends after these characters: texts of 1 MiB each would not fit into the worker's heap together. */
const CHARACTERS = 1_000_000;

/** A batch whose values are read while they are written. */
type BatchInParts = Omit<Batch, 'values'> & { readonly values: Iterable<ValueRow> };

/** The store's database, opened in the worker. Synchronous; throws all failures. */
export class Database {
  readonly #paths: StorePaths;
  /** Undefined while the disk rejects writes. */
  #db: DatabaseSync | undefined;
  #lock: Disposable | undefined;
  /** The copy that the start reads from, if that is not `#db`. */
  #reading: { readonly db: DatabaseSync; readonly directory: string } | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #runtime: RuntimeValues | undefined;
  #born = 0;
  /** The time of opening, for the name of a quarantined file. */
  #nowMs = 0;
  /** Values read with their objects so far. */
  #valuesRead = 0;
  /** Why a repair was not possible; damaged rows are skipped then. */
  #noRepair: string | undefined;
  readonly #restored: string[] = [];
  readonly #lost: string[] = [];
  readonly #staged = new Map<number, ValueRow>();
  #audit = new AuditRings();

  constructor(places: StorePaths) {
    this.#paths = places;
  }

  /** Finds, checks and opens the database, and adopts what a crashed run left in the runtime directory. */
  open(nowMs: number, life: string): OpenReport {
    this.#nowMs = nowMs;
    const found = openDatabase(this.#paths, nowMs);
    try {
      return this.#begin(found, nowMs, life);
    } catch (thrown) {
      // The disk has enough space to open the database, but not to write to it.
      this.close();
      if (found.passing !== undefined || !isUnwritable(thrown)) throw thrown;
      return this.#begin(openReadOnlyCopy(this.#paths, nowMs, codedMessageOf(thrown)), nowMs, life);
    }
  }

  #begin(found: OpenDatabase, nowMs: number, life: string): OpenReport {
    this.#lock = found.lock;
    const meta = metaOf(found.db);
    const { runtime, left, problem } = openRuntime(this.#paths.runtimeDirectory, meta.get(metaName.life));
    this.#runtime = runtime;
    if (found.repaired !== undefined) this.#addRepair(found.repaired);
    const problems = [found.text, problem].filter((part) => part !== undefined);
    const counter = firstCounter(found, { meta, left: left.counter, nowMs });
    const reserved = blockAfter(counter);
    const isWritable = found.passing === undefined;
    if (isWritable) this.#db = found.db;
    else this.#reading = { db: found.db, directory: found.passing };
    const first = {
      values: left.values().filter(([id]) => hasObject(found.db, id)),
      // If the disk rejects writes, the stored run id stays: the runtime directory belongs to that run.
      meta: isWritable ? metaAtStart(reserved, life) : [],
    };
    this.#write(found.db, { ...emptyBatch, ...first });
    if (isWritable) runtime?.begin(life);
    return {
      found: found.found,
      text: problems.length === 0 ? undefined : recordOf(joined(problems)),
      ...quarantinedIn(this.#paths.directory),
      insteadOfNewer: found.insteadOfNewer,
      counter,
      reserved,
      meta: [...metaOf(found.db)],
      profiles: found.db
        .prepare('SELECT profile FROM profiles')
        .all()
        .map((row) => String(row['profile'])),
    };
  }

  /**
   * The objects after position `after`, in order, with their last values. If the checksum of a row is wrong,
   * the database is repaired first; restored objects from before `after` are included then.
   */
  rows(after: number): RowPage {
    const page = `born > ${after} ORDER BY born LIMIT ${ROWS}`;
    let read = this.#read(page, CHARACTERS);
    const isStray = read.last === undefined && this.#noRepair === undefined && this.#hasStray(read.values);
    let late: string[] = [];
    if (read.bad.length > 0 || isStray) {
      const born = this.#repair().filter((place) => place <= after);
      read = this.#read(page, CHARACTERS);
      late = this.#read(`born IN (${born.join(', ')})`).texts;
      this.#lost.push(...read.bad);
    }
    this.#valuesRead += read.values;
    return { text: `[${[...late, ...read.texts].join(',')}]`, next: read.last };
  }

  /** Ends loading and removes a temporary copy. Returns descriptions of the damaged rows. */
  loaded(): StoreRequests['loaded']['reply'] {
    const reading = this.#reading;
    this.#reading = undefined;
    if (reading !== undefined) {
      reading.db.close();
      rmSync(reading.directory, { recursive: true, force: true });
    }
    return { restored: this.#restored, lost: this.#lost };
  }

  #read(where: string, limit = Infinity) {
    // SQLite joins the texts, so that few strings are created here. It would round floats, so values are read
    // unchanged. Values are floats or texts; an integer might not fit into a number.
    const sql = `
      SELECT CAST(born AS REAL), born || ',' || o.id || ',' || type || ',' || parent || ',' || attributes || ',' || data, o.sum || '',
        v.id || '', CASE WHEN typeof(value) IN ('real', 'text') THEN value END, updated || ',' || changed, v.sum || ''
      FROM objects o LEFT JOIN last_values v ON v.id = o.id WHERE ${where}`;
    const rows = prepareArrays<readonly (number | string | null)[]>(this.#readable(), sql).iterate();
    const texts: string[] = [];
    const bad: string[] = [];
    let [values, count, characters, last] = [0, 0, 0, 0];
    for (const [born, columns, sum, id, value, times, valueSum] of rows) {
      last = Number(born);
      count += 1;
      if (columns === null || String(checksumOf([columns])) !== sum) {
        bad.push(`object ${String(columns).slice(0, 30)}`);
        continue;
      }
      // The gateway does not need the position in the table.
      const text = String(columns).slice(String(columns).indexOf(',') + 1);
      if (id !== null) values += 1;
      if (id !== null && (value === null || String(checksumOf([id, value, times])) !== valueSum)) {
        bad.push(`the value of #${id}`);
        texts.push(`[${text}]`);
      } else texts.push(id === null ? `[${text}]` : `[${text},${JSON.stringify(value)},${times}]`);
      characters += texts.at(-1)?.length ?? 0;
      if (characters >= limit) break;
    }
    return { texts, bad, values, last: count === ROWS || characters >= limit ? last : undefined };
  }

  /** Replaces damaged rows with those of a backup. Returns the positions of the replaced objects. */
  #repair(): readonly number[] {
    if (this.#noRepair !== undefined) return [];
    const reading = this.#reading;
    reading?.db.close();
    this.#disconnect();
    try {
      const repaired = repairDatabase(this.#paths, this.#nowMs, reading?.directory);
      this.#addRepair(repaired);
      return repaired.born;
    } catch (thrown) {
      this.#noRepair = messageOf(thrown);
      this.#lost.push(`a repair is not possible (${this.#noRepair})`);
      return [];
    } finally {
      const { directory } = this.#paths;
      const db = connect(databasePath(reading?.directory ?? directory));
      if (reading === undefined) this.#db = db;
      else this.#reading = { db, directory: reading.directory };
    }
  }

  #addRepair({ restored, lost }: { restored: readonly string[]; lost: readonly string[] }): void {
    this.#restored.push(...restored);
    this.#lost.push(...lost);
  }

  #readable(): DatabaseSync {
    return this.#reading?.db ?? this.#connected();
  }

  /** Whether a value without an object has a wrong checksum: then its id is damaged. */
  #hasStray(values: number): boolean {
    const count = Number(this.#readable().prepare('SELECT count(*) AS n FROM last_values').get()?.['n']);
    if (this.#valuesRead + values >= count) return false;
    const columns = checksummedColumns.last_values.join(', ');
    const sql = `SELECT ${columns}, sum FROM last_values WHERE id NOT IN (SELECT id FROM objects)`;
    for (const row of iterateRows(this.#readable(), sql)) if (!isSound(row)) return true;
    return false;
  }

  /** Adds values to the next {@link commit}; those of a large tree arrive in slices. */
  stage(values: readonly ValueRow[]): void {
    for (const row of values) this.#staged.set(row[0], row);
  }

  /** Writes one transaction, flushed when this returns. If it throws, nothing has changed. */
  commit(batch: Batch): void {
    const values = [...this.#staged.values(), ...batch.values];
    this.#staged.clear();
    // Before the commit: after a crash, what the runtime directory has replaces what the commit has written.
    if (values.length > 0) this.#withRuntime((runtime) => runtime.update(values));
    const db = this.#connected();
    try {
      this.#write(db, { ...batch, values });
    } catch (thrown) {
      const code = sqliteCodeOf(thrown);
      // This connection may be in a wrong state; the next attempt reopens the database.
      if (isUnwritable(thrown) && code !== sqliteCode.full) this.#disconnect();
      throw thrown;
    }
    const written = [...values.map(([id]) => id), ...batch.removed];
    if (written.length > 0) this.#withRuntime((runtime) => runtime.forget(written));
  }

  /** Writes values to the runtime directory, where they survive a crash of the process. */
  keep(values: readonly ValueRow[], counter: number): void {
    // The commit of the staged values removes them from the runtime directory, and must not write older ones.
    for (const row of values) if (this.#staged.has(row[0])) this.#staged.set(row[0], row);
    this.#withRuntime((runtime) => runtime.keep(values, counter));
  }

  /** The newest audit records, newest first, as JSON; of one ring or of all. */
  audit({ limit, ring }: StoreRequests['audit']['request']): string[] {
    return newestAudit(this.#connected(), limit, ring);
  }

  backup(request: StoreRequests['backup']['request']): StoreRequests['backup']['reply'] {
    const { directory, files } = this.#paths;
    return makeBackup({ db: this.#connected(), files }, { directory, ...request });
  }

  /** Bytes that this thread has written to disks. */
  written(): number | undefined {
    return writtenByThread();
  }

  /** May be called twice. */
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
      this.#lock ??= lockDirectory(this.#paths.directory);
      this.#db = reopenDatabase(this.#paths, this.#nowMs);
      this.#born = 0;
    }
    return this.#db;
  }

  /** Deletes the runtime file if it cannot be updated, because it would appear newer than the database. */
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

  #write(db: DatabaseSync, batch: BatchInParts): void {
    db.exec('BEGIN IMMEDIATE');
    try {
      this.#fill(db, batch);
      db.exec('COMMIT');
    } catch (thrown) {
      if (db.isTransaction) db.exec('ROLLBACK');
      this.#born = 0;
      this.#audit = new AuditRings();
      throw thrown;
    }
  }

  #fill(db: DatabaseSync, { objects, removed, profiles, meta, values, audit }: BatchInParts): void {
    const run = (sql: string, ...parameters: (string | number)[]) =>
      this.#statement(db, sql).run(...parameters);
    const put = (table: ChecksummedTable, row: readonly (string | number)[]) =>
      run(
        `INSERT OR REPLACE INTO ${table} VALUES (${row.map(() => '?').join(', ')}, ?)`,
        ...row,
        checksumOf(row),
      );
    // Removed objects first: their ids may belong to new objects already.
    for (const id of removed) {
      run('DELETE FROM objects WHERE id = ?', id);
      run('DELETE FROM last_values WHERE id = ?', id);
    }
    if (objects.length > 0 && this.#born === 0)
      this.#born = Number(db.prepare('SELECT coalesce(max(born), 0) AS last FROM objects').get()?.['last']);
    for (const object of objects) {
      const known = this.#statement(db, 'SELECT born FROM objects WHERE id = ?').get(object[0]);
      put('objects', [Number(known?.['born'] ?? ++this.#born), ...object]);
    }
    for (const [name, profile] of profiles)
      if (profile === null) run('DELETE FROM profiles WHERE name = ?', name);
      else put('profiles', [name, profile]);
    for (const row of meta) put('meta', row);
    for (const row of values) put('last_values', row);
    this.#audit.write(db, audit, (row) => put('audit', row));
  }

  #statement(db: DatabaseSync, sql: string): StatementSync {
    if (db !== this.#db) return db.prepare(sql);
    const prepared = this.#statements.get(sql) ?? db.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

const emptyBatch: Batch = {
  objects: [],
  removed: [],
  profiles: [],
  meta: [],
  values: [],
  audit: [],
};

function metaAtStart(reserved: number, life: string): Batch['meta'] {
  return [
    [metaName.counter, String(reserved)],
    [metaName.clean, '0'],
    [metaName.life, life],
  ];
}

function firstCounter(
  { backupMs }: OpenDatabase,
  { meta, left, nowMs }: { meta: ReadonlyMap<string, string>; left: number; nowMs: number },
): number {
  const stored = Number(meta.get(metaName.counter) ?? 0);
  if (backupMs !== undefined) return counterAfterBackup(Math.max(stored, left), { backupMs, nowMs });
  // If reserving failed, the runtime directory has counters beyond the reserved ones.
  return Math.max(stored, left > stored ? blockAfter(left) : 0);
}

function metaOf(db: DatabaseSync): Map<string, string> {
  const rows = db.prepare('SELECT name, value FROM meta').all();
  return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
}

const hasObject = (db: DatabaseSync, id: number): boolean =>
  db.prepare('SELECT 1 FROM objects WHERE id = ?').get(id) !== undefined;

function openRuntime(directory: string | undefined, life: string | undefined) {
  try {
    return { ...RuntimeValues.open(directory, life), problem: undefined };
  } catch (thrown) {
    return { runtime: undefined, left: noLeftValues, problem: runtimeProblem(thrown) };
  }
}
