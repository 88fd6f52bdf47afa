import { weekdayOf } from '../../base/local-time.js';

/** The days on which a tariff applies. */
export const tariffDays = ['all', 'workdays', 'weekend'] as const;

/** A price for a part of the day, local time `HH:MM`; `24:00` is the end of the day, the default of `To`. */
export interface Tariff {
  readonly From?: string;
  readonly To?: string;
  readonly Days?: (typeof tariffDays)[number];
  /** Of a kilowatt hour. */
  readonly Price: number;
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** The first weekday of the weekend; 0 is Monday. */
const SATURDAY = 5;

/**
 * The price at an instant (unix milliseconds) of local time: that of the first tariff that applies, otherwise
 * `standard`. A part of the day may span midnight; its days are those of the instant.
 */
export function priceAt(tariffs: readonly Tariff[], standard: number, ms: number): number {
  const date = new Date(ms);
  const minutes = date.getHours() * 60 + date.getMinutes();
  const day = Math.floor(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000);
  const isWeekend = weekdayOf(day) >= SATURDAY;
  const found = tariffs.find(({ From = '00:00', To = '24:00', Days = 'all' }) => {
    if (Days !== 'all' && (Days === 'weekend') !== isWeekend) return false;
    const [from, to] = [minutesOf(From), minutesOf(To)];
    return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
  });
  return found?.Price ?? standard;
}
