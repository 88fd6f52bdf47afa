import t from 'tap';
import {
  isSunUp,
  nextSunChange,
  sunTimes,
  type GeoPosition,
} from '../../../src/modules/location/sun-times.js';
import { setTimeZone } from '../../tools/time-zone.js';

const berlin: GeoPosition = { latitude: 52.52, longitude: 13.405 };
const tromso: GeoPosition = { latitude: 69.65, longitude: 18.96 };
const MINUTE_MS = 60_000;

/** Whether a time is within two minutes of an almanac’s (to the minute, UTC). */
const isAbout = (ms: number | undefined, text: string): boolean =>
  ms !== undefined && Math.abs(ms - Date.parse(text)) <= 2 * MINUTE_MS;

t.test('the sun of Berlin on a midsummer day and a winter day', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  const summer = sunTimes(Date.parse('2026-06-21T10:00Z'), berlin);
  t.ok(isAbout(summer.sunrise, '2026-06-21T02:43Z'), 'sunrise');
  t.ok(isAbout(summer.sunset, '2026-06-21T19:33Z'), 'sunset');
  t.equal(summer.astronomicalEnd, undefined, 'it never gets completely dark');
  const winter = sunTimes(Date.parse('2026-12-21T10:00Z'), berlin);
  t.ok(isAbout(winter.sunrise, '2026-12-21T07:15Z'), 'sunrise');
  t.ok(isAbout(winter.sunset, '2026-12-21T14:54Z'), 'sunset');
  const order = [
    winter.astronomicalBegin,
    winter.nauticalBegin,
    winter.civilBegin,
    winter.sunrise,
    winter.sunset,
    winter.civilEnd,
    winter.nauticalEnd,
    winter.astronomicalEnd,
  ];
  t.same(order, [...order].sort(), 'twilight begins before sunrise and ends after sunset');
  t.notOk(order.includes(undefined));
});

t.test('any time of a local day gives that day’s times, everywhere on earth', async (t) => {
  const places: [string, GeoPosition][] = [
    ['Pacific/Auckland', { latitude: -36.85, longitude: 174.76 }],
    ['Pacific/Kiritimati', { latitude: 1.87, longitude: -157.43 }],
    ['Pacific/Honolulu', { latitude: 21.31, longitude: -157.86 }],
    ['Asia/Urumqi', { latitude: 43.83, longitude: 87.62 }],
    ['Asia/Shanghai', { latitude: 39.47, longitude: 75.99 }],
    ['America/St_Johns', { latitude: 47.56, longitude: -52.71 }],
  ];
  for (const [zone, place] of places)
    await t.test(zone, async (t) => {
      setTimeZone(t, zone);
      const morning = sunTimes(new Date(2026, 2, 20, 0, 0, 1).getTime(), place);
      const evening = sunTimes(new Date(2026, 2, 20, 23, 59, 59).getTime(), place);
      t.same(morning, evening);
      for (const at of [morning.sunrise, morning.sunset]) t.equal(new Date(at ?? 0).getDate(), 20);
    });
});

t.test('places without a sunrise, or without a sunset', async (t) => {
  setTimeZone(t, 'Europe/Oslo');
  const polarNight = sunTimes(Date.parse('2026-12-21T10:00Z'), tromso);
  t.same([polarNight.sunrise, polarNight.sunset], [undefined, undefined]);
  t.ok(polarNight.civilBegin !== undefined, 'there is twilight at noon');
  t.equal(isSunUp(Date.parse('2026-12-21T11:00Z'), tromso), false);
  const polarDay = sunTimes(Date.parse('2026-06-21T10:00Z'), tromso);
  t.ok(Object.values(polarDay).every((at) => at === undefined));
  t.equal(isSunUp(Date.parse('2026-06-21T23:00Z'), tromso), true, 'at midnight');
  t.equal(nextSunChange(Date.parse('2026-06-21T10:00Z'), tromso), undefined);
});

t.test('the sun is up from sunrise until sunset, all year', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  for (let day = 0; day < 365; day += 5) {
    const { sunrise = NaN, sunset = NaN } = sunTimes(new Date(2026, 0, 1 + day, 9).getTime(), berlin);
    const seen = [sunrise - 1, sunrise, sunset - 1, sunset].map((ms) => isSunUp(ms, berlin));
    t.same(seen, [false, true, true, false], `day ${day}`);
    t.equal(nextSunChange(sunrise, berlin), sunset);
    t.equal(nextSunChange(sunrise - 1000, berlin), sunrise);
    t.equal(isSunUp(nextSunChange(sunset, berlin) ?? 0, berlin), true, 'the next morning');
  }
});
