import { AGGREGATED_FIELDS, CounterAggregation, GaugeAggregation, type Aggregation } from './aggregate.js';
import { aggregationSpan, bucketEdges, bucketStart } from './buckets.js';
import type { Chunk } from './chunks.js';
import { emptyRun, type RecordRun, type StoredValue } from './codec.js';
import { seriesOf, type ArchiveFile } from './archive-file.js';
import type { AggregationRange, RecordPage, RecordRange, LoggedRows } from './worker-protocol.js';
import { MAX_ROWS } from './port.js';
import { copyRecord, indexAt } from './record-runs.js';
import { riseOf } from './summary.js';

/**
 * Maximum number of characters of texts in one reply; beyond that, fewer records than requested are returned.
 */
const MAX_REPLY_TEXT = 16 * 1024 * 1024;

/** Reads a variable's records, newest first. */
export function queryLogged(file: ArchiveFile, range: RecordRange): LoggedRows {
  const { isText, fromMs, toMs, limit, nowMs, waiting } = range;
  const series = seriesOf(range.id, isText);
  const head = file.head(series, waiting);
  const [times, durations, values]: [number[], number[], StoredValue[]] = [[], [], []];
  const following = file.chunks.after(series, toMs)?.firstMs ?? head.times[indexAt(head, toMs + 1)];
  let nextMs = following ?? nowMs;
  let characters = 0;
  for (const run of runsDown(file, { series, head, toMs })) {
    for (let n = run.times.length - 1; n >= 0; n--) {
      const atMs = run.times[n] as number;
      if (atMs < fromMs || times.length >= limit || characters > MAX_REPLY_TEXT)
        return rowsOf({ times, durations, values }, isText);
      if (atMs <= toMs) {
        const value = run.values[n] as StoredValue;
        if (typeof value === 'string') characters += value.length;
        times.push(atMs);
        durations.push(Math.max(0, nextMs - atMs));
        values.push(value);
      }
      nextMs = atMs;
    }
  }
  return rowsOf({ times, durations, values }, isText);
}

/** Reads a variable's records as stored, oldest first. */
export function queryRecords(
  file: ArchiveFile,
  { id, isText, fromMs, toMs, limit, waiting }: RecordRange,
): RecordPage {
  const series = seriesOf(id, isText);
  const page = emptyRun();
  let characters = 0;
  for (const run of runsUp(file, { series, head: file.head(series, waiting), fromMs, toMs }))
    for (let n = indexAt(run, fromMs); n < run.times.length && (run.times[n] as number) <= toMs; n++) {
      if (page.times.length >= limit || characters > MAX_REPLY_TEXT) return { run: page, more: true };
      const value = run.values[n];
      if (typeof value === 'string') characters += value.length;
      copyRecord(run, n, page);
    }
  return { run: page, more: false };
}

/** Aggregates a variable's records of numbers; newest first, {@link AGGREGATED_FIELDS} numbers each. */
export function queryAggregated(file: ArchiveFile, range: AggregationRange): Float64Array {
  if (range.span === aggregationSpan.changes) return changes(file, range);
  const { span, fromMs, toMs, nowMs, limit, waiting } = range;
  const series = seriesOf(range.id, false);
  const head = file.head(series, waiting);
  const oldestMs = file.chunks.after(series, -1)?.firstMs ?? head.times[0];
  if (oldestMs === undefined) return new Float64Array();
  const from = Math.max(fromMs, bucketStart(span, oldestMs));
  const edges = bucketEdges(span, { fromMs: from, toMs, nowMs, limit });
  const [startMs, endMs] = [edges[0], edges.at(-1)];
  if (startMs === undefined || endMs === undefined) return new Float64Array();
  const untilMs = Math.min(endMs, nowMs);
  const aggregation = range.counter
    ? new CounterAggregation(edges, range.ignoreZeros)
    : new GaugeAggregation(edges);
  const firstMs = startChunk(file, series, { ...range, fromMs: startMs })?.firstMs ?? startMs;
  for (const chunk of file.chunks.upwards(series, firstMs, untilMs)) {
    const { summary, lastMs } = chunk;
    if (summary !== undefined && lastMs < untilMs && aggregation.takeChunk(chunk.firstMs, lastMs, summary))
      continue;
    addAll(aggregation, file.chunks.records(chunk), untilMs);
  }
  addAll(aggregation, head, untilMs);
  return aggregation.finish(untilMs);
}

