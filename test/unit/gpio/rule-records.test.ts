import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { objectType } from '../../../src/kernel/object.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import { Replica, snapshotOf } from '../../tools/client/replica.js';
import { passTime } from '../../tools/devices/device-fixture.js';
import { OutputFixture } from '../../tools/devices/output-fixture.js';
import { until } from '../../tools/until.js';

/** The records of a variable; undefined where there is none. */
function recordsOf(
  instance: Instance,
  ident = 'STATE',
): readonly [rule: object | undefined, pending: unknown] {
  const child = instance.children?.byIdent(ident);
  if (!child?.is(objectType.variable)) throw new Error(`no ${ident}`);
  return [child.data.rule, child.data.pending];
}

/** A client that applies all changes; `check` compares it with the snapshot. */
function follow(outputs: OutputFixture) {
  const { kernel } = outputs;
  const replica = new Replica(snapshotOf(kernel));
  let records = 0;
  kernel.changes.listen((change) => {
    replica.apply(change as never);
    if (change.Message === messageNumber.GW_RULE || change.Message === messageNumber.GW_PENDING) records++;
  });
  return {
    /** The messages about records since the last call. */
    taken: () => {
      const count = records;
      records = 0;
      return count;
    },
    check: () => t.same(replica.objects, new Replica(snapshotOf(kernel)).objects),
  };
}

const rejection = (write: Promise<void>) =>
  write.then(
    () => undefined,
    (thrown: { code: string; details: object }) => ({ code: thrown.code, ...thrown.details }),
  );

async function elapse(outputs: OutputFixture, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10) {
    outputs.clock.advance(Math.min(10, left));
    await yieldToEventLoop();
  }
}

t.test('minimum and maximum times are records, and a rejected command has the same', async (t) => {
  const outputs = new OutputFixture(t);
  const { clock } = outputs;
  const relay = await outputs.addOpenRelay('RELAY1', { MinOnS: 20, MinOffS: 5, MaxOnS: 60 });
  const client = follow(outputs);
  const minOff = { code: 'MIN_OFF', untilMs: clock.nowMs() + 5000, group: '' } as const;
  t.strictSame(recordsOf(relay), [minOff, undefined]);
  t.strictSame(await rejection(outputs.write(relay, true)), {
    code: 'RULE_FORBIDS',
    rule: 'MIN_OFF',
    untilMs: minOff.untilMs,
    group: '',
  });
  clock.advance(5000);
  t.strictSame(recordsOf(relay), [undefined, undefined]);
  client.taken();
  await outputs.write(relay, true);
  const onMs = clock.nowMs();
  const minOn = { code: 'MIN_ON', untilMs: onMs + 20_000, group: '' };
  const maxOn = { value: false, atMs: onMs + 60_000, code: 'MAX_ON' };
  t.strictSame(recordsOf(relay), [minOn, maxOn]);
  for (let n = 0; n < 9; n++) {
    clock.advance(1000.3);
    await outputs.write(relay, true);
  }
  t.strictSame(recordsOf(relay), [minOn, maxOn], 'a repeated command changes neither');
  t.match(await rejection(outputs.write(relay, false)), { rule: 'MIN_ON', untilMs: minOn.untilMs });
  t.equal(client.taken(), 2);
  await passTime(clock, 20_000);
  t.strictSame(recordsOf(relay), [undefined, maxOn]);
  client.check();
  await passTime(clock, 31_000);
  await outputs.waitForValue(relay, 'STATE', false);
  t.match(recordsOf(relay), [{ code: 'MIN_OFF' }, undefined]);
  client.check();
});

