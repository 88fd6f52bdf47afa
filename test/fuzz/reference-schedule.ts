import type { Cyclic, EventDate, EventTime, Schedule } from '../../src/kernel/events/event-data.js';

/**
 * When events run, in the slowest and simplest way, as a reference for the fast one: it walks day by day and
 * minute by minute, and only reads the local time of each.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/**
 * How far ahead a next run is searched: two periods of the sparsest pattern of the tests, 40 months, because
 * one of its days may not exist (in Samoa, 30 December 2011).
 */
const HORIZON_DAYS = 7 * 366;

/** A civil date as the noon of that day in UTC: a day count that is independent of UTC offsets. */
type Noon = number;

const noonOf = ({ year, month, day }: EventDate): Noon => Date.UTC(year, month - 1, day, 12);
const isNone = ({ year, month, day }: EventDate): boolean => year + month + day === 0;
const noonHere = (ms: number): Noon => {
  const date = new Date(ms);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate(), 12);
};
/** 1 Monday … 64 Sunday. */
const bitOf = (noon: Noon): number => 1 << ((new Date(noon).getUTCDay() + 6) % 7);

/** The local time as if it were UTC; the offset has no seconds at the times of the tests. */
const localMs = (ms: number): number => ms - new Date(ms).getTimezoneOffset() * MINUTE_MS;

/**
 * How far the local clock is ahead of UTC, at most, in the days around a time: no zone is more than 14 hours
 * away from UTC, and none changes its offset twice within 6 hours.
 */
function mostAheadMs(nearMs: number): number {
  let most = -Infinity;
  for (let hours = -30; hours <= 30; hours += 6) {
    const ms = nearMs + hours * 60 * MINUTE_MS;
    most = Math.max(most, localMs(ms) - ms);
  }
  return most;
}

/** Walks through time until the local clock first shows that time of that day, or a later one. */
function moment(noon: Noon, { hour, minute, second }: EventTime): number {
  const expectedMs = noon + ((hour - 12) * 3600 + minute * 60 + second) * 1000;
  const isThere = (ms: number): boolean => localMs(ms) >= expectedMs;
  let ms = expectedMs - second * 1000 - mostAheadMs(expectedMs);
  while (!isThere(ms + 59_000)) ms += MINUTE_MS;
  while (!isThere(ms)) ms += 1000;
  return ms;
}

/** Whether a day has runs of that event. */
function takesPart(cyclic: Cyclic, noon: Noon, createdMs: number): boolean {
  const { dateType, dateValue, dateDay, dateDayValue, dateFrom, dateTo } = cyclic;
  if (dateType === 1) return !isNone(dateFrom) && noon === noonOf(dateFrom);
  if (!isNone(dateFrom) && noon < noonOf(dateFrom)) return false;
  if (!isNone(dateTo) && noon > noonOf(dateTo)) return false;
  const anchor = isNone(dateFrom) ? noonHere(createdMs) : noonOf(dateFrom);
  const [date, anchored] = [new Date(noon), new Date(anchor)];
  const mondayOf = (one: Noon): Noon => (bitOf(one) === 1 ? one : mondayOf(one - DAY_MS));
  const days = (noon - anchor) / DAY_MS;
  const weeks = (mondayOf(noon) - mondayOf(anchor)) / (7 * DAY_MS);
  const months =
    (date.getUTCFullYear() - anchored.getUTCFullYear()) * 12 + date.getUTCMonth() - anchored.getUTCMonth();
  if (dateType === 0) return true;
  if (dateType === 2) return days % dateValue === 0;
  if (dateType === 3) return weeks % dateValue === 0 && (bitOf(noon) & dateDay) !== 0;
  if (dateType === 4 && months % dateValue !== 0) return false;
  if (dateType === 5 && date.getUTCMonth() + 1 !== dateValue) return false;
  return isDayOfMonth(noon, dateDay, dateDayValue);
}

/** Whether it is the `which`-th day of its month, or the `which`-th of these weekdays in it. */
function isDayOfMonth(noon: Noon, weekdays: number, which: number): boolean {
  const month = new Date(noon).getUTCMonth();
  const all = [...Array(63).keys()]
    .map((n) => noon + (n - 31) * DAY_MS)
    .filter((day) => new Date(day).getUTCMonth() === month && Math.abs(day - noon) < 31 * DAY_MS)
    .filter((day) => weekdays === 0 || (bitOf(day) & weekdays) !== 0);
  const last = all.at(-1);
  if (weekdays === 0) return (all[which - 1] ?? last) === noon;
  return (which >= 5 ? last : all[which - 1]) === noon;
}

/** All runs of the day, in order. */
function runsOf(cyclic: Cyclic, noon: Noon): number[] {
  const { timeType, timeValue, timeFrom, timeTo } = cyclic;
  const start = moment(noon, timeFrom);
  if (timeType === 0) return [start];
  const clock = ({ hour, minute, second }: EventTime) => hour * 3600 + minute * 60 + second;
  const next = noon + DAY_MS;
  const end =
    clock(timeTo) === 0
      ? moment(next, { hour: 0, minute: 0, second: 0 }) - 1
      : moment(clock(timeTo) < clock(timeFrom) ? next : noon, timeTo);
  const stepMs = timeValue * [0, 1000, MINUTE_MS, 60 * MINUTE_MS][timeType]!;
  const runs: number[] = [];
  for (let ms = start; ms <= end; ms += stepMs) runs.push(ms);
  return runs;
}

/** The specified result of `nextCyclic`. */
export function referenceNextCyclic(cyclic: Cyclic, afterMs: number, createdMs: number): number | undefined {
  const from = noonHere(afterMs) - 2 * DAY_MS;
  for (let noon = from; noon < from + HORIZON_DAYS * DAY_MS; noon += DAY_MS) {
    if (!takesPart(cyclic, noon, createdMs)) continue;
    const next = runsOf(cyclic, noon).find((ms) => ms > afterMs);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** The specified result of `pointAt`. */
export function referencePointAt(
  schedule: Schedule,
  atMs: number,
): { groupId: number; pointId: number; actionId: number } | undefined {
  const begun: { day: Noon; second: number; groupId: number; pointId: number; actionId: number }[] = [];
  for (let day = noonHere(atMs) - 8 * DAY_MS; day <= noonHere(atMs) + DAY_MS; day += DAY_MS)
    for (const { id: groupId, days, points } of schedule.groups)
      for (const { id: pointId, start, actionId } of points)
        if ((days & bitOf(day)) !== 0 && moment(day, start) <= atMs)
          begun.push({
            day,
            second: start.hour * 3600 + start.minute * 60 + start.second,
            groupId,
            pointId,
            actionId,
          });
  // The newest is the last by day, time, group and point: in the order of the search, except for the time.
  const newest = begun.sort((a, b) => a.day - b.day || a.second - b.second).at(-1);
  return newest && { groupId: newest.groupId, pointId: newest.pointId, actionId: newest.actionId };
}
