import t from 'tap';
import { dayOf, type Periods, rollOver } from '../../../drivers/gpio/inputs/counter-periods.js';
import { PulseRate } from '../../../drivers/gpio/inputs/pulse-rate.js';
import { ManualClock } from '../../../src/base/clock.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

const S = 1_000_000_000n;
const DAY_MS = 86_400_000;
/** Noon in the local time zone. */
const noon = (day: string) => new Date(`${day}T12:00:00`).getTime();

async function pulses(board: BoardFixture, count: number, everyMs: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await board.drive('BUTTON1', true);
    await board.elapse(everyMs / 2);
    await board.drive('BUTTON1', false);
    await board.elapse(everyMs / 2);
  }
}

t.test('a meter: count, quantity, rate, today and this month, which continue after reopening', async (t) => {
  const board = new BoardFixture(t, new ManualClock(noon('2026-11-29')));
  const settings = { Line: 'BUTTON1', Measures: 'electricity', PulsesPerUnit: 1000, Offset: 5000 };
  const meter = await board.add('Counter', settings);
  await board.waitForLink(meter, 'online');
  const seen = () =>
    ['COUNT', 'QUANTITY', 'TODAY', 'YESTERDAY', 'MONTH', 'LAST_MONTH'].map((ident) =>
      board.value(meter, ident),
    );
  await pulses(board, 20, 500);
  await board.elapse(200);
  t.strictSame(seen(), [20, 5000.02, 0.02, 0, 0.02, 0]);
  t.equal(board.value(meter, 'RATE'), 7.2, 'two pulses per second are 7.2 kW');
  board.clock.stepWallClock(DAY_MS);
  await board.elapse(1000);
  t.strictSame(seen(), [20, 5000.02, 0, 0.02, 0.02, 0]);
  await pulses(board, 1, 100);
  // A count that is not reported yet is reported when it closes.
  await pulses(board, 1, 20);
  await board.change(meter, { Offset: 0 });
  await board.waitForLink(meter, 'online');
  t.strictSame(seen(), [22, 0.022, 0.002, 0.02, 0.022, 0]);
  board.clock.stepWallClock(DAY_MS);
  await board.elapse(1000);
  t.strictSame(seen(), [22, 0.022, 0, 0.002, 0, 0.022]);
  t.equal(board.value(meter, 'DAY'), '2026-12-01');
});

t.test('a new day that begins with an edge that does not count', async (t) => {
  const board = new BoardFixture(t, new ManualClock(noon('2026-11-30')));
  const meter = await board.add('Counter', { Line: 'BUTTON1' });
  await board.waitForLink(meter, 'online');
  await pulses(board, 3, 500);
  await board.drive('BUTTON1', true);
  await board.elapse(1000);
  board.clock.stepWallClock(DAY_MS);
  await board.drive('BUTTON1', false);
  await board.elapse(2000);
  t.strictSame(
    ['COUNT', 'TODAY', 'YESTERDAY', 'MONTH'].map((ident) => board.value(meter, ident)),
    [4, 0, 4, 0],
  );
});

t.test('a clock that is not synchronised or is set back does not begin a new day', async (t) => {
  const clock = new ManualClock(noon('1970-01-05'));
  clock.hasTrustedTime = false;
  const board = new BoardFixture(t, clock);
  const meter = await board.add('Counter', { Line: 'BUTTON1', Edges: 'both' });
  await board.waitForLink(meter, 'online');
  await pulses(board, 3, 500);
  t.strictSame([board.value(meter, 'COUNT'), board.value(meter, 'DAY')], [6, '']);
  clock.stepWallClock(noon('2026-11-22') - clock.nowMs());
  clock.hasTrustedTime = true;
  await board.elapse(1000);
  await pulses(board, 1, 500);
  clock.stepWallClock(-3 * DAY_MS);
  await board.elapse(1000);
  t.strictSame([board.value(meter, 'TODAY'), board.value(meter, 'DAY')], [2, '2026-11-22']);
});

