import { aggregationSpan, nextBucketStart, bucketStart, type BucketSpan } from './buckets.js';
import { emptyRun, type RecordRun, type StoredValue } from './codec.js';
import { seriesOf, type ArchiveFile } from './archive-file.js';
import type { ArchiveRequests } from './worker-protocol.js';
import { appendRun, indexAt, mergeRuns, sliceRun } from './record-runs.js';

/** Kinds of compaction (interface §1) and the buckets they reduce records to; 8 deletes. */
const spans: Readonly<Record<number, BucketSpan>> = {
  1: aggregationSpan.minute,
  2: aggregationSpan.fiveMinutes,
  3: aggregationSpan.hour,
  4: aggregationSpan.day,
  5: aggregationSpan.week,
  6: aggregationSpan.month,
  7: aggregationSpan.year,
};

/** Chunks per step, unless one bucket has more; a step keeps the worker busy for some milliseconds. */
const STEP = 40;

/** A series and how it is downsampled. */
interface Downsampling {
  readonly series: number;
  readonly kind: number;
  /** Undefined: delete everything except the value at the end. */
  readonly span: BucketSpan | undefined;
  /** Keep the last record of a bucket instead of its average. */
  readonly keepsLast: boolean;
}

/**
 * Downsamples some of a variable's records that are older than the rule's age, oldest first; each is
 * downsampled once. A bucket keeps the average of a gauge, the last reading of a counter and both sides of
 * each reset (with or without zeros), and the last text. Aggregations over longer spans do not change.
 */
export function downsample(
  file: ArchiveFile,
  { variableId, rule, counter, nowMs }: ArchiveRequests['compact']['request'],
): ArchiveRequests['compact']['reply'] {
  const ageMs = monthsBefore(new Date(nowMs), rule.months);
  const span = spans[rule.kind];
  const untilMs = span === undefined ? ageMs : bucketStart(span, ageMs);
  let more = false;
  for (const isText of [false, true]) {
    const series = seriesOf(variableId, isText);
    const job = { series, kind: rule.kind, span, keepsLast: counter || isText };
    more = downsampleStep(file, job, untilMs) || more;
  }
  return { more };
}

/** Midnight of the day some months earlier; a day that the month does not have becomes its last day. */
function monthsBefore(date: Date, months: number): number {
  const [year, month] = [date.getFullYear(), date.getMonth() - months];
  const days = new Date(year, month + 1, 0).getDate();
  return new Date(year, month, Math.min(date.getDate(), days)).getTime();
}

function downsampleStep(file: ArchiveFile, job: Downsampling, untilMs: number): boolean {
  const { series, kind, span } = job;
  const known = file.chunks.statement<readonly [number]>(
    'SELECT until FROM compacted WHERE series = ? AND kind = ?',
  );
  const [doneMs] = known.get(series, kind) ?? [0];
  const fromMs = span === undefined || doneMs === 0 ? doneMs : bucketStart(span, doneMs);
  if (fromMs >= untilMs) return false;
  return file.transaction(() => {
    if ((file.head(series).times[0] ?? Infinity) < untilMs) file.settle();
    const endMs = stepEnd(file, job, [fromMs, untilMs]);
    if (endMs === undefined) return false;
    replaceRecords(file, job, [fromMs, endMs]);
    file.chunks.statement('INSERT OR REPLACE INTO compacted VALUES (?, ?, ?)').run(series, kind, endMs);
    file.clearCache();
    return endMs < untilMs;
  });
}

/**
 * The end of a step: after the complete buckets of its chunks, at least one. Undefined if there are no
 * records.
 */
function stepEnd(
  file: ArchiveFile,
  { series, span }: Downsampling,
  [fromMs, untilMs]: readonly [number, number],
): number | undefined {
  let [firstMs, count]: [number | undefined, number] = [undefined, 0];
  const beginMs = file.chunks.at(series, fromMs)?.firstMs ?? fromMs;
  for (const chunk of file.chunks.upwards(series, beginMs, untilMs - 1)) {
    if (chunk.lastMs < fromMs) continue;
    firstMs ??= Math.max(chunk.firstMs, fromMs);
    if (++count < STEP) continue;
    const endMs =
      span === undefined
        ? chunk.firstMs
        : Math.max(bucketStart(span, chunk.firstMs), nextBucketStart(span, bucketStart(span, firstMs)));
    return Math.min(endMs, untilMs);
  }
  return firstMs === undefined ? undefined : untilMs;
}

