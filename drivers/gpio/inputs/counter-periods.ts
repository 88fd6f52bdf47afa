/** The current day and month of a counter. */
export interface Periods {
  /** `2026-11-22`, local time; empty before the first day. */
  readonly day: string;
  /** The count at which the day began. */
  readonly dayFrom: number;
  /** The count at which the month began. */
  readonly monthFrom: number;
}

/** Pulses of the previous day and month; undefined if that period has not just ended. */
interface EndedPeriods {
  readonly yesterday?: number;
  readonly lastMonth?: number;
}

/** An earlier day by more than this, and the current one was wrong: no time zone and no clock drift is a month. */
const WRONG_MS = 31 * 86_400_000;
/** No gateway ran before: an earlier day is that of a clock that is not set yet. */
const FIRST_DAY = '2026-01-01';

/**
 * Begins a new day, and month, if `today` is later than the current day; an earlier day is ignored, unless the
 * current one was wrong: then it becomes the current one, and the counts stay. Pulses that were counted while the
 * calendar was not checked belong to the day of the last check; days without a check count 0.
 */
export function rollOver(before: Periods, today: string, count: number): Periods & EndedPeriods {
  const { day, dayFrom, monthFrom } = before;
  if (day === '') return { day: today, dayFrom: count, monthFrom: count };
  if (today >= FIRST_DAY && Date.parse(day) - Date.parse(today) > WRONG_MS)
    return { day: today, dayFrom, monthFrom };
  if (today <= day) return before;
  const yesterday = today === dayAfter(day) ? count - dayFrom : 0;
  if (monthOf(today) === monthOf(day)) return { day: today, dayFrom: count, monthFrom, yesterday };
  const lastMonth = monthOf(today) === monthAfter(day) ? count - monthFrom : 0;
  return { day: today, dayFrom: count, monthFrom: count, yesterday, lastMonth };
}

/** The day of a moment in the machine's time zone, as `2026-11-22`. */
export function dayOf(nowMs: number): string {
  const date = new Date(nowMs);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

const monthOf = (day: string): string => day.slice(0, 7);
const isoOf = (date: Date): string => date.toISOString().slice(0, 10);

/** In UTC, where every day has 24 hours. */
const dayAfter = (day: string): string => isoOf(new Date(Date.parse(day) + 86_400_000));

function monthAfter(day: string): string {
  const date = new Date(monthOf(day));
  date.setUTCMonth(date.getUTCMonth() + 1);
  return monthOf(isoOf(date));
}
