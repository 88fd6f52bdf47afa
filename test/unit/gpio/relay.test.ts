import t from 'tap';
import { ChipKeys } from '../../../drivers/gpio/backends/chip-keys.js';
import { findOutput } from '../../../drivers/gpio/outputs/request-output.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { OutputFixture } from '../../tools/devices/output-fixture.js';
import { passTime } from '../../tools/devices/device-fixture.js';

/** The tree does not name other relays: a user who sees one may not be allowed to see the others. */
const GROUP_ACTIVE = 'interlock blind: another of the group is active';

await t.test('a minimum time forbids commands, is named, and ends', async (t) => {
  const outputs = new OutputFixture(t);
  const relay = await outputs.addOpenRelay('RELAY1', { MinOnS: 60, MinOffS: 30 });
  await t.rejects(outputs.write(relay, true), {
    code: 'RULE_FORBIDS',
    retry: true,
    message: /minimum off time: possible in 30 s/,
  });
  t.match(outputs.value(relay, 'RULE'), /^minimum off time until 2023-11-14T22:13:50Z$/);
  await passTime(outputs.clock, 30_000);
  t.equal(outputs.value(relay, 'RULE'), '');
  await outputs.write(relay, true);
  t.strictSame(outputs.levels('RELAY1'), [true]);
  await passTime(outputs.clock, 59_000);
  await t.rejects(outputs.write(relay, false), {
    code: 'RULE_FORBIDS',
    message: /minimum on time: possible in 1 s/,
  });
  await outputs.write(relay, true);
  await passTime(outputs.clock, 1000);
  await outputs.write(relay, false);
  t.strictSame([outputs.value(relay, 'STATE'), ...outputs.levels('RELAY1')], [false, false]);
});

await t.test('the maximum on time switches off, and no command extends it', async (t) => {
  const outputs = new OutputFixture(t);
  const relay = await outputs.addOpenRelay('RELAY1', { MaxOnS: 60 });
  await outputs.write(relay, true);
  t.equal(outputs.value(relay, 'PENDING'), 'off at 2023-11-14T22:14:20Z (maximum on time)');
  t.equal(outputs.value(relay, 'OFF_AT'), 1_700_000_060);
  await passTime(outputs.clock, 40_000);
  await outputs.write(relay, true);
  await passTime(outputs.clock, 19_000);
  t.strictSame(outputs.levels('RELAY1'), [true]);
  await passTime(outputs.clock, 1000);
  await outputs.waitForValue(relay, 'STATE', false);
  t.strictSame(outputs.levels('RELAY1'), [false]);
  t.strictSame([outputs.value(relay, 'PENDING'), outputs.value(relay, 'OFF_AT')], ['', 0]);
});

await t.test('the maximum on time continues across reopening and restart', async (t) => {
  const outputs = new OutputFixture(t);
  const relay = await outputs.addOpenRelay('RELAY1', { MaxOnS: 60 });
  await outputs.write(relay, true);
  await passTime(outputs.clock, 20_000);
  await outputs.devices.applyChanges(relay.id);
  await outputs.waitForValue(relay, 'LINK', 'online');
  t.strictSame(outputs.levels('RELAY1'), [true], 'reopening drives nothing');
  t.equal(outputs.value(relay, 'OFF_AT'), 1_700_000_060);
  await outputs.restart();
  await outputs.waitForValue(relay, 'LINK', 'online');
  t.strictSame(outputs.levels('RELAY1'), [true], 'neither does a restart');
  t.equal(outputs.value(relay, 'OFF_AT'), 1_700_000_060);
  await passTime(outputs.clock, 5_000);
  await outputs.devices.applyChanges(relay.id);
  await outputs.waitForValue(relay, 'LINK', 'online');
  t.equal(outputs.value(relay, 'OFF_AT'), 1_700_000_060, 'reopened after a restart');
  await passTime(outputs.clock, 34_000);
  t.strictSame(outputs.levels('RELAY1'), [true]);
  await outputs.devices.close();
  outputs.clock.advance(600_000);
  t.strictSame(outputs.levels('RELAY1'), [true], 'the gateway is not running');
  await outputs.restart();
  await outputs.waitForValue(relay, 'LINK', 'online');
  outputs.clock.advance(1);
  await outputs.waitForValue(relay, 'STATE', false);
  t.strictSame(outputs.levels('RELAY1'), [false]);
});

