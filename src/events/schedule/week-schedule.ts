import type { Schedule } from '../../kernel/events/event-data.js';
import { hasDay, localDay, localInstant, secondsOf } from '../../base/local-time.js';

/** A point of a schedule, and the action that starts there. */
interface PointOfWeek {
  readonly groupId: number;
  readonly pointId: number;
  readonly actionId: number;
}

/**
 * The schedule's next point after `afterMs` (unix milliseconds), with its time; undefined if it has none.
 * Times are local. A time that the clock skips is the instant of the change; a time that occurs twice is the
 * first of the two. Of several points at one instant, returns the one that `pointAt` returns.
 */
export function nextPoint(
  schedule: Schedule,
  afterMs: number,
): ({ readonly atMs: number } & PointOfWeek) | undefined {
  const today = localDay(afterMs);
  // The points of today may be over, so that the same day next week is the last candidate.
  for (let day = today; day <= today + 7; day++) {
    const next = pointsOn(schedule, day).find(({ atMs }) => atMs > afterMs);
    if (next !== undefined) return { ...next, ...pointAt(schedule, next.atMs) };
  }
  return undefined;
}

/**
 * The point in force at `atMs`: the newest one, up to a week back; undefined if the schedule has none. Of
 * several at the same time it is the last in the order of groups and points.
 */
export function pointAt(schedule: Schedule, atMs: number): PointOfWeek | undefined {
  const today = localDay(atMs);
  // Starts with tomorrow, which has begun once already if the hour before midnight occurs twice.
  for (let day = today + 1; day >= today - 7; day--) {
    const newest = pointsOn(schedule, day).findLast((point) => point.atMs <= atMs);
    if (newest !== undefined) {
      const { groupId, pointId, actionId } = newest;
      return { groupId, pointId, actionId };
    }
  }
  return undefined;
}

/** The points of a day, by time. */
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
