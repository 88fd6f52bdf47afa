/** Aggregation spans (interface §1). */
export const aggregationSpan = {
  hour: 0,
  day: 1,
  week: 2,
  month: 3,
  year: 4,
  fiveMinutes: 5,
  minute: 6,
  changes: 7,
  quarterHour: 8,
} as const;

/** Spans that divide time into buckets; `changes` does not. */
export type BucketSpan = Exclude<
  (typeof aggregationSpan)[keyof typeof aggregationSpan],
  typeof aggregationSpan.changes
>;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The start of the bucket of local time that contains a time; unix milliseconds. */
export function bucketStart(span: BucketSpan, ms: number): number {
  const date = new Date(ms);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  switch (span) {
    case aggregationSpan.minute:
      return floorTo(MINUTE_MS, date);
    case aggregationSpan.fiveMinutes:
      return floorTo(5 * MINUTE_MS, date);
    case aggregationSpan.quarterHour:
      return floorTo(15 * MINUTE_MS, date);
    case aggregationSpan.hour:
      return floorTo(HOUR_MS, date);
    case aggregationSpan.day:
      return new Date(year, month, day).getTime();
    case aggregationSpan.week:
      return new Date(year, month, day - ((date.getDay() + 6) % 7)).getTime();
    case aggregationSpan.month:
      return new Date(year, month, 1).getTime();
    case aggregationSpan.year:
      return new Date(year, 0, 1).getTime();
  }
}

/** The start of the bucket after the one that starts at `startMs`. */
export function nextBucketStart(span: BucketSpan, startMs: number): number {
  const date = new Date(startMs);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  switch (span) {
    case aggregationSpan.minute:
      return later(span, startMs, MINUTE_MS);
    case aggregationSpan.fiveMinutes:
      return later(span, startMs, 5 * MINUTE_MS);
    case aggregationSpan.quarterHour:
      return later(span, startMs, 15 * MINUTE_MS);
    case aggregationSpan.hour:
      return later(span, startMs, HOUR_MS);
    case aggregationSpan.day:
      return new Date(year, month, day + 1).getTime();
    case aggregationSpan.week:
      return new Date(year, month, day + 7).getTime();
    case aggregationSpan.month:
      return new Date(year, month + 1, 1).getTime();
    case aggregationSpan.year:
      return new Date(year + 1, 0, 1).getTime();
  }
}

/**
 * The edges of the newest buckets that are completely between two times, at most `limit` buckets, ascending,
 * including the end of the last one. The bucket that contains `nowMs` counts as complete. Empty if there is
 * no bucket.
 */
export function bucketEdges(
  span: BucketSpan,
  { fromMs, toMs, nowMs, limit }: { fromMs: number; toMs: number; nowMs: number; limit: number },
): number[] {
  const last = bucketStart(span, Math.min(toMs, nowMs));
  const end = nextBucketStart(span, last);
  // Times are integer seconds: a bucket ends with its last second.
  const isComplete = Math.floor((Math.min(end, nowMs + 1000) - 1000) / 1000) <= Math.floor(toMs / 1000);
  const edges = isComplete ? [end, last] : [last];
  while (edges.length <= limit) {
    const start = bucketStart(span, (edges.at(-1) as number) - 1);
    if (start < fromMs) break;
    edges.push(start);
  }
  while (edges.length > 1 && (edges.at(-1) as number) < fromMs) edges.pop();
  return edges.length > 1 ? edges.reverse() : [];
}

/** Rounds down in local time, whose offset is a multiple of a minute. */
function floorTo(spanMs: number, date: Date): number {
  const ms = date.getTime();
  const localMs = ms - date.getTimezoneOffset() * MINUTE_MS;
  return ms - (((localMs % spanMs) + spanMs) % spanMs);
}

/** If the offset from UTC changes by half an hour, the next hour starts by the new offset. */
function later(span: BucketSpan, startMs: number, spanMs: number): number {
  const next = bucketStart(span, startMs + spanMs);
  return next > startMs ? next : startMs + spanMs;
}
