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
 * Bytes of records that wait in the tail for their chunks to fill, until all go into chunks as they are. It bounds the
 * memory, and how much is read at the start.
 */
const TAIL_BYTES = 1024 * 1024;
/** Before all times. */
const NEVER = -1;

/** The number under which a variable's numbers, or its texts, are kept. */
export const seriesOf = (id: number, isText: boolean): number => id * 2 + Number(isText);

/**
 * The archive of one gateway, as its worker holds it. Records are appended to the tail, a row a writing, and kept in memory
 * until they fill a chunk; then that goes to the disk once. Whatever fails, memory is dropped and made anew from the disk.
 */
export class ArchiveFile {
  readonly #directory: string;
  #db: DatabaseSync | undefined;
  #chunks: Chunks | undefined;
  /** What is newer than the newest chunk of a series. */
  readonly #heads = new Map<number, RecordRun>();
  /** The last time in the chunks of a series. */
  readonly #sealed = new Map<number, number>();
  /** What the transaction that is under way has put into heads, in order. */
  #fresh: (readonly [series: number, run: RecordRun])[] = [];
  #tailBytes = 0;
  #text = '';
  #nowMs = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Finds, makes or sets aside; reads the tail. */
  open(nowMs: number): ArchiveOpenReport {
    this.#nowMs = nowMs;
    const { chunks } = this;
    const mark = chunks.statement('SELECT coalesce(max(mark), 0) FROM untrusted').get();
    const marked = chunks.statement('SELECT 1 FROM untrusted WHERE boot = ?').get(bootId());
    return {
      ...this.found(),
      mark: Number((mark as unknown as readonly unknown[])[0]),
      isMarked: marked !== undefined,
    };
  }

