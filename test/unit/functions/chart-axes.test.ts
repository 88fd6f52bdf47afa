// Charts use local time: a time zone with daylight saving time.
process.env['TZ'] = 'Europe/Berlin';

import t from 'tap';
import { palette } from '../../../src/functions/chart/svg-drawing.js';
import { periodAt, periodOf, type ChartSpan } from '../../../src/functions/chart/period.js';
import { niceScale } from '../../../src/functions/chart/scale.js';
import { timeTicksOf } from '../../../src/functions/chart/time-axis.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';

const seed = fuzzSeed();
const at = (text: string) => new Date(text).getTime() / 1000;
const [HOUR, DAY, WEEK, MONTH, YEAR, DECADE] = [0, 1, 2, 3, 4, 5] as const;
const spans = [HOUR, DAY, WEEK, MONTH, YEAR, DECADE] as const;

t.test('periods are in local time', async (t) => {
  const hours = (span: ChartSpan, start: string) => {
    const { startS, endS } = periodOf(span, at(start), 0);
    return (endS - startS) / 3600;
  };
  t.strictSame(
    [
      hours(DAY, '2026-03-29T00:00'),
      hours(DAY, '2026-10-25T00:00'),
      hours(DAY, '2026-11-22T00:00'),
      hours(HOUR, '2026-10-25T01:00'),
      hours(WEEK, '2026-10-19T00:00'),
      hours(MONTH, '2026-02-01T00:00'),
      hours(MONTH, '2028-02-01T00:00'),
      hours(YEAR, '2026-01-01T00:00'),
      hours(DECADE, '2020-01-01T00:00'),
    ],
    [23, 25, 24, 1, 169, 672, 696, 8760, 3653 * 24],
  );
  t.equal(
    periodOf(MONTH, at('2026-01-31T12:00'), 0).endS,
    at('2026-02-28T12:00'),
    'a month without that day',
  );
  const now = at('2026-11-22T17:34:56');
  t.strictSame(
    spans.map((span) => periodOf(span, 0, now).startS),
    [
      '2026-11-22T17:00',
      '2026-11-22T00:00',
      '2026-11-16T00:00',
      '2026-11-01T00:00',
      '2026-01-01T00:00',
      '2020-01-01T00:00',
    ].map(at),
    'the open-ended one',
  );
  const second = at('2012-10-28T01:39:48Z');
  t.equal(
    periodOf(HOUR, 0, second).startS,
    at('2012-10-28T01:00:00Z'),
    'the second of two hours of one name',
  );
  const repeated = at('2026-10-25T01:30:00Z');
  for (const span of spans) {
    const period = periodOf(span, repeated, now);
    t.strictSame(periodAt(span, period, 0), period, 'that starts in the second one');
    t.equal(periodAt(span, period, -1).endS, repeated);
  }
  for (const bad of [-1, 253_370_764_801])
    t.throws(() => periodOf(DAY, bad, now), { code: 'PARAMETER_BOUNDS' });
});

t.test(`periods are contiguous, and their marks lie within (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  for (let n = 0; n < 2000 && t.passing(); n++) {
    const span = random.pick(spans);
    const nowS = at('1995-01-01T00:00') + random.below(45 * 365 * 86_400);
    const period = periodOf(span, 0, nowS);
    const messages = `${span} ${new Date(nowS * 1000).toISOString()}`;
    if (!(period.startS <= nowS && nowS < period.endS)) t.fail(`${messages}: not within`);
    const before = periodAt(span, period, -1);
    if (before.endS !== period.startS) t.fail(`${messages}: the previous one ends at ${before.endS}`);
    const start = random.chance(0.5) ? period : periodOf(span, nowS, 0);
    const ticks = timeTicksOf(span, start, (count) => count <= 12);
    const texts = ticks.map(({ text }) => text);
    const isSound = ticks.every(
      ({ atS, textAtS }, i) =>
        atS >= start.startS && textAtS <= start.endS && atS < start.endS && atS > (ticks[i - 1]?.atS ?? -1),
    );
    if (ticks.length < 2 || ticks.length > 12 || !isSound) t.fail(`${messages}: ${JSON.stringify(ticks)}`);
    if (span !== HOUR && span !== DAY && new Set(texts).size < texts.length)
      t.fail(`${messages}: ${texts.join()}`);
  }
  t.pass('all of them');
});

t.test('a day of 25 hours has an hour twice on its axis, one of 23 skips one', async (t) => {
  const texts = (day: string) =>
    timeTicksOf(DAY, periodOf(DAY, at(day), 0), () => true).map(({ text, atS }) => [
      text,
      (atS - at(day)) / 3600,
    ]);
  t.strictSame(texts('2026-03-29T00:00').slice(1, 4), [
    ['01:00', 1],
    ['03:00', 2],
    ['04:00', 3],
  ]);
  t.strictSame(texts('2026-10-25T00:00').slice(1, 4), [
    ['01:00', 1],
    ['02:00', 2],
    ['03:00', 4],
  ]);
});

t.test(`an axis has round marks that contain all values (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const odd = [0, -0, 1e308, -1e308, 5e-324, 0.1 + 0.2, 1e15, 2 ** 53, -40, 1e-9, 21.5];
  for (let n = 0; n < 3000 && t.passing(); n++) {
    const value = () =>
      random.chance(0.3) ? random.pick(odd) : (random.next() - 0.5) * 10 ** (random.below(40) - 20);
    const [a, b, count] = [value(), value(), 2 + random.below(7)];
    const { low, high, ticks } = niceScale(a, b, count);
    const messages = `${a} ${b} ${count}: ${low} ${high} ${ticks.map(({ text }) => text).join()}`;
    const bound = (one: number) => Math.max(-1e300, Math.min(1e300, one));
    const slack = (high - low) * 1e-9;
    if (!(low <= bound(Math.min(a, b)) + slack && high >= bound(Math.max(a, b)) - slack && low < high))
      t.fail(messages);
    if (ticks.length < 2 || ticks.length > count + 3) t.fail(messages);
    if (new Set(ticks.map(({ text }) => text)).size < ticks.length) t.fail(messages);
    if (ticks.some(({ value: one, text }) => Math.abs(Number(text) - one) > (high - low) * 0.01))
      t.fail(messages);
  }
  t.pass('all of them');
});

t.test('colours are distinguishable from white and black', async (t) => {
  const light = (hex: string) => {
    const [r, g, b] = [1, 3, 5].map((from) => {
      const part = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: string, b: string) => {
    const [most, least] = [light(a), light(b)].sort((x, y) => y - x) as [number, number];
    return (most + 0.05) / (least + 0.05);
  };
  for (const color of palette)
    for (const ground of ['#ffffff', '#15181c']) t.ok(contrast(color, ground) >= 3, `${color} on ${ground}`);
});
