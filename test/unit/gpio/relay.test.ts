import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/serial-queue.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { OutputFixture } from '../../tools/devices/output-fixture.js';
import { passTime } from '../../tools/devices/device-fixture.js';

/** In the tree, where who sees one relay need not see the other, nobody is named. */
const GROUP_ACTIVE = 'The rule forbids it: interlock blind: another of the group is active';

await t.test('a minimum time forbids the command, names itself, and ends', async (t) => {
  const cabinet = new OutputFixture(t);
  const relay = await cabinet.addOpenRelay('RELAY1', { MinOnS: 60, MinOffS: 30 });
  await t.rejects(cabinet.write(relay, true), {
    code: 'RULE_FORBIDS',
    retry: true,
    message: /minimum off time: possible in 30 s/,
  });
  t.match(cabinet.value(relay, 'RULE'), /^minimum off time until 2023-11-14T22:13:50Z$/);
  await passTime(cabinet.clock, 30_000);
  t.equal(cabinet.value(relay, 'RULE'), '');
  await cabinet.write(relay, true);
  t.strictSame(cabinet.levels('RELAY1'), [true]);
  await passTime(cabinet.clock, 59_000);
  await t.rejects(cabinet.write(relay, false), {
    code: 'RULE_FORBIDS',
    message: /minimum on time: possible in 1 s/,
  });
  await cabinet.write(relay, true);
  await passTime(cabinet.clock, 1000);
  await cabinet.write(relay, false);
  t.strictSame([cabinet.value(relay, 'STATE'), ...cabinet.levels('RELAY1')], [false, false]);
});

await t.test('the maximum on time switches off, and no command prolongs it', async (t) => {
  const cabinet = new OutputFixture(t);
  const relay = await cabinet.addOpenRelay('RELAY1', { MaxOnS: 60 });
  await cabinet.write(relay, true);
  t.equal(cabinet.value(relay, 'PENDING'), 'off at 2023-11-14T22:14:20Z (maximum on time)');
  t.equal(cabinet.value(relay, 'OFF_AT'), 1_700_000_060);
  await passTime(cabinet.clock, 40_000);
  await cabinet.write(relay, true);
  await passTime(cabinet.clock, 19_000);
  t.strictSame(cabinet.levels('RELAY1'), [true]);
  await passTime(cabinet.clock, 1000);
  await cabinet.waitForValue(relay, 'STATE', false);
  t.strictSame(cabinet.levels('RELAY1'), [false]);
  t.strictSame([cabinet.value(relay, 'PENDING'), cabinet.value(relay, 'OFF_AT')], ['', 0]);
});

await t.test('the maximum on time goes on over reopening and restart', async (t) => {
  const cabinet = new OutputFixture(t);
  const relay = await cabinet.addOpenRelay('RELAY1', { MaxOnS: 60 });
  await cabinet.write(relay, true);
  await passTime(cabinet.clock, 20_000);
  await cabinet.devices.applyChanges(relay.id);
  await cabinet.waitForValue(relay, 'LINK', 'online');
  t.strictSame(cabinet.levels('RELAY1'), [true], 'opening it anew moves nothing');
  t.equal(cabinet.value(relay, 'OFF_AT'), 1_700_000_060);
  await cabinet.restart();
  await cabinet.waitForValue(relay, 'LINK', 'online');
  t.strictSame(cabinet.levels('RELAY1'), [true], 'nor does a restart');
  t.equal(cabinet.value(relay, 'OFF_AT'), 1_700_000_060);
  await passTime(cabinet.clock, 39_000);
  t.strictSame(cabinet.levels('RELAY1'), [true]);
  await cabinet.devices.close();
  cabinet.clock.advance(600_000);
  t.strictSame(cabinet.levels('RELAY1'), [true], 'nobody is there');
  await cabinet.restart();
  await cabinet.waitForValue(relay, 'LINK', 'online');
  cabinet.clock.advance(1);
  await cabinet.waitForValue(relay, 'STATE', false);
  t.strictSame(cabinet.levels('RELAY1'), [false]);
});

