import { emptyRun, type RecordRun } from './codec.js';

/** The index of the first record at or after a time. */
export function indexAt({ times }: Pick<RecordRun, 'times'>, timeMs: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Part of a run, from one index up to, not including, another. */
export function sliceRun({ times, values, marks }: RecordRun, from: number, to?: number): RecordRun {
  return { times: times.slice(from, to), values: values.slice(from, to), marks: marks.slice(from, to) };
}

/** Adds records of `from` to the end of `to`. */
export function appendRun(to: RecordRun, from: RecordRun): void {
  for (let n = 0; n < from.times.length; n++) copyRecord(from, n, to);
}

/** Merges two runs; of records with the same time, the newer run's is kept. */
export function mergeRuns(older: RecordRun, newer: RecordRun): RecordRun {
  if ((older.times.at(-1) ?? -1) < (newer.times[0] ?? Infinity)) {
    const all = sliceRun(older, 0);
    appendRun(all, newer);
    return all;
  }
  const all = emptyRun();
  let at = 0;
  for (let n = 0; n < newer.times.length; n++) {
    const time = newer.times[n] as number;
    while (at < older.times.length && (older.times[at] as number) < time) copyRecord(older, at++, all);
    if (older.times[at] === time) at++;
    copyRecord(newer, n, all);
  }
  while (at < older.times.length) copyRecord(older, at++, all);
  return all;
}

/** The records whose index `isIncluded` accepts. */
export function filterRun(run: RecordRun, isIncluded: (index: number) => boolean): RecordRun {
  const included = emptyRun();
  for (let n = 0; n < run.times.length; n++) if (isIncluded(n)) copyRecord(run, n, included);
  return included;
}

/** Sorts records by time; of several with the same time the last one is kept. */
export function sortRun(run: RecordRun): RecordRun {
  if (isAscending(run.times)) return run;
  const order = run.times
    .map((_, n) => n)
    .sort((a, b) => (run.times[a] as number) - (run.times[b] as number) || a - b);
  const all = emptyRun();
  for (const [place, n] of order.entries()) {
    const next = order[place + 1];
    if (next === undefined || run.times[next] !== run.times[n]) copyRecord(run, n, all);
  }
  return all;
}

function isAscending(times: readonly number[]): boolean {
  for (let n = 1; n < times.length; n++) if ((times[n] as number) <= (times[n - 1] as number)) return false;
  return true;
}

/** Adds one record of a run to the end of another. */
export function copyRecord(from: RecordRun, index: number, to: RecordRun): void {
  to.times.push(from.times[index] as number);
  to.values.push(from.values[index] as number | string);
  to.marks.push(from.marks[index] as number);
}
