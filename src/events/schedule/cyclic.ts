import { cyclicDate, cyclicTime, type Cyclic, type EventDate } from '../../kernel/events/event-data.js';
import { nextDay } from './day-pattern.js';
import { dayOf, localDay, localInstant, midnight, secondsOf } from '../../base/local-time.js';

/** How many days of a pattern are tried: each has a run, except days that the calendar lacks. */
const DAYS_TRIED = 8;

const STEP_MS: Readonly<Record<number, number>> = {
  [cyclicTime.second]: 1000,
  [cyclicTime.minute]: 60_000,
  [cyclicTime.hour]: 3_600_000,
};

/**
 * When a cyclic event runs first after `afterMs` (unix milliseconds, as the result); undefined: never again.
 * All dates and times are those of the process's time zone; `createdMs` is where counting begins while no
 * date-from is set.
 *
 * The days (`SVC_SetEventCyclic`; from date-from to date-to, both included, all 0: unbounded):
 * - none: every day. once: date-from alone; without one never.
 * - day: every `dateValue` days, counted from date-from, else from the day of `createdMs`.
 * - week: on the days of the mask `dateDay` (1 Monday … 64 Sunday), every `dateValue` weeks; no day: never.
 * - month: every `dateValue` months. `dateDay` 0: on the `dateDayValue`-th of the month, or on its last day
 *   where it is
 *   shorter, so that 31 is the last of every month. Otherwise on the `dateDayValue`-th day of the month that is one of
 *   the mask `dateDay`, 5: on the last such (64 and 5: the last Sunday; 31 and 1: the first working day).
 * - year: on one day of the month `dateValue` (1 … 12), said as for a month: 29 February is the 28th in other
 *   years.
 *
 * The times of such a day:
 * - once: at time-from.
 * - second, minute, hour: at time-from, and every `timeValue` of them after it, up to time-to (included; all
 *   0: up to the
 *   end of the day). What passes between two runs is real time: through a change of the clock every 15 minutes stay
 *   15 minutes, and every two hours are even hours again from the next day on. A time-to before time-from is the next
 *   day's: the night belongs to the day on which it begins.
 *
 * When the clock is set forward, what falls into the hour that is left out runs once, at the instant of the
 * jump; when it is set back, a time that comes twice means the first.
 *
 * Any numbers are taken, and quickly: what counts is at least 1, and what no calendar has is never.
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
  // Starts yesterday, whose night may last until now.
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