await t.test('of a group one is active, and the other waits for the dead time', async (t) => {
  const cabinet = new OutputFixture(t);
  const group = { Interlock: 'blind', DeadTimeMs: 500 };
  const up = await cabinet.addOpenRelay('RELAY1', group);
  const down = await cabinet.addOpenRelay('RELAY2', group);
  const other = await cabinet.addOpenRelay('RELAY3', { Interlock: 'gate' });
  await passTime(cabinet.clock, 500);
  await Promise.all([cabinet.write(up, true), t.rejects(cabinet.write(down, true))]);
  await cabinet.write(other, true);
  await t.rejects(cabinet.write(down, true), {
    code: 'RULE_FORBIDS',
    message: 'The rule forbids it: interlock blind: RELAY1 is active',
  });
  t.equal(cabinet.value(down, 'RULE'), GROUP_ACTIVE);
  await cabinet.write(up, false);
  const waiting = cabinet.write(down, true);
  await yieldToEventLoop();
  t.equal(cabinet.value(down, 'PENDING'), 'on at 2023-11-14T22:13:21Z (dead time)');
  await t.rejects(cabinet.write(up, true), { message: /RELAY2 is about to be active/ });
  cabinet.clock.advance(499);
  await yieldToEventLoop();
  t.strictSame(cabinet.levels('RELAY1', 'RELAY2', 'RELAY3'), [false, false, true]);
  cabinet.clock.advance(1);
  await waiting;
  t.strictSame(cabinet.levels('RELAY1', 'RELAY2'), [false, true]);
  t.equal(cabinet.value(down, 'PENDING'), '');
  await cabinet.write(down, false);
  const given = t.rejects(cabinet.write(up, true), { code: 'DEVICE_REFUSED', message: /switched off while/ });
  await yieldToEventLoop();
  await cabinet.write(up, false);
  await given;
  t.equal(cabinet.value(down, 'RULE'), '');
});

await t.test('one that is configured and not open may be active', async (t) => {
  const cabinet = new OutputFixture(t);
  const up = await cabinet.addOpenRelay('RELAY1', { Interlock: 'blind' });
  const down = cabinet.relay('RELAY99', { Interlock: 'blind' });
  await cabinet.waitForValue(down, 'LINK', 'waiting');
  await t.rejects(cabinet.write(up, true), { message: /interlock blind: RELAY99 is not open/ });
  cabinet.devices.setProperty(down.id, 'Line', 'RELAY2');
  await cabinet.devices.applyChanges(down.id);
  await cabinet.waitForValue(down, 'LINK', 'online');
  await cabinet.write(up, true);
  await cabinet.waitForValue(down, 'RULE', GROUP_ACTIVE);
  cabinet.devices.setProperty(up.id, 'Line', 'RELAY3');
  await cabinet.devices.applyChanges(up.id);
  await cabinet.waitForValue(up, 'LINK', 'online');
  t.strictSame(cabinet.levels('RELAY1'), [true], 'left as it was');
  await t.rejects(cabinet.write(down, true), { message: /RELAY1 is active and nobody holds it/ });
});

await t.test('two found active, at boot or later, go inactive, and that is told', async (t) => {
  const cabinet = new OutputFixture(t);
  cabinet.world.drive('BUTTON1', true);
  cabinet.world.drive('BUTTON2', true);
  const first = cabinet.relay('BUTTON1', { Interlock: 'blind', MinOnS: 60 });
  const second = cabinet.relay('BUTTON2', { Interlock: 'blind' });
  await cabinet.waitForValue(second, 'LINK', 'online');
  await cabinet.waitForValue(first, 'STATE', false);
  await cabinet.waitForValue(second, 'STATE', false);
  t.strictSame(cabinet.levels('BUTTON1', 'BUTTON2'), [false, false]);
  for (const relay of [first, second])
    t.match(cabinet.devices.problems(relay.id), [{ code: 'RULE', text: /active together with BUTTON/ }]);
  for (const relay of [first, second])
    t.match(cabinet.value(relay, 'STATUS'), /: BUTTON\d was active together with others, which/);
  await cabinet.write(second, true);
  t.strictSame(cabinet.devices.problems(second.id), [], 'a command that was done ends it');
});

await t.test('Boot active at two of a group switches on neither', async (t) => {
  const cabinet = new OutputFixture(t);
  const both = ['RELAY1', 'RELAY2'].map((line) =>
    cabinet.relay(line, { Interlock: 'blind', Boot: 'active' }),
  );
  for (const relay of both) await cabinet.waitForValue(relay, 'LINK', 'online');
  await passTime(cabinet.clock, 5000);
  t.strictSame(cabinet.levels('RELAY1', 'RELAY2'), [false, false]);
  for (const relay of both)
    t.match(cabinet.devices.problems(relay.id), [{ code: 'RULE', text: /Boot is active here and at RELAY/ }]);
  for (const relay of both)
    t.match(cabinet.value(relay, 'STATUS'), /Boot is active here and at others, which/);
});

