import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { sqliteCode, sqliteCodeOf } from '../sqlite/connection.js';
import { CHUNK_RECORDS, Chunks, chunkLength, fillsChunk } from './chunks.js';
import {
  emptyRun,
  packRun,
  ByteReader,
  RecordDamage,
  unpackRun,
  ByteWriter,
  type RecordRun,
  type StoredValue,
} from './codec.js';
import type { ArchiveRequests, DamageReport, ArchiveOpenReport, RecordBatch } from './worker-protocol.js';
import {
  listQuarantinedArchives,
  damageText,
  bootId,
  openArchiveDatabase,
  quarantineArchive,
} from './recovery.js';
import { appendRun, indexAt, mergeRuns, sliceRun, sortRun } from './record-runs.js';

/**
 * Maximum number of bytes in the tail, which has the records that do not fill a chunk yet. Beyond that, all
 * records are moved into chunks. Bounds the memory, and what is read at the start.
 */
const TAIL_BYTES = 1024 * 1024;
/** Earlier than all records. */
const NEVER = -1;

/** The series of a variable's numbers, or of its texts. */
export const seriesOf = (id: number, isText: boolean): number => id * 2 + Number(isText);
/** The variable of a series. */
export const idOf = (series: number): number => Math.floor(series / 2);

/**
 * The archive's database, opened in the worker. Each write appends a row to the tail; records stay in memory
 * until they fill a chunk, which is written once. After any failure, the memory is rebuilt from the disk.
 *
 * A write costs about 9 KB on the disk, whatever it contains: the frame of the tail's page (4,096 bytes and a
 * header) touches two pages of the log. With 100 changes in 5 s this is most of the 108 bytes per record,
 * with 1,000 changes a tenth of it.
 */
export class ArchiveFile {
  readonly #directory: string;
  #db: DatabaseSync | undefined;
  #chunks: Chunks | undefined;
  /** The records of a series that are newer than its newest chunk. */
  readonly #heads = new Map<number, RecordRun>();
  /** The last time in the chunks of each series. */
  readonly #sealed = new Map<number, number>();
  /** Records that the current transaction added to heads, in order. */
  #added: (readonly [series: number, run: RecordRun])[] = [];
  #tailBytes = 0;
  #damage = '';
  #nowMs = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Opens, creates or quarantines the archive, and reads the tail. */
  open(nowMs: number): ArchiveOpenReport {
    this.#nowMs = nowMs;
    const { chunks } = this;
    const [mark] = chunks
      .statement<readonly [number]>('SELECT coalesce(max(mark), 0) FROM untrusted')
      .get() ?? [0];
    const marked = chunks.statement('SELECT 1 FROM untrusted WHERE boot = ?').get(bootId());
    return {
      ...this.takeDamageReport(),
      mark,
      isMarked: marked !== undefined,
    };
  }

