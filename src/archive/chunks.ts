import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { packRun, RecordDamage, unpackRun, type RecordRun } from './codec.js';
import { prepareArrays, type ArrayStatement } from '../sqlite/array-rows.js';
import { sliceRun } from './record-runs.js';
import { packSummary, summaryOf, unpackSummary, type Summary } from './summary.js';

/** Records per chunk: about a kilobyte, so that three or four share a database page. */
export const CHUNK_RECORDS = 256;
/** Maximum number of characters of texts in a chunk. */
const CHUNK_TEXT = 65_536;

/** Chunks that are read at a time. */
const STEP = 200;

/** A chunk without its records. */
export interface Chunk {
  readonly number: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Undefined for texts. */
  readonly summary: Summary | undefined;
}

/** The columns that the checksum of a chunk covers, in this order. */
export const STORED = 'series, t0, t1, count, summary, records';
export type StoredChunk = [
  series: number,
  t0: number,
  t1: number,
  count: number,
  summary: Uint8Array | null,
  records: Uint8Array,
];

/** The checksum of a chunk: CRC-32 of its columns. */
export function sumOfChunk([series, t0, t1, count, summary, records]: StoredChunk): number {
  return crc32(records, crc32(summary ?? '', crc32(`${series},${t0},${t1},${count}`)));
}

type Row = readonly [number, number, number, Uint8Array | null];
const COLUMNS = 'number, t0, t1, summary';

/** Reads and writes the chunks of an open archive. Synchronous; throws all failures. */
export class Chunks {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, ArrayStatement<unknown>>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Prepares a statement once; its rows are arrays of the type `R`, which must match the columns. */
  statement<R extends readonly unknown[] = readonly unknown[]>(sql: string): ArrayStatement<R> {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached as ArrayStatement<R>;
    const statement = prepareArrays<R>(this.#db, sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** The newest chunk that starts at or before a time. */
  at(series: number, ms: number): Chunk | undefined {
    return this.#one(`WHERE series = ? AND t0 <= ? ORDER BY t0 DESC LIMIT 1`, series, ms);
  }

  /** The first chunk that starts after a time. */
  after(series: number, ms: number): Chunk | undefined {
    return this.#one(`WHERE series = ? AND t0 > ? ORDER BY t0 LIMIT 1`, series, ms);
  }

  /**
   * The chunks that start between two times, ascending. Some are read at a time: those of years would not fit
   * into memory. A chunk may be changed after it was returned.
   */
  *upwards(series: number, fromMs: number, toMs: number): Generator<Chunk> {
    const sql = `SELECT ${COLUMNS} FROM chunks WHERE series = ? AND t0 BETWEEN ? AND ? ORDER BY t0 LIMIT ${STEP}`;
    for (let nextMs = fromMs; ;) {
      const rows = this.statement<Row>(sql).all(series, nextMs, toMs);
      for (const row of rows) yield chunkOf(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < STEP) return;
      nextMs = last[1] + 1;
    }
  }

  /** The chunks that start at or before a time, newest first. Do not write before the iteration ends. */
  *downwards(series: number, toMs: number): Generator<Chunk> {
    const sql = `SELECT ${COLUMNS} FROM chunks WHERE series = ? AND t0 <= ? ORDER BY t0 DESC`;
    for (const row of this.statement(sql).iterate(series, toMs)) yield chunkOf(row);
  }

  records({ number }: Pick<Chunk, 'number'>): RecordRun {
    const select = `SELECT ${STORED}, sum FROM chunks WHERE number = ?`;
    const row = this.statement<[...StoredChunk, number | null]>(select).get(number);
    if (row === undefined) throw new RecordDamage(`there is no chunk ${number}`);
    const [series, t0, t1, count, summary, records, sum] = row;
    if (sum !== null && sum !== sumOfChunk([series, t0, t1, count, summary, records]))
      throw new RecordDamage(`the checksum of chunk ${number} is wrong`);
    return unpackRun(records);
  }

  /** Inserts records as one or more chunks. */
  insert(series: number, run: RecordRun): void {
    for (const part of splitRun(run)) {
      const { times, marks } = part;
      const summary = summaryOf(part);
      const stored: StoredChunk = [
        series,
        times[0] as number,
        times.at(-1) as number,
        times.length,
        summary === undefined ? null : packSummary(summary),
        packRun(part),
      ];
      this.statement(`INSERT INTO chunks (${STORED}, marked, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`).run(
        ...stored,
        Number(marks.some((mark) => mark !== 0)),
        sumOfChunk(stored),
      );
    }
  }

  /** Replaces the records of a chunk; removes it if there are none. */
  replace(series: number, chunk: Pick<Chunk, 'number'>, run: RecordRun): void {
    this.remove(chunk);
    this.insert(series, run);
  }

  /** Rebuilds the summary of a chunk. */
  rebuildSummary(chunk: Pick<Chunk, 'number'>): void {
    const summary = summaryOf(this.records(chunk));
    this.statement('UPDATE chunks SET summary = ? WHERE number = ?').run(
      summary === undefined ? null : packSummary(summary),
      chunk.number,
    );
    this.#updateChecksum(chunk);
  }

  /** Moves the chunks of a series to another one, which has none. */
  move(series: number, to: number): void {
    for (const { number } of this.upwards(series, -Infinity, Infinity)) {
      this.statement('UPDATE chunks SET series = ? WHERE number = ?').run(to, number);
      this.#updateChecksum({ number });
    }
  }

  #updateChecksum({ number }: Pick<Chunk, 'number'>): void {
    const row = this.statement<StoredChunk>(`SELECT ${STORED} FROM chunks WHERE number = ?`).get(number);
    if (row !== undefined)
      this.statement('UPDATE chunks SET sum = ? WHERE number = ?').run(sumOfChunk(row), number);
  }

  remove({ number }: Pick<Chunk, 'number'>): void {
    this.statement('DELETE FROM chunks WHERE number = ?').run(number);
  }

  #one(where: string, ...parameters: number[]): Chunk | undefined {
    const row = this.statement(`SELECT ${COLUMNS} FROM chunks ${where}`).get(...parameters);
    return row === undefined ? undefined : chunkOf(row);
  }
}

/** How many records from the start of a run fit into one chunk. */
export function chunkLength({ values }: RecordRun): number {
  let characters = 0;
  for (let n = 0; n < values.length && n < CHUNK_RECORDS; n++) {
    const value = values[n];
    if (typeof value !== 'string') return Math.min(values.length, CHUNK_RECORDS);
    characters += value.length;
    if (characters >= CHUNK_TEXT) return n + 1;
  }
  return Math.min(values.length, CHUNK_RECORDS);
}

/** Whether a run fills a chunk. */
export function fillsChunk(run: RecordRun): boolean {
  return run.times.length >= CHUNK_RECORDS || chunkLength(run) < run.times.length;
}

/**
 * Splits a run into parts of similar length, so that an insertion between full chunks leaves no tiny chunk.
 */
function* splitRun(run: RecordRun): Generator<RecordRun> {
  const { length } = run.times;
  const most = Math.ceil(length / Math.ceil(length / CHUNK_RECORDS));
  for (let from = 0; from < length;) {
    const part = sliceRun(run, from, from + most);
    const count = chunkLength(part);
    yield count < part.times.length ? sliceRun(part, 0, count) : part;
    from += count;
  }
}

function chunkOf(row: unknown): Chunk {
  const [number, firstMs, lastMs, summary] = row as Row;
  return {
    number,
    firstMs,
    lastMs,
    summary: summary === null ? undefined : unpackSummary(summary),
  };
}
