import { aggregationSpan } from '../../../src/archive/buckets.js';
import type { AggregationRange } from '../../../src/archive/worker-protocol.js';

/** A record as it was written. */
export interface GivenRecord {
  readonly atMs: number;
  readonly value: number;
}

const MINUTE_MS = 60_000;

/** The name of the period of a minute; two hours of the same name differ by the UTC offset. */
function nameOf(span: AggregationRange['span'], ms: number): string {
  const date = new Date(ms);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].join('-');
  const offset = date.getTimezoneOffset();
  switch (span) {
    case aggregationSpan.minute:
      return `${day} ${date.getHours()}:${date.getMinutes()} ${offset}`;
    case aggregationSpan.fiveMinutes:
      return `${day} ${date.getHours()}:${Math.floor(date.getMinutes() / 5)} ${offset}`;
    case aggregationSpan.quarterHour:
      return `${day} ${date.getHours()}:${Math.floor(date.getMinutes() / 15)} quarter ${offset}`;
    case aggregationSpan.hour:
      return `${day} ${date.getHours()} ${offset}`;
    case aggregationSpan.day:
      return day;
    case aggregationSpan.week: {
      // Its Monday, determined at noon, when the UTC offset never changes.
      const noon = new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12);
      while (noon.getDay() !== 1) noon.setDate(noon.getDate() - 1);
      return noon.toDateString();
    }
    case aggregationSpan.month:
      return `${date.getFullYear()}-${date.getMonth() + 1}`;
    default:
      return `${date.getFullYear()}`;
  }
}

/** The periods between two hours, minute by minute; hour by hour if they are longer than that. */
function piecesOf(
  span: AggregationRange['span'],
  fromMs: number,
  toMs: number,
): [startMs: number, endMs: number][] {
  const pieces: [number, number][] = [];
  const short: readonly number[] = [
    aggregationSpan.minute,
    aggregationSpan.fiveMinutes,
    aggregationSpan.quarterHour,
  ];
  const isShort = short.includes(span);
  const stepMs = isShort ? MINUTE_MS : 60 * MINUTE_MS;
  let [startMs, name] = [fromMs, nameOf(span, fromMs)];
  for (let ms = fromMs; ms <= toMs; ms += stepMs) {
    const other = nameOf(span, ms);
    if (other === name) continue;
    pieces.push([startMs, ms]);
    [startMs, name] = [ms, other];
  }
  pieces.push([startMs, Infinity]);
  return pieces;
}

/**
 * The expected result of {@link aggregated}, calculated in the simplest way: each period checks each record.
 * Oldest first.
 */
export function referenceAggregation(
  all: readonly GivenRecord[],
  { span, fromMs, toMs, nowMs, limit, counter, ignoreZeros }: AggregationRange,
): number[][] {
  const given = [...all].sort((a, b) => a.atMs - b.atMs);
  const [first] = given;
  if (first === undefined) return [];
  // Early enough that the first period is complete.
  const marginMs = (span === aggregationSpan.year ? 370 : 32) * 24 * 60 * MINUTE_MS;
  const beginMs = Math.floor((first.atMs - marginMs) / (60 * MINUTE_MS)) * 60 * MINUTE_MS;
  const pieces = piecesOf(span, beginMs, nowMs).map(([start, end]) => [start, Math.min(end, nowMs)] as const);
  const expected = pieces.filter(([start, end]) => {
    const lastS = end === nowMs ? Math.floor(nowMs / 1000) : end / 1000 - 1;
    return start >= fromMs && lastS <= Math.floor(toMs / 1000);
  });
  // Periods without a record before them are the oldest.
  const made = expected
    .slice(-limit)
    .map((piece) => (counter ? counted(given, piece, ignoreZeros) : averaged(given, piece)));
  return made.filter((one) => one !== undefined);
}

function averaged(
  given: readonly GivenRecord[],
  [start, end]: readonly [number, number],
): number[] | undefined {
  let [sum, covered] = [0, 0];
  let [min, minMs, max, maxMs] = [Infinity, 0, -Infinity, 0];
  for (const [n, { atMs, value }] of given.entries()) {
    const from = Math.max(atMs, start);
    const to = Math.min(given[n + 1]?.atMs ?? Infinity, end);
    if (to <= from) continue;
    sum += value * (to - from);
    covered += to - from;
    if (value < min) [min, minMs] = [value, from];
    if (value > max) [max, maxMs] = [value, from];
  }
  return covered === 0 ? undefined : [start, covered, sum / covered, min, minMs, max, maxMs];
}

function counted(
  all: readonly GivenRecord[],
  [start, end]: readonly [number, number],
  ignoreZeros: boolean,
): number[] | undefined {
  const given = all.filter(({ value }) => !ignoreZeros || value !== 0);
  const first = given[0]?.atMs ?? Infinity;
  if (end - Math.max(start, first) <= 0) return undefined;
  const rises: [number, number][] = [];
  for (let n = 1; n < given.length; n++) {
    const [before, now] = [given[n - 1], given[n]];
    if (before === undefined || now === undefined || now.atMs < start || now.atMs >= end) continue;
    rises.push([riseFrom(before.value, now.value), now.atMs]);
  }
  const sum = rises.reduce((total, [rise]) => total + rise, 0);
  const [least, most] = [rises.map(([rise]) => rise), rises].map((list) => list) as [
    number[],
    [number, number][],
  ];
  if (least.length === 0) return [start, end - Math.max(start, first), 0, 0, start, 0, start];
  const [min, max] = [Math.min(...least), Math.max(...least)];
  const when = (expected: number) => most.find(([rise]) => rise === expected)?.[1] ?? 0;
  return [start, end - Math.max(start, first), sum, min, when(min), max, when(max)];
}

/**
 * A decreasing meter has restarted, unless it can have wrapped within a sixteenth of its register, or has lost
 * less than a tenth.
 */
function riseFrom(before: number, now: number): number {
  if (now >= before) return now - before;
  const isWhole = before % 1 === 0 && now % 1 === 0;
  for (const size of [65_536, 4_294_967_296]) {
    const rise = size - before + now;
    if (isWhole && before < size && rise <= size / 16) return rise;
  }
  return now / before > 0.9 ? 0 : now;
}
