/**
 * Estimates the position of a shutter from the running time of its motor. A position is a range: each run
 * widens it by the uncertainty of the motor's start and speed, and a run into an end stop narrows it again. 0
 * is open (up), 1 is closed (down). When the motor reverses, the slats turn first, and only then does the
 * shutter move.
 */

/** Maximum delay of the motor's start, and of its stop. */
const LAG_MS = 50;
/** Maximum deviation of the speed from the measured one, warm or cold, over a hundred runs. */
const DRIFT = 0.01;
/** A shorter run would not move the shutter noticeably. */
const SHORTEST_MS = 100;
/** A wider range counts as unknown. */
const POSITION_KNOWN_WITHIN = 0.1;
const SLAT_KNOWN_WITHIN = 0.25;

export type MotorDirection = 'up' | 'down';

/** A range within 0 … 1. */
export interface Span {
  readonly low: number;
  readonly high: number;
}

export interface ShutterState {
  readonly position: Span;
  /** 0 as after a run up, 1 as after a run down. */
  readonly slat: Span;
}

/** The running times of the motor, milliseconds. */
export interface TravelTimes {
  /** From one end stop to the other, including the turning of the slats. */
  readonly runMs: Readonly<Record<MotorDirection, number>>;
  /** For the slats to turn from one end to the other; 0 without slats. */
  readonly slatMs: number;
  /** Extra time for a run into an end stop. */
  readonly reserveMs: number;
}

/** The commanded state, 0 … 1; a part that is absent may be anything. */
export interface ShutterTarget {
  readonly position?: number;
  readonly slat?: number;
}

/** A run towards the target. */
export interface MotorRun {
  readonly direction: MotorDirection;
  readonly ms: number;
  /** The part of the target that remains after the run. */
  readonly remaining: ShutterTarget;
}

const anywhere: Span = { low: 0, high: 1 };
export const unknownState: ShutterState = { position: anywhere, slat: anywhere };

export const midpoint = ({ low, high }: Span): number => (low + high) / 2;
const widthOf = ({ low, high }: Span): number => high - low;

/** Whether the position is known well enough to move to another one. */
export const isPositionKnown = ({ position }: ShutterState): boolean =>
  widthOf(position) <= POSITION_KNOWN_WITHIN;

/** Whether the slats' position is known well enough to turn them to another one. */
export const isSlatKnown = ({ slat }: ShutterState): boolean => widthOf(slat) <= SLAT_KNOWN_WITHIN;

/** The state after the motor was on for between `minimumMs` and `maximumMs`. */
export function stateAfterRun(
  times: TravelTimes,
  { from, direction }: { readonly from: ShutterState; readonly direction: MotorDirection },
  [minimumMs, maximumMs]: readonly [number, number],
): ShutterState {
  const path = pathOf(times, direction);
  const minimum = Math.max(0, minimumMs * (1 - DRIFT) - LAG_MS);
  const maximum = maximumMs * (1 + DRIFT) + LAG_MS;
  const [start, end] = extremesOf(from, direction);
  // Motion is monotonic in start and time, so the extremes stay the extremes.
  return stateOf([advance(path, start, minimum), advance(path, end, maximum)], direction);
}

/** The state if the motor keeps running in that direction for an unknown time. */
export const stateAfterInterruption = (
  times: TravelTimes,
  from: ShutterState,
  direction: MotorDirection,
): ShutterState => stateAfterRun(times, { from, direction }, [0, Number.POSITIVE_INFINITY]);

/** The longest run in that direction, milliseconds: from anywhere into the end stop. */
export const longestRunMs = (times: TravelTimes, direction: MotorDirection): number =>
  toEnd(times, unknownState, { direction, remaining: {} }).ms;

/** Where the motor last rested, and the direction in which it runs since, if any. */
interface Start {
  readonly at: ShutterState;
  readonly moving?: MotorDirection | undefined;
}

/**
 * The next run; undefined if there is none. If either direction is possible, the motor keeps its present one.
 */
