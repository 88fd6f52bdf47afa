import { cyclicDate, cyclicTime, type Cyclic, type EventDate } from '../../kernel/events/event-data.js';
import { nextDay } from './day-pattern.js';
import { dayOf, localDay, localInstant, midnight, secondsOf } from '../../base/local-time.js';

/**
 * Maximum number of days of the pattern that are tried. Each has a run, unless it has passed or its time does
 * not exist.
 */
const DAYS_TRIED = 8;

const STEP_MS: Readonly<Record<number, number>> = {
  [cyclicTime.second]: 1000,
  [cyclicTime.minute]: 60_000,
  [cyclicTime.hour]: 3_600_000,
};

/**
 * The first run of a cyclic event after `afterMs`, unix milliseconds; undefined if there is none. All dates
 * and times are in the process's time zone. Intervals of days are counted from date-from or, if it is not
 * set, from the day of `createdMs`.
 *
 * Days (`SVC_SetEventCyclic`), from date-from to date-to, both included; a date of zeros is unbounded:
 * - none: every day.
 * - once: date-from only; never if it is not set.
 * - day: every `dateValue` days.
 * - week: the days of the mask `dateDay` (1 Monday … 64 Sunday), every `dateValue` weeks; never if the mask
 *   is 0.
 * - month: every `dateValue` months. If `dateDay` is 0: day `dateDayValue` of the month, or its last day if
 *   the month is shorter (31 is always the last day). Otherwise the `dateDayValue`-th day of the month that
 *   is in the mask `dateDay`, where 5 is the last one (64 and 5: the last Sunday; 31 and 1: the first working
 *   day).
 * - year: a day of the month `dateValue` (1 … 12), selected as for a month. 29 February is the 28th in common
 *   years.
 *
 * Times on such a day:
 * - once: at time-from.
 * - second, minute, hour: at time-from and then every `timeValue` seconds, minutes or hours until time-to
 *   (included; zeros are the end of the day). Intervals are elapsed time: an interval of 15 minutes stays 15
 *   minutes across a daylight saving change, and an interval of two hours starts from time-from on the next day.
 *   If time-to is before time-from, it is on the next day.
 *
 * A time that is skipped when the clock is set forward for daylight saving is the instant of the change. A
 * time that occurs twice when the clock is set back is the first occurrence.
 *
 * Accepts any numbers and limits them: intervals are at least 1, and dates that do not exist never match.
 */
export function nextCyclic(cyclic: Cyclic, afterMs: number, createdMs: number): number | undefined {
  if (Number.isNaN(afterMs)) return undefined;
  const after = Math.max(0, afterMs);
  const { dateType, dateFrom, dateTo } = cyclic;
  const first = isNone(dateFrom) ? undefined : dayOf(dateFrom);
  const last = isNone(dateTo) || dateType === cyclicDate.once ? Infinity : dayOf(dateTo);
  const pattern = {
    ...cyclic,
    anchorDay: first ?? localDay(Number.isFinite(createdMs) ? createdMs : 0),
    first,
  };
  // Starts with yesterday, whose repetition may end today.
  let day = nextDay(pattern, localDay(after) - 1);
  for (let n = 0; n < DAYS_TRIED && day !== undefined && day <= last; n++) {
    const atMs = nextOn(cyclic, day, after);
    if (atMs !== undefined) return atMs;
    day = nextDay(pattern, day + 1);
  }
  return undefined;
}

/** The first run after `afterMs` that belongs to the given day. */
function nextOn(cyclic: Cyclic, day: number, afterMs: number): number | undefined {
  const startMs = localInstant(day, cyclic.timeFrom);
  if (cyclic.timeType === cyclicTime.once) return startMs > afterMs ? startMs : undefined;
  const stepMs = Math.max(1, Math.trunc(cyclic.timeValue)) * (STEP_MS[cyclic.timeType] ?? NaN);
  const atMs =
    startMs > afterMs ? startMs : startMs + (Math.floor((afterMs - startMs) / stepMs) + 1) * stepMs;
  return atMs <= endOf(cyclic, day) ? atMs : undefined;
}

/** The last instant at which a day's repetition may run. */
function endOf({ timeFrom, timeTo }: Cyclic, day: number): number {
  const [from, to] = [secondsOf(timeFrom), secondsOf(timeTo)];
  if (to === 0) return localInstant(day + 1, midnight) - 1;
  return localInstant(to < from ? day + 1 : day, timeTo);
}

/** Whether a bound is not set. */
function isNone({ day, month, year }: EventDate): boolean {
  return day === 0 && month === 0 && year === 0;
}
