import {
  cyclicDate,
  cyclicTime,
  type Cyclic,
  type EventDate,
  type EventTime,
} from '../kernel/events/event-data.js';
import type { Event } from '../kernel/events/events.js';
import { nextCyclic } from './schedule/cyclic.js';
import { secondsOf } from '../base/local-time.js';
import { nextPoint } from './schedule/week-schedule.js';

const DAY_S = 86_400;
const DAY_MS = DAY_S * 1000;
/** The unit of a repetition within a day, ms. */
const UNIT_MS: Readonly<Record<number, number>> = {
  [cyclicTime.second]: 1000,
  [cyclicTime.minute]: 60_000,
  [cyclicTime.hour]: 3_600_000,
};

/** The state of the clock: unix milliseconds, and whether it is synchronised. */
interface Moment {
  readonly nowMs: number;
  readonly isTrusted: boolean;
}

/**
 * The time of an event's next run, unix milliseconds; undefined if there is none. Until the clock is
 * synchronised, only events that repeat all day run, because they need no time of day.
 *
 * If the clock was set back to before the last run, that run is not repeated: within a day for a time of day,
 * within its interval for a repetition. If the clock was set back further, the last run was at a wrong time
 * and is ignored.
 */
export function nextRunOf({ data }: Event, { nowMs, isTrusted }: Moment): number | undefined {
  const { active, cyclic, schedule, created, lastRun } = data;
  if (!active || (!isTrusted && !isContinuous(cyclic))) return undefined;
  const lastRunMs = lastRun * 1000;
  const aheadMs = lastRunMs - nowMs;
  const afterMs = aheadMs > 0 && aheadMs <= intervalOf(cyclic) ? lastRunMs : nowMs;
  if (cyclic !== undefined) return nextCyclic(cyclic, afterMs, created * 1000);
  return schedule === undefined ? undefined : nextPoint(schedule, afterMs)?.atMs;
}

/** Whether an event repeats all day, every day: from midnight, or from any second to the second before it. */
function isContinuous(cyclic: Cyclic | undefined): boolean {
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

function intervalOf(cyclic: Cyclic | undefined): number {
  const unitMs = cyclic === undefined ? undefined : UNIT_MS[cyclic.timeType];
  return cyclic === undefined || unitMs === undefined ? DAY_MS : unitMs * cyclic.timeValue;
}
