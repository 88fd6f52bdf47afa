/**
 * Dates and times of day in the time zone of the process. A day is a number: days since 1 January 1970,
 * without a time zone, so that counting days, weeks and months is independent of daylight saving. Only `Date`
 * is used: `Intl` would cost a small gateway megabytes.
 */

/** A calendar date. */
export interface CalendarDate {
  readonly day: number;
  readonly month: number;
  readonly year: number;
}

/** A time of day. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** The length of a day without a clock change. */
export const DAY_MS = 86_400_000;

/** Midnight; as a bound of an event it means none. */
export const midnight: TimeOfDay = { hour: 0, minute: 0, second: 0 };

/** Seconds since midnight, by the wall clock. */
export function secondsOf({ hour, minute, second }: TimeOfDay): number {
  return (hour * 60 + minute) * 60 + second;
}

/** The number of a day; an excess month or day runs into the next. NaN for an invalid date. */
export function dayOf({ year, month, day }: CalendarDate): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

/** The date of a day number. */
export function dateOf(day: number): CalendarDate {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** 0 Monday … 6 Sunday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** Whether a mask of days (1 Monday … 64 Sunday) includes a day. */
export function hasDay(mask: number, day: number): boolean {
  return (mask & (1 << weekdayOf(day))) !== 0;
}

/** The local day of an instant. */
export function localDay(ms: number): number {
  return Math.floor(wallClock(ms) / DAY_MS);
}

/**
 * The instant (unix milliseconds) of a local time on a day. A time that occurs twice (the clock is set back)
 * is the first of the two; one that does not exist (the clock is set forward) is the instant of the jump. NaN
 * for an invalid day.
 */
export function localInstant(day: number, time: TimeOfDay): number {
  const wallMs = day * DAY_MS + secondsOf(time) * 1000;
  const date = new Date(wallMs);
  const ms = new Date(...utcFields(date)).getTime();
  const gapMs = wallClock(ms) - wallMs;
  if (gapMs === 0 || Number.isNaN(gapMs)) return ms;
  // `Date` returns an instant as far after the jump as the clock jumps, or as far before it.
  let before = Math.min(ms, ms - gapMs);
  let after = Math.max(ms, ms - gapMs);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallClock(middle) < wallMs) before = middle;
    else after = middle;
  }
  return after;
}

/** The local wall-clock time of an instant, as if it were UTC. */
function wallClock(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(...localFields(date));
}

/** Year, month (from 0), day, hour, minute and second. */
export type DateFields = readonly [number, number, number, number, number, number];

/** The parts of a date in UTC. */
export const utcFields = (date: Date): DateFields => [
  date.getUTCFullYear(),
  date.getUTCMonth(),
  date.getUTCDate(),
  date.getUTCHours(),
  date.getUTCMinutes(),
  date.getUTCSeconds(),
];

/** The parts of a date in the process's time zone. */
export const localFields = (date: Date): DateFields => [
  date.getFullYear(),
  date.getMonth(),
  date.getDate(),
  date.getHours(),
  date.getMinutes(),
  date.getSeconds(),
];
