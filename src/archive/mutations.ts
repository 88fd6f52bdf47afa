import type { Chunk } from './chunks.js';
import { emptyRun, type RecordRun } from './codec.js';
import { seriesOf, type ArchiveFile } from './archive-file.js';
import type { ArchiveRequests } from './worker-protocol.js';
import { bootId } from './recovery.js';
import { appendRun, filterRun } from './record-runs.js';

/** Chunks per step: the worker has other requests to serve. */
const STEP = 500;
/**
 * Chunks whose times are corrected together: 51,200 records, 5 MB while they are sorted; and the characters of their
 * texts after which no further chunk is taken.
 */
const CORRECTION_STEP = 200;
const CORRECTION_TEXT = 4 * 1024 * 1024;

/** Deletes a variable's records between two times, both included. Returns their number. */
export function deleteRecords(
  file: ArchiveFile,
  { variableId, fromMs, toMs }: ArchiveRequests['delete']['request'],
): ArchiveRequests['delete']['reply'] {
  let count = 0;
  file.transaction(() => {
    file.settle();
    for (const series of seriesPair(variableId)) {
      for (const chunk of chunksWithin(file, series, { fromMs, toMs })) {
        const run = file.chunks.records(chunk);
        const kept = filterRun(
          run,
          (n) => (run.times[n] as number) < fromMs || (run.times[n] as number) > toMs,
        );
        count += run.times.length - kept.times.length;
        if (kept.times.length === 0) file.chunks.remove(chunk);
        else if (kept.times.length < run.times.length) file.chunks.replace(series, chunk, kept);
      }
      if (file.chunks.after(series, -1) === undefined)
        file.chunks.statement('DELETE FROM compacted WHERE series = ?').run(series);
    }
    file.clearCache();
  });
  return { count };
}

/** Moves the records of a variable to another one; a moved record replaces one of the same time. */
export function moveRecords(
  file: ArchiveFile,
  { variableId, toId }: ArchiveRequests['move']['request'],
): object {
  file.transaction(() => {
    file.settle();
    const to = seriesPair(toId);
    for (const [n, series] of seriesPair(variableId).entries()) {
      const target = to[n] as number;
      if (file.chunks.after(target, -1) === undefined) file.chunks.move(series, target);
      for (const chunk of file.chunks.upwards(series, -1, Infinity)) {
        file.put(target, file.chunks.records(chunk));
        file.chunks.remove(chunk);
      }
      file.chunks.statement('DELETE FROM compacted WHERE series IN (?, ?)').run(series, target);
    }
    file.settle();
  });
  return {};
}

/** Corrects the times of records from untrusted clocks since the machine was booted. */
export function correctTimes(
  file: ArchiveFile,
  { offsetMs }: ArchiveRequests['correctTimes']['request'],
): ArchiveRequests['correctTimes']['reply'] {
  let count = 0;
  file.transaction(() => {
    file.settle();
    const { chunks } = file;
    const clocks = chunks
      .statement<readonly [number, number]>('SELECT mark, offset FROM untrusted WHERE boot = ?')
      .all(bootId());
    const shifts = new Map(clocks.map(([mark, untrustedMs]) => [mark, offsetMs - untrustedMs]));
    const marked = chunks
      .statement<readonly [number, number]>(
        'SELECT series, min(t0) FROM chunks INDEXED BY chunks_marked WHERE marked = 1 GROUP BY series',
      )
      .all();
    // In steps, because all records can exceed the memory of the worker. From new to old: corrected records can
    // get into chunks with ones that are not corrected yet, which start before those taken so far.
    for (const [series, oldestMs] of marked) {
      const fromMs = oldestMs + Math.min(0, ...shifts.values());
      for (let step = { untilMs: Infinity, run: emptyRun() }; step.untilMs > fromMs;) {
        step = takeCorrectable(file, { series, fromMs, untilMs: step.untilMs, shifts });
        count += step.run.times.length;
        file.put(series, moveToFreeTimes(file, series, correctRun(step.run, shifts)));
      }
    }
    chunks.statement('DELETE FROM untrusted WHERE boot = ?').run(bootId());
  });
  return { count };
}

/**
 * Removes the records that can be corrected from the newest chunks that start in a range, its end excluded.
 * Returns them, and as `untilMs` the end of the range that is left.
 */
