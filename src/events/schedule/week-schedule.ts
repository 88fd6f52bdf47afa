import type { Schedule } from '../../kernel/events/event-data.js';
import { hasDay, localDay, localInstant, secondsOf } from './local-time.js';

/** A point of a schedule, and what begins there. */
export interface PointOfWeek {
  readonly groupId: number;
  readonly pointId: number;
  readonly actionId: number;
}

/**
 * When the schedule's next point after `afterMs` (unix milliseconds) is, and which; undefined: it has none. Times are
 * local. A time that the clock jumps over is the instant of the jump, one that comes twice the first of the two.
 * Of several points at one instant it is the one that `pointAt` has in force from then on.
 */
export function nextPoint(
  schedule: Schedule,
  afterMs: number,
): ({ readonly atMs: number } & PointOfWeek) | undefined {
  const today = localDay(afterMs);
  // Today's may be over: the same day a week on is the last to have any.
  for (let day = today; day <= today + 7; day++) {
    const next = pointsOn(schedule, day).find(({ atMs }) => atMs > afterMs);
    if (next !== undefined) return { ...next, ...pointAt(schedule, next.atMs) };
  }
  return undefined;
}

/**
 * The point in force at `atMs`: the newest, up to a week back; undefined: the schedule has none. Of several at one
 * time of one day it is the last in the order of their groups and points.
 */
export function pointAt(schedule: Schedule, atMs: number): PointOfWeek | undefined {
  const today = localDay(atMs);
  // From tomorrow on: while the hour before midnight comes for the second time, tomorrow has begun once already.
  for (let day = today + 1; day >= today - 7; day--) {
    const newest = pointsOn(schedule, day).findLast((point) => point.atMs <= atMs);
    if (newest !== undefined) {
      const { groupId, pointId, actionId } = newest;
      return { groupId, pointId, actionId };
    }
  }
  return undefined;
}

/** A day's points in the order of their times. */
function pointsOn({ groups }: Schedule, day: number): ({ readonly atMs: number } & PointOfWeek)[] {
  return groups
    .filter(({ days }) => hasDay(days, day))
    .flatMap(({ id: groupId, points }) => points.map((point) => ({ groupId, point })))
    .sort((a, b) => secondsOf(a.point.start) - secondsOf(b.point.start))
    .map(({ groupId, point: { id: pointId, start, actionId } }) => ({
      atMs: localInstant(day, start),
      groupId,
      pointId,
      actionId,
    }));
}
