import t from 'tap';
import { chooseLanguage, setLanguage } from '../../../src/front/web/i18n/i18n.js';
import { formatAge, formatMoment, formatTime, formatValue } from '../../../src/front/web/format.js';
import type { Profile } from '../../../src/front/web/objects.js';
import { knownZone } from '../../../src/front/web/known-zone.js';
import { tintOf } from '../../../src/front/web/tint.js';
import { localTime, unixSeconds } from '../../../src/front/web/zone-time.js';

const profile = (changes: Partial<Profile>): Profile => ({
  type: 2,
  icon: '',
  prefix: '',
  suffix: '',
  minValue: 0,
  maxValue: 0,
  stepSize: 0,
  digits: 0,
  associations: [],
  ...changes,
});
const zone = { timeZone: 'Europe/Berlin', name: '' };
const noon = Date.UTC(2026, 0, 15, 11, 0, 0);

t.test('values are shown as their profile says, in the language of the page', async (t) => {
  const temperature = profile({ suffix: ' °C', digits: 1 });
  const onOff = profile({
    type: 0,
    associations: [
      { value: false, name: 'Off', icon: '', color: -1, key: 'OFF' },
      { value: true, name: 'On', icon: '', color: -1, key: 'ON' },
    ],
  });
  const own = profile({ type: 1, associations: [{ value: 1, name: 'On', icon: '', color: -1 }] });
  const dimmer = profile({ type: 1, suffix: '%', maxValue: 255 });
  await setLanguage('de');
  t.equal(formatValue(21.54, { ...zone, type: 2, profile: temperature }), '21,5 °C');
  t.equal(formatValue(-0.01, { ...zone, type: 2, profile: temperature }), '0,0 °C');
  t.equal(formatValue(true, { ...zone, type: 0, profile: onOff }), 'An');
  t.equal(formatValue(1, { ...zone, type: 1, profile: own }), 'On', 'the owner’s names are not translated');
  t.equal(formatValue(0, { ...zone, type: 1, profile: own }), '–');
  t.equal(formatValue(51, { ...zone, type: 1, profile: dimmer }), '20%');
  await setLanguage('en');
  t.equal(formatValue(21.54, { ...zone, type: 2, profile: temperature }), '21.5 °C');
  t.equal(formatValue(true, { ...zone, type: 0, profile: onOff }), 'On');
  t.equal(formatValue(true, { ...zone, type: 0, profile: undefined }), 'Yes');
});

t.test('an association that is finer than the digits applies from its value on', async (t) => {
  const named = (value: number, name: string) => ({ value, name, icon: '', color: -1 });
  const show = (value: number, associations: Profile['associations'], digits = 0) =>
    formatValue(value, { ...zone, type: 2, profile: profile({ digits, associations }) });
  const halves = [named(0, 'off'), named(0.25, 'half'), named(1, 'full')];
  t.strictSame(
    [0.24, 0.25, 0.99, 0.999].map((value) => show(value, halves)),
    ['off', 'half', 'half', 'full'],
  );
  const traces = [named(0, 'none'), named(1.5e-7, 'trace')];
  t.strictSame(
    [1.4e-7, 1.5e-7].map((value) => show(value, traces)),
    ['none', 'trace'],
  );
  t.equal(show(4.96, [named(0, 'calm'), named(5, 'breeze')], 1), 'breeze', 'as displayed, 5.0');
});

t.test('times are those of the gateway', async (t) => {
  await setLanguage('de');
  t.equal(formatTime(noon, 'Europe/Berlin'), '12:00');
  t.equal(formatTime(noon, 'America/New_York', true), '06:00:00');
  t.equal(formatMoment(noon, noon + 3_600_000, 'Europe/Berlin'), '12:00');
  t.match(formatMoment(noon, noon + 86_400_000, 'Europe/Berlin'), /15\. Jan.*12:00/);
  t.notMatch(formatMoment(noon, noon + 86_400_000, 'Europe/Berlin'), /2026/);
  t.match(formatMoment(noon, noon + 365 * 86_400_000, 'Europe/Berlin'), /^15\.01\.2026, 12:00$/);
  t.equal(formatAge(59_000), 'gerade eben');
  t.equal(formatAge(60_000), 'vor 1 Minute');
  t.equal(formatAge(3 * 86_400_000), 'vor 3 Tagen');
});

t.test('local times and unix times are inverse, even when the clocks change', async (t) => {
  for (const utc of [
    noon,
    Date.UTC(2026, 2, 29, 0, 30),
    Date.UTC(2026, 2, 29, 1, 30),
    Date.UTC(2026, 9, 25, 3, 0),
  ])
    t.equal(unixSeconds(localTime(utc, 'Europe/Berlin'), 'Europe/Berlin'), utc / 1000);
  t.equal(localTime(noon, 'Europe/Berlin'), '2026-01-15T12:00');
  t.equal(unixSeconds('nonsense', 'Europe/Berlin'), undefined);
});

t.test('a time zone that the browser does not know is that of the device', async (t) => {
  await setLanguage('de');
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  t.equal(formatTime(noon, 'Europe/Newtown'), formatTime(noon, timeZone));
  t.equal(localTime(noon, 'Europe/Newtown'), localTime(noon, timeZone));
  t.equal(unixSeconds(localTime(noon, 'Europe/Newtown'), 'Europe/Newtown'), noon / 1000);
  t.strictSame(['Europe/Newtown', 'Asia/Tokyo'].map(knownZone), [undefined, 'Asia/Tokyo']);
});

t.test('a language is chosen from those of the browser', async (t) => {
  t.equal(chooseLanguage(['fr-FR', 'de-AT'], ''), 'de');
  t.equal(chooseLanguage(['de-DE'], 'en'), 'en');
  t.equal(chooseLanguage(['fr'], ''), 'en');
});

t.test('a colour tints an icon only where it can be seen', async (t) => {
  t.equal(tintOf(0xffff00, false), undefined);
  t.equal(tintOf(0xffff00, true), '#ffff00');
  t.equal(tintOf(0xff0000, false), '#ff0000');
  t.equal(tintOf(-1, true), undefined);
});
