import t from 'tap';
import { OutputFixture } from '../../tools/devices/output-fixture.js';

await t.test('a pulse lasts as long as it is set, and one comes at a time', async (t) => {
  const cabinet = new OutputFixture(t);
  const door = cabinet.pulse('RELAY1', { PulseMs: 2500, PauseMs: 1000 });
  await cabinet.waitForValue(door, 'LINK', 'online');
  await t.rejects(cabinet.write(door, true), { code: 'RULE_FORBIDS', message: /minimum off time/ });
  cabinet.clock.advance(1000);
  const both = await Promise.allSettled([cabinet.write(door, true), cabinet.write(door, true)]);
  t.match(both, [
    { status: 'fulfilled' },
    {
      status: 'rejected',
      reason: { code: 'RULE_FORBIDS', message: /one pulse at a time: possible in 2.5 s/ },
    },
  ]);
  t.match(cabinet.value(door, 'PENDING'), /^off at .* \(end of the pulse\)$/);
  cabinet.clock.advance(2499);
  await t.rejects(cabinet.write(door, true), { code: 'RULE_FORBIDS' });
  t.strictSame(cabinet.levels('RELAY1'), [true]);
  cabinet.clock.advance(1);
  await cabinet.waitForValue(door, 'STATE', false);
  t.strictSame([cabinet.value(door, 'PENDING'), ...cabinet.levels('RELAY1')], ['', false]);
  cabinet.clock.advance(999);
  await t.rejects(cabinet.write(door, true), { message: /minimum off time: possible in 0.1 s/ });
  cabinet.clock.advance(1);
  await cabinet.write(door, true);
  await cabinet.write(door, false);
  t.strictSame(cabinet.levels('RELAY1'), [false], 'switching off ends it early');
  cabinet.clock.advance(10_000);
  t.equal(cabinet.value(door, 'STATE'), false);
});

await t.test('closing leaves a pulse as it is, and the next opening ends it', async (t) => {
  const cabinet = new OutputFixture(t);
  const door = cabinet.pulse('RELAY1', { ActiveLow: true });
  await cabinet.waitForValue(door, 'LINK', 'online');
  t.strictSame(cabinet.levels('RELAY1'), [true], 'inactive from the first moment');
  await cabinet.write(door, true);
  await cabinet.devices.close();
  cabinet.clock.advance(60_000);
  t.strictSame(cabinet.levels('RELAY1'), [false], 'nobody is there to end it');
  await cabinet.restart();
  await cabinet.waitForValue(door, 'STATE', false);
  t.strictSame([cabinet.value(door, 'LINK'), ...cabinet.levels('RELAY1')], ['online', true]);
  await cabinet.write(door, true);
  t.strictSame(cabinet.levels('RELAY1'), [false]);
});