function replaceRecords(
  file: ArchiveFile,
  job: Downsampling,
  [fromMs, endMs]: readonly [number, number],
): void {
  const { chunks } = file;
  const { series, span, keepsLast } = job;
  const first = chunks.at(series, fromMs);
  const beginMs = first !== undefined && first.lastMs >= fromMs ? first.firstMs : fromMs;
  const earlier = chunks.at(series, fromMs - 1);
  const earlierRun = earlier === undefined ? emptyRun() : chunks.records(earlier);
  const startValue = earlierRun.values[indexAt(earlierRun, fromMs) - 1];
  let [before, after] = [emptyRun(), emptyRun()];
  const downsampler = new Downsampler(span, { keepsLast, startValue });
  for (const chunk of chunks.upwards(series, beginMs, endMs - 1)) {
    const run = chunks.records(chunk);
    const [from, to] = [indexAt(run, fromMs), indexAt(run, endMs)];
    if (from > 0) before = sliceRun(run, 0, from);
    if (to < run.times.length) after = sliceRun(run, to);
    for (let n = from; n < to; n++) downsampler.add(run.times[n] as number, run.values[n] as StoredValue);
  }
  const nextMs = after.times[0] ?? chunks.after(series, endMs - 1)?.firstMs ?? file.head(series).times[0];
  appendRun(before, downsampler.finish(endMs, nextMs === endMs));
  chunks
    .statement('DELETE FROM chunks WHERE series = ? AND t0 BETWEEN ? AND ?')
    .run(series, beginMs, endMs - 1);
  const run = mergeRuns(before, after);
  if (run.times.length > 0) chunks.insert(series, run);
}

/** Downsamples records that are added in ascending order. */
class Downsampler {
  readonly #run = emptyRun();
  readonly #span: BucketSpan | undefined;
  readonly #keepsLast: boolean;
  /** The newest record; initially the value at the start, without a time. */
  #atMs = NaN;
  #value: StoredValue | undefined;
  #isReset = false;
  /** The last value of a counter other than zero; NaN if unknown. */
  #lastNonZero = NaN;
  /** The end of the bucket with the newest record. */
  #endMs = -Infinity;
  /** The integral of that bucket, and its start. */
  #integral = 0;
  #sinceMs = NaN;
  #keptValue: StoredValue | undefined;

  constructor(
    span: BucketSpan | undefined,
    { keepsLast, startValue }: { keepsLast: boolean; startValue: StoredValue | undefined },
  ) {
    this.#span = span;
    this.#keepsLast = keepsLast;
    this.#value = startValue;
    this.#keptValue = startValue;
  }

  add(atMs: number, value: StoredValue): void {
    if (this.#span !== undefined) {
      if (this.#keepsLast) this.#addLast(this.#span, atMs, value);
      else this.#addAverage(this.#span, atMs);
    }
    this.#atMs = atMs;
    this.#value = value;
  }

  /**
   * Returns the kept records. `isFollowed`: a record at the end follows; otherwise the value at the end is
   * kept.
   */
  finish(endMs: number, isFollowed: boolean): RecordRun {
    if (this.#span !== undefined && !Number.isNaN(this.#atMs)) {
      if (this.#keepsLast) this.#keep(this.#atMs, this.#value as StoredValue);
      else this.#finishBucket(isFollowed ? endMs : Infinity);
    }
    if (this.#span === undefined && !isFollowed && this.#value !== undefined) this.#keep(endMs, this.#value);
    return this.#run;
  }

  /**
   * Keeps the previous record if it is the last of its bucket, the first of the series, or next to a reset.
   */
  #addLast(span: BucketSpan, atMs: number, value: StoredValue): void {
    const before = this.#value;
    const isReset = typeof value === 'number' && this.#isResetAt(before, value);
    if (typeof value === 'number' && value !== 0) this.#lastNonZero = value;
    if (atMs >= this.#endMs) this.#endMs = nextBucketStart(span, bucketStart(span, atMs));
    else if (!isReset && !this.#isReset && !this.#isFirst()) return void (this.#isReset = isReset);
    if (!Number.isNaN(this.#atMs)) this.#keep(this.#atMs, before as StoredValue);
    this.#isReset = isReset;
  }

  /** Whether the counter was reset; a zero in between, which may be ignored, makes no difference. */
  #isResetAt(before: StoredValue | undefined, value: number): boolean {
    if (typeof before !== 'number') return false;
    return value < before || (before === 0 && value !== 0 && !(value >= this.#lastNonZero));
  }

  #isFirst(): boolean {
    return this.#run.times.length === 0 && this.#keptValue === undefined;
  }

  #addAverage(span: BucketSpan, atMs: number): void {
    if (atMs >= this.#endMs) {
      const startMs = bucketStart(span, atMs);
      if (!Number.isNaN(this.#atMs)) this.#finishBucket(startMs);
      this.#endMs = nextBucketStart(span, startMs);
      this.#integral = 0;
      this.#sinceMs = this.#value === undefined ? atMs : startMs;
      if (this.#value !== undefined) this.#integral = Number(this.#value) * (atMs - startMs);
    } else this.#integral += Number(this.#value) * (atMs - this.#atMs);
  }

  /** Ends a bucket: keeps its average, and the last value if the next bucket with records starts later. */
  #finishBucket(nextMs: number): void {
    const endMs = this.#endMs;
    const integral = this.#integral + Number(this.#value) * (endMs - this.#atMs);
    this.#keepIfChanged(this.#sinceMs, integral / (endMs - this.#sinceMs));
    if (nextMs > endMs) this.#keepIfChanged(endMs, this.#value as StoredValue);
  }

  #keepIfChanged(atMs: number, value: StoredValue): void {
    if (value !== this.#keptValue) this.#keep(atMs, value);
  }

  #keep(atMs: number, value: StoredValue): void {
    this.#run.times.push(atMs);
    this.#run.values.push(value);
    this.#run.marks.push(0);
    this.#keptValue = value;
  }
}
