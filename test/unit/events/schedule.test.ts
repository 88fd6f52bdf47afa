import t, { type Test } from 'tap';
import type { Cyclic, Schedule } from '../../../src/kernel/events/event-data.js';
import { nextCyclic } from '../../../src/events/schedule/cyclic.js';
import { localDay, localInstant } from '../../../src/base/local-time.js';
import { nextPoint, pointAt } from '../../../src/events/schedule/week-schedule.js';
import { setTimeZone } from '../../tools/time-zone.js';

const none = { day: 0, month: 0, year: 0 };
const midnight = { hour: 0, minute: 0, second: 0 };
const every = { day: 2, week: 3, month: 4, year: 5 };

/** Every day at midnight, with these changes. */
function cyclic(changes: Partial<Cyclic>): Cyclic {
  const days = { dateType: 0, dateValue: 1, dateDay: 0, dateDayValue: 0, dateFrom: none, dateTo: none };
  return { ...days, timeType: 0, timeValue: 0, timeFrom: midnight, timeTo: midnight, ...changes };
}

/** `2026-03-29` → a date of an event. */
function date(text: string): Cyclic['dateFrom'] {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  return { year, month, day };
}

/** `2:30` → a time of an event. */
function time(text: string): Cyclic['timeFrom'] {
  const [hour = 0, minute = 0, second = 0] = text.split(':').map(Number);
  return { hour, minute, second };
}

/** The next runs after a time, as UTC to the minute (to the second if there are any). */
function runs(pattern: Cyclic, after: string, count = 4): string[] {
  const found: string[] = [];
  let ms: number | undefined = Date.parse(after);
  while (found.length < count) {
    ms = nextCyclic(pattern, ms, Date.parse('2026-01-01T12:00Z'));
    if (ms === undefined) return [...found, 'never'];
    found.push(new Date(ms).toISOString().replace(/(:00)?\.000Z$/, ''));
  }
  return found;
}

/** Only the dates, for patterns of days. */
const days = (...call: Parameters<typeof runs>) => runs(...call).map((text) => text.slice(0, 10));

t.test('days of a cyclic event', async (t) => {
  setTimeZone(t, 'UTC');
  t.same(days(cyclic({}), '2024-02-28', 3), ['2024-02-29', '2024-03-01', '2024-03-02'], 'every day');
  t.same(days(cyclic({ dateType: 1, dateFrom: date('2026-05-01') }), '2026-04-01'), ['2026-05-01', 'never']);
  t.same(days(cyclic({ dateType: 1 }), '2026-04-01'), ['never'], 'once, without a date');
  t.same(
    days(cyclic({ dateType: every.day, dateValue: 3 }), '2026-02-25', 3),
    ['2026-02-27', '2026-03-02', '2026-03-05'],
    'every third day from 2026-01-01',
  );
  t.same(
    days(cyclic({ dateType: every.day, dateValue: 2, dateFrom: date('2025-12-30') }), '2025-01-01', 3),
    ['2025-12-30', '2026-01-01', '2026-01-03'],
    'counted from the first day, over New Year',
  );
  t.same(
    days(cyclic({ dateFrom: date('2026-03-01'), dateTo: date('2026-03-02') }), '2026-01-01'),
    ['2026-03-01', '2026-03-02', 'never'],
    'both bounds are included',
  );

  const tuesdayAndSunday = cyclic({ dateType: every.week, dateDay: 2 + 64 });
  t.same(days(tuesdayAndSunday, '2026-01-01'), ['2026-01-04', '2026-01-06', '2026-01-11', '2026-01-13']);
  t.same(
    days({ ...tuesdayAndSunday, dateValue: 2 }, '2026-01-01'),
    ['2026-01-04', '2026-01-13', '2026-01-18', '2026-01-27'],
    'every second week, counted from Monday 2025-12-29',
  );
  t.same(days(cyclic({ dateType: every.week }), '2026-01-01'), ['never'], 'without a day of the week');
});

