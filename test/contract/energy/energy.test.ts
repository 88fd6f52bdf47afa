import t from 'tap';
import { objectType } from '../../../src/kernel/object.js';
import { quality } from '../../../src/kernel/quality.js';
import { EnergyHouse } from '../../tools/devices/energy-house.js';
import { setTimeZone } from '../../tools/time-zone.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const TARIFFS = { Price: 0.3, Tariffs: [{ From: '22:00', To: '06:00', Days: 'all', Price: 0.2 }] };

t.test('energy costs what the tariff of its moment says', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-11-26T21:58:10', { Import: 'import', ...TARIFFS });
  t.equal(house.value('PRICE'), 0.3);
  t.equal(house.value('COST'), 0);
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('COST'), 0.3);
  house.clock.advance(40_000);
  house.add('import', 2);
  await house.pass(10_000);
  t.equal(house.value('COST'), 0.9, 'what is counted at 22:00 was bought before');
  t.equal(house.value('PRICE'), 0.2);
  house.add('import', 2);
  await house.pass(MINUTE_MS);
  t.equal(house.value('COST'), 1.3);
  t.equal(house.value('CONSUMPTION'), 5);
  t.equal(house.value('IMPORT_TODAY'), 5);
});

t.test('a balance of grid, generation and storage', async (t) => {
  const all = { Import: 'import', Export: 'export', Generation: 'generation' };
  const storage = { Charge: 'charge', Discharge: 'discharge' };
  await using house = await EnergyHouse.start(t, '2026-06-15T12:00:00', {
    ...all,
    ...storage,
    FeedInPrice: 0.08,
    readings: { import: 10, export: 20, generation: 30, charge: 5, discharge: 4 },
  });
  house.add('generation', 10);
  house.add('export', 4);
  house.add('charge', 3);
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 4, '1 bought, 10 generated, 4 sold, 3 stored');
  t.equal(house.value('SELF_CONSUMED'), 6);
  t.equal(house.value('SELF_CONSUMPTION'), 60);
  t.equal(house.value('AUTARKY'), 75);
  t.equal(house.value('REVENUE'), 0.32);
  t.equal(house.value('COST'), undefined, 'there is no price');
  // The counters are not read at the same moment: sums never fall.
  house.add('export', 2);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 4);
  t.equal(house.value('SELF_CONSUMED'), 6);
  house.add('generation', 3);
  house.add('discharge', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 6);
  t.equal(house.value('SELF_CONSUMED'), 7);
});

t.test('days have 23 and 25 hours when the clocks change', async (t) => {
  for (const [begin, hours] of [
    ['2026-03-29T00:00:00', 23],
    ['2026-10-25T00:00:00', 25],
    ['2026-11-26T00:00:00', 24],
  ] as const) {
    await using house = await EnergyHouse.start(t, begin, { Import: 'import', ...TARIFFS });
    for (let hour = 1; hour <= hours; hour += 1) {
      if (hour === hours) {
        await house.pass(HOUR_MS - MINUTE_MS);
        t.equal(house.value('CONSUMPTION_TODAY'), hours - 1, begin);
        house.add('import', 1);
        await house.pass(30_000);
        t.equal(house.value('CONSUMPTION_TODAY'), hours - 1);
        await house.pass(30_000);
      } else {
        await house.pass(HOUR_MS - MINUTE_MS);
        house.add('import', 1);
        await house.pass(MINUTE_MS);
      }
    }
    t.equal(house.value('CONSUMPTION_TODAY'), 0, 'a new day');
    t.equal(house.value('CONSUMPTION'), hours, 'and the last minute was counted');
  }
});