await t.test('Boot active waits its turn, its minimum off time and its group', async (t) => {
  const cabinet = new OutputFixture(t);
  const lamps = ['RELAY1', 'RELAY2', 'RELAY3'].map((line) =>
    cabinet.relay(line, { Boot: 'active', StaggerMs: 2000 }),
  );
  const motor = cabinet.relay('RELAY4', { Boot: 'active', MinOffS: 10 });
  const fan = cabinet.relay('RELAY5', { Boot: 'active', Interlock: 'fan' });
  const rival = cabinet.relay('RELAY99', { Interlock: 'fan' });
  for (const relay of [...lamps, motor, fan]) await cabinet.waitForValue(relay, 'LINK', 'online');
  await cabinet.waitForValue(rival, 'LINK', 'waiting');
  t.match(cabinet.value(lamps[2] as Instance, 'PENDING'), /^on at 2023-11-14T22:13:24Z \(Boot\)$/);
  const all = ['RELAY1', 'RELAY2', 'RELAY3', 'RELAY4', 'RELAY5'];
  await passTime(cabinet.clock, 1000);
  t.strictSame(cabinet.levels(...all), [true, false, false, false, false]);
  await passTime(cabinet.clock, 1000);
  t.strictSame(cabinet.levels(...all), [true, true, false, false, false]);
  await passTime(cabinet.clock, 2000);
  t.strictSame(cabinet.levels(...all), [true, true, true, false, false]);
  await passTime(cabinet.clock, 6000);
  t.strictSame(cabinet.levels(...all), [true, true, true, true, false]);
  t.equal(cabinet.value(fan, 'PENDING'), 'on when all of interlock fan are open (Boot)');
  cabinet.devices.setProperty(rival.id, 'Line', 'RELAY6');
  await cabinet.devices.applyChanges(rival.id);
  await cabinet.waitForValue(rival, 'LINK', 'online');
  await passTime(cabinet.clock, 2000);
  t.strictSame(cabinet.levels('RELAY5'), [true]);
  for (const relay of [...lamps, motor, fan]) await cabinet.write(relay, false);
  await cabinet.restart();
  for (const relay of [...lamps, motor, fan]) await cabinet.waitForValue(relay, 'LINK', 'online');
  await passTime(cabinet.clock, 20_000);
  t.strictSame(cabinet.levels(...all), [false, false, false, false, false], 'Boot is for the boot');
});

await t.test('Boot active that a rule forbade is not tried again', async (t) => {
  const cabinet = new OutputFixture(t);
  const up = await cabinet.addOpenRelay('RELAY1', { Interlock: 'blind' });
  await cabinet.write(up, true);
  const down = await cabinet.addOpenRelay('RELAY2', { Interlock: 'blind', Boot: 'active' });
  await passTime(cabinet.clock, 1000);
  t.match(cabinet.devices.problems(down.id), [
    {
      code: 'RULE',
      text: /not switched on \(Boot\): The rule forbids it: interlock blind: RELAY1 is active/,
    },
  ]);
  t.match(
    cabinet.value(down, 'STATUS'),
    /not switched on \(Boot\): .* interlock blind: another of the group is/,
  );
  await cabinet.write(up, false);
  await cabinet.devices.applyChanges(down.id);
  await cabinet.waitForValue(down, 'LINK', 'online');
  await passTime(cabinet.clock, 5000);
  t.strictSame(cabinet.levels('RELAY1', 'RELAY2'), [false, false]);
});

await t.test('what is pending at a command or at the end of an opening does not come later', async (t) => {
  const cabinet = new OutputFixture(t);
  const first = await cabinet.addOpenRelay('RELAY1', { Boot: 'active', StaggerMs: 1000 });
  const second = await cabinet.addOpenRelay('RELAY2', { Boot: 'active', StaggerMs: 1000 });
  await cabinet.write(second, false);
  t.equal(cabinet.value(second, 'PENDING'), '');
  cabinet.devices.setProperty(first.id, 'Boot', 'hold');
  await cabinet.devices.applyChanges(first.id);
  await cabinet.waitForValue(first, 'LINK', 'online');
  await passTime(cabinet.clock, 5000);
  t.strictSame(cabinet.levels('RELAY1', 'RELAY2'), [false, false]);
  const group = { Interlock: 'blind', DeadTimeMs: 500 };
  const up = await cabinet.addOpenRelay('RELAY3', group);
  await cabinet.addOpenRelay('RELAY4', group);
  const waiting = t.rejects(cabinet.write(up, true), { code: 'DEVICE_OFFLINE' });
  await yieldToEventLoop();
  await cabinet.devices.applyChanges(up.id);
  await waiting;
  await passTime(cabinet.clock, 5000);
  t.strictSame(cabinet.levels('RELAY3'), [false]);
});

