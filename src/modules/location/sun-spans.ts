import { localDay, localInstant } from '../../base/local-time.js';
import { sunTimes, type GeoPosition, type SunTimes } from './sun-times.js';

/** A part of each day that begins and ends with the sun, seconds before (negative) or after it. */
export interface SunSpan {
  readonly from: keyof SunTimes;
  readonly fromOffsetS: number;
  readonly to: keyof SunTimes;
  readonly toOffsetS: number;
}

/** The state of a span at an instant. */
interface SpanState {
  readonly isOn: boolean;
  /** When it begins or ends next, unix milliseconds; Infinity if not within about a day. */
  readonly untilMs: number;
  /** False on a day that lacks the beginning or the end. */
  readonly isKnown: boolean;
}

const NOON = { hour: 12, minute: 0, second: 0 };

/** The state of a span. A span whose end is before its beginning ends on the next day. */
export function spanStateAt(span: SunSpan, nowMs: number, place: GeoPosition): SpanState {
  const today = localDay(nowMs);
  const times = [-1, 0, 1, 2].map((n) => sunTimes(localInstant(today + n, NOON), place));
  const spans = times.slice(0, -1).map((one, n) => {
    const fromMs = withOffset(one[span.from], span.fromOffsetS);
    const toMs = withOffset(one[span.to], span.toOffsetS);
    if (fromMs === undefined || toMs === undefined || toMs > fromMs) return [fromMs, toMs] as const;
    return [fromMs, withOffset(times[n + 1]?.[span.to], span.toOffsetS)] as const;
  });
  const known = spans.filter((one): one is readonly [number, number] => !one.includes(undefined));
  const [, ofToday] = spans;
  return {
    isOn: known.some(([fromMs, toMs]) => fromMs <= nowMs && nowMs < toMs),
    untilMs: Math.min(...known.flat().filter((edgeMs) => edgeMs > nowMs)),
    isKnown: ofToday?.includes(undefined) === false,
  };
}

function withOffset(atMs: number | undefined, offsetS: number): number | undefined {
  return atMs === undefined ? undefined : atMs + offsetS * 1000;
}
