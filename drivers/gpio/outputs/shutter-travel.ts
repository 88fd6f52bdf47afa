/**
 * Where a shutter is, told by the time its motor ran. Never a number but what it may be, from and to: each run makes that
 * wider, by what a motor's start and speed can't be known to be, and a run into an end stop closes it again. 0 is open
 * (up), 1 is closed (down). Slats turn first when the motor reverses, and only then does the shutter move.
 */

/** How late a motor may start, and how long it may run on. */
const LAG_MS = 50;
/** How much faster or slower than measured it may run: warm or cold, up or down a hundred times. */
const DRIFT = 0.01;
/** A run shorter than this moves nothing that counts. */
const SHORTEST_MS = 100;
/** What may be anywhere within more than this is not known. */
const POSITION_KNOWN_WITHIN = 0.1;
const SLAT_KNOWN_WITHIN = 0.25;

export type MotorDirection = 'up' | 'down';

/** What something may be, 0 … 1. */
export interface Span {
  readonly low: number;
  readonly high: number;
}

export interface ShutterState {
  readonly position: Span;
  /** 0 as a run up leaves the slats, 1 as a run down does. */
  readonly slat: Span;
}

/** What the motor takes, milliseconds. */
export interface TravelTimes {
  /** From one end stop to the other, with the slats' turn. */
  readonly runMs: Readonly<Record<MotorDirection, number>>;
  /** From one end of the slats' turn to the other; 0: no slats. */
  readonly slatMs: number;
  /** How long a run into an end stop goes on beyond the time it takes. */
  readonly reserveMs: number;
}

/** Where it shall be, 0 … 1; what is not given may be anything. */
export interface ShutterTarget {
  readonly position?: number;
  readonly slat?: number;
}

/** A run that brings it nearer to its aim. */
export interface MotorRun {
  readonly direction: MotorDirection;
  readonly ms: number;
  /** What of the aim is left to do after it. */
  readonly left: ShutterTarget;
}

const whole: Span = { low: 0, high: 1 };
/** Nothing is known. */
export const unknownState: ShutterState = { position: whole, slat: whole };

export const midpoint = ({ low, high }: Span): number => (low + high) / 2;
const widthOf = ({ low, high }: Span): number => high - low;

/** Whether its position is known well enough to go to another one. */
export const isPositionKnown = ({ position }: ShutterState): boolean =>
  widthOf(position) <= POSITION_KNOWN_WITHIN;

/** Whether its slats' position is known well enough to turn them to another one. */
export const isSlatKnown = ({ slat }: ShutterState): boolean => widthOf(slat) <= SLAT_KNOWN_WITHIN;

/** Where it may be after its motor was on for at least and at most so long. */
export function stateAfterRun(
  times: TravelTimes,
  { from, direction }: { readonly from: ShutterState; readonly direction: MotorDirection },
  [leastMs, mostMs]: readonly [number, number],
): ShutterState {
  const way = wayOf(times, direction);
  const least = Math.max(0, leastMs * (1 - DRIFT) - LAG_MS);
  const most = mostMs * (1 + DRIFT) + LAG_MS;
  const [start, end] = cornersOf(from, direction);
  // The further it was and the longer it ran, the further it is: the corners stay the corners.
  return standingOf([ranFor(way, start, least), ranFor(way, end, most)], direction);
}

/** Where it may be when its motor goes on in that direction, and nobody knows for how long. */
export const stateAfterInterruption = (
  times: TravelTimes,
  from: ShutterState,
  direction: MotorDirection,
): ShutterState => stateAfterRun(times, { from, direction }, [0, Number.POSITIVE_INFINITY]);

/** The longest that a motor may run in that direction, milliseconds: into the end stop from anywhere. */
export const longestRunMs = (times: TravelTimes, direction: MotorDirection): number =>
  toEnd(times, unknownState, { direction, left: {} }).ms;

/** Where a motor rests, or rested last, and where it has been told to run since. */
interface Start {
  readonly at: ShutterState;
  readonly moving?: MotorDirection | undefined;
}

