import t from 'tap';
import { OutputFixture } from '../../tools/devices/output-fixture.js';

await t.test('a pulse has the configured length, and there is one at a time', async (t) => {
  const outputs = new OutputFixture(t);
  const door = outputs.pulse('RELAY1', { PulseMs: 2500, PauseMs: 1000 });
  await outputs.waitForValue(door, 'LINK', 'online');
  await t.rejects(outputs.write(door, true), { code: 'RULE_FORBIDS', message: /minimum off time/ });
  outputs.clock.advance(1000);
  const both = await Promise.allSettled([outputs.write(door, true), outputs.write(door, true)]);
  t.match(both, [
    { status: 'fulfilled' },
    {
      status: 'rejected',
      reason: { code: 'RULE_FORBIDS', message: /one pulse at a time: possible in 2.5 s/ },
    },
  ]);
  t.match(outputs.value(door, 'PENDING'), /^off at .* \(end of the pulse\)$/);
  outputs.clock.advance(2499);
  await t.rejects(outputs.write(door, true), { code: 'RULE_FORBIDS' });
  t.strictSame(outputs.levels('RELAY1'), [true]);
  outputs.clock.advance(1);
  await outputs.waitForValue(door, 'STATE', false);
  t.strictSame([outputs.value(door, 'PENDING'), ...outputs.levels('RELAY1')], ['', false]);
  outputs.clock.advance(999);
  await t.rejects(outputs.write(door, true), { message: /minimum off time: possible in 0.1 s/ });
  outputs.clock.advance(1);
  await outputs.write(door, true);
  await outputs.write(door, false);
  t.strictSame(outputs.levels('RELAY1'), [false], 'switching off ends the pulse early');
  outputs.clock.advance(10_000);
  t.equal(outputs.value(door, 'STATE'), false);
});

await t.test('closing does not end a pulse; the next opening does', async (t) => {
  const outputs = new OutputFixture(t);
  const door = outputs.pulse('RELAY1', { ActiveLow: true });
  await outputs.waitForValue(door, 'LINK', 'online');
  t.strictSame(outputs.levels('RELAY1'), [true], 'inactive from the first moment');
  await outputs.write(door, true);
  await outputs.devices.close();
  outputs.clock.advance(60_000);
  t.strictSame(outputs.levels('RELAY1'), [false], 'nothing ends it while closed');
  await outputs.restart();
  await outputs.waitForValue(door, 'STATE', false);
  t.strictSame([outputs.value(door, 'LINK'), ...outputs.levels('RELAY1')], ['online', true]);
  await outputs.write(door, true);
  t.strictSame(outputs.levels('RELAY1'), [false]);
});