/** The chunk with the value at the start; a counter that ignores zeros skips chunks of zeros only. */
function startChunk(
  file: ArchiveFile,
  series: number,
  { fromMs, counter, ignoreZeros }: AggregationRange,
): Chunk | undefined {
  // The rise to a counter's record at the start counts: it is from the value before.
  let chunk = file.chunks.at(series, counter ? fromMs - 1 : fromMs);
  while (counter && ignoreZeros && chunk?.summary?.last === 0 && !(chunk.summary.max > 0)) {
    const before = file.chunks.at(series, chunk.firstMs - 1);
    if (before === undefined) break;
    chunk = before;
  }
  return chunk;
}

function addAll(aggregation: Aggregation, { times, values }: RecordRun, untilMs: number): void {
  for (let n = 0; n < times.length; n++) {
    const atMs = times[n] as number;
    if (atMs >= untilMs) return;
    aggregation.add(atMs, values[n] as number);
  }
}

/** Returns each record that lasted completely between the two times; for a counter, its increase. */
function changes(file: ArchiveFile, range: AggregationRange): Float64Array {
  const { counter, ignoreZeros, toMs, limit } = range;
  const fields: number[] = [];
  // The newest record may not have ended, and the oldest one gives a counter's value before.
  let page: RecordRange = { ...range, limit: limit + 2 };
  for (;;) {
    const rows = queryLogged(file, page);
    for (let n = 0; n < rows.times.length && fields.length < limit * AGGREGATED_FIELDS; n++) {
      const [atMs, durationMs] = [rows.times[n] as number, rows.durations[n] as number];
      const value = rows.values[n] as number;
      if (atMs + durationMs > toMs + 1000 || (counter && ignoreZeros && value === 0)) continue;
      const amount = counter ? riseOf(valueBefore(file, range, [rows, n]) ?? value, value) : value;
      fields.push(atMs, durationMs, amount, amount, atMs, amount, atMs);
    }
    const oldestMs = rows.times.at(-1);
    const isEnd = oldestMs === undefined || rows.times.length < page.limit;
    if (isEnd || fields.length >= limit * AGGREGATED_FIELDS) return Float64Array.from(fields);
    // Ignored zeros have filled the page; there may be many more.
    page = { ...range, toMs: oldestMs - 1, limit: MAX_ROWS };
  }
}

/** A counter's value before the n-th newest record. */
function valueBefore(
  file: ArchiveFile,
  range: AggregationRange,
  [rows, n]: readonly [LoggedRows, number],
): number | undefined {
  for (let before = n + 1; before < rows.times.length; before++) {
    const value = rows.values[before] as number;
    if (!range.ignoreZeros || value !== 0) return value;
  }
  const oldestMs = rows.times.at(-1) as number;
  const series = seriesOf(range.id, false);
  const head = file.head(series, range.waiting);
  for (const run of runsDown(file, { series, head, toMs: oldestMs - 1 }))
    for (let at = run.times.length - 1; at >= 0; at--) {
      const value = run.values[at] as number;
      if ((run.times[at] as number) < oldestMs && (!range.ignoreZeros || value !== 0)) return value;
    }
  return undefined;
}

/** Runs with records between two times, oldest first. */
function* runsUp(
  file: ArchiveFile,
  { series, head, fromMs, toMs }: { series: number; head: RecordRun; fromMs: number; toMs: number },
): Generator<RecordRun> {
  const beginMs = file.chunks.at(series, fromMs)?.firstMs ?? fromMs;
  for (const chunk of file.chunks.upwards(series, beginMs, toMs)) yield file.chunks.records(chunk);
  yield head;
}

/** Runs that start at or before a time, newest first; each is ascending. */
function* runsDown(
  file: ArchiveFile,
  { series, head, toMs }: { series: number; head: RecordRun; toMs: number },
): Generator<RecordRun> {
  if ((head.times[0] ?? Infinity) <= toMs) yield head;
  for (const chunk of file.chunks.downwards(series, toMs)) yield file.chunks.records(chunk);
}

function rowsOf(
  { times, durations, values }: { times: number[]; durations: number[]; values: StoredValue[] },
  isText: boolean,
): LoggedRows {
  return {
    times: Float64Array.from(times),
    durations: Float64Array.from(durations),
    values: isText ? values : Float64Array.from(values as number[]),
  };
}
