import { cyclicDate, type Cyclic } from '../../kernel/events/event-data.js';
import { dateOf, dayOf, hasDay, weekdayOf } from '../../base/local-time.js';

/** The days of a cyclic event. */
interface DayPattern extends Pick<Cyclic, 'dateType' | 'dateValue' | 'dateDay' | 'dateDayValue'> {
  /** The day from which every n-th day is counted. */
  readonly anchorDay: number;
  /** The first day, if there is one. */
  readonly first: number | undefined;
}

/** The `dateDayValue` of the last matching day in a month. */
const LAST = 5;
/** Largest step; greater ones have no second match, and sums would exceed the range of exact integers. */
const MAX_STEP = 1_000_000;

/**
 * The first day of the pattern on or after `day`; undefined if there is none. Visits at most a month of days.
 */
export function nextDay(pattern: DayPattern, day: number): number | undefined {
  const { dateType, dateValue, dateDay, anchorDay, first } = pattern;
  const from = Math.max(day, first ?? day);
  const every = clamp(dateValue, MAX_STEP);
  switch (dateType) {
    case cyclicDate.none:
      return from;
    case cyclicDate.once:
      return first !== undefined && first >= day ? first : undefined;
    case cyclicDate.day:
      return alignUp(from, anchorDay, every);
    case cyclicDate.week:
      return nextInWeek(dateDay, from, (week) => alignUp(week, weekOf(anchorDay), every));
    case cyclicDate.month: {
      const month = alignUp(monthOf(from), monthOf(anchorDay), every);
      return [month, month + every].map((one) => dayIn(one, pattern)).find((one) => one >= from);
    }
    case cyclicDate.year: {
      const year = dateOf(from).year * 12 + clamp(dateValue, 12) - 1;
      return [year, year + 12].map((one) => dayIn(one, pattern)).find((one) => one >= from);
    }
    default:
      return undefined;
  }
}

/**
 * The first day of the mask in a matching week, not before `from`; `nextMatching` returns the next matching
 * week.
 */
function nextInWeek(mask: number, from: number, nextMatching: (week: number) => number): number | undefined {
  const week = nextMatching(weekOf(from));
  const begin = Math.max(from, mondayOf(week));
  // The rest of that week may have no such day: the next matching week starts from its Monday.
  for (const [start, end] of [
    [begin, mondayOf(week + 1)],
    [mondayOf(nextMatching(week + 1)), Infinity],
  ] as const) {
    for (let day = start; day < Math.min(end, start + 7); day++) if (hasDay(mask, day)) return day;
  }
  return undefined;
}

/** The day in a month (counted in months since year 0) that `dateDay` and `dateDayValue` select. */
function dayIn(month: number, { dateDay, dateDayValue }: DayPattern): number {
  const first = firstOf(month);
  const length = firstOf(month + 1) - first;
  if ((dateDay & 127) === 0) return first + clamp(dateDayValue, length) - 1;
  const days = Array.from({ length: length || 0 }, (_, n) => first + n).filter((day) => hasDay(dateDay, day));
  const which = clamp(dateDayValue, LAST);
  return (which === LAST ? days.at(-1) : days[which - 1]) ?? NaN;
}

/** The first number from `from` on whose distance to `anchor` is a multiple of `every`. */
function alignUp(from: number, anchor: number, every: number): number {
  return from + ((((anchor - from) % every) + every) % every);
}

/** The number of a week; weeks start on Monday. */
function weekOf(day: number): number {
  return (day - weekdayOf(day) + 3) / 7;
}

function mondayOf(week: number): number {
  return week * 7 - 3;
}

function monthOf(day: number): number {
  const { year, month } = dateOf(day);
  return year * 12 + month - 1;
}

function firstOf(month: number): number {
  return dayOf({ year: Math.floor(month / 12), month: (month % 12) + 1, day: 1 });
}

/** Truncates to an integer from 1 to `max`. */
function clamp(value: number, max: number): number {
  return Math.min(Math.max(1, Math.trunc(value)), max);
}
