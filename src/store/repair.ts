import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { messageOf } from '../base/fault.js';
import { skipIdsAfterBackup } from '../kernel/ids.js';
import { listBackups } from './backup.js';
import { createDatabase } from '../sqlite/connection.js';
import { connectToRead } from './connection.js';
import { counterAfterBackup, FIRST_MS } from './change-counter.js';
import { metaName, storeShape } from './schema.js';
import {
  hasBadChecksum,
  hasChecksums,
  isSound,
  putMeta,
  iterateRows,
  checksummedColumns,
  checksumOf,
  type ChecksummedTable,
} from './checksums.js';

type Row = readonly SQLOutputValue[];

/** The result of a repair; the texts describe rows for log and health. */
export interface RepairReport {
  /** Rows restored from a backup. */
  readonly restored: readonly string[];
  /** Rows that are neither readable nor in a backup. */
  readonly lost: readonly string[];
  /** Positions of the restored objects in the table. */
  readonly born: readonly number[];
  /** False if there may be lost objects that are not listed. */
  readonly isComplete: boolean;
}

/** Names in `meta` that must not be restored from a backup. */
const NOT_RESTORED: readonly string[] = [
  metaName.clean,
  metaName.life,
  metaName.backupMs,
  metaName.schema,
  metaName.oldestReader,
  'wear',
];

/**
 * Creates an intact database at `to`. Its rows are those of the damaged database at `from` with a correct
 * checksum; the others come from the newest backups in `directory` that have them. Does not change `from`.
 */
export function rebuildDatabase(
  { from, to, directory }: { from: string; to: string; directory: string },
  nowMs: number,
): RepairReport {
  createDatabase(to, storeShape);
  using rebuild = new DatabaseRebuild(from, to, directory);
  return rebuild.run(nowMs);
}

class DatabaseRebuild implements Disposable {
  readonly #source: DatabaseSync;
  readonly #target: DatabaseSync;
  readonly #backups: BackupRows;
  readonly #restored: string[] = [];
  readonly #lost: string[] = [];
  readonly #born: number[] = [];
  #isComplete = true;

  constructor(from: string, to: string, directory: string) {
    this.#source = new DatabaseSync(from, { readOnly: true });
    this.#target = new DatabaseSync(to);
    this.#backups = new BackupRows(directory);
  }

