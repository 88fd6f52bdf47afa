import {
  cyclicDate,
  cyclicTime,
  type Cyclic,
  type EventDate,
  type EventTime,
} from '../kernel/events/event-data.js';
import type { Event } from '../kernel/events/events.js';
import { nextCyclic } from './schedule/cyclic.js';
import { secondsOf } from './schedule/local-time.js';
import { nextPoint } from './schedule/week-schedule.js';

const DAY_S = 86_400;
const DAY_MS = DAY_S * 1000;
/** Length of a repetition's unit within a day, ms. */
const UNIT_MS: Readonly<Record<number, number>> = {
  [cyclicTime.second]: 1000,
  [cyclicTime.minute]: 60_000,
  [cyclicTime.hour]: 3_600_000,
};

/** The clock as it is: unix milliseconds, and whether they are to be relied on. */
export interface Moment {
  readonly nowMs: number;
  readonly isTrusted: boolean;
}

/**
 * When an event runs next by the clock, unix milliseconds; undefined: not at all, or not as long as the clock is not
 * trusted: then only what repeats all day long runs, as no time of day is needed for that.
 *
 * When the clock was set back to before the last run: what it ran for does not come a second time, up to a day for a
 * time of day, up to its own length for a repetition. Further back the last run was by a wrong clock, and says nothing.
 */
export function nextRunOf({ data }: Event, { nowMs, isTrusted }: Moment): number | undefined {
  const { active, cyclic, schedule, created, lastRun } = data;
  if (!active || (!isTrusted && !repeatsAlways(cyclic))) return undefined;
  const ranMs = lastRun * 1000;
  const aheadMs = ranMs - nowMs;
  const afterMs = aheadMs > 0 && aheadMs <= lengthOf(cyclic) ? ranMs : nowMs;
  if (cyclic !== undefined) return nextCyclic(cyclic, afterMs, created * 1000);
  return schedule === undefined ? undefined : nextPoint(schedule, afterMs)?.atMs;
}

/** Whether it repeats all day long on every day: from midnight on, or from any second up to the one before. */
function repeatsAlways(cyclic: Cyclic | undefined): boolean {
  if (cyclic === undefined) return false;
  const { dateType, timeType, dateFrom, dateTo, timeFrom, timeTo } = cyclic;
  const isAllDay =
    [timeFrom, timeTo].every(isZero) || (secondsOf(timeTo) + 1) % DAY_S === secondsOf(timeFrom);
  const isEveryDay = dateType === cyclicDate.none && [dateFrom, dateTo].every(isZero);
  return isEveryDay && timeType !== cyclicTime.once && isAllDay;
}

function isZero(bound: EventDate | EventTime): boolean {
  return Object.values(bound).every((part) => part === 0);
}

function lengthOf(cyclic: Cyclic | undefined): number {
  const unitMs = cyclic === undefined ? undefined : UNIT_MS[cyclic.timeType];
  return cyclic === undefined || unitMs === undefined ? DAY_MS : unitMs * cyclic.timeValue;
}