t.test('an interlock names its group and no other object', async (t) => {
  const outputs = new OutputFixture(t);
  const group = { Interlock: 'blind', DeadTimeMs: 500 };
  const up = await outputs.addOpenRelay('RELAY1', group);
  const down = await outputs.addOpenRelay('RELAY2', group);
  const client = follow(outputs);
  outputs.clock.advance(500);
  await outputs.write(up, true);
  t.strictSame(recordsOf(down), [{ code: 'INTERLOCK', untilMs: 0, group: 'blind' }, undefined]);
  t.strictSame(await rejection(outputs.write(down, true)), {
    code: 'RULE_FORBIDS',
    rule: 'INTERLOCK',
    untilMs: 0,
    group: 'blind',
  });
  await outputs.write(up, false);
  const waiting = outputs.write(down, true);
  await yieldToEventLoop();
  const atMs = outputs.clock.nowMs() + 500;
  t.strictSame(recordsOf(down), [undefined, { value: true, atMs, code: 'DEAD_TIME' }]);
  client.check();
  outputs.clock.advance(500);
  await waiting;
  t.strictSame(recordsOf(down), [undefined, undefined]);
  await outputs.write(down, false);
  outputs.devices.setProperty(down.id, 'Line', 'RELAY99');
  await outputs.devices.applyChanges(down.id);
  await outputs.waitForValue(down, 'LINK', 'waiting');
  t.match(recordsOf(up), [{ code: 'INTERLOCK_UNCERTAIN', group: 'blind' }, undefined]);
  t.match(await rejection(outputs.write(up, true)), { rule: 'INTERLOCK_UNCERTAIN' });
  client.check();
});

t.test('the rule ends when the relay that blocked another is deleted or leaves the group', async (t) => {
  const outputs = new OutputFixture(t);
  const { devices } = outputs;
  const blocked = (relay: Instance) => [outputs.value(relay, 'RULE'), recordsOf(relay)[0]];
  const configure = async (relay: Instance, properties: Record<string, string>) => {
    devices.setProperties(relay.id, properties);
    await devices.applyChanges(relay.id);
  };
  const first = await outputs.addOpenRelay('RELAY1', { Interlock: 'blind' });
  const second = await outputs.addOpenRelay('RELAY2', { Interlock: 'blind' });
  const client = follow(outputs);
  await devices.delete(first.id);
  await passTime(outputs.clock, 1000);
  t.strictSame(blocked(second), ['', undefined], 'deleted');
  const third = await outputs.addOpenRelay('RELAY3', { Interlock: 'blind' });
  await outputs.write(third, true);
  t.match(blocked(second), [/is active/, { code: 'INTERLOCK' }]);
  await configure(third, { Interlock: '' });
  await outputs.waitForValue(third, 'LINK', 'online');
  await passTime(outputs.clock, 1000);
  t.strictSame(blocked(second), ['', undefined], 'active, but of no group any more');
  await outputs.write(second, true);
  await outputs.write(second, false);
  const fourth = await outputs.addOpenRelay('RELAY4', { Interlock: 'blind' });
  await configure(fourth, { Line: 'RELAY99' });
  await outputs.waitForValue(fourth, 'LINK', 'waiting');
  t.match(blocked(second), [/is not open/, { code: 'INTERLOCK_UNCERTAIN' }]);
  await configure(fourth, { Interlock: '' });
  await outputs.waitForValue(fourth, 'LINK', 'waiting');
  await passTime(outputs.clock, 1000);
  t.strictSame(blocked(second), ['', undefined], 'of no group any more, and still not open');
  await outputs.write(second, true);
  await outputs.write(second, false);
  outputs.relay('RELAY99', { Interlock: 'blind' });
  await passTime(outputs.clock, 1000);
  t.match(blocked(second), [/is not open/, { code: 'INTERLOCK_UNCERTAIN' }], 'a new one that is not open');
  t.match(await rejection(outputs.write(second, true)), { rule: 'INTERLOCK_UNCERTAIN' });
  client.check();
});

