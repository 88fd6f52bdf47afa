import { fault } from '../../base/fault.js';

/** The time span that a chart shows (interface §1, `{ts}`). */
export const chartSpan = { hour: 0, day: 1, week: 2, month: 3, year: 4, decade: 5 } as const;
export type ChartSpan = (typeof chartSpan)[keyof typeof chartSpan];

/** The span over which values are aggregated (interface §1, `{span}`). */
export type AggregationSpan = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
/** No aggregation: every change. */
export const EVERY_CHANGE = 7;

/** A period of time, unix seconds; the end is exclusive. */
export interface Period {
  readonly startS: number;
  readonly endS: number;
}

/** The year 9999; `Date` arithmetic stays valid up to here. */
const TIME_LIMIT_S = 253_370_764_800;

/**
 * The period of a chart that starts at `startS`, in local time, so that a day can have 23 or 25 hours. 0
 * selects the period that contains `nowS`. Throws `PARAMETER_BOUNDS`.
 */
export function periodOf(span: ChartSpan, startS: number, nowS: number): Period {
  if (startS < 0 || startS > TIME_LIMIT_S) throw fault('PARAMETER_BOUNDS', 'StartTime');
  const from = startS === 0 ? startOf(span, nowS) : startS;
  return { startS: from, endS: shifted(span, from, 1) };
}

/** The period that is `steps` periods later, or earlier if negative. */
export function periodAt(span: ChartSpan, { startS }: Period, steps: number): Period {
  return { startS: shifted(span, startS, steps), endS: shifted(span, startS, steps + 1) };
}

const HOUR_S = 3600;

/** Adds hours, days, months … in local time; a day that a month does not have becomes its last day. */
function shifted(span: ChartSpan, startS: number, steps: number): number {
  // If an hour is repeated, `Date` would return the first one.
  if (steps === 0) return startS;
  if (span === chartSpan.hour) return startS + steps * HOUR_S;
  const from = new Date(startS * 1000);
  const to = new Date(startS * 1000);
  if (span === chartSpan.day || span === chartSpan.week) {
    to.setDate(from.getDate() + steps * (span === chartSpan.day ? 1 : 7));
  } else {
    const months = steps * { [chartSpan.month]: 1, [chartSpan.year]: 12, [chartSpan.decade]: 120 }[span];
    to.setDate(1);
    to.setMonth(from.getMonth() + months);
    const days = new Date(to.getFullYear(), to.getMonth() + 1, 0).getDate();
    to.setDate(Math.min(from.getDate(), days));
  }
  return Math.floor(to.getTime() / 1000);
}

function startOf(span: ChartSpan, nowS: number): number {
  const now = new Date(nowS * 1000);
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const starts = {
    // setMinutes() would return the first of two equal local hours.
    [chartSpan.hour]: () =>
      now.getTime() - ((now.getMinutes() * 60 + now.getSeconds()) * 1000 + now.getMilliseconds()),
    [chartSpan.day]: () => new Date(year, month, day).getTime(),
    [chartSpan.week]: () => new Date(year, month, day - ((now.getDay() + 6) % 7)).getTime(),
    [chartSpan.month]: () => new Date(year, month, 1).getTime(),
    [chartSpan.year]: () => new Date(year, 0, 1).getTime(),
    [chartSpan.decade]: () => new Date(year - (year % 10), 0, 1).getTime(),
  }[span];
  return Math.floor(starts() / 1000);
}

/** The density of a chart (interface §1, `{dens}`). */
export const density = { normal: 0, high: 1, raw: 2 } as const;
export type Density = (typeof density)[keyof typeof density];

const [HOUR, DAY, WEEK, MONTH, YEAR, FIVE_MINUTES, MINUTE] = [0, 1, 2, 3, 4, 5, 6] as const;

/** Aggregation spans by chart span, for normal and high density: lines need many points, bars 12 to 36. */
const spans: Readonly<Record<'line' | 'bar', readonly (readonly [AggregationSpan, AggregationSpan])[]>> = {
  line: [
    [MINUTE, MINUTE],
    [FIVE_MINUTES, MINUTE],
    [HOUR, FIVE_MINUTES],
    [HOUR, FIVE_MINUTES],
    [DAY, HOUR],
    [MONTH, WEEK],
  ],
  bar: [
    [FIVE_MINUTES, MINUTE],
    [HOUR, FIVE_MINUTES],
    [DAY, HOUR],
    [DAY, HOUR],
    [MONTH, WEEK],
    [YEAR, MONTH],
  ],
};

/** The span over which the values of a chart are aggregated. */
export function aggregationSpanOf(kind: 'line' | 'bar', span: ChartSpan, dense: Density): AggregationSpan {
  const [normal, high] = spans[kind][span] as readonly [AggregationSpan, AggregationSpan];
  return dense === density.high ? high : normal;
}

const DAY_S = 86_400;
/** Maximum duration of an aggregation span, s: a day can have 25 hours. */
const LONGEST_S = [
  HOUR_S,
  DAY_S + HOUR_S,
  7 * DAY_S + HOUR_S,
  31 * DAY_S + HOUR_S,
  366 * DAY_S,
  300,
  60,
  0,
  900,
];

/** The latest end of an aggregation span that starts at `startS`. */
export const latestSpanEndS = (span: AggregationSpan, startS: number): number =>
  startS + (LONGEST_S[span] ?? 0);

/** The end of an aggregation span that starts at `startS`. */
export function spanEndS(span: AggregationSpan, startS: number): number {
  const chart = (
    {
      [DAY]: chartSpan.day,
      [WEEK]: chartSpan.week,
      [MONTH]: chartSpan.month,
      [YEAR]: chartSpan.year,
    } as Partial<Record<AggregationSpan, ChartSpan>>
  )[span];
  return chart === undefined ? latestSpanEndS(span, startS) : shifted(chart, startS, 1);
}