await t.test('rules that contradict each other, or stand alone, are mistakes', async (t) => {
  const cabinet = new OutputFixture(t);
  const contrary = cabinet.relay('RELAY1', { MinOnS: 20, MaxOnS: 10 });
  t.match(cabinet.value(contrary, 'STATUS'), /MinOnS is longer than MaxOnS/);
  const alone = cabinet.relay('RELAY2', { DeadTimeMs: 10 });
  t.match(cabinet.value(alone, 'STATUS'), /give Interlock a name/);
  const none = cabinet.relay('');
  t.match(cabinet.value(none, 'STATUS'), /Line is empty/);
});

await t.test('Boot last: what was on before the power cut comes back, one after the other', async (t) => {
  const cabinet = new OutputFixture(t);
  const lines = ['RELAY1', 'RELAY2', 'RELAY3'];
  const lamps: Instance[] = [];
  for (const line of lines) lamps.push(await cabinet.addOpenRelay(line, { Boot: 'last', StaggerMs: 2000 }));
  const [first, second, third] = lamps as [Instance, Instance, Instance];
  const online = async () => {
    for (const lamp of lamps) await cabinet.waitForValue(lamp, 'LINK', 'online');
  };
  t.strictSame(cabinet.levels(...lines), [false, false, false], 'nothing is known of before');
  for (const lamp of lamps) await cabinet.write(lamp, true);
  await cabinet.write(second, false);

  await cabinet.restart('power cut');
  await online();
  t.match(cabinet.value(third, 'PENDING'), /^on at .* \(Boot\)$/);
  await passTime(cabinet.clock, 1000);
  t.strictSame(cabinet.levels(...lines), [true, false, false]);
  await cabinet.restart('power cut');
  await online();
  await passTime(cabinet.clock, 4000);
  t.strictSame(cabinet.levels(...lines), [true, false, true], 'also when the power fails again meanwhile');

  await cabinet.restart('power cut');
  await online();
  await cabinet.write(first, false);
  await cabinet.write(third, false);
  await passTime(cabinet.clock, 10_000);
  t.strictSame(cabinet.levels(...lines), [false, false, false], 'a command takes its place');
  await cabinet.write(first, true);
  await cabinet.restart('crash');
  await online();
  t.strictSame(cabinet.levels(...lines), [true, false, false], 'a crash is no power cut');
  await cabinet.restart('boot');
  await online();
  await passTime(cabinet.clock, 10_000);
  t.strictSame(
    cabinet.levels(...lines),
    [true, false, false],
    'nor is a machine that was shut down: as it was',
  );
});

await t.test('Boot last keeps to the rules, and takes the command before the cut for its word', async (t) => {
  const cabinet = new OutputFixture(t);
  const group = { Interlock: 'blind', DeadTimeMs: 500, Boot: 'last' };
  const up = await cabinet.addOpenRelay('RELAY1', group);
  const down = await cabinet.addOpenRelay('RELAY2', group);
  await passTime(cabinet.clock, 1000);
  await cabinet.write(up, true);
  await cabinet.restart('power cut');
  await cabinet.waitForValue(up, 'LINK', 'online');
  await cabinet.waitForValue(down, 'LINK', 'online');
  await passTime(cabinet.clock, 1000);
  await cabinet.waitForValue(up, 'STATE', true);
  await t.rejects(cabinet.write(down, true), { code: 'RULE_FORBIDS' });
  await cabinet.restart('power cut');
  cabinet.devices.setProperty(down.id, 'Boot', 'active');
  await cabinet.devices.applyChanges(down.id);
  for (const relay of [up, down]) await cabinet.waitForValue(relay, 'LINK', 'online');
  await passTime(cabinet.clock, 5000);
  const levels = cabinet.levels('RELAY1', 'RELAY2');
  t.equal(levels.filter(Boolean).length, 1, 'one of them at the most');
  const limited = cabinet.relay('RELAY3', { Boot: 'last', MaxOnS: 60 });
  t.match(cabinet.value(limited, 'STATUS'), /MaxOnS can't be kept over a power cut/);
});
