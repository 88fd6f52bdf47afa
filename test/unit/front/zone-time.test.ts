import t from 'tap';
import { shifted } from '../../../src/front/resident/history/periods.js';
import { localTime, unixSeconds } from '../../../src/front/web/zone-time.js';

t.test('a time that the change of the clocks skips is moved forward', async (t) => {
  for (const [skipped, zone, local] of [
    ['2026-03-29T00:00', 'Atlantic/Azores', '2026-03-29T01:00'],
    ['2026-09-06T00:00', 'America/Santiago', '2026-09-06T01:00'],
    ['2026-04-24T00:00', 'Africa/Cairo', '2026-04-24T01:00'],
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T03:30'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T03:30'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T02:30'],
  ] as const)
    t.equal(localTime((unixSeconds(skipped, zone) ?? 0) * 1000, zone), local, zone);
});

t.test('days before and after a day without a midnight begin at midnight', async (t) => {
  for (const [zone, month, day, first] of [
    ['Atlantic/Azores', '2026-03', 29, '01:00'],
    ['America/Santiago', '2026-09', 6, '01:00'],
    ['Africa/Cairo', '2026-04', 24, '01:00'],
    ['Europe/Berlin', '2026-03', 29, '00:00'],
  ] as const) {
    const local = (date: number) =>
      `${month}-${String(date).padStart(2, '0')}T${date === day ? first : '00:00'}`;
    for (const by of [-1, 1]) {
      const dates = [-3, -2, -1, 0, 1, 2].map((offset) => day + offset);
      if (by < 0) dates.reverse();
      let start = unixSeconds(local(dates[0] as number), zone) ?? 0;
      const shown = dates.map((_, step) => {
        if (step > 0) start = shifted(start, { period: 'day', by, zone });
        return localTime(start * 1000, zone);
      });
      t.strictSame(shown, dates.map(local), `${zone} by ${by}`);
    }
    const start = unixSeconds(local(day), zone) ?? 0;
    t.match(
      (['week', 'month', 'year'] as const).map((period) =>
        localTime(shifted(start, { period, by: -1, zone }) * 1000, zone),
      ),
      [/T00:00$/, /T00:00$/, /T00:00$/],
      zone,
    );
  }
});