t.test('the load of a quarter hour is its mean power', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-11-26T12:07:00', { Import: 'import' });
  const seen = house.fixture.watch(house.energy, 'LOAD');
  house.add('import', 5);
  await house.pass(8 * MINUTE_MS);
  t.strictSame(seen, [], 'the first one has not been counted from its beginning');
  house.add('import', 0.25);
  await house.pass(14 * MINUTE_MS);
  house.add('import', 0.25);
  await house.pass(MINUTE_MS);
  t.strictSame(seen, [2000]);
  await house.pass(15 * MINUTE_MS);
  t.strictSame(seen, [2000, 0]);
  house.set('import', 0);
  await house.pass(15 * MINUTE_MS);
  t.equal(house.fixture.quality(house.energy, 'LOAD'), 'stale NOT_REPORTED', 'the counter was replaced');
  house.add('import', 1);
  await house.pass(5 * MINUTE_MS);
  house.clock.stepWallClock(7 * MINUTE_MS);
  await house.pass(5 * MINUTE_MS);
  t.strictSame(seen.slice(2), [], 'the clock was set');
  await house.pass(30 * MINUTE_MS);
  t.equal(seen.at(-1), 0);
  t.equal(house.fixture.quality(house.energy, 'LOAD'), 'good');
});

t.test('the load of a quarter that begins with the instance is its mean power, too', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-11-26T12:00:36', { Import: 'import' });
  house.add('import', 0.48);
  await house.pass(0.24 * 3_600_000);
  t.equal(house.value('LOAD'), 2000);
});

t.test('a counter that is replaced continues from its new reading', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-11-26T12:00:00', { Import: 'import', ...TARIFFS });
  house.add('import', 2);
  await house.pass(MINUTE_MS);
  house.set('import', 0.5);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 2);
  t.match(house.problems, /import has fallen/);
  house.add('import', 1);
  await house.pass(2 * MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 3);
  t.equal(house.problems, '');
});

t.test('a meter with another number begins with its reading, higher or lower', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-11-26T12:00:00', { Import: 'import', ...TARIFFS });
  const { energy, fixture } = house;
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  house.setMeterNumber('70000001');
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 2, 'a meter that begins to send its number is not another one');
  house.setMeterNumber('70000002');
  house.set('import', 5000);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 2, 'the difference of two meters is no consumption');
  t.equal(house.value('COST'), 0.6);
  t.match(house.problems, /the meter of import was replaced by 70000002/);
  house.add('import', 1);
  await house.pass(2 * MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 3);
  t.equal(house.problems, '');
  // Replaced while the instance is closed, as during a restart.
  fixture.devices.setProperty(energy.id, 'Price', 1);
  house.setMeterNumber('70000003');
  house.set('import', 6000);
  await fixture.devices.applyChanges(energy.id);
  await fixture.waitForLink(energy, 'online');
  t.equal(house.value('CONSUMPTION'), 3);
  house.setMeterNumber('70000004');
  house.set('import', 7);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 3);
  t.notMatch(house.problems, /has fallen/, 'a lower reading of another meter is no fall');
});

t.test('another counter or another unit begins with its reading', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-11-26T12:00:00', {
    Import: 'import',
    ...TARIFFS,
    readings: { import: 1000, charge: 23_456 },
  });
  const { energy, fixture } = house;
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  await fixture.change(energy, { Import: 'charge' });
  await fixture.waitForLink(energy, 'online');
  t.equal(house.value('CONSUMPTION'), 1, 'the difference of two counters is no consumption');
  house.add('charge', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 2);
  for (const profile of ['~Electricity.Wh', '~Electricity']) {
    fixture.kernel.variables.setProfile(house.variable('charge'), profile);
    await house.pass(MINUTE_MS);
  }
  t.equal(house.value('CONSUMPTION'), 2);
  t.equal(house.problems, '');
  await fixture.change(energy, { Price: 0.5 });
  await fixture.waitForLink(energy, 'online');
  house.add('charge', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 3, 'the same counter continues after a restart');
});

