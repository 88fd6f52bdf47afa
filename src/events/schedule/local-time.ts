import type { EventDate, EventTime } from '../../kernel/events/event-data.js';

/**
 * Days and times of day as people have them, in the time zone of the process. A day is a number: days since
 * 1 January 1970, in no time zone at all, so that counting days, weeks and months knows no daylight-saving.
 * `Date` alone does it: `Intl` would cost a small gateway megabytes.
 */

/** A day of no change of the clock. */
export const DAY_MS = 86_400_000;

/** The first moment of a day; as a bound of an event: none. */
export const midnight: EventTime = { hour: 0, minute: 0, second: 0 };

/** Seconds since midnight, as a clock on the wall has them. */
export function secondsOf({ hour, minute, second }: EventTime): number {
  return (hour * 60 + minute) * 60 + second;
}

/** The number of a day; a month or day too many runs on into the next. NaN where there is no such day at all. */
export function dayOf({ year, month, day }: EventDate): number {
  return Date.UTC(year, month - 1, day) / DAY_MS;
}

/** The date of a day. */
export function dateOf(day: number): EventDate {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** 0 Monday … 6 Sunday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** Whether a mask of days (1 Monday … 64 Sunday) has this one. */
export function hasDay(mask: number, day: number): boolean {
  return (mask & (1 << weekdayOf(day))) !== 0;
}

/** The day that it is here at that instant. */
export function localDay(ms: number): number {
  return Math.floor(wallClock(ms) / DAY_MS);
}

/**
 * The instant (unix milliseconds) at which it is that time on that day here. A time that comes twice (the clock is set
 * back) is the first of the two; one that does not exist (it is set forward) is the instant at which the clock jumps past
 * it. NaN for a day that no calendar has.
 */
export function localInstant(day: number, time: EventTime): number {
  const wanted = day * DAY_MS + secondsOf(time) * 1000;
  const date = new Date(wanted);
  const ms = new Date(
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ).getTime();
  const gapMs = wallClock(ms) - wanted;
  if (gapMs === 0 || Number.isNaN(gapMs)) return ms;
  // `Date` gives an instant as far beyond the jump as the clock jumps, or as far before it.
  let before = Math.min(ms, ms - gapMs);
  let after = Math.max(ms, ms - gapMs);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallClock(middle) < wanted) before = middle;
    else after = middle;
  }
  return after;
}

/** What the clock on the wall shows, as if it were UTC. */
function wallClock(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(
    date.getFullYear(),
    date.getMonth(),
    date.getDate(),
    date.getHours(),
    date.getMinutes(),
    date.getSeconds(),
    date.getMilliseconds(),
  );
}
