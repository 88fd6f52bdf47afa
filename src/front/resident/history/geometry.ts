import type { ChartDataset } from '../../../client/generated/records.js';

/** Values as heights of a drawing. */
export interface Scale {
  readonly minimum: number;
  readonly maximum: number;
  readonly y: (value: number) => number;
}

interface Heights {
  readonly top: number;
  readonly bottom: number;
  readonly height: number;
}

/**
 * Values that differ by less than this part of their size are one value: the texts of the axis have 12 digits.
 * Sums of a float differ in the last of its 16.
 */
const RESOLUTION = 1e-10;
/** A scale of one value contains this part of its size below and above it. */
const MARGIN = 1e-6;
/** More ticks than a scale has by its step. */
const TICK_LIMIT = 20;

/** A scale that contains all values of the datasets, and 0 for bars. */
export function scaleOf(datasets: readonly ChartDataset[], { top, bottom, height }: Heights): Scale {
  let minimum = Infinity;
  let maximum = -Infinity;
  for (const { Points, Kind } of datasets)
    for (const { Value, Min, Max } of Points) {
      minimum = Math.min(minimum, Kind === 'line' ? Min : Kind === 'bar' ? Math.min(0, Value) : Value);
      maximum = Math.max(maximum, Kind === 'line' ? Max : Value);
    }
  if (!Number.isFinite(minimum)) [minimum, maximum] = [0, 1];
  const size = Math.max(Math.abs(minimum), Math.abs(maximum));
  if (maximum - minimum <= RESOLUTION * size) {
    const margin = Math.max(1, size * MARGIN);
    if (datasets.some(({ Kind }) => Kind === 'line'))
      [minimum, maximum] = [minimum - margin, maximum + margin];
    // Below 0 and above 1 a boolean has no values.
    else if (minimum > 0) minimum = Math.max(0, minimum - 1);
    else maximum += 1;
  }
  const pixels = height - top - bottom;
  const y = (value: number) => top + (1 - (value - minimum) / (maximum - minimum)) * pixels;
  return { minimum, maximum, y };
}

/** About five round values within a scale. */
export function ticksOf({ minimum, maximum }: Scale, isInteger: boolean): number[] {
  const rough = (maximum - minimum) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10;
  const step = Math.max(factor * power, isInteger ? 1 : 0);
  const ticks: number[] = [];
  const first = Math.ceil(minimum / step - 1e-9);
  for (let n = 0; n < TICK_LIMIT && (first + n) * step <= maximum + step * 1e-9; n++)
    ticks.push(Number(((first + n) * step).toPrecision(12)));
  return ticks;
}

/** A dataset with the period that is shown: one with an offset has an earlier period, which is drawn over it. */
export function unshifted(datasets: readonly ChartDataset[]): ChartDataset | undefined {
  return datasets.reduce<ChartDataset | undefined>(
    (latest, one) => (latest === undefined || one.StartTime > latest.StartTime ? one : latest),
    undefined,
  );
}

/** The part of a drawing that has curves. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly width: number;
}

/**
 * Times of a dataset as places between the edges of the box. `shown` has the period that is shown; the period of
 * `dataset` begins at the same edge, and may be longer.
 */
export function timeScale(shown: ChartDataset, { left, right, width }: Box, { StartTime } = shown) {
  const length = shown.EndTime - shown.StartTime;
  return (seconds: number) =>
    left + Math.max(0, Math.min(1, (seconds - StartTime) / length)) * (width - left - right);
}

/** Times at the axis, evenly spread, without the two ends. */
export function timeTicksOf({ StartTime, EndTime }: ChartDataset, count: number): number[] {
  return Array.from({ length: count - 1 }, (_, n) => StartTime + ((EndTime - StartTime) * (n + 1)) / count);
}

/** A line is interrupted where more than this many intervals are missing. */
const GAP = 2.5;

/** The curve: a line through averages, steps between changes, or bars of increases. */
export function pathOf(
  { Points, Kind, EndTime }: ChartDataset,
  x: (s: number) => number,
  { y, minimum }: Scale,
): string {
  const at = (seconds: number, value: number) => `${x(seconds).toFixed(1)} ${y(value).toFixed(1)}`;
  if (Kind === 'bar')
    return Points.map(({ TimeStamp, Value, Duration }) => {
      const end = TimeStamp + Math.max(Duration, 1) * 0.8;
      const base = Math.max(0, minimum);
      return `M${at(TimeStamp, base)}L${at(TimeStamp, Value)}L${at(end, Value)}L${at(end, base)}Z`;
    }).join('');
  let path = '';
  const interval = intervalOf(Points);
  for (const [index, { TimeStamp, Value, Duration }] of Points.entries()) {
    const before = Points[index - 1];
    if (Kind === 'step') {
      path += index === 0 ? `M${at(TimeStamp, Value)}` : `V${y(Value).toFixed(1)}`;
      path += `H${x(Math.min(EndTime, TimeStamp + Duration)).toFixed(1)}`;
    } else {
      const after = Points[index + 1];
      const isGap = before === undefined || TimeStamp - before.TimeStamp > interval * GAP;
      path += `${isGap ? 'M' : 'L'}${at(TimeStamp, Value)}`;
      // A single point is a ring; a line of no length would be a dot of its width.
      if (isGap && (after === undefined || after.TimeStamp - TimeStamp > interval * GAP))
        path += 'm-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0';
    }
  }
  return path;
}

/** The shortest distance of two points, seconds. */
function intervalOf(points: ChartDataset['Points']): number {
  let shortest = Infinity;
  for (const [index, { TimeStamp }] of points.entries())
    if (index > 0) shortest = Math.min(shortest, TimeStamp - (points[index - 1]?.TimeStamp ?? 0));
  return Number.isFinite(shortest) ? shortest : 1;
}