t.test('with negative prices neither the cost nor the revenue falls', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-06-15T11:58:10', {
    Import: 'import',
    Export: 'export',
    Price: 0.3,
    Tariffs: [{ From: '12:00', To: '14:00', Price: -0.1 }],
    FeedInPrice: -0.05,
    readings: { import: 10, export: 20 },
  });
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('COST'), 0.3);
  t.equal(house.value('REVENUE'), 0);
  await house.pass(MINUTE_MS);
  t.equal(house.value('PRICE'), -0.1);
  house.add('import', 5);
  await house.pass(MINUTE_MS);
  t.equal(house.value('COST'), 0.3, 'who is paid for buying has no cost');
  t.equal(house.value('REVENUE'), 0.5);
  house.add('export', 4);
  await house.pass(MINUTE_MS);
  t.equal(house.value('COST'), 0.5, 'feeding in has a price');
  t.equal(house.value('COST_TODAY'), 0.5);
  t.equal(house.value('REVENUE'), 0.5);
});

t.test('gaps, restarts and missing objects lose nothing', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-11-26T12:00:00', { Import: 'import', ...TARIFFS });
  const { kernel } = house.fixture;
  const { energy } = house;
  kernel.variables.setQualityProblem(house.variable('import'), {
    state: quality.bad,
    reason: 'UNREACHABLE',
    text: 'gone',
  });
  await house.pass(MINUTE_MS);
  t.match(house.problems, /import has no valid value/);
  t.equal(house.fixture.quality(energy, 'CONSUMPTION'), 'stale NOT_REPORTED');
  kernel.variables.setQualityProblem(house.variable('import'), undefined);
  house.add('import', 3);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 3);
  t.equal(house.fixture.quality(energy, 'CONSUMPTION'), 'good');
  // Closed while the counter counts, as during a restart.
  house.fixture.devices.setProperty(energy.id, 'Price', 1);
  house.add('import', 2);
  await house.fixture.devices.applyChanges(energy.id);
  await house.fixture.waitForLink(energy, 'online');
  t.equal(house.value('CONSUMPTION'), 5);
  t.equal(house.value('COST'), 2.9, 'what was counted meanwhile has the price of now');
  // The variable is moved away, and comes back.
  kernel.tree.set(house.variable('import'), 'ident', 'other');
  await house.pass(MINUTE_MS);
  t.match(house.problems, /there is no variable at import/);
  kernel.tree.set(house.variable('import'), 'ident', 'import');
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 6);
  t.equal(house.problems, '');
});

t.test('a clock that is not set, or steps, loses and doubles nothing', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-11-26T23:30:00', { Import: 'import', ...TARIFFS });
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  house.clock.hasTrustedTime = false;
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 1);
  t.match(house.problems, /clock of this machine has not been set/);
  house.clock.hasTrustedTime = true;
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION'), 2);
  house.clock.stepWallClock(HOUR_MS);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION_TODAY'), 0, 'it is tomorrow');
  house.add('import', 4);
  await house.pass(MINUTE_MS);
  house.clock.stepWallClock(-HOUR_MS);
  house.add('import', 1);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION_TODAY'), 5, 'the day does not begin twice');
  t.equal(house.value('CONSUMPTION'), 7);
  house.clock.stepWallClock(-400 * 24 * HOUR_MS);
  await house.pass(MINUTE_MS);
  t.equal(house.value('CONSUMPTION_TODAY'), 0, 'a day of the wrong year ends');
  t.equal(house.value('COST'), 1.4);
});

const SURPLUS = {
  GridPower: 'grid',
  Switch: 'heater',
  OnAbove: 2000,
  OffBelow: -100,
  DelayS: 60,
  MinOnS: 600,
  MinOffS: 300,
};