/** What the motor must do next; undefined when there is nothing to do. Where the way is a choice, it goes on as it moves. */
export function nextRun(times: TravelTimes, start: Start, aim: ShutterTarget): MotorRun | undefined {
  const { at, moving } = start;
  const { position, slat } = aim;
  const left = slat === undefined ? {} : { slat };
  if (position === 0) return toEnd(times, at, { direction: 'up', left });
  if (position === 1) return toEnd(times, at, { direction: 'down', left });
  if (position === undefined) return slat === undefined ? undefined : toSlat(times, at, slat);
  if (!isPositionKnown(at))
    return toEnd(times, at, { direction: moving ?? (position < 0.5 ? 'up' : 'down'), left: aim });
  return toPosition(times, at, { position, left }) ?? nextRun(times, start, left);
}

function toEnd(times: TravelTimes, at: ShutterState, { direction, left }: Omit<MotorRun, 'ms'>): MotorRun {
  const [start] = cornersOf(at, direction);
  const way = wayOf(times, direction);
  const ms = safely((1 - start.slat) * way.slatMs + (1 - start.position) * way.travelMs);
  return { direction, left, ms: ms + times.reserveMs };
}

function toPosition(
  times: TravelTimes,
  at: ShutterState,
  { position, left }: { readonly position: number; readonly left: ShutterTarget },
): MotorRun | undefined {
  const direction = position < midpoint(at.position) ? 'up' : 'down';
  const way = wayOf(times, direction);
  const travelMs = Math.abs(position - midpoint(at.position)) * way.travelMs;
  const slat = direction === 'up' ? midpoint(at.slat) : 1 - midpoint(at.slat);
  return travelMs < SHORTEST_MS ? undefined : { direction, left, ms: travelMs + slat * way.slatMs };
}

/** Slats that may be anywhere are closed first. */
function toSlat(times: TravelTimes, at: ShutterState, slat: number): MotorRun | undefined {
  const { low, high } = at.slat;
  if (!isSlatKnown(at)) return { direction: 'down', ms: safely((1 - low) * times.slatMs), left: { slat } };
  const direction = slat < midpoint(at.slat) ? 'up' : 'down';
  const isEnd = slat === 0 || slat === 1;
  const ms = isEnd
    ? safely((direction === 'up' ? high : 1 - low) * times.slatMs)
    : Math.abs(slat - midpoint(at.slat)) * times.slatMs;
  return ms < SHORTEST_MS ? undefined : { direction, ms, left: {} };
}

/** So long that a late and slow motor gets there too. */
const safely = (ms: number): number => (ms + LAG_MS) / (1 - DRIFT);

/** One direction, seen from its beginning: 0 is where a whole run begins, 1 where it ends. */
interface Way {
  readonly travelMs: number;
  readonly slatMs: number;
}
/** A point on a way. */
interface Point {
  readonly position: number;
  readonly slat: number;
}

const wayOf = ({ runMs, slatMs }: TravelTimes, direction: MotorDirection): Way => ({
  travelMs: runMs[direction] - slatMs,
  slatMs,
});

/** The points of a standing that are nearest to the beginning and to the end of a way. */
function cornersOf({ position, slat }: ShutterState, direction: MotorDirection): [start: Point, end: Point] {
  const low = { position: position.low, slat: slat.low };
  const high = { position: position.high, slat: slat.high };
  return direction === 'down' ? [low, high] : [turned(high), turned(low)];
}

function standingOf([start, end]: readonly [Point, Point], direction: MotorDirection): ShutterState {
  const [low, high] = direction === 'down' ? [start, end] : [turned(end), turned(start)];
  return {
    position: { low: low.position, high: high.position },
    slat: { low: low.slat, high: high.slat },
  };
}

const turned = ({ position, slat }: Point): Point => ({ position: 1 - position, slat: 1 - slat });

function ranFor({ travelMs, slatMs }: Way, { position, slat }: Point, ms: number): Point {
  const turnMs = (1 - slat) * slatMs;
  return {
    position: Math.min(1, position + Math.max(0, ms - turnMs) / travelMs),
    slat: ms >= turnMs ? 1 : slat + ms / slatMs,
  };
}