function takeCorrectable(
  file: ArchiveFile,
  {
    series,
    fromMs,
    untilMs,
    shifts,
  }: { series: number; fromMs: number; untilMs: number; shifts: ReadonlyMap<number, number> },
): { run: RecordRun; untilMs: number } {
  const { chunks } = file;
  const rows = chunks
    .statement<readonly [number, number]>(
      'SELECT number, t0 FROM chunks INDEXED BY chunks_marked WHERE series = ? AND t0 >= ? AND t0 < ? AND marked = 1 ORDER BY t0 DESC LIMIT ?',
    )
    .all(series, fromMs, untilMs, CORRECTION_STEP);
  const all = emptyRun();
  let isCut = rows.length === CORRECTION_STEP;
  let lastMs = fromMs;
  let characters = 0;
  // Collected first: putting records back may change chunks that were not read yet.
  for (const [number, t0] of rows) {
    lastMs = t0;
    const run = chunks.records({ number });
    const isCorrectable = (n: number) => shifts.has(run.marks[n] as number);
    const correctable = filterRun(run, isCorrectable);
    if (correctable.times.length === 0) continue;
    const others = filterRun(run, (n) => !isCorrectable(n));
    chunks.replace(series, { number }, others);
    appendRun(all, correctable);
    for (const value of correctable.values) if (typeof value === 'string') characters += value.length;
    isCut ||= characters >= CORRECTION_TEXT;
    if (characters >= CORRECTION_TEXT) break;
  }
  file.clearCache();
  return { run: all, untilMs: isCut ? lastMs : fromMs };
}

/** Rebuilds the summaries of some chunks from their records. */
export function rebuildSummaries(
  file: ArchiveFile,
  { variableId, after }: ArchiveRequests['rebuildSummaries']['request'],
): ArchiveRequests['rebuildSummaries']['reply'] {
  return file.transaction(() => {
    if (after === 0) file.settle();
    const { chunks } = file;
    const series = seriesOf(variableId, false);
    const rows = chunks
      .statement<readonly [number]>(
        'SELECT number FROM chunks WHERE series = ? AND number > ? ORDER BY number LIMIT ?',
      )
      .all(series, after, STEP);
    const numbers = rows.map(([number]) => number);
    for (const number of numbers) chunks.rebuildSummary({ number });
    const step = { next: numbers.length === STEP ? numbers.at(-1) : undefined, count: numbers.length };
    if (after !== 0) return step;
    const all = chunks.statement<readonly [number]>('SELECT count(*) FROM chunks WHERE series = ?');
    return { ...step, total: all.all(series)[0]?.[0] ?? 0 };
  });
}

const seriesPair = (id: number): readonly [number, number] => [seriesOf(id, false), seriesOf(id, true)];

/** The chunks with records between two times. */
function chunksWithin(
  file: ArchiveFile,
  series: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): IteratorObject<Chunk> {
  const first = file.chunks.at(series, fromMs)?.firstMs ?? fromMs;
  return file.chunks.upwards(series, first, toMs).filter(({ lastMs }) => lastMs >= fromMs);
}

/** The records with corrected times, ascending; several may have the same time. */
function correctRun(run: RecordRun, shifts: ReadonlyMap<number, number>): RecordRun {
  const times = run.times.map((time, n) => Math.max(0, time + (shifts.get(run.marks[n] as number) ?? 0)));
  const order = times.map((_, n) => n).sort((a, b) => (times[a] as number) - (times[b] as number) || a - b);
  return {
    times: order.map((n) => times[n] as number),
    values: order.map((n) => run.values[n] as number | string),
    marks: order.map(() => 0),
  };
}

/**
 * Moves each record whose time is taken to the next free millisecond, because a series has one record per
 * millisecond and none must be lost.
 */
function moveToFreeTimes(file: ArchiveFile, series: number, run: RecordRun): RecordRun {
  const [fromMs = 0, lastMs = 0] = [run.times[0], run.times.at(-1)];
  for (let toMs = lastMs; ;) {
    const taken = new Set(file.head(series).times);
    for (const chunk of chunksWithin(file, series, { fromMs, toMs }))
      for (const time of file.chunks.records(chunk).times) taken.add(time);
    let before = -1;
    const times = run.times.map((time) => {
      before = Math.max(time, before + 1);
      while (taken.has(before)) before++;
      return before;
    });
    if (before <= toMs) return { ...run, times };
    // The last record moved beyond the times that were read, where there may be other records.
    toMs = before;
  }
}