t.test('days of months and years', async (t) => {
  setTimeZone(t, 'UTC');
  const monthly = cyclic({ dateType: every.month, dateDayValue: 31 });
  t.same(
    days(monthly, '2026-01-31T00:00Z'),
    ['2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
    'the 31st is the last of every month',
  );
  t.same(days({ ...monthly, dateDayValue: 5 }, '2026-12-06', 2), ['2027-01-05', '2027-02-05']);
  t.same(
    days({ ...monthly, dateValue: 3, dateFrom: date('2025-11-30'), dateDayValue: 30 }, '2025-01-01'),
    ['2025-11-30', '2026-02-28', '2026-05-30', '2026-08-30'],
    'every third month',
  );
  const kinds: [number, number, string[]][] = [
    [1, 1, ['2026-02-02', '2026-03-02', '2026-04-06']],
    [64, 5, ['2026-01-25', '2026-02-22', '2026-03-29']],
    [16, 4, ['2026-01-23', '2026-02-27', '2026-03-27']],
    [31, 1, ['2026-02-02', '2026-03-02', '2026-04-01']],
    [31, 5, ['2026-01-30', '2026-02-27', '2026-03-31']],
    [127, 5, ['2026-01-31', '2026-02-28', '2026-03-31']],
  ];
  for (const [dateDay, dateDayValue, expected] of kinds)
    t.same(
      days({ ...monthly, dateDay, dateDayValue }, '2026-01-10', 3),
      expected,
      `${dateDay} ${dateDayValue}`,
    );

  const leapDay = cyclic({ dateType: every.year, dateValue: 2, dateDayValue: 29 });
  t.same(days(leapDay, '2026-03-01'), ['2027-02-28', '2028-02-29', '2029-02-28', '2030-02-28']);
  t.same(days(leapDay, '2096-03-01', 5).slice(-2), ['2100-02-28', '2101-02-28'], '2100 is not a leap year');
  t.same(days(cyclic({ ...leapDay, dateValue: 12, dateDayValue: 31 }), '2026-12-31T00:00Z', 1), [
    '2027-12-31',
  ]);
});

t.test('times within a day', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  t.same(
    runs(cyclic({ timeFrom: time('7:30') }), '2026-06-01T05:30Z', 1),
    ['2026-06-02T05:30'],
    'strictly after',
  );
  t.same(runs(cyclic({ timeFrom: time('7:30') }), '2026-06-01T05:29:59.999Z', 1), ['2026-06-01T05:30']);
  const quarterHourly = cyclic({
    timeType: 2,
    timeValue: 15,
    timeFrom: time('12:02:10'),
    timeTo: time('12:32:10'),
  });
  t.same(
    runs(quarterHourly, '2026-01-01T11:10Z'),
    ['2026-01-01T11:17:10', '2026-01-01T11:32:10', '2026-01-02T11:02:10', '2026-01-02T11:17:10'],
    'from the first to the last time, both included',
  );
  t.same(
    runs(cyclic({ timeType: 3, timeValue: 9 }), '2026-01-01T00:00Z'),
    ['2026-01-01T08:00', '2026-01-01T17:00', '2026-01-01T23:00', '2026-01-02T08:00'],
    'each day restarts the interval',
  );
  t.same(
    runs(cyclic({ timeType: 1, timeValue: 20 }), '2025-12-31T22:59:30Z', 3),
    ['2025-12-31T22:59:40', '2025-12-31T23:00', '2025-12-31T23:00:20'],
    'seconds, over New Year',
  );
  const night = { timeType: 3, timeValue: 4, timeFrom: time('22:00'), timeTo: time('6:00') };
  t.same(
    runs(cyclic({ ...night, dateType: every.week, dateDay: 16 }), '2026-01-02T22:00Z'),
    ['2026-01-03T01:00', '2026-01-03T05:00', '2026-01-09T21:00', '2026-01-10T01:00'],
    'the night from Friday to Saturday is Friday’s',
  );
});

