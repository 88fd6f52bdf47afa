import { localTime, unixSeconds } from '../../web/zone-time.js';

/** Time spans of charts, in the order of their numbers in the interface. */
export const periods = ['hour', 'day', 'week', 'month', 'year'] as const;
export type Period = (typeof periods)[number];

interface Shift {
  readonly period: Period;
  readonly by: number;
  readonly zone: string;
}

/** The beginning of a later or an earlier period in a time zone, unix seconds. */
export function shifted(start: number, { period, by, zone }: Shift): number {
  if (period === 'hour') return start + by * 3600;
  // Days have 23 to 25 hours: the calendar counts.
  const date = new Date(`${localTime(start * 1000, zone)}Z`);
  // A day whose midnight is skipped begins later, but not the days around it.
  date.setUTCHours(0, 0);
  if (period === 'day') date.setUTCDate(date.getUTCDate() + by);
  else if (period === 'week') date.setUTCDate(date.getUTCDate() + 7 * by);
  else if (period === 'month') date.setUTCMonth(date.getUTCMonth() + by);
  else date.setUTCFullYear(date.getUTCFullYear() + by);
  return unixSeconds(date.toISOString(), zone) ?? start;
}