t.test('a relay that waited for the dead time in vain is not about to go on', async (t) => {
  const outputs = new OutputFixture(t);
  const group = { Interlock: 'blind', DeadTimeMs: 500 };
  const first = await outputs.addOpenRelay('RELAY1', group);
  const second = await outputs.addOpenRelay('RELAY2', group);
  const third = await outputs.addOpenRelay('RELAY3', group);
  const client = follow(outputs);
  const waiting = rejection(outputs.write(second, true));
  await yieldToEventLoop();
  t.match(recordsOf(second)[1], { code: 'DEAD_TIME' });
  outputs.devices.setProperty(third.id, 'Line', 'RELAY99');
  await outputs.devices.applyChanges(third.id);
  await outputs.waitForValue(third, 'LINK', 'waiting');
  outputs.clock.advance(500);
  t.match(await waiting, { rule: 'INTERLOCK_UNCERTAIN' });
  t.strictSame([outputs.value(second, 'PENDING'), recordsOf(second)[1]], ['', undefined]);
  t.match(outputs.value(first, 'RULE'), /another of the group is not open/, 'not "about to be active"');
  client.check();
  outputs.devices.setProperty(third.id, 'Line', 'RELAY3');
  await outputs.devices.applyChanges(third.id);
  await outputs.waitForValue(third, 'LINK', 'online');
  t.strictSame(
    [first, second].map((relay) => outputs.value(relay, 'RULE')),
    ['', ''],
  );
});

t.test('a relay that Boot switches on later says so', async (t) => {
  const outputs = new OutputFixture(t);
  outputs.relay('RELAY99', { Interlock: 'pumps' });
  const pump = await outputs.addOpenRelay('RELAY1', { Interlock: 'pumps', Boot: 'active' });
  t.match(recordsOf(pump), [{ code: 'INTERLOCK_UNCERTAIN' }, { value: true, atMs: 0, code: 'BOOT' }]);
  const fan = await outputs.addOpenRelay('RELAY2', { Boot: 'active', MinOffS: 30 });
  const atMs = outputs.clock.nowMs() + 30_000;
  t.match(recordsOf(fan), [{ code: 'MIN_OFF' }, { value: true, atMs, code: 'BOOT' }]);
});

t.test('a pulse announces its end', async (t) => {
  const outputs = new OutputFixture(t);
  const door = outputs.pulse('RELAY1', { PulseMs: 2500 });
  await outputs.waitForValue(door, 'LINK', 'online');
  await outputs.write(door, true);
  const untilMs = outputs.clock.nowMs() + 2500;
  t.strictSame(recordsOf(door), [undefined, { value: false, atMs: untilMs, code: 'PULSE_END' }]);
  t.strictSame(await rejection(outputs.write(door, true)), {
    code: 'RULE_FORBIDS',
    rule: 'PULSE',
    untilMs,
    group: '',
  });
  outputs.clock.advance(2500);
  await outputs.waitForValue(door, 'STATE', false);
  t.strictSame(recordsOf(door), [undefined, undefined]);
});

t.test('a shutter announces its stop, its target, and what it does first', async (t) => {
  const outputs = new OutputFixture(t);
  const { clock } = outputs;
  const blind = await outputs.addShutter();
  const client = follow(outputs);
  await elapse(outputs, 500);
  const pending = (...idents: string[]) => idents.map((ident) => recordsOf(blind, ident)[1]);
  await outputs.devices.write(blind.id, 'POSITION', 70);
  t.match(pending('MOVE', 'POSITION', 'SLAT'), [
    { value: 2, code: 'END_STOP' },
    { value: 70, atMs: 0, code: 'END_STOP' },
    undefined,
  ]);
  await until('it runs up', async () => {
    await elapse(outputs, 500);
    return outputs.value(blind, 'MOVE') === 0;
  });
  const [stop, target] = pending('MOVE', 'POSITION') as { atMs: number }[];
  t.match(
    [stop, target],
    [
      { value: 2, code: 'RUN_END' },
      { value: 70, atMs: stop?.atMs, code: 'RUN_END' },
    ],
  );
  t.ok(Number(stop?.atMs) > clock.nowMs());
  client.taken();
  await elapse(outputs, 3000);
  t.equal(client.taken(), 0, 'a running shutter repeats nothing');
  client.check();
  const down = outputs.devices.write(blind.id, 'MOVE', 4);
  await yieldToEventLoop();
  const atMs = clock.nowMs() + 500;
  t.match(pending('MOVE', 'POSITION'), [
    { value: 4, atMs, code: 'DEAD_TIME' },
    { value: 100, atMs: 0, code: 'DEAD_TIME' },
  ]);
  await elapse(outputs, 500);
  await down;
  await outputs.devices.write(blind.id, 'MOVE', 2);
  t.strictSame(pending('MOVE', 'POSITION', 'SLAT'), [undefined, undefined, undefined]);
  client.check();
});

