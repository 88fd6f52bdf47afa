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
 * Times are local. A time that the clock skips is the instant of the jump, one that occurs twice the first of
 * the two. Of several points at one instant it is the one that `pointAt` returns from then on.
 */
export function nextPoint(
  schedule: Schedule,
  afterMs: number,
): ({ readonly atMs: number } & PointOfWeek) | undefined {
  const today = localDay(afterMs);
  // Today's points may be over: the same day next week is the last candidate.
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
  // Starts with tomorrow: while the hour before midnight occurs for the second time, tomorrow has begun once
  // already.
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