t.test('a surplus switches with hysteresis and minimum times', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-06-15T12:00:00', {
    ...SURPLUS,
    readings: { grid: 500 },
  });
  const { requests } = house.heater;
  t.equal(house.value('SURPLUS'), -500);
  await house.pass(10 * MINUTE_MS);
  house.set('grid', -2500);
  t.equal(house.value('SURPLUS'), 2500);
  await house.pass(30_000);
  house.set('grid', -1500);
  await house.pass(MINUTE_MS);
  t.strictSame(requests, [], 'it did not last');
  house.set('grid', -2000);
  await house.pass(59_000);
  t.strictSame(requests, []);
  await house.pass(1_000);
  t.strictSame(requests, [true]);
  house.set('grid', 0);
  await house.pass(20 * MINUTE_MS);
  t.strictSame(requests, [true], 'between the limits it stays on');
  house.set('grid', 101);
  await house.pass(MINUTE_MS);
  t.strictSame(requests, [true, false]);
  house.set('grid', -3000);
  await house.pass(4 * MINUTE_MS);
  t.strictSame(requests, [true, false], 'it stays off for its minimum time');
  await house.pass(MINUTE_MS);
  t.strictSame(requests, [true, false, true]);
  house.set('grid', 3000);
  await house.pass(9 * MINUTE_MS);
  t.strictSame(requests, [true, false, true], 'it stays on for its minimum time');
  await house.pass(MINUTE_MS);
  t.strictSame(requests, [true, false, true, false]);
});

t.test('without a known surplus it switches off; what a rule forbids is repeated later', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-06-15T12:00:00', {
    ...SURPLUS,
    readings: { grid: -3000 },
  });
  const { heater } = house;
  heater.isLocked = true;
  await house.pass(5 * MINUTE_MS);
  t.strictSame(heater.requests, [true]);
  t.match(house.problems, /Switch: .*locked/);
  await house.pass(30_000);
  t.strictSame(heater.requests, [true]);
  heater.isLocked = false;
  await house.pass(30_000);
  t.strictSame(heater.requests, [true, true]);
  house.fixture.kernel.variables.setQualityProblem(house.variable('grid'), {
    state: quality.bad,
    reason: 'UNREACHABLE',
    text: 'gone',
  });
  house.clock.advance(0);
  t.equal(house.fixture.quality(house.energy, 'SURPLUS'), 'stale NOT_REPORTED');
  await house.pass(10 * MINUTE_MS);
  t.strictSame(heater.requests, [true, true, false]);
});

t.test('AUTO turns the automatic control off, and storage comes first', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-06-15T12:00:00', {
    ...SURPLUS,
    GenerationPower: 'sun',
    StoragePower: 'storage',
    readings: { grid: -1000, sun: 6000, storage: -4000 },
  });
  const { fixture, energy, heater } = house;
  t.equal(house.value('SURPLUS'), 1000, 'the storage is charged first');
  t.equal(house.value('POWER'), 1000);
  await fixture.devices.write(energy.id, 'AUTO', false);
  house.set('grid', -5000);
  await house.pass(20 * MINUTE_MS);
  t.strictSame(heater.requests, []);
  await fixture.change(energy, { StorageFirst: false });
  await fixture.waitForLink(energy, 'online');
  t.equal(house.value('AUTO'), false, 'it stays off over a restart');
  t.equal(house.value('SURPLUS'), 9000);
  await fixture.devices.write(energy.id, 'AUTO', true);
  await house.pass(5 * MINUTE_MS);
  t.strictSame(heater.requests, [true]);
});

t.test('properties that do not fit are rejected', async (t) => {
  setTimeZone(t, 'Europe/Berlin');
  await using house = new EnergyHouse('2026-06-15T12:00:00');
  for (const [properties, expected] of [
    [{}, /Import and GridPower are empty/],
    [{ GridPower: 'grid', Export: 'export' }, /Import is empty/],
    [{ Import: 'import', Switch: 'heater' }, /GridPower is empty/],
  ] as const) {
    const instance = await house.fixture.add('Energy', properties);
    t.match(house.fixture.status(instance), expected);
    t.equal(instance.is(objectType.instance), true);
  }
});
