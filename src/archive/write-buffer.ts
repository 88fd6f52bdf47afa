import { emptyRun, type RecordRun } from './codec.js';
import type { RecordBatch } from './worker-protocol.js';
import type { Value } from '../kernel/value.js';

/**
 * Records that are not on the disk yet. Where the disk takes none, this is what is kept of them: some minutes of a busy
 * house; then the oldest go.
 */
const MOST_RECORDS = 200_000;
const MOST_TEXT = 16 * 1024 * 1024;

/** A value that a variable had. */
export interface BufferedRecord {
  readonly id: number;
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly value: Value;
  /** 0, or which untrusted clock the time is of. */
  readonly mark: number;
}

/** Records that wait to be written, in the order in which they came. */
export class WriteBuffer {
  #records: RecordBatch = emptyRecordBatch();
  /** Those that are being written: until that is done they are nowhere else. */
  #taken: RecordBatch = emptyRecordBatch();
  #characters = 0;
  #lost = 0;

  get count(): number {
    return this.#records.ids.length;
  }

  /** How many were dropped since this was last asked. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  add({ id, atMs, value, mark }: BufferedRecord): void {
    const { ids } = this.#records;
    push(this.#records, { id, atMs, value, mark });
    if (typeof value === 'string') this.#characters += value.length;
    if (ids.length > MOST_RECORDS || this.#characters > MOST_TEXT) this.#dropOldest();
  }

  /** The marks that were given rise by so much. */
  raise(by: number): void {
    for (const [n, mark] of this.#records.marks.entries()) if (mark !== 0) this.#records.marks[n] = mark + by;
  }

  /** All of them, to be written: they are {@link written} then, or {@link putBack}. */
  take(): RecordBatch {
    this.#taken = this.#records;
    this.#records = emptyRecordBatch();
    this.#characters = 0;
    return this.#taken;
  }

  /** What was taken is on the disk. */
  written(): void {
    this.#taken = emptyRecordBatch();
  }

  /** What was taken could not be written: it comes before what has come since. */
  putBack(): void {
    const [taken, since] = [this.#taken, this.#records];
    for (const key of ['ids', 'times', 'values', 'marks'] as const)
      for (const one of since[key]) (taken[key] as unknown[]).push(one);
    this.#taken = emptyRecordBatch();
    this.#records = taken;
    this.#characters = 0;
    for (const value of taken.values) if (typeof value === 'string') this.#characters += value.length;
    while (this.count > MOST_RECORDS || this.#characters > MOST_TEXT) this.#dropOldest();
  }

  /** What is not on the disk yet of one variable. */
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

  /** An eighth at a time: one by one would move all others each time. */
  #dropOldest(): void {
    const { ids, times, values, marks } = this.#records;
    const count = Math.max(1, ids.length >> 3);
    for (const value of values.slice(0, count))
      if (typeof value === 'string') this.#characters -= value.length;
    for (const list of [ids, times, values, marks]) list.splice(0, count);
    this.#lost += count;
  }
}

/** As the archive's worker takes them. */
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

/** None yet. */
export const emptyRecordBatch = (): RecordBatch => ({ ids: [], ...emptyRun() });