t.test('daylight saving time begins: Berlin, 29 March 2026, 2:00 to 3:00', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  t.same(
    runs(cyclic({ timeFrom: time('2:30') }), '2026-03-28T00:00Z'),
    ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30', '2026-03-31T00:30'],
    'skipped times run at the change',
  );
  t.same(
    runs(cyclic({ timeType: 2, timeValue: 15, timeFrom: time('1:30') }), '2026-03-29T00:20Z'),
    ['2026-03-29T00:30', '2026-03-29T00:45', '2026-03-29T01:00', '2026-03-29T01:15'],
    '15 minutes stay 15 minutes',
  );
  t.same(
    runs(cyclic({ timeType: 3, timeValue: 2 }), '2026-03-28T22:00Z', 14).slice(-3),
    ['2026-03-29T21:00', '2026-03-29T22:00', '2026-03-30T00:00'],
    'the day has 23 hours, the next begins at its own midnight',
  );
});

t.test('daylight saving time ends: Berlin, 25 October 2026, 3:00 to 2:00', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  t.same(
    runs(cyclic({ timeFrom: time('2:30') }), '2026-10-24T12:00Z', 3),
    ['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30'],
    'repeated times run once, the first time',
  );
  t.same(
    runs(
      cyclic({ timeType: 2, timeValue: 30, timeFrom: time('2:00'), timeTo: time('3:00') }),
      '2026-10-24T12:00Z',
      6,
    ),
    [
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
      '2026-10-26T01:00',
    ],
    'two real hours',
  );
});

t.test('other time zones', async (t) => {
  const twoThirty = cyclic({ timeFrom: time('2:10') });
  const cases: [string, Cyclic, string, string[]][] = [
    ['Australia/Lord_Howe', twoThirty, '2026-10-03T00:00Z', ['2026-10-03T15:30', '2026-10-04T15:10']],
    [
      'Australia/Lord_Howe',
      cyclic({ timeFrom: time('1:45') }),
      '2026-04-04T00:00Z',
      ['2026-04-04T14:45', '2026-04-05T15:15'],
    ],
    ['Asia/Beirut', cyclic({}), '2026-03-28T00:00Z', ['2026-03-28T22:00', '2026-03-29T21:00']],
    ['America/Sao_Paulo', cyclic({}), '2018-11-03T12:00Z', ['2018-11-04T03:00', '2018-11-05T02:00']],
    ['Asia/Kolkata', twoThirty, '2026-01-01T00:00Z', ['2026-01-01T20:40', '2026-01-02T20:40']],
    [
      'Pacific/Apia',
      cyclic({ timeFrom: time('12:00') }),
      '2011-12-29T22:00Z',
      ['2011-12-30T10:00', '2011-12-30T22:00'],
    ],
  ];
  for (const [zone, pattern, after, expected] of cases)
    await t.test(`${zone} ${after}`, async (t) => {
      setTimeZone(t, zone);
      t.same(runs(pattern, after, 2), expected);
    });
});

t.test('any pattern has a next run or none, found in limited time', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  const numbers = [0, -1, 1, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 53), 1e300, 0.5, NaN, Infinity, -Infinity];
  let replies = 0;
  for (const n of numbers)
    for (const dateType of [...numbers, 2, 3, 4, 5])
      for (const timeType of [0, 1, 2, 3, 4]) {
        const parts = { day: n, month: n, year: n, hour: n, minute: n, second: n };
        for (const hostile of [
          { dateValue: n, dateDay: n, dateDayValue: n, timeValue: n },
          { dateDay: 127, dateFrom: parts },
          { dateDay: 127, dateTo: parts, timeTo: parts },
          { dateDay: 3, timeFrom: parts, timeValue: n },
        ]) {
          const pattern = cyclic({ ...hostile, dateType, timeType });
          for (const [after, created] of [
            [1.7e12, n],
            [n, 1.7e12],
          ] as const) {
            const at = nextCyclic(pattern, after, created);
            replies += 1;
            if (at !== undefined && !(at > after && Number.isFinite(at)))
              t.fail(`${String(at)}: ${JSON.stringify(pattern)} after ${after}, created ${created}`);
          }
        }
      }
  t.equal(replies, numbers.length * (numbers.length + 4) * 5 * 4 * 2);
});

const heating: Schedule = {
  actions: [],
  groups: [
    {
      id: 1,
      days: 31,
      points: [
        { id: 1, start: time('6:00'), actionId: 10 },
        { id: 2, start: time('22:00'), actionId: 20 },
      ],
    },
    { id: 2, days: 96, points: [{ id: 1, start: time('8:30'), actionId: 10 }] },
  ],
};

