import { getTimes } from 'suncalc';
import { DAY_MS, localDay, localInstant } from '../../base/local-time.js';

/** A position on earth in degrees; north and east are positive. */
export interface GeoPosition {
  readonly latitude: number;
  readonly longitude: number;
}

/**
 * Sunrise, sunset and the limits of twilight in unix milliseconds; undefined if they do not occur on that
 * day.
 */
export interface SunTimes {
  readonly sunrise: number | undefined;
  readonly sunset: number | undefined;
  /** Sun less than 6° below the horizon: begin in the morning, end in the evening. */
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
 * The sun's times of the local day of `dayMs`, around its noon, so that twilight in the evening may end after
 * midnight.
 */
export function sunTimes(dayMs: number, { latitude, longitude }: GeoPosition): SunTimes {
  // suncalc returns the times around the solar noon nearest to the given time.
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

/** Whether the sun is up at an instant: from sunrise until sunset. */
export function isSunUp(ms: number, { latitude, longitude }: GeoPosition): boolean {
  const { sunrise, sunset, alwaysUp } = getTimes(new Date(ms), latitude, longitude);
  return sunrise === null || sunset === null
    ? alwaysUp === true
    : sunrise.getTime() <= ms && ms < sunset.getTime();
}

/** The next sunrise or sunset within about a day; undefined if there is none. */
export function nextSunChange(ms: number, { latitude, longitude }: GeoPosition): number | undefined {
  const next = [ms, ms + DAY_MS]
    .map((near) => getTimes(new Date(near), latitude, longitude))
    .flatMap(({ sunrise, sunset }) => [sunrise, sunset])
    .flatMap((date) => (date !== null && date.getTime() > ms ? [date.getTime()] : []));
  return next.length === 0 ? undefined : Math.min(...next);
}