await t.test('at most one of a group is active; the other waits for the dead time', async (t) => {
  const outputs = new OutputFixture(t);
  const group = { Interlock: 'blind', DeadTimeMs: 500 };
  const up = await outputs.addOpenRelay('RELAY1', group);
  const down = await outputs.addOpenRelay('RELAY2', group);
  const other = await outputs.addOpenRelay('RELAY3', { Interlock: 'gate' });
  await passTime(outputs.clock, 500);
  await Promise.all([outputs.write(up, true), t.rejects(outputs.write(down, true))]);
  await outputs.write(other, true);
  await t.rejects(outputs.write(down, true), {
    code: 'RULE_FORBIDS',
    message: 'The rule forbids it: interlock blind: RELAY1 is active',
  });
  t.equal(outputs.value(down, 'RULE'), GROUP_ACTIVE);
  await outputs.write(up, false);
  const waiting = outputs.write(down, true);
  await yieldToEventLoop();
  t.equal(outputs.value(down, 'PENDING'), 'on at 2023-11-14T22:13:21Z (dead time)');
  await t.rejects(outputs.write(up, true), { message: /RELAY2 is about to be active/ });
  outputs.clock.advance(499);
  await yieldToEventLoop();
  t.strictSame(outputs.levels('RELAY1', 'RELAY2', 'RELAY3'), [false, false, true]);
  outputs.clock.advance(1);
  await waiting;
  t.strictSame(outputs.levels('RELAY1', 'RELAY2'), [false, true]);
  t.equal(outputs.value(down, 'PENDING'), '');
  await outputs.write(down, false);
  const given = t.rejects(outputs.write(up, true), { code: 'DEVICE_REFUSED', message: /switched off while/ });
  await yieldToEventLoop();
  await outputs.write(up, false);
  await given;
  t.equal(outputs.value(down, 'RULE'), '');
});

await t.test('switching off cancels all commands that wait for the dead time', async (t) => {
  const outputs = new OutputFixture(t);
  const group = { Interlock: 'gate', DeadTimeMs: 5000, MinOnS: 10 };
  const opens = await outputs.addOpenRelay('RELAY1', group);
  await outputs.addOpenRelay('RELAY2', group);
  const cancelled = { code: 'DEVICE_REFUSED', message: /switched off while/ };
  const ended = [true, true].map((on) => t.rejects(outputs.write(opens, on), cancelled));
  await yieldToEventLoop();
  ended.push(t.resolves(outputs.write(opens, false)));
  const late = outputs.write(opens, true);
  await passTime(outputs.clock, 4000);
  t.strictSame(outputs.levels('RELAY1'), [false]);
  await passTime(outputs.clock, 1000);
  await Promise.all(ended);
  await late;
  t.strictSame(outputs.levels('RELAY1', 'RELAY2'), [true, false], 'a later command is not cancelled');
});

await t.test('a relay that is configured but not open may be active', async (t) => {
  const outputs = new OutputFixture(t);
  const up = await outputs.addOpenRelay('RELAY1', { Interlock: 'blind' });
  const down = outputs.relay('RELAY99', { Interlock: 'blind' });
  await outputs.waitForValue(down, 'LINK', 'waiting');
  await t.rejects(outputs.write(up, true), { message: /interlock blind: RELAY99 is not open/ });
  outputs.devices.setProperty(down.id, 'Line', 'RELAY2');
  await outputs.devices.applyChanges(down.id);
  await outputs.waitForValue(down, 'LINK', 'online');
  await outputs.write(up, true);
  await outputs.waitForValue(down, 'RULE', GROUP_ACTIVE);
  outputs.devices.setProperty(up.id, 'Line', 'RELAY3');
  await outputs.devices.applyChanges(up.id);
  await outputs.waitForValue(up, 'LINK', 'online');
  t.strictSame(outputs.levels('RELAY1'), [true], 'unchanged');
  await t.rejects(outputs.write(down, true), { message: /RELAY1 is active and no instance is open on it/ });
});