  run(nowMs: number): RepairReport {
    this.#target.exec('BEGIN');
    for (const table of Object.keys(checksummedColumns) as ChecksummedTable[]) this.#repairTable(table);
    this.#replaceLostCounter(nowMs);
    this.#target.exec('COMMIT');
    const [restored, lost, born] = [this.#restored, this.#lost, this.#born];
    return { restored, lost, born, isComplete: this.#isComplete };
  }

  [Symbol.dispose](): void {
    for (const db of [this.#source, this.#target, this.#backups]) db.close();
  }

  #repairTable(table: ChecksummedTable): void {
    const bad: Row[] = [];
    const end = this.#copyIntact(table, bad);
    if (table === 'objects') this.#restoreMissingObjects(bad.length, end);
    for (const row of bad) this.#replace(table, row);
    if (table === 'objects' || table === 'audit') return;
    // If the table cannot be read to its end, rows with unknown keys are missing as well.
    if (end !== undefined) this.#restoreFromNewestBackup(table, end);
  }

  /** Returns why the table could not be read to its end. */
  #copyIntact(table: ChecksummedTable, bad: Row[]): string | undefined {
    const columns = checksummedColumns[table];
    const placeholders = columns.map(() => '?').join(', ');
    const insert = this.#target.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${placeholders}, ?)`);
    const select = `SELECT ${columns.join(', ')}, sum FROM ${table} NOT INDEXED`;
    const copy = (sql: string): string | undefined => {
      try {
        for (const row of iterateRows(this.#source, sql))
          if (isSound(row)) insert.run(...row);
          else if (hasBadChecksum(row)) {
            insert.run(...row.slice(0, -1), checksumOf(row.slice(0, -1)));
            this.#restored.push(`the checksum of ${nameOf(table, row)}`);
          } else bad.push(row);
        return undefined;
      } catch (thrown) {
        return messageOf(thrown);
      }
    };
    const end = copy(select);
    // Continue from the other end, up to the same row.
    if (end !== undefined) copy(`${select} ORDER BY ${columns[0]} DESC`);
    return end;
  }

  /**
   * Replaces a damaged row by the same row of a backup, found by its checksum, or by an older version with
   * the same key.
   */
  #replace(table: ChecksummedTable, bad: Row): void {
    const id = table === 'objects' ? bad[1] : bad[0];
    if (table === 'meta' && (NOT_RESTORED.includes(String(id)) || id === metaName.counter)) return;
    const isNumber = typeof id === 'bigint';
    const key = table === 'objects' ? 'id' : checksummedColumns[table][0];
    const found =
      this.#backups.find(table, 'sum', bad.at(-1)) ??
      (isNumber || typeof id === 'string' ? this.#backups.find(table, key, id) : undefined);
    if (found !== undefined && this.#put(table, found)) return;
    if (found === undefined || !this.#has(table, id)) this.#lost.push(nameOf(table, bad));
  }

  /** Restores objects that are in the index of ids but have no row. */
  #restoreMissingObjects(bad: number, end: string | undefined): void {
    const sound = Number(this.#target.prepare('SELECT count(*) AS n FROM objects').get()?.['n']);
    const missing: SQLOutputValue[] = [];
    let entries = 0;
    try {
      const sql = 'SELECT id FROM objects INDEXED BY sqlite_autoindex_objects_1 WHERE id > 0';
      for (const [id = null] of iterateRows(this.#source, sql)) {
        entries += 1;
        if (!this.#has('objects', id)) missing.push(id);
      }
    } catch {
      entries = Infinity;
    }
    // Otherwise the index is damaged and may contain ids of deleted objects.
    if (bad === 0 && entries <= sound) return;
    for (const id of missing) {
      const row = this.#backups.find('objects', 'id', id);
      if (row !== undefined) this.#put('objects', row);
    }
    this.#isComplete = end === undefined && entries <= sound + bad;
  }

  #restoreFromNewestBackup(table: ChecksummedTable, end: string): void {
    let count = 0;
    for (const row of this.#backups.newest(table)) {
      if (table === 'meta' && NOT_RESTORED.includes(String(row[0]))) continue;
      if (this.#put(table, row, false)) count += 1;
    }
    this.#restored.push(`${count} rows of ${table}, which cannot be read to its end (${end})`);
  }

  /** Replaces a lost counter by one beyond all that may have been assigned. */
  #replaceLostCounter(nowMs: number): void {
    if (this.#has('meta', metaName.counter)) return;
    const row = this.#backups.find('meta', 'name', metaName.counter);
    const from = { backupMs: row === undefined ? FIRST_MS : this.#backups.madeMs, nowMs };
    putMeta(this.#target, metaName.counter, String(counterAfterBackup(Number(row?.[1] ?? 0) || 0, from)));
    this.#restored.push('the counter of changes');
  }

  #put(table: ChecksummedTable, row: Row, isNamed = true): boolean {
    const columns = checksummedColumns[table].length;
    const values = row.slice(0, columns);
    if (table === 'meta' && values[0] === metaName.ids) values[1] = skipIdsAfterBackup(String(values[1]));
    if (table === 'objects') {
      if (this.#has(table, values[1])) return false;
      const isTaken = this.#target.prepare('SELECT 1 FROM objects WHERE born = ?').get(values[0] as bigint);
      if (isTaken !== undefined)
        values[0] = this.#target.prepare('SELECT max(born) + 1 AS next FROM objects').get()?.['next'] ?? 1;
      this.#born.push(Number(values[0]));
    }
    const placeholders = values.map(() => '?').join(', ');
    const insert = this.#target.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${placeholders}, ?)`);
    const { changes } = insert.run(...values, checksumOf(values));
    if (changes === 0) return false;
    if (isNamed) this.#restored.push(`${nameOf(table, row)} (from ${this.#backups.last})`);
    return true;
  }

  #has(table: ChecksummedTable, id: SQLOutputValue | undefined): boolean {
    const key = table === 'objects' ? 'id' : checksummedColumns[table][0];
    return this.#target.prepare(`SELECT 1 FROM ${table} WHERE ${key} = ?`).get(id ?? null) !== undefined;
  }
}

/** The rows of the backups in a data directory, newest first. Opens them on first use. */
class BackupRows {
  readonly #directory: string;
  #opened: { readonly db: DatabaseSync; readonly path: string }[] | undefined;
  #last = '';
  #madeMs = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The backup of the last row that was found, and when it was made. */
  get last(): string {
    return this.#last;
  }
  get madeMs(): number {
    return this.#madeMs;
  }

  /** The newest intact row with a value in a column. */
  find(table: ChecksummedTable, column: string, value: SQLOutputValue | undefined): Row | undefined {
    if (value === undefined || value === null) return undefined;
    for (const { db, path } of this.#all()) {
      if (!hasChecksums(db) && column === 'sum') continue;
      for (const row of this.#rows(db, table, [`WHERE ${column} = ?`, value as bigint | string])) {
        this.#last = basename(path);
        this.#madeMs = statSync(path).mtimeMs;
        return row;
      }
    }
    return undefined;
  }

  /** All intact rows of the newest backup. */
  *newest(table: ChecksummedTable): Generator<Row> {
    const [backup] = this.#all();
    if (backup !== undefined) yield* this.#rows(backup.db, table);
  }

  close(): void {
    for (const { db } of this.#opened ?? []) db.close();
  }

  *#rows(db: DatabaseSync, table: ChecksummedTable, [where = '', ...values]: (bigint | string)[] = []) {
    const columns = checksummedColumns[table].join(', ');
    const hasSums = hasChecksums(db);
    const sql = `SELECT ${columns}${hasSums ? ', sum' : ''} FROM ${table} ${where}`;
    for (const row of iterateRows(db, sql, ...values)) if (!hasSums || isSound(row)) yield row;
  }

  #all() {
    this.#opened ??= listBackups(this.#directory).flatMap(({ path }) => {
      try {
        return [{ db: connectToRead(path, 'integrity_check'), path }];
      } catch {
        // This backup is damaged, too.
        return [];
      }
    });
    return this.#opened;
  }
}

function nameOf(table: ChecksummedTable, row: Row): string {
  const key = String(table === 'objects' ? row[1] : row[0]);
  switch (table) {
    case 'objects':
      return `object #${key}`;
    case 'last_values':
      return `the value of #${key}`;
    case 'audit':
      return `audit record ${key}`;
    case 'profiles':
      return `profile "${key}"`;
    case 'meta':
      return `setting "${key}"`;
  }
}
