import t from 'tap';
import { objectType } from '../../../src/kernel/object.js';
import { EnergyHouse } from '../../tools/devices/energy-house.js';

t.test('everybody gets the changes in order while a power is followed', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-06-15T12:00:00', {
    GridPower: 'grid',
    readings: { grid: 500 },
  });
  const { kernel } = house.fixture;
  const counters: number[] = [];
  kernel.changes.listen(({ TimeStamp }) => counters.push(TimeStamp));
  const before = kernel.changes.counter;
  house.set('grid', 700);
  kernel.tree.create(objectType.category, {}, { name: 'Cellar' });
  await house.pass(0);
  t.equal(house.value('POWER'), 700);
  t.ok(counters.length > 5);
  t.strictSame(
    counters,
    counters.map((_, n) => before + 1 + n),
  );
});

t.test('its own variable is no source', async (t) => {
  await using house = await EnergyHouse.start(t, '2026-06-15T12:00:00', {
    GridPower: 'grid',
    readings: { grid: 500 },
  });
  const { fixture, energy } = house;
  fixture.kernel.tree.set(energy, 'ident', 'energy');
  await fixture.change(energy, { GridPower: 'energy/POWER' });
  await fixture.waitForLink(energy, 'online');
  t.match(house.problems, 'energy/POWER is a variable of this instance; enter one of a meter');
  const before = fixture.kernel.changes.counter;
  for (let n = 0; n < 10; n += 1) await house.pass(1);
  t.equal(fixture.kernel.changes.counter, before);
});
