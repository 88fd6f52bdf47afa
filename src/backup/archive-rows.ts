import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { archiveShape } from '../archive/schema.js';
import { coded } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import { migrate, versionOf } from '../sqlite/connection.js';

/** The tables of the archive, and how many row numbers share a chunk: old chunks never change. */
const TABLES: Readonly<Record<string, number>> = { chunks: 64, tail: 64, untrusted: 4096, compacted: 4096 };

/** How long to wait for a lock, ms. */
const BUSY_MS = 5_000;

/** The rows of the archive of a moment. */
interface ArchiveReader extends Disposable {
  /** The version of its schema. */
  readonly version: number;
  readonly tables: readonly string[];
  /** The number of records that fill chunks; the newest ones are rows of the table `tail`. */
  readonly records: number;
  /** The rows of a table in groups, each as one text. */
  groups(table: string): Generator<{ readonly rows: number; readonly text: string }>;
}

export const archivePath = (directory: string): string => join(directory, 'archive.db');

/** Opens the archive of a data directory; undefined if there is none. The gateway may write meanwhile. */
export function readArchive(directory: string): ArchiveReader | undefined {
  const path = archivePath(directory);
  if (!existsSync(path)) return undefined;
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
  const version = versionOf(db);
  db.exec('BEGIN');
  return {
    version,
    tables: Object.keys(TABLES),
    records: Number(db.prepare('SELECT coalesce(sum(count), 0) AS n FROM chunks').get()?.['n']),
    groups: (table) => groupsOf(db, table),
    [Symbol.dispose]: () => db.close(),
  };
}

function* groupsOf(db: DatabaseSync, table: string): Generator<{ rows: number; text: string }> {
  const size = TABLES[table] ?? 1;
  const { last } = db.prepare(`SELECT max(rowid) AS last FROM ${table}`).get() ?? {};
  const select = db.prepare(`SELECT rowid, * FROM ${table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid`);
  const next = db.prepare(`SELECT min(rowid) AS next FROM ${table} WHERE rowid >= ?`);
  for (let from = 0; last !== null && from <= Number(last); from += size) {
    // Skips over rows that were deleted long ago.
    const found = Number(next.get(from)?.['next']);
    from = found - (found % size);
    const rows = select.all(from, from + size - 1).map((row) => {
      const values = Object.entries(row).map(([name, value]) => [name, encoded(value)] as const);
      return Object.fromEntries(values);
    });
    yield { rows: rows.length, text: JSON.stringify(rows) };
  }
}

const encoded = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;

/** Writes an archive that does not exist yet. */
export class ArchiveWriter implements Disposable {
  readonly #db: DatabaseSync;

  /** Throws `BACKUP_DAMAGED` if a newer stellwerk wrote the archive. */
  constructor(path: string, version: number) {
    if (version > archiveShape.steps.length)
      throw fault(
        'BACKUP_DAMAGED',
        coded`ARCHIVE_NEWER: its archive has version ${version}, but this stellwerk supports versions up to ${archiveShape.steps.length}; use a newer one`,
      );
    this.#db = new DatabaseSync(path);
    this.#db.exec(
      `PRAGMA application_id = ${archiveShape.id}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF`,
    );
    migrate(this.#db, { ...archiveShape, steps: archiveShape.steps.slice(0, version) });
  }

  /** Adds the rows of one group; returns how many. */
  add(table: string, text: string): number {
    if (!Object.hasOwn(TABLES, table))
      throw fault('BACKUP_DAMAGED', coded`ARCHIVE_TABLE: its archive has an unknown table ${table}`);
    const rows = JSON.parse(text) as Readonly<Record<string, unknown>>[];
    const columns = new Set(
      this.#db
        .prepare(`SELECT name FROM pragma_table_info(?)`)
        .all(table)
        .map(({ name }) => String(name)),
    );
    this.#db.exec('BEGIN');
    for (const row of rows) {
      const names = Object.keys(row).filter((name) => name === 'rowid' || columns.has(name));
      const holders = names.map(() => '?').join(', ');
      this.#db
        .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${holders})`)
        .run(...names.map((name) => decoded(row[name])));
    }
    this.#db.exec('COMMIT');
    return rows.length;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

function decoded(value: unknown): SQLInputValue {
  if (typeof value === 'object' && value !== null && 'base64' in value)
    return Buffer.from(String(value.base64), 'base64');
  return value as SQLInputValue;
}