t.test('a schedule: the active point, and the next', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  const at = (text: string) => pointAt(heating, Date.parse(text));
  t.same(at('2026-01-05T05:00Z'), { groupId: 1, pointId: 1, actionId: 10 }, 'from its second on');
  t.same(at('2026-01-05T04:59:59Z'), { groupId: 2, pointId: 1, actionId: 10 }, 'Sunday’s until Monday');
  t.same(at('2026-01-09T22:00Z'), { groupId: 1, pointId: 2, actionId: 20 });
  const walk: unknown[] = [];
  let next = nextPoint(heating, Date.parse('2026-01-08T12:00Z'));
  while (next !== undefined && walk.length < 5) {
    walk.push([new Date(next.atMs).toISOString().slice(5, 16), next.groupId, next.pointId, next.actionId]);
    next = nextPoint(heating, next.atMs);
  }
  t.same(walk, [
    ['01-08T21:00', 1, 2, 20],
    ['01-09T05:00', 1, 1, 10],
    ['01-09T21:00', 1, 2, 20],
    ['01-10T07:30', 2, 1, 10],
    ['01-11T07:30', 2, 1, 10],
  ]);
});

t.test(
  'schedules without points, with one point per week, and over a change of the UTC offset',
  async (t) => {
    setTimeZone(t, 'Europe/Berlin');
    const weekly = (days: number, ...starts: string[]): Schedule => ({
      actions: [],
      groups: [
        { id: 7, days, points: starts.map((start, id) => ({ id, start: time(start), actionId: id + 1 })) },
      ],
    });
    for (const empty of [weekly(127), weekly(0, '6:00'), { actions: [], groups: [] }]) {
      t.equal(nextPoint(empty, 1.7e12), undefined);
      t.equal(pointAt(empty, 1.7e12), undefined);
    }
    const noon = Date.parse('2026-01-05T11:00Z');
    t.same(nextPoint(weekly(1, '12:00'), noon), {
      atMs: noon + 7 * 86_400_000,
      groupId: 7,
      pointId: 0,
      actionId: 1,
    });
    t.same(pointAt(weekly(1, '12:00'), noon - 1), { groupId: 7, pointId: 0, actionId: 1 }, 'last week’s');

    const jump = Date.parse('2026-03-29T01:00Z');
    const leftOut = weekly(64, '2:15', '2:45', '0:00');
    t.same(
      nextPoint(leftOut, jump - 1),
      { atMs: jump, groupId: 7, pointId: 1, actionId: 2 },
      'the later of two',
    );
    t.same(pointAt(leftOut, jump), { groupId: 7, pointId: 1, actionId: 2 });
    const twice = weekly(64, '2:30');
    t.equal(nextPoint(twice, Date.parse('2026-10-25T00:00Z'))?.atMs, Date.parse('2026-10-25T00:30Z'));
    t.equal(nextPoint(twice, Date.parse('2026-10-25T00:30Z'))?.atMs, Date.parse('2026-11-01T01:30Z'), 'once');
  },
);

t.test('a local time of day', async (t: Test) => {
  setTimeZone(t, 'America/St_Johns');
  // Until 2011 the clock was set back here at 0:01, to 23:01 of the previous day: that day ends twice.
  const day = localDay(Date.parse('2010-11-06T12:00Z'));
  t.equal(localInstant(day + 1, midnight), Date.parse('2010-11-07T02:30Z'), 'the first of two');
  t.equal(localDay(Date.parse('2010-11-07T02:30:59Z')), day + 1);
  t.equal(localDay(Date.parse('2010-11-07T02:31Z')), day);
  t.equal(localInstant(day + 1, time('0:01')), Date.parse('2010-11-07T03:31Z'));
  t.same(
    runs(cyclic({}), '2010-11-07T02:40Z', 1),
    ['2010-11-08T03:30'],
    'midnight has passed, and does not repeat',
  );
  t.same(
    pointAt(
      { ...heating, groups: [{ id: 1, days: 64, points: [{ id: 1, start: midnight, actionId: 3 }] }] },
      Date.parse('2010-11-07T02:40Z'),
    ),
    { groupId: 1, pointId: 1, actionId: 3 },
  );
});