t.test('a shutter whose relay does not switch off rejects commands, without a group', async (t) => {
  const outputs = new OutputFixture(t);
  const blind = await outputs.addShutter();
  await elapse(outputs, 500);
  const line = outputs.simulatedBoard.lineNamed('RELAY2');
  if (line !== undefined) line.rejectsWrites = true;
  await t.rejects(outputs.devices.write(blind.id, 'MOVE', 4), { code: 'DEVICE_REFUSED' });
  await elapse(outputs, 10);
  t.strictSame(recordsOf(blind, 'MOVE')[0], { code: 'MOTOR_UNCERTAIN', untilMs: 0, group: '' });
  t.match(outputs.value(blind, 'RULE'), /^interlock Blind .* may be active, as switching it failed$/);
  if (line !== undefined) line.rejectsWrites = false;
  await elapse(outputs, 1500);
  t.equal(recordsOf(blind, 'MOVE')[0], undefined);
});

t.test('a restart begins minimum times again and continues the maximum time', async (t) => {
  const outputs = new OutputFixture(t);
  const { clock } = outputs;
  const relay = await outputs.addOpenRelay('RELAY1', { MaxOnS: 60 });
  await outputs.write(relay, true);
  const atMs = clock.nowMs() + 60_000;
  clock.advance(20_000);
  await outputs.devices.close();
  t.strictSame(recordsOf(relay), [undefined, undefined], 'nothing enforces a rule');
  await outputs.restart();
  await outputs.waitForValue(relay, 'LINK', 'online');
  t.strictSame(recordsOf(relay), [undefined, { value: false, atMs, code: 'MAX_ON' }]);
});

t.test('the end of the maximum time follows the clock when it is set, also across a restart', async (t) => {
  const outputs = new OutputFixture(t);
  const { clock } = outputs;
  clock.hasTrustedTime = false;
  const relay = await outputs.addOpenRelay('RELAY1', { MaxOnS: 3600 });
  const client = follow(outputs);
  await outputs.write(relay, false);
  const idleTimers = clock.pendingTimers;
  await outputs.write(relay, true);
  await outputs.write(relay, false);
  t.equal(clock.pendingTimers, idleTimers, 'the clock is checked only while the time is running');
  await outputs.write(relay, true);
  client.taken();
  await passTime(clock, 120_000);
  t.equal(client.taken(), 0, 'nothing is reported unless the clock was set');
  clock.stepWallClock(10 * 3_600_000);
  clock.hasTrustedTime = true;
  await passTime(clock, 60_000);
  const atMs = clock.nowMs() + 3_420_000;
  const ends = [undefined, { value: false, atMs, code: 'MAX_ON' }];
  t.strictSame(recordsOf(relay), ends);
  t.equal(outputs.value(relay, 'OFF_AT'), Math.round(atMs / 1000));
  await outputs.restart();
  await outputs.waitForValue(relay, 'LINK', 'online');
  t.strictSame(recordsOf(relay), ends);
  t.strictSame(outputs.levels('RELAY1'), [true]);
});
