/** What is known of the day and the month that a counter is in. */
export interface Periods {
  /** `2026-11-22`, local time; empty: none yet. */
  readonly day: string;
  /** The count at which the day began, and the month. */
  readonly dayFrom: number;
  readonly monthFrom: number;
}

/** Pulses of the day and the month before; undefined where they have not ended. */
export interface EndedPeriods {
  readonly yesterday?: number;
  readonly lastMonth?: number;
}

/**
 * Begins another day, and month, where it is one. The day never goes back. What was counted while nobody looked at the
 * calendar belongs to the day at which it was looked last; a day on which nobody looked has 0.
 */
export function rollOver(before: Periods, today: string, count: number): Periods & EndedPeriods {
  const { day, dayFrom, monthFrom } = before;
  if (day === '') return { day: today, dayFrom: count, monthFrom: count };
  if (today <= day) return before;
  const yesterday = today === dayAfter(day) ? count - dayFrom : 0;
  if (monthOf(today) === monthOf(day)) return { day: today, dayFrom: count, monthFrom, yesterday };
  const lastMonth = monthOf(today) === monthAfter(day) ? count - monthFrom : 0;
  return { day: today, dayFrom: count, monthFrom: count, yesterday, lastMonth };
}

/** The day of a moment, in the machine's time zone. */
export function dayOf(nowMs: number): string {
  const date = new Date(nowMs);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

const monthOf = (day: string): string => day.slice(0, 7);
const isoOf = (date: Date): string => date.toISOString().slice(0, 10);

/** Days are counted in UTC here, where each has 24 hours. */
const dayAfter = (day: string): string => isoOf(new Date(Date.parse(day) + 86_400_000));

function monthAfter(day: string): string {
  const date = new Date(monthOf(day));
  date.setUTCMonth(date.getUTCMonth() + 1);
  return monthOf(isoOf(date));
}
