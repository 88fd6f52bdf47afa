import t from 'tap';
import { priceAt, type Tariff } from '../../../src/modules/energy/tariffs.js';
import { setTimeZone } from '../../tools/time-zone.js';

const at = (text: string) => new Date(text).getTime();

t.test('the first tariff that applies gives the price', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  const tariffs: Tariff[] = [
    { From: '17:00', To: '20:00', Days: 'workdays', Price: 0.4 },
    { From: '22:00', To: '06:00', Days: 'all', Price: 0.2 },
    { From: '00:00', To: '24:00', Days: 'weekend', Price: 0.25 },
  ];
  // 2026-11-27 is a Friday.
  for (const [text, expected] of [
    ['2026-11-27T16:59:59', 0.3],
    ['2026-11-27T17:00:00', 0.4],
    ['2026-11-27T19:59:59', 0.4],
    ['2026-11-27T20:00:00', 0.3],
    ['2026-11-27T22:00:00', 0.2],
    ['2026-11-28T05:59:59', 0.2],
    ['2026-11-28T06:00:00', 0.25],
    ['2026-11-28T17:30:00', 0.25],
    ['2026-11-29T21:59:59', 0.25],
    ['2026-11-30T06:00:00', 0.3],
  ] as const)
    t.equal(priceAt(tariffs, 0.3, at(text)), expected, text);
  t.equal(priceAt([], 0.3, 0), 0.3);
});

t.test('a tariff follows the local time when the clocks change', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  const tariffs: Tariff[] = [{ From: '02:00', To: '03:00', Days: 'all', Price: 0.1 }];
  const prices = (from: string) =>
    [0, 1, 2, 3, 4].map((hour) => priceAt(tariffs, 0.3, at(from) + hour * 3_600_000 + 60_000));
  // From midnight: the hour from 2 to 3 does not exist in spring, and occurs twice in autumn.
  t.strictSame(prices('2026-03-29T00:00:00'), [0.3, 0.3, 0.3, 0.3, 0.3]);
  t.strictSame(prices('2026-10-25T00:00:00'), [0.3, 0.3, 0.1, 0.1, 0.3]);
});