t.test('a wrong date in the future is corrected, and the counts stay', async (t) => {
  const board = new BoardFixture(t, new ManualClock(noon('2062-02-03')));
  const meter = await board.add('Counter', { Line: 'BUTTON1' });
  await board.waitForLink(meter, 'online');
  await pulses(board, 3, 500);
  const seen = () => ['DAY', 'TODAY', 'YESTERDAY', 'MONTH'].map((ident) => board.value(meter, ident));
  board.clock.stepWallClock(noon('2026-11-22') - board.clock.nowMs());
  await board.elapse(1000);
  t.strictSame(seen(), ['2026-11-22', 3, 0, 3]);
  board.clock.stepWallClock(DAY_MS);
  await board.elapse(1000);
  t.strictSame(seen(), ['2026-11-23', 0, 3, 3]);
  // A clock that is not set yet.
  board.clock.stepWallClock(-board.clock.nowMs());
  await board.elapse(1000);
  t.strictSame(seen(), ['2026-11-23', 0, 3, 3]);
});

t.test('all delivered edges count, with at most five reports per second', async (t) => {
  const board = new BoardFixture(t);
  const meter = await board.add('Counter', { Line: 'BUTTON1' });
  await board.waitForLink(meter, 'online');
  const reports = board.watch(meter, 'COUNT');
  for (let burst = 0; burst < 40; burst++) {
    for (let n = 0; n < 500; n++) await board.drive('BUTTON1', n % 2 === 0);
    await board.elapse(50);
  }
  await board.elapse(500);
  t.equal(board.value(meter, 'COUNT'), 10_000);
  t.equal(board.value(meter, 'LOST'), 0);
  t.ok(reports.length <= 15, `${reports.length} reports`);
  t.strictSame(
    reports,
    [...reports].sort((a, b) => Number(a) - Number(b)),
    'never backward',
  );
});

t.test('a rate follows the pulses, falls while none come, and ends', async (t) => {
  const rate = new PulseRate(600);
  t.equal(rate.at(S), 0);
  rate.addPulse(10n * S);
  t.equal(rate.at(11n * S), 0, 'one pulse has no rate');
  rate.addPulse(70n * S);
  t.equal(rate.at(70n * S), 1 / 60);
  t.equal(rate.at(100n * S), 1 / 60);
  t.equal(rate.at(190n * S), 1 / 120);
  t.equal(rate.at(671n * S), 0);
  rate.addPulse(2000n * S);
  t.equal(rate.at(2000n * S), 0, 'pulses before the pause do not count');
  for (let n = 1n; n <= 10_000n; n++) rate.addPulse(2000n * S + n * (S / 10_000n));
  t.equal(rate.at(2001n * S), 10_000);
  rate.addPulse(2001n * S + S / 2n);
  t.equal(rate.at(2003n * S), 1 / 1.5);
});

const seed = fuzzSeed();
t.test(`days and months contain what was counted in them (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  let count = random.below(1000);
  let periods: Periods = { day: '', dayFrom: 0, monthFrom: 0 };
  const byDay = new Map<string, number>();
  const byMonth = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, n: number) => to.set(key, (to.get(key) ?? 0) + n);
  const shift = (date: Date, days: number) => new Date(date.getTime() + days * DAY_MS);
  let date = new Date('2026-01-20T12:00:00');
  for (let step = 0; step < 2000; step++) {
    const today = dayOf(date.getTime());
    const { yesterday, lastMonth, ...after } = rollOver(periods, today, count);
    periods = after;
    if (yesterday !== undefined) t.equal(yesterday, byDay.get(dayOf(shift(date, -1).getTime())) ?? 0, today);
    const monthBefore = dayOf(new Date(date.getFullYear(), date.getMonth(), 0).getTime()).slice(0, 7);
    if (lastMonth !== undefined) t.equal(lastMonth, byMonth.get(monthBefore) ?? 0, today);
    const n = random.below(5);
    count += n;
    add(byDay, today, n);
    add(byMonth, today.slice(0, 7), n);
    t.strictSame(
      [count - periods.dayFrom, count - periods.monthFrom],
      [byDay.get(today), byMonth.get(today.slice(0, 7))],
    );
    date = shift(date, random.chance(0.5) ? 0 : random.chance(0.95) ? 1 : random.below(90));
    if (!t.passing()) break;
  }
});
