import { getTimes } from 'suncalc';
import { DAY_MS, localDay, localInstant } from '../../events/schedule/local-time.js';

/** A place on earth, in degrees: north and east are positive. */
export interface GeoPosition {
  readonly latitude: number;
  readonly longitude: number;
}

/** When the sun rises and sets, and where twilight begins and ends; unix milliseconds, undefined: not on that day. */
export interface SunTimes {
  readonly sunrise: number | undefined;
  readonly sunset: number | undefined;
  /** The sun less than 6° below the horizon: begin in the morning, end in the evening. */
  readonly civilBegin: number | undefined;
  readonly civilEnd: number | undefined;
  /** Less than 12°. */
  readonly nauticalBegin: number | undefined;
  readonly nauticalEnd: number | undefined;
  /** Less than 18°. */
  readonly astronomicalBegin: number | undefined;
  readonly astronomicalEnd: number | undefined;
}

/**
 * The sun's times of the local day on which `dayMs` falls: those around the noon of that day, so that an evening's
 * twilight may end after midnight.
 */
export function sunTimes(dayMs: number, { latitude, longitude }: GeoPosition): SunTimes {
  // Times are those around the noon of the sun that is nearest to what is asked for.
  const noonMs = localInstant(localDay(dayMs), { hour: 12, minute: 0, second: 0 });
  const times = getTimes(new Date(noonMs), latitude, longitude);
  return {
    sunrise: times.sunrise?.getTime(),
    sunset: times.sunset?.getTime(),
    civilBegin: times.dawn?.getTime(),
    civilEnd: times.dusk?.getTime(),
    nauticalBegin: times.nauticalDawn?.getTime(),
    nauticalEnd: times.nauticalDusk?.getTime(),
    astronomicalBegin: times.nightEnd?.getTime(),
    astronomicalEnd: times.night?.getTime(),
  };
}

/** Whether the sun is up at that instant: from sunrise on, until sunset. */
export function isSunUp(ms: number, { latitude, longitude }: GeoPosition): boolean {
  const { sunrise, sunset, alwaysUp } = getTimes(new Date(ms), latitude, longitude);
  return sunrise === null || sunset === null
    ? alwaysUp === true
    : sunrise.getTime() <= ms && ms < sunset.getTime();
}

/** When the sun rises or sets next, within about a day; undefined: it does not. */
export function nextSunChange(ms: number, { latitude, longitude }: GeoPosition): number | undefined {
  const next = [ms, ms + DAY_MS]
    .map((near) => getTimes(new Date(near), latitude, longitude))
    .flatMap(({ sunrise, sunset }) => [sunrise, sunset])
    .flatMap((date) => (date !== null && date.getTime() > ms ? [date.getTime()] : []));
  return next.length === 0 ? undefined : Math.min(...next);
}