await t.test('two relays that are found active are switched off, with a problem', async (t) => {
  const outputs = new OutputFixture(t);
  outputs.simulatedBoard.drive('BUTTON1', true);
  outputs.simulatedBoard.drive('BUTTON2', true);
  const first = outputs.relay('BUTTON1', { Interlock: 'blind', MinOnS: 60 });
  const second = outputs.relay('BUTTON2', { Interlock: 'blind' });
  await outputs.waitForValue(second, 'LINK', 'online');
  await outputs.waitForValue(first, 'STATE', false);
  await outputs.waitForValue(second, 'STATE', false);
  t.strictSame(outputs.levels('BUTTON1', 'BUTTON2'), [false, false]);
  for (const relay of [first, second])
    t.match(outputs.devices.problems(relay.id), [{ code: 'RULE', text: /active together with BUTTON/ }]);
  for (const relay of [first, second])
    t.match(outputs.value(relay, 'STATUS'), /: BUTTON\d was active together with others, which/);
  await outputs.write(second, true);
  t.strictSame(outputs.devices.problems(second.id), [], 'a successful command clears it');
});

await t.test('Boot active for two of a group switches on neither', async (t) => {
  const outputs = new OutputFixture(t);
  const both = ['RELAY1', 'RELAY2'].map((line) =>
    outputs.relay(line, { Interlock: 'blind', Boot: 'active' }),
  );
  for (const relay of both) await outputs.waitForValue(relay, 'LINK', 'online');
  await passTime(outputs.clock, 5000);
  t.strictSame(outputs.levels('RELAY1', 'RELAY2'), [false, false]);
  for (const relay of both)
    t.match(outputs.devices.problems(relay.id), [{ code: 'RULE', text: /Boot is active here and at RELAY/ }]);
  for (const relay of both)
    t.match(outputs.value(relay, 'STATUS'), /Boot is active here and at others, which/);
});

await t.test('Boot active waits for the stagger, the minimum off time and the group', async (t) => {
  const outputs = new OutputFixture(t);
  const lamps = ['RELAY1', 'RELAY2', 'RELAY3'].map((line) =>
    outputs.relay(line, { Boot: 'active', StaggerMs: 2000 }),
  );
  const motor = outputs.relay('RELAY4', { Boot: 'active', MinOffS: 10 });
  const fan = outputs.relay('RELAY5', { Boot: 'active', Interlock: 'fan' });
  const rival = outputs.relay('RELAY99', { Interlock: 'fan' });
  for (const relay of [...lamps, motor, fan]) await outputs.waitForValue(relay, 'LINK', 'online');
  await outputs.waitForValue(rival, 'LINK', 'waiting');
  t.match(outputs.value(lamps[2] as Instance, 'PENDING'), /^on at 2023-11-14T22:13:24Z \(Boot\)$/);
  const all = ['RELAY1', 'RELAY2', 'RELAY3', 'RELAY4', 'RELAY5'];
  await passTime(outputs.clock, 1000);
  t.strictSame(outputs.levels(...all), [true, false, false, false, false]);
  await passTime(outputs.clock, 1000);
  t.strictSame(outputs.levels(...all), [true, true, false, false, false]);
  await passTime(outputs.clock, 2000);
  t.strictSame(outputs.levels(...all), [true, true, true, false, false]);
  await passTime(outputs.clock, 6000);
  t.strictSame(outputs.levels(...all), [true, true, true, true, false]);
  t.equal(outputs.value(fan, 'PENDING'), 'on when all of interlock fan are open (Boot)');
  outputs.devices.setProperty(rival.id, 'Line', 'RELAY6');
  await outputs.devices.applyChanges(rival.id);
  await outputs.waitForValue(rival, 'LINK', 'online');
  await passTime(outputs.clock, 2000);
  t.strictSame(outputs.levels('RELAY5'), [true]);
  for (const relay of [...lamps, motor, fan]) await outputs.write(relay, false);
  await outputs.restart();
  for (const relay of [...lamps, motor, fan]) await outputs.waitForValue(relay, 'LINK', 'online');
  await passTime(outputs.clock, 20_000);
  t.strictSame(outputs.levels(...all), [false, false, false, false, false], 'Boot applies once');
});

await t.test('Boot active gets its complete maximum time, however long the power was off', async (t) => {
  const outputs = new OutputFixture(t);
  const fan = await outputs.addOpenRelay('RELAY1', { Boot: 'active', MaxOnS: 60 });
  await passTime(outputs.clock, 1);
  t.strictSame(outputs.levels('RELAY1'), [true]);
  outputs.clock.stepWallClock(3_600_000);
  await outputs.restart('power cut');
  await outputs.waitForValue(fan, 'LINK', 'online');
  await passTime(outputs.clock, 1);
  t.strictSame(outputs.levels('RELAY1'), [true]);
  t.equal(outputs.value(fan, 'OFF_AT'), Math.round(outputs.clock.nowMs() / 1000) + 60);
  await passTime(outputs.clock, 59_000);
  t.strictSame(outputs.levels('RELAY1'), [true]);
  await passTime(outputs.clock, 1000);
  await outputs.waitForValue(fan, 'STATE', false);
});

