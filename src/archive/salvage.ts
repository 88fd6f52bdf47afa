import { closeSync, copyFileSync, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { messageOf } from '../base/fault.js';
import { prepareArrays } from '../sqlite/array-rows.js';
import { createDatabase } from '../sqlite/connection.js';
import { companions, removeDatabase } from '../sqlite/database-files.js';
import { STORED, sumOfChunk, type StoredChunk } from './chunks.js';
import { unpackRun, type RecordRun } from './codec.js';
import { packedRuns } from './archive-file.js';
import { archiveShape } from './schema.js';
import { UNKNOWN_CLOCK } from './untrusted-clocks.js';

/** The result of {@link salvage}. */
interface SalvageResult {
  /** Valid chunks and rows of the tail. */
  valid: number;
  damaged: number;
  records: number;
  readonly variables: Set<number>;
  firstMs: number;
  lastMs: number;
  /** Descriptions of the unreadable places. */
  readonly gaps: string[];
}

/** Page size of all archives, bytes (SQLite's default). */
const PAGE_BYTES = 4096;
/**
 * Offsets of the first page and the length of the free list in the header (sqlite.org/fileformat.html §1.3).
 */
const FREE_LIST = [32, 36] as const;
/** Larger than any row number that a card's lifetime allows. */
const ROW_NUMBER_LIMIT = 2 ** 40;

/**
 * Passes every valid run of records of a damaged archive to `take`; a later run replaces the records of an
 * earlier one. Calls `onChunk` after each chunk; what it throws ends the salvage. Does not change the file.
 */
export function salvage(
  path: string,
  take: (series: number, run: RecordRun) => void,
  onChunk: () => void,
): SalvageResult {
  const found: SalvageResult = {
    valid: 0,
    damaged: 0,
    records: 0,
    variables: new Set(),
    firstMs: Infinity,
    lastMs: 0,
    gaps: [],
  };
  const accept = (runs: readonly (readonly [series: number, run: RecordRun])[]) => {
    found.valid += 1;
    for (const [series, run] of runs) {
      found.records += run.times.length;
      found.variables.add(series >> 1);
      found.firstMs = Math.min(found.firstMs, run.times[0] ?? Infinity);
      found.lastMs = Math.max(found.lastMs, run.times.at(-1) ?? 0);
      take(series, { ...run, marks: run.marks.map((mark) => (mark === 0 ? 0 : mark + UNKNOWN_CLOCK)) });
    }
  };
  const { gaps } = found;
  withReadable(path, (db) => {
    // First, so that the chunks replace it: the tail keeps records after they were moved into chunks, but a
    // correction changes only the chunk.
    for (const row of rowsOf(db, { table: 'tail', columns: 'records', gaps })) {
      const runs = tailOf(row);
      if (runs === undefined) found.damaged += 1;
      else accept(runs);
      onChunk();
    }
    for (const row of rowsOf(db, { table: 'chunks', columns: STORED, gaps })) {
      const run = runOf(row);
      if (run === undefined) found.damaged += 1;
      else accept([[Number(row[0]), run]]);
      onChunk();
    }
  });
  return found;
}

/**
 * The records of a chunk with a correct checksum, or of one without a checksum that matches its other
 * columns.
 */
function runOf(row: readonly SQLOutputValue[]): RecordRun | undefined {
  const [series, t0, t1, count, summary, records, sum] = row;
  if (!(records instanceof Uint8Array) || !(summary === null || summary instanceof Uint8Array))
    return undefined;
  const stored: StoredChunk = [Number(series), Number(t0), Number(t1), Number(count), summary, records];
  if (sum !== null && Number(sum) !== sumOfChunk(stored)) return undefined;
  try {
    const run = unpackRun(records);
    const { times } = run;
    const isSame = times.length === stored[3] && times[0] === stored[1] && times.at(-1) === stored[2];
    return isSame && isAscending(times) ? run : undefined;
  } catch {
    return undefined;
  }
}

function tailOf([records, sum]: readonly SQLOutputValue[]): (readonly [number, RecordRun])[] | undefined {
  if (!(records instanceof Uint8Array)) return undefined;
  if (sum !== null && Number(sum) !== crc32(records)) return undefined;
  try {
    const runs = [...packedRuns(records)];
    return runs.every(([, { times }]) => isAscending(times)) ? runs : undefined;
  } catch {
    return undefined;
  }
}

const isAscending = (times: readonly number[]): boolean =>
  times.every((time, n) => Number.isSafeInteger(time) && (n === 0 || time > (times[n - 1] as number)));

/** The readable rows of a table; rows on damaged pages are skipped. */
function* rowsOf(
  db: DatabaseSync,
  { table, columns, gaps }: { table: 'chunks' | 'tail'; columns: string; gaps: string[] },
): Generator<readonly SQLOutputValue[]> {
  const select = `SELECT ${columns}, sum, number FROM ${table} NOT INDEXED`;
  const rows = (where: string, ...bounds: number[]) =>
    prepareArrays<readonly SQLOutputValue[]>(db, `${select} WHERE ${where}`, { bigInts: true }).iterate(
      ...bounds,
    );
  let last = -1;
  for (;;) {
    try {
      for (const row of rows('number > ? ORDER BY number', last)) {
        // Damaged row numbers need not ascend; the search continues after the largest possible one.
        const number = Number(row.at(-1));
        if (number > last && number < ROW_NUMBER_LIMIT) last = number;
        yield row;
      }
      return;
    } catch (thrown) {
      gaps.push(`${table} after row ${last}: ${messageOf(thrown)}`);
    }
    const next = nextAfter(db, table, last);
    if (next === undefined) return;
    try {
      for (const row of rows('number > ? AND number < ? ORDER BY number DESC', last, next)) yield row;
    } catch {
      // Unreadable from the end as well.
    }
    last = next - 1;
  }
}

/** The next readable row after a damaged page; a damaged index can also lead to an earlier one. */
function nextAfter(db: DatabaseSync, table: string, last: number): number | undefined {
  for (let step = 1; step < ROW_NUMBER_LIMIT; step *= 2) {
    try {
      const row = db
        .prepare(`SELECT number FROM ${table} NOT INDEXED WHERE number > ? ORDER BY number LIMIT 1`)
        .get(last + step);
      if (row === undefined) return undefined;
      const next = Number(row['number']);
      if (next > last) return next;
    } catch {
      // Still on the damaged page.
    }
  }
  return undefined;
}

/**
 * Opens an archive for reading. If its first page is damaged or from an older version, opens a copy with the
 * first page of a new archive: all archives have the same pages there.
 */
function withReadable(path: string, act: (db: DatabaseSync) => void): void {
  const before = companions.filter((suffix) => existsSync(path + suffix));
  try {
    if (isReadable(path)) {
      using db = new DatabaseSync(path, { readOnly: true });
      return act(db);
    }
  } finally {
    // A read-only connection leaves them behind.
    for (const suffix of companions) if (!before.includes(suffix)) rmSync(path + suffix, { force: true });
  }
  const copy = `${path}.salvage`;
  const template = `${path}.template`;
  try {
    removeDatabase(copy);
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    createDatabase(template, archiveShape);
    copyFirstPage(template, copy);
    using db = new DatabaseSync(copy);
    act(db);
  } finally {
    for (const temporary of [copy, template]) removeDatabase(temporary);
  }
}

function isReadable(path: string): boolean {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    using expected = new DatabaseSync(':memory:');
    for (const step of archiveShape.steps) expected.exec(step);
    // A damaged name of the column `sum` would leave the rows without a checksum.
    return isDeepStrictEqual(tablesOf(db), tablesOf(expected));
  } catch {
    return false;
  }
}

const tablesOf = (db: DatabaseSync) =>
  db.prepare("SELECT name, rootpage, sql FROM sqlite_schema WHERE name IN ('chunks', 'tail')").all();

function copyFirstPage(from: string, to: string): void {
  const page = Buffer.alloc(PAGE_BYTES);
  const source = openSync(from, 'r');
  readSync(source, page, 0, PAGE_BYTES, 0);
  closeSync(source);
  for (const at of FREE_LIST) page.writeUInt32BE(0, at);
  // With a different change counter SQLite derives the number of pages from the file size.
  page.writeUInt32BE(page.readUInt32BE(24) + 1, 24);
  const target = openSync(to, 'r+');
  writeSync(target, page, 0, PAGE_BYTES, 0);
  closeSync(target);
}