export function nextRun(times: TravelTimes, start: Start, target: ShutterTarget): MotorRun | undefined {
  const { at, moving } = start;
  const { position, slat } = target;
  const remaining = slat === undefined ? {} : { slat };
  if (position === 0) return toEnd(times, at, { direction: 'up', remaining });
  if (position === 1) return toEnd(times, at, { direction: 'down', remaining });
  if (position === undefined) return slat === undefined ? undefined : toSlat(times, at, slat);
  if (!isPositionKnown(at))
    return toEnd(times, at, { direction: moving ?? (position < 0.5 ? 'up' : 'down'), remaining: target });
  return toPosition(times, at, { position, remaining }) ?? nextRun(times, start, remaining);
}

function toEnd(
  times: TravelTimes,
  at: ShutterState,
  { direction, remaining }: Omit<MotorRun, 'ms'>,
): MotorRun {
  const [start] = extremesOf(at, direction);
  const path = pathOf(times, direction);
  const ms = withMargin((1 - start.slat) * path.slatMs + (1 - start.position) * path.travelMs);
  return { direction, remaining, ms: ms + times.reserveMs };
}

function toPosition(
  times: TravelTimes,
  at: ShutterState,
  { position, remaining }: { readonly position: number; readonly remaining: ShutterTarget },
): MotorRun | undefined {
  const direction = position < midpoint(at.position) ? 'up' : 'down';
  const path = pathOf(times, direction);
  const travelMs = Math.abs(position - midpoint(at.position)) * path.travelMs;
  const slat = direction === 'up' ? midpoint(at.slat) : 1 - midpoint(at.slat);
  return travelMs < SHORTEST_MS ? undefined : { direction, remaining, ms: travelMs + slat * path.slatMs };
}

/** If the slats' position is unknown, they are closed first. */
function toSlat(times: TravelTimes, at: ShutterState, slat: number): MotorRun | undefined {
  const { low, high } = at.slat;
  if (!isSlatKnown(at))
    return { direction: 'down', ms: withMargin((1 - low) * times.slatMs), remaining: { slat } };
  const direction = slat < midpoint(at.slat) ? 'up' : 'down';
  const isEnd = slat === 0 || slat === 1;
  const ms = isEnd
    ? withMargin((direction === 'up' ? high : 1 - low) * times.slatMs)
    : Math.abs(slat - midpoint(at.slat)) * times.slatMs;
  return ms < SHORTEST_MS ? undefined : { direction, ms, remaining: {} };
}

/** A running time that is enough for a late and slow motor. */
const withMargin = (ms: number): number => (ms + LAG_MS) / (1 - DRIFT);

/** One direction of motion: 0 is where a complete run begins, 1 where it ends. */
interface Path {
  readonly travelMs: number;
  readonly slatMs: number;
}
/** A point on a path. */
interface Point {
  readonly position: number;
  readonly slat: number;
}

const pathOf = ({ runMs, slatMs }: TravelTimes, direction: MotorDirection): Path => ({
  travelMs: runMs[direction] - slatMs,
  slatMs,
});

/** The points of a state that are nearest to the beginning and to the end of a path. */
function extremesOf({ position, slat }: ShutterState, direction: MotorDirection): [start: Point, end: Point] {
  const low = { position: position.low, slat: slat.low };
  const high = { position: position.high, slat: slat.high };
  return direction === 'down' ? [low, high] : [mirrored(high), mirrored(low)];
}

function stateOf([start, end]: readonly [Point, Point], direction: MotorDirection): ShutterState {
  const [low, high] = direction === 'down' ? [start, end] : [mirrored(end), mirrored(start)];
  return {
    position: { low: low.position, high: high.position },
    slat: { low: low.slat, high: high.slat },
  };
}

const mirrored = ({ position, slat }: Point): Point => ({ position: 1 - position, slat: 1 - slat });

function advance({ travelMs, slatMs }: Path, { position, slat }: Point, ms: number): Point {
  const turnMs = (1 - slat) * slatMs;
  return {
    position: Math.min(1, position + Math.max(0, ms - turnMs) / travelMs),
    slat: ms >= turnMs ? 1 : slat + ms / slatMs,
  };
}
