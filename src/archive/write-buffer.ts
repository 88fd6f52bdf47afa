import { emptyRun, type RecordRun } from './codec.js';
import type { RecordBatch } from './worker-protocol.js';
import type { Value } from '../kernel/value.js';

/**
 * Maximum number of records that are buffered while the disk rejects writes: some minutes of a busy gateway.
 * Beyond that, the oldest are dropped.
 */
const MAX_RECORDS = 200_000;
const MAX_TEXT = 16 * 1024 * 1024;
/**
 * Buffered records, and characters of their texts, that trigger a write before the interval ends; bounds the
 * size of a message. A slow disk has time for the write before the buffer drops records.
 */
const WRITE_AT = 20_000;
const WRITE_AT_TEXT = MAX_TEXT / 4;

/** A record that is not written yet. */
interface BufferedRecord {
  readonly id: number;
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly value: Value;
  /** The number of the untrusted clock that the time is from; 0 for a trusted one. */
  readonly mark: number;
}

/** Buffers records until they are written, in order of arrival. */
export class WriteBuffer {
  #records: RecordBatch = emptyRecordBatch();
  /** Records that are being written; until that is confirmed, they exist only here. */
  #taken: RecordBatch = emptyRecordBatch();
  #characters = 0;
  #lost = 0;

  get count(): number {
    return this.#records.ids.length;
  }

  /** Whether the records should be written before the interval ends. */
  get isFull(): boolean {
    return this.count >= WRITE_AT || this.#characters >= WRITE_AT_TEXT;
  }

  /** Records dropped since the last call. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  add({ id, atMs, value, mark }: BufferedRecord): void {
    const { ids } = this.#records;
    push(this.#records, { id, atMs, value, mark });
    if (typeof value === 'string') this.#characters += value.length;
    if (ids.length > MAX_RECORDS || this.#characters > MAX_TEXT) this.#dropOldest();
  }

  /** Increases all marks except 0. */
  raiseMarks(by: number): void {
    for (const [n, mark] of this.#records.marks.entries()) if (mark !== 0) this.#records.marks[n] = mark + by;
  }

  /** Takes all records for a write; call {@link confirmTaken} or {@link putBack} afterwards. */
  take(): RecordBatch {
    this.#taken = this.#records;
    this.#records = emptyRecordBatch();
    this.#characters = 0;
    return this.#taken;
  }

  /** Discards the taken records, which are on the disk. */
  confirmTaken(): void {
    this.#taken = emptyRecordBatch();
  }

  /** Puts the taken records back before newer ones, because they could not be written. */
  putBack(): void {
    const [taken, since] = [this.#taken, this.#records];
    for (const key of ['ids', 'times', 'values', 'marks'] as const)
      for (const one of since[key]) (taken[key] as unknown[]).push(one);
    this.#taken = emptyRecordBatch();
    this.#records = taken;
    this.#characters = 0;
    for (const value of taken.values) if (typeof value === 'string') this.#characters += value.length;
    while (this.count > MAX_RECORDS || this.#characters > MAX_TEXT) this.#dropOldest();
  }

  /** The records of a variable that are not on the disk yet. */
  of(id: number): RecordRun {
    const run = emptyRun();
    for (const { ids, times, values, marks } of [this.#taken, this.#records])
      for (let n = 0; n < ids.length; n++) {
        if (ids[n] !== id) continue;
        run.times.push(times[n] as number);
        run.values.push(values[n] as number | string);
        run.marks.push(marks[n] as number);
      }
    return run;
  }

  /** Drops an eighth at a time, because each call moves all remaining records. */
  #dropOldest(): void {
    const { ids, times, values, marks } = this.#records;
    const count = Math.max(1, ids.length >> 3);
    for (const value of values.slice(0, count))
      if (typeof value === 'string') this.#characters -= value.length;
    for (const list of [ids, times, values, marks]) list.splice(0, count);
    this.#lost += count;
  }
}

/** Converts records to the batch that a worker writes. */
export function toRecordBatch(all: readonly BufferedRecord[]): RecordBatch {
  const records = emptyRecordBatch();
  for (const one of all) push(records, one);
  return records;
}

function push({ ids, times, values, marks }: RecordBatch, { id, atMs, value, mark }: BufferedRecord): void {
  ids.push(id);
  times.push(Math.round(atMs));
  values.push(typeof value === 'boolean' ? Number(value) : value);
  marks.push(mark);
}

/** A batch without records. */
export const emptyRecordBatch = (): RecordBatch => ({ ids: [], ...emptyRun() });