await t.test('Boot active is not retried after a rule forbade it', async (t) => {
  const outputs = new OutputFixture(t);
  const up = await outputs.addOpenRelay('RELAY1', { Interlock: 'blind' });
  await outputs.write(up, true);
  const down = await outputs.addOpenRelay('RELAY2', { Interlock: 'blind', Boot: 'active' });
  await passTime(outputs.clock, 1000);
  t.match(outputs.devices.problems(down.id), [
    {
      code: 'RULE',
      text: /not switched on \(Boot\): The rule forbids it: interlock blind: RELAY1 is active/,
    },
  ]);
  t.match(
    outputs.value(down, 'STATUS'),
    /not switched on \(Boot\): .* interlock blind: another of the group is/,
  );
  await outputs.write(up, false);
  await outputs.devices.applyChanges(down.id);
  await outputs.waitForValue(down, 'LINK', 'online');
  await passTime(outputs.clock, 5000);
  t.strictSame(outputs.levels('RELAY1', 'RELAY2'), [false, false]);
});

await t.test('a pending switch-on is cancelled by a command and by closing', async (t) => {
  const outputs = new OutputFixture(t);
  const first = await outputs.addOpenRelay('RELAY1', { Boot: 'active', StaggerMs: 1000 });
  const second = await outputs.addOpenRelay('RELAY2', { Boot: 'active', StaggerMs: 1000 });
  await outputs.write(second, false);
  t.equal(outputs.value(second, 'PENDING'), '');
  outputs.devices.setProperty(first.id, 'Boot', 'hold');
  await outputs.devices.applyChanges(first.id);
  await outputs.waitForValue(first, 'LINK', 'online');
  await passTime(outputs.clock, 5000);
  t.strictSame(outputs.levels('RELAY1', 'RELAY2'), [false, false]);
  const group = { Interlock: 'blind', DeadTimeMs: 500 };
  const up = await outputs.addOpenRelay('RELAY3', group);
  await outputs.addOpenRelay('RELAY4', group);
  const waiting = t.rejects(outputs.write(up, true), { code: 'DEVICE_OFFLINE' });
  await yieldToEventLoop();
  await outputs.devices.applyChanges(up.id);
  await waiting;
  await passTime(outputs.clock, 5000);
  t.strictSame(outputs.levels('RELAY3'), [false]);
});

await t.test('contradicting or incomplete rules are validation errors', async (t) => {
  const outputs = new OutputFixture(t);
  const contrary = outputs.relay('RELAY1', { MinOnS: 20, MaxOnS: 10 });
  t.match(outputs.value(contrary, 'STATUS'), /MinOnS is longer than MaxOnS/);
  const alone = outputs.relay('RELAY2', { DeadTimeMs: 10 });
  t.match(outputs.value(alone, 'STATUS'), /give Interlock a name/);
  const none = outputs.relay('');
  t.match(outputs.value(none, 'STATUS'), /Line is empty/);
});

await t.test('Boot last: relays that were on before the power cut are restored one by one', async (t) => {
  const outputs = new OutputFixture(t);
  const lines = ['RELAY1', 'RELAY2', 'RELAY3'];
  const lamps: Instance[] = [];
  for (const line of lines) lamps.push(await outputs.addOpenRelay(line, { Boot: 'last', StaggerMs: 2000 }));
  const [first, second, third] = lamps as [Instance, Instance, Instance];
  const online = async () => {
    for (const lamp of lamps) await outputs.waitForValue(lamp, 'LINK', 'online');
  };
  t.strictSame(outputs.levels(...lines), [false, false, false], 'there is no earlier state');
  for (const lamp of lamps) await outputs.write(lamp, true);
  await outputs.write(second, false);

  await outputs.restart('power cut');
  await online();
  t.match(outputs.value(third, 'PENDING'), /^on at .* \(Boot\)$/);
  await passTime(outputs.clock, 1000);
  t.strictSame(outputs.levels(...lines), [true, false, false]);
  await outputs.restart('power cut');
  await online();
  await passTime(outputs.clock, 4000);
  t.strictSame(outputs.levels(...lines), [true, false, true], 'even if the power fails again meanwhile');

  await outputs.restart('power cut');
  await online();
  await outputs.write(first, false);
  await outputs.write(third, false);
  await passTime(outputs.clock, 10_000);
  t.strictSame(outputs.levels(...lines), [false, false, false], 'a command overrides it');
  await outputs.write(first, true);
  await outputs.restart('crash');
  await online();
  t.strictSame(outputs.levels(...lines), [true, false, false], 'a crash is not a power cut');
  await outputs.restart('boot');
  await online();
  await passTime(outputs.clock, 10_000);
  t.strictSame(
    outputs.levels(...lines),
    [true, false, false],
    'nor is a machine that was shut down: as it was',
  );
});