  /** What was found damaged since this was last asked. */
  found(): DamageReport {
    const text = this.#text;
    this.#text = '';
    return { text, quarantined: listQuarantinedArchives(this.#directory) };
  }

  /** The chunks of the open archive; opens it where it is not. */
  get chunks(): Chunks {
    if (this.#chunks === undefined) this.#connect();
    return this.#chunks as Chunks;
  }

  /** What is newer than the chunks of a series, with what waits to be written. */
  head(series: number, waiting: RecordRun = emptyRun()): RecordRun {
    const { chunks: _opened } = this;
    const head = this.#heads.get(series) ?? emptyRun();
    if (waiting.times.length === 0) return head;
    const run = sortRun(waiting);
    return mergeRuns(head, sliceRun(run, indexAt(run, this.#sealedMs(series) + 1)));
  }

  /** What is newer than the chunks, of all series. */
  heads(): ReadonlyMap<number, RecordRun> {
    return this.#heads;
  }

  write({ records, clocks, isPresent, nowMs = this.#nowMs }: ArchiveRequests['write']['request']): void {
    this.#nowMs = nowMs;
    this.transaction(() => {
      for (const { mark, offsetMs } of clocks)
        this.chunks
          .statement('INSERT OR REPLACE INTO untrusted VALUES (?, ?, ?)')
          .run(mark, bootId(), offsetMs);
      for (const [series, run] of bySeries(records)) {
        if (isPresent && this.#newest(series) === run.values.at(-1)) continue;
        this.put(series, sortRun(run));
      }
    });
  }

  /** One transaction, on the disk when this returns. What `act` throws, it throws, having changed nothing. */
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
      this.#drop(thrown);
      throw thrown;
    }
  }

  /** Adds records, ascending, to a series; where there is one of the same time, the new one counts. In a transaction. */
  put(series: number, run: RecordRun): void {
    const late = indexAt(run, this.#sealedMs(series) + 1);
    if (late > 0) this.#insert(series, sliceRun(run, 0, late));
    const rest = late > 0 ? sliceRun(run, late) : run;
    const [first] = rest.times;
    if (first === undefined) return;
    let head = this.#heads.get(series) ?? emptyRun();
    if (first > (head.times.at(-1) ?? NEVER)) appendRun(head, rest);
    else head = mergeRuns(head, rest);
    this.#heads.set(series, head);
    this.#fresh.push([series, rest]);
    // A history of years would not fit into memory.
    if (fillsChunk(head)) this.#seal(series);
  }

  /** All records go into chunks: what changes them needs to know of nothing else. In a transaction. */
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
    this.#fresh = [];
    this.#tailBytes = 0;
    this.forget();
  }

  /** The chunks were changed: what is known of where they end is found anew. */
  forget(): void {
    this.#sealed.clear();
  }

  /** Calling twice is fine. */
  close(): void {
    const db = this.#db;
    this.#db = undefined;
    this.#chunks = undefined;
    this.#forgetAll();
    db?.close();
  }

  #connect(): void {
    const { db, text } = openArchiveDatabase(this.#directory, this.#nowMs);
    this.#db = db;
    this.#chunks = new Chunks(db);
    if (text !== '') this.#text = text;
    try {
      this.#readTail();
    } catch (thrown) {
      this.#drop(thrown);
      throw thrown;
    }
  }

  #forgetAll(): void {
    this.#heads.clear();
    this.#sealed.clear();
    this.#fresh = [];
    this.#tailBytes = 0;
  }

  #drop(thrown: unknown): void {
    const code = sqliteCodeOf(thrown);
    if (this.#db?.isTransaction === true) this.#db.exec('ROLLBACK');
    this.#forgetAll();
    // A full disk has no room to open it again, and can be read.
    if (code === sqliteCode.full && this.#db !== undefined) return this.#readTail();
    this.close();
    const isDamaged = [sqliteCode.corrupt, sqliteCode.notADatabase].some((damage) => damage === code);
    if (!isDamaged && !(thrown instanceof RecordDamage)) return;
    const aside = quarantineArchive(this.#directory, this.#nowMs);
    this.#text = damageText(thrown as Error, aside);
  }

  /** What came and fills no chunk goes to the tail. */
  #writeTail(): void {
    const writer = new ByteWriter(256);
    for (const [series, run] of this.#fresh.splice(0)) {
      const bytes = packRun(run);
      writer.whole(series);
      writer.whole(bytes.length);
      writer.raw(bytes);
    }
    const bytes = writer.bytes();
    if (bytes.length === 0) return;
    this.#tailBytes += bytes.length;
    if (this.#tailBytes > TAIL_BYTES) this.settle();
    else this.chunks.statement('INSERT INTO tail (records, sum) VALUES (?, ?)').run(bytes, crc32(bytes));
  }

  #readTail(): void {
    for (const row of this.chunks.statement('SELECT records, sum FROM tail ORDER BY number').iterate()) {
      const [bytes, sum] = row as unknown as readonly [Uint8Array, number | null];
      if (sum !== null && sum !== crc32(bytes))
        throw new RecordDamage('the checksum of new records is wrong');
      this.#tailBytes += bytes.length;
      for (const [series, run] of packedRuns(bytes)) {
        // What is in a chunk already stays here until all goes.
        const rest = sliceRun(run, indexAt(run, this.#sealedMs(series) + 1));
        if (rest.times.length > 0)
          this.#heads.set(series, mergeRuns(this.#heads.get(series) ?? emptyRun(), rest));
      }
    }
  }

  /** What of a series fills chunks goes there. */
  #seal(series: number): void {
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
    const sealedMs = this.#sealedMs(series);
    this.#fresh = this.#fresh
      .map(([of, run]) => [of, of === series ? sliceRun(run, indexAt(run, sealedMs + 1)) : run] as const)
      .filter(([, run]) => run.times.length > 0);
  }

  /** Puts records between those that are in chunks, or before them. */
  #insert(series: number, run: RecordRun): void {
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

  #sealedMs(series: number): number {
    const known = this.#sealed.get(series);
    if (known !== undefined) return known;
    const found = this.chunks.at(series, Infinity)?.lastMs ?? NEVER;
    this.#sealed.set(series, found);
    return found;
  }

  #newest(series: number): number | string | undefined {
    const head = this.#heads.get(series);
    if (head !== undefined) return head.values.at(-1);
    const last = this.chunks.at(series, Infinity);
    return last === undefined ? undefined : this.chunks.records(last).values.at(-1);
  }
}

/** The runs in a row of the tail. Throws {@link RecordDamage}. */
export function* packedRuns(bytes: Uint8Array): Generator<readonly [series: number, run: RecordRun]> {
  const reader = new ByteReader(bytes);
  while (!reader.isAtEnd) {
    const series = reader.whole();
    yield [series, unpackRun(reader.raw(reader.whole()))];
  }
}

/** Records by their series, in the order in which they came. */
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