  /** Damage found since the last call. */
  takeDamageReport(): DamageReport {
    const text = this.#damage;
    this.#damage = '';
    return {
      text,
      quarantined: listQuarantinedArchives(this.#directory),
      newer: listQuarantinedArchives(this.#directory, 'newer'),
    };
  }

  /** The chunks of the archive, which is opened if necessary. */
  get chunks(): Chunks {
    if (this.#chunks === undefined) this.#connect();
    return this.#chunks as Chunks;
  }

  /** The records of a series that are newer than its chunks, including buffered ones (`waiting`). */
  head(series: number, waiting: RecordRun = emptyRun()): RecordRun {
    const { chunks: _opened } = this;
    const head = this.#heads.get(series) ?? emptyRun();
    if (waiting.times.length === 0) return head;
    const run = sortRun(waiting);
    return mergeRuns(head, sliceRun(run, indexAt(run, this.#lastSealedMs(series) + 1)));
  }

  /** The records that are newer than the chunks, of all series. */
  heads(): ReadonlyMap<number, RecordRun> {
    return this.#heads;
  }

  write({ records, clocks, updatedMs, nowMs = this.#nowMs }: ArchiveRequests['write']['request']): void {
    this.#nowMs = nowMs;
    this.transaction(() => {
      for (const { mark, offsetMs } of clocks)
        this.chunks
          // Known clocks come with each write, which must not write their page each time.
          .statement('INSERT OR IGNORE INTO untrusted VALUES (?, ?, ?)')
          .run(mark, bootId(), offsetMs);
      for (const [series, run] of bySeries(records)) {
        if (updatedMs !== undefined && this.#isOld(series, run, updatedMs.get(idOf(series)) ?? 0)) continue;
        this.put(series, sortRun(run));
      }
    });
  }

  /**
   * Runs one transaction, flushed when this returns. If `act` throws, nothing changes and the error is passed
   * on.
   */
  transaction<T>(act: () => T): T {
    const { chunks: _opened } = this;
    const db = this.#db as DatabaseSync;
    try {
      db.exec('BEGIN IMMEDIATE');
      const result = act();
      this.#writeTail();
      db.exec('COMMIT');
      return result;
    } catch (thrown) {
      this.#recover(thrown);
      throw thrown;
    }
  }

  /**
   * Adds records, ascending, to a series; a new record replaces one of the same time. Requires a transaction.
   */
  put(series: number, run: RecordRun): void {
    const late = indexAt(run, this.#lastSealedMs(series) + 1);
    if (late > 0) this.#insertLate(series, sliceRun(run, 0, late));
    const rest = late > 0 ? sliceRun(run, late) : run;
    const [first] = rest.times;
    if (first === undefined) return;
    let head = this.#heads.get(series) ?? emptyRun();
    if (first > (head.times.at(-1) ?? NEVER)) appendRun(head, rest);
    else head = mergeRuns(head, rest);
    this.#heads.set(series, head);
    this.#added.push([series, rest]);
    // Otherwise a large import would stay in memory.
    if (fillsChunk(head)) this.#sealFullChunks(series);
  }

  /** Moves all records into chunks, so that a mutation handles only chunks. Requires a transaction. */
  settle(): void {
    const { chunks } = this;
    for (const [series, head] of this.#heads) {
      const last = chunks.at(series, Infinity);
      if (last === undefined) chunks.insert(series, head);
      else {
        const records = chunks.records(last);
        appendRun(records, head);
        if (fillsChunk(records)) chunks.insert(series, head);
        else chunks.replace(series, last, records);
      }
    }
    chunks.statement('DELETE FROM tail').run();
    this.#heads.clear();
    this.#added = [];
    this.#tailBytes = 0;
    this.clearCache();
  }

  /** Clears the cached ends of chunks. Call this after a change of chunks. */
  clearCache(): void {
    this.#sealed.clear();
  }

  /** May be called twice. */
  close(): void {
    const db = this.#db;
    this.#db = undefined;
    this.#chunks = undefined;
    this.#clear();
    db?.close();
  }

  #connect(): void {
    const { db, text } = openArchiveDatabase(this.#directory, this.#nowMs);
    this.#db = db;
    this.#chunks = new Chunks(db);
    if (text !== '') this.#damage = text;
    try {
      this.#readTail();
    } catch (thrown) {
      this.#recover(thrown);
      throw thrown;
    }
  }

  #clear(): void {
    this.#heads.clear();
    this.#sealed.clear();
    this.#added = [];
    this.#tailBytes = 0;
  }

  #recover(thrown: unknown): void {
    const code = sqliteCodeOf(thrown);
    if (this.#db?.isTransaction === true) this.#db.exec('ROLLBACK');
    this.#clear();
    // A full disk has no space for reopening the database, but it can be read.
    if (code === sqliteCode.full && this.#db !== undefined) return this.#readTail();
    this.close();
    const isDamaged = [sqliteCode.corrupt, sqliteCode.notADatabase].some((damage) => damage === code);
    if (!isDamaged && !(thrown instanceof RecordDamage)) return;
    const name = quarantineArchive(this.#directory, this.#nowMs);
    this.#damage = damageText(thrown as Error, name);
  }

  /** Appends new records to the tail. */
  #writeTail(): void {
    const writer = new ByteWriter(256);
    for (const [series, run] of this.#added.splice(0)) {
      const bytes = packRun(run);
      writer.varint(series);
      writer.varint(bytes.length);
      writer.raw(bytes);
    }
    const bytes = writer.bytes();
    if (bytes.length === 0) return;
    this.#tailBytes += bytes.length;
    if (this.#tailBytes > TAIL_BYTES) this.settle();
    else this.chunks.statement('INSERT INTO tail (records, sum) VALUES (?, ?)').run(bytes, crc32(bytes));
  }

  #readTail(): void {
    const tail = this.chunks.statement<readonly [Uint8Array, number | null]>(
      'SELECT records, sum FROM tail ORDER BY number',
    );
    for (const [bytes, sum] of tail.iterate()) {
      if (sum !== null && sum !== crc32(bytes))
        throw new RecordDamage('the checksum of a row of the tail is wrong');
      this.#tailBytes += bytes.length;
      for (const [series, run] of packedRuns(bytes)) {
        // The tail has records that are in chunks already, until it is emptied.
        const rest = sliceRun(run, indexAt(run, this.#lastSealedMs(series) + 1));
        if (rest.times.length > 0)
          this.#heads.set(series, mergeRuns(this.#heads.get(series) ?? emptyRun(), rest));
      }
    }
  }

  /** Moves as many records of a series into chunks as fill them. */
  #sealFullChunks(series: number): void {
    const head = this.#heads.get(series) ?? emptyRun();
    let from = 0;
    for (;;) {
      const piece = sliceRun(head, from, from + CHUNK_RECORDS + 1);
      if (!fillsChunk(piece)) break;
      const count = chunkLength(piece);
      this.chunks.insert(series, sliceRun(piece, 0, count));
      this.#sealed.set(series, piece.times[count - 1] as number);
      from += count;
    }
    if (from === head.times.length) this.#heads.delete(series);
    else this.#heads.set(series, sliceRun(head, from));
    const sealedMs = this.#lastSealedMs(series);
    this.#added = this.#added
      .map(([of, run]) => [of, of === series ? sliceRun(run, indexAt(run, sealedMs + 1)) : run] as const)
      .filter(([, run]) => run.times.length > 0);
  }

  /** Inserts records that are older than the newest chunk's last one. */
  #insertLate(series: number, run: RecordRun): void {
    const { chunks } = this;
    chunks
      .statement('UPDATE compacted SET until = ? WHERE series = ? AND until > ?')
      .run(run.times[0] as number, series, run.times[0] as number);
    let rest = run;
    for (let first = rest.times[0]; first !== undefined; first = rest.times[0]) {
      const chunk = chunks.at(series, first) ?? chunks.after(series, first);
      if (chunk === undefined) return chunks.insert(series, rest);
      const next = chunks.after(series, chunk.firstMs)?.firstMs ?? Infinity;
      const count = indexAt(rest, next);
      chunks.replace(series, chunk, mergeRuns(chunks.records(chunk), sliceRun(rest, 0, count)));
      rest = sliceRun(rest, count);
    }
  }

  #lastSealedMs(series: number): number {
    const known = this.#sealed.get(series);
    if (known !== undefined) return known;
    const found = this.chunks.at(series, Infinity)?.lastMs ?? NEVER;
    this.#sealed.set(series, found);
    return found;
  }

  /** Whether a present value is the newest record, or was updated before it: a power cut can lose the last values. */
  #isOld(series: number, { values }: RecordRun, updatedMs: number): boolean {
    const newest = this.#newest(series);
    if (newest === undefined) return false;
    return newest.value === values.at(-1) || newest.atMs > updatedMs;
  }

  #newest(series: number): { readonly atMs: number; readonly value: StoredValue | undefined } | undefined {
    const head = this.#heads.get(series);
    const last = head === undefined ? this.chunks.at(series, Infinity) : undefined;
    const run = head ?? (last && this.chunks.records(last));
    return run && { atMs: run.times.at(-1) ?? NEVER, value: run.values.at(-1) };
  }
}

/** The runs in a row of the tail. Throws {@link RecordDamage}. */
export function* packedRuns(bytes: Uint8Array): Generator<readonly [series: number, run: RecordRun]> {
  const reader = new ByteReader(bytes);
  while (!reader.isAtEnd) {
    const series = reader.varint();
    yield [series, unpackRun(reader.raw(reader.varint()))];
  }
}

/** Groups records by series and keeps their order. */
function bySeries({ ids, times, values, marks }: RecordBatch): Map<number, RecordRun> {
  const all = new Map<number, RecordRun>();
  for (let n = 0; n < ids.length; n++) {
    const value = values[n] as number | string;
    const series = seriesOf(ids[n] as number, typeof value === 'string');
    let run = all.get(series);
    if (run === undefined) all.set(series, (run = emptyRun()));
    run.times.push(times[n] as number);
    run.values.push(value);
    run.marks.push(marks[n] as number);
  }
  return all;
}