await t.test('Boot last obeys the rules and restores the last command before the cut', async (t) => {
  const outputs = new OutputFixture(t);
  const group = { Interlock: 'blind', DeadTimeMs: 500, Boot: 'last' };
  const up = await outputs.addOpenRelay('RELAY1', group);
  const down = await outputs.addOpenRelay('RELAY2', group);
  await passTime(outputs.clock, 1000);
  await outputs.write(up, true);
  await outputs.restart('power cut');
  await outputs.waitForValue(up, 'LINK', 'online');
  await outputs.waitForValue(down, 'LINK', 'online');
  await passTime(outputs.clock, 1000);
  await outputs.waitForValue(up, 'STATE', true);
  await t.rejects(outputs.write(down, true), { code: 'RULE_FORBIDS' });
  await outputs.restart('power cut');
  outputs.devices.setProperty(down.id, 'Boot', 'active');
  await outputs.devices.applyChanges(down.id);
  for (const relay of [up, down]) await outputs.waitForValue(relay, 'LINK', 'online');
  await passTime(outputs.clock, 5000);
  const levels = outputs.levels('RELAY1', 'RELAY2');
  t.equal(levels.filter(Boolean).length, 1, 'at most one of them');
  const limited = outputs.relay('RELAY3', { Boot: 'last', MaxOnS: 60 });
  t.match(outputs.value(limited, 'STATUS'), /MaxOnS cannot be enforced across a power cut/);
});

await t.test('a relay with Boot last whose chip comes back with another number stays off', async (t) => {
  const outputs = new OutputFixture(t);
  const relay = await outputs.addOpenRelay('RELAY1', { Boot: 'last', OnLost: 'inactive' });
  await outputs.write(relay, true);
  outputs.simulatedBoard.unplug('simulated');
  await passTime(outputs.clock, 11_000);
  await outputs.waitForValue(relay, 'LINK', 'waiting');
  // Flags of the lines are found by the number of the chip.
  for (const flag of outputs.bootFlags) if (flag.startsWith('output ')) outputs.bootFlags.delete(flag);
  outputs.simulatedBoard.plug('simulated');
  await passTime(outputs.clock, 31_000);
  await outputs.waitForValue(relay, 'LINK', 'online');
  await passTime(outputs.clock, 1000);
  t.same([outputs.value(relay, 'STATE'), ...outputs.levels('RELAY1')], [false, false]);
});

await t.test('a line is the same after its chip came back with another number', async (t) => {
  const chips = [{ name: 'gpiochip0', label: 'pinctrl', lines: 54 }];
  const chipKeys = new ChipKeys();
  const found = (name: string, others: readonly object[] = []) => {
    const location = { chip: { name, label: 'expander', lines: 8 }, offset: 3, name: 'OUT3' };
    const backend = { chips: async () => [...chips, location.chip, ...others] };
    const backends = { chipKeys, locate: async () => ({ backend, location }) };
    return findOutput(host as never, backends as never);
  };
  const host = {
    id: 10_000,
    properties: { Boot: 'active' },
    bootFlags: new Set<string>(),
    signal: AbortSignal.any([]),
  };
  const first = await found('gpiochip2');
  t.equal(first.boot, 'active');
  first.markBooted();
  const again = await found('gpiochip3');
  t.match(again, { lineKey: first.lineKey, isBooted: true, boot: 'hold' });
  const twin = { name: 'gpiochip3', label: 'expander', lines: 8 };
  t.not((await found('gpiochip4', [twin])).lineKey, first.lineKey, 'of two equal chips, the number counts');
  host.bootFlags.clear();
  host.bootFlags.add('output gpiochip2 expander 3');
  t.ok((await found('gpiochip2')).isBooted, 'a flag of an earlier version');
});
