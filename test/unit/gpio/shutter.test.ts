import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/serial-queue.js';
import type { Value } from '../../../src/device/module.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { message } from '../../../src/kernel/messages.js';
import { objectType } from '../../../src/kernel/object.js';
import { OutputFixture } from '../../tools/devices/output-fixture.js';
import { qualityOf } from '../../tools/devices/variable-quality.js';

/** Lets time pass in small steps, so that what happens at one moment is done with before the next. */
async function elapse(cabinet: OutputFixture, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10) {
    await yieldToEventLoop();
    cabinet.clock.advance(Math.min(10, left));
  }
  await yieldToEventLoop();
}

const levels = (cabinet: OutputFixture) => cabinet.levels('RELAY1', 'RELAY2');
const command = (cabinet: OutputFixture, { id }: Instance, ...[ident, value]: [string, Value]) =>
  cabinet.devices.write(id, ident, value);
/** Commands that may have to wait for the dead time. */
const told = (cabinet: OutputFixture, ms: number, ...commands: Promise<void>[]) =>
  Promise.all([...commands, elapse(cabinet, ms)]);
const shown = (cabinet: OutputFixture, shutter: Instance) =>
  ['POSITION', 'SLAT', 'MOVE', 'KNOWN'].map((ident) => cabinet.value(shutter, ident));

/** A shutter that has learnt its position: it is open. */
async function opened(cabinet: OutputFixture, properties: Record<string, unknown> = {}): Promise<Instance> {
  const shutter = await cabinet.addShutter(properties);
  await elapse(cabinet, 5000);
  await command(cabinet, shutter, 'MOVE', 0);
  await elapse(cabinet, 35_000);
  t.strictSame(shown(cabinet, shutter), [0, 0, 2, true]);
  return shutter;
}

t.test('it goes where it is told to, and shows where it is', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await cabinet.addShutter();
  t.strictSame(shown(cabinet, shutter), [50, 50, 2, false], 'nobody knows');
  const qualities = () => ['POSITION', 'SLAT', 'MOVE'].map((ident) => qualityOf(shutter, ident));
  t.strictSame(qualities(), ['bad NOT_KNOWN', 'bad NOT_KNOWN', 'good']);
  await elapse(cabinet, 500);
  await command(cabinet, shutter, 'MOVE', 0);
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [true, false, 50, 50, 0, false]);
  await elapse(cabinet, 34_000);
  t.strictSame(levels(cabinet), [true, false], 'the reserve is not over');
  await elapse(cabinet, 1000);
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 0, 0, 2, true]);
  t.strictSame(qualities(), ['good', 'good', 'good']);

  await command(cabinet, shutter, 'POSITION', 40);
  t.strictSame(levels(cabinet), [false, true]);
  t.equal(cabinet.value(shutter, 'PENDING'), 'stops at 2023-11-14T22:14:09Z');
  await elapse(cabinet, 8000);
  t.strictSame(shown(cabinet, shutter), [20, 100, 4, true]);
  await elapse(cabinet, 6000);
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 40, 100, 2, true]);
  t.equal(cabinet.value(shutter, 'PENDING'), '');

  await told(cabinet, 2500, command(cabinet, shutter, 'SLAT', 25));
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 40, 25, 2, true]);
  await command(cabinet, shutter, 'SLAT', 25);
  await command(cabinet, shutter, 'POSITION', 40);
  t.strictSame(levels(cabinet), [false, false], 'it is there');
  t.equal(cabinet.clock.pendingTimers, 1, 'a shutter at rest waits for its next probe and for nothing else');
});

t.test('position and slats told together are reached together', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await opened(cabinet);
  await command(cabinet, shutter, 'SLAT', 50);
  await command(cabinet, shutter, 'POSITION', 70);
  await elapse(cabinet, 23_000);
  t.match(cabinet.value(shutter, 'PENDING'), /^up at 2023-.*Z \(dead time\)$/);
  t.strictSame(levels(cabinet), [false, false]);
  await elapse(cabinet, 3000);
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 70, 50, 2, true]);
});

t.test('a command while it moves takes the place of what is under way', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await opened(cabinet);
  await command(cabinet, shutter, 'MOVE', 4);
  await elapse(cabinet, 5000);
  await command(cabinet, shutter, 'POSITION', 20);
  t.strictSame(levels(cabinet), [false, true], 'it goes on');
  await elapse(cabinet, 3000);
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 20, 100, 2, true]);

  await command(cabinet, shutter, 'MOVE', 4);
  await elapse(cabinet, 3000);
  const back = command(cabinet, shutter, 'POSITION', 10);
  await yieldToEventLoop();
  t.strictSame(levels(cabinet), [false, false]);
  await elapse(cabinet, 490);
  t.strictSame(levels(cabinet), [false, false], 'the dead time');
  await elapse(cabinet, 10);
  await back;
  t.strictSame(levels(cabinet), [true, false]);
  await elapse(cabinet, 4000);
  await command(cabinet, shutter, 'MOVE', 2);
  t.strictSame([...levels(cabinet), cabinet.value(shutter, 'MOVE')], [false, false, 2]);
  await elapse(cabinet, 60_000);
  t.strictSame(levels(cabinet), [false, false], 'stopped is stopped');
});

t.test('a command ends the wait of another, which is told so', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await opened(cabinet, { DeadTimeMs: 5000 });
  const down = command(cabinet, shutter, 'MOVE', 4);
  await yieldToEventLoop();
  const too = command(cabinet, shutter, 'POSITION', 50);
  const refused = t.rejects(down, { code: 'DEVICE_REFUSED', message: /switched off while it waited/ });
  const refusedToo = t.rejects(too, { code: 'DEVICE_REFUSED' });
  await elapse(cabinet, 1000);
  await command(cabinet, shutter, 'MOVE', 2);
  await Promise.all([refused, refusedToo]);
  await elapse(cabinet, 60_000);
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 0, 0, 2, true]);
});

t.test('where it is not known, it learns at the nearer end stop and then goes there', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await cabinet.addShutter();
  await elapse(cabinet, 500);
  await command(cabinet, shutter, 'POSITION', 70);
  t.strictSame(levels(cabinet), [false, true]);
  t.match(cabinet.value(shutter, 'PENDING'), /^stops at .* \(end stop, to learn the position\)$/);
  await elapse(cabinet, 34_600);
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 100, 100, 2, true]);
  await elapse(cabinet, 13_000);
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 70, 0, 2, true]);
});

t.test('a restart knows where it is; a power cut does not', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await opened(cabinet);
  await command(cabinet, shutter, 'POSITION', 40);
  await elapse(cabinet, 15_000);
  const online = () => cabinet.waitForValue(shutter, 'LINK', 'online');
  await cabinet.restart();
  await online();
  t.strictSame(shown(cabinet, shutter), [40, 100, 2, true]);
  await cabinet.restart('boot');
  await online();
  t.strictSame(shown(cabinet, shutter), [40, 100, 2, true], 'stopped cleanly, booted');
  await cabinet.restart('power cut');
  await online();
  t.strictSame(shown(cabinet, shutter), [50, 50, 2, false]);
  await elapse(cabinet, 500);
  await command(cabinet, shutter, 'MOVE', 4);
  await elapse(cabinet, 35_000);
  t.strictSame(shown(cabinet, shutter), [100, 100, 2, true], 'learnt again');
});

t.test('closing stops the motor, and what follows knows as much as can be known', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await opened(cabinet);
  await command(cabinet, shutter, 'MOVE', 4);
  await elapse(cabinet, 17_000);
  await cabinet.devices.applyChanges(shutter.id);
  await cabinet.waitForValue(shutter, 'LINK', 'online');
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 50, 100, 2, true]);
  await elapse(cabinet, 500);
  await command(cabinet, shutter, 'MOVE', 0);
  await elapse(cabinet, 8000);
  await cabinet.restart('boot');
  await cabinet.waitForValue(shutter, 'LINK', 'online');
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 25, 50, 2, false]);
});

t.test('a run that a crash cut short may have ended anywhere on its way', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await opened(cabinet);
  await command(cabinet, shutter, 'POSITION', 60);
  await elapse(cabinet, 25_000);
  t.strictSame(shown(cabinet, shutter), [60, 100, 2, true]);
  await cabinet.restart('crash');
  await cabinet.waitForValue(shutter, 'LINK', 'online');
  t.strictSame(shown(cabinet, shutter), [60, 100, 2, true], 'nothing was under way');
  await elapse(cabinet, 500);
  await command(cabinet, shutter, 'MOVE', 0);
  await elapse(cabinet, 100);
  await cabinet.restart('crash');
  t.strictSame(levels(cabinet), [true, false], 'nobody is there');
  await cabinet.waitForValue(shutter, 'LINK', 'online');
  t.strictSame([...levels(cabinet), ...shown(cabinet, shutter)], [false, false, 30, 50, 2, false]);
});

t.test('other lines are another shutter, and it knows nothing of them', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await opened(cabinet);
  cabinet.devices.setProperty(shutter.id, 'Down', 'RELAY3');
  await cabinet.devices.applyChanges(shutter.id);
  await cabinet.waitForValue(shutter, 'LINK', 'online');
  t.strictSame(shown(cabinet, shutter), [50, 50, 2, false]);
  cabinet.devices.setProperty(shutter.id, 'Down', 'RELAY2');
  await cabinet.devices.applyChanges(shutter.id);
  await cabinet.waitForValue(shutter, 'LINK', 'online');
  t.strictSame(shown(cabinet, shutter), [0, 0, 2, true]);
});

t.test(
  'an on that is refused leaves it at rest; an off that is refused is tried until it is taken',
  async (t) => {
    const cabinet = new OutputFixture(t);
    const shutter = await opened(cabinet);
    await elapse(cabinet, 500);
    const refuse = (line: string, isRefused: boolean) => {
      const spot = cabinet.world.lineNamed(line);
      if (spot !== undefined) spot.rejectsWrites = isRefused;
    };
    refuse('RELAY2', true);
    await t.rejects(command(cabinet, shutter, 'MOVE', 4), { code: 'DEVICE_REFUSED' });
    await elapse(cabinet, 10);
    t.match(cabinet.devices.problems(shutter.id), [{ code: 'DOWN', text: /must be inactive.* tried again/ }]);
    t.match(cabinet.value(shutter, 'RULE'), /Blind down may be active, as switching it failed/);
    t.equal(cabinet.value(shutter, 'MOVE'), 4, 'it may run');
    refuse('RELAY2', false);
    await elapse(cabinet, 1500);
    t.strictSame(cabinet.devices.problems(shutter.id), []);
    t.strictSame([cabinet.value(shutter, 'RULE'), cabinet.value(shutter, 'MOVE')], ['', 2]);

    await command(cabinet, shutter, 'MOVE', 0);
    await elapse(cabinet, 35_000);
    await command(cabinet, shutter, 'POSITION', 10);
    refuse('RELAY2', true);
    await elapse(cabinet, 6000);
    t.strictSame(levels(cabinet), [false, true]);
    await t.rejects(command(cabinet, shutter, 'MOVE', 0), { code: 'DEVICE_REFUSED' });
    t.strictSame(levels(cabinet), [false, true], 'never both');
    refuse('RELAY2', false);
    await elapse(cabinet, 1000);
    t.strictSame(levels(cabinet), [false, false]);
    t.equal(cabinet.value(shutter, 'MOVE'), 2);
    const position = Number(cabinet.value(shutter, 'POSITION'));
    t.ok(position > 11 && position < 25, `it is shown where it ran to: ${position}`);
  },
);

t.test('a position that is not known is bad, and good again when it is', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await cabinet.addShutter();
  const seen: unknown[] = [];
  const position = shutter.children?.byIdent('POSITION');
  const reason = () => (position?.is(objectType.variable) ? position.data.qualityProblem?.reason : 'none');
  t.equal(reason(), 'NOT_KNOWN');
  await elapse(cabinet, 500);
  cabinet.kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (SenderID === position?.id) seen.push(Message === message.VM_UPDATE ? Data[0] : Data[1]);
  });
  await command(cabinet, shutter, 'MOVE', 0);
  await elapse(cabinet, 35_000);
  t.equal(reason(), undefined);
  t.strictSame(seen.slice(0, 3), [4, '', 2], 'nothing is told before something is known');
  await command(cabinet, shutter, 'MOVE', 4);
  await elapse(cabinet, 5000);
  await cabinet.restart('power cut');
  await cabinet.waitForValue(shutter, 'LINK', 'online');
  t.strictSame([reason(), cabinet.value(shutter, 'POSITION')], ['NOT_KNOWN', 50]);
});

t.test('it shows where it is once a second, and no more', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await opened(cabinet);
  const seen: unknown[] = [];
  const position = shutter.children?.byIdent('POSITION');
  cabinet.kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (Message === message.VM_UPDATE && SenderID === position?.id) seen.push(Data[0]);
  });
  await command(cabinet, shutter, 'MOVE', 4);
  await elapse(cabinet, 35_000);
  t.equal(seen.at(-1), 100);
  t.ok(seen.length > 25 && seen.length <= 36, `${seen.length} times`);
});

t.test('commands and properties that mean nothing are mistakes', async (t) => {
  const cabinet = new OutputFixture(t);
  const shutter = await cabinet.addShutter({ SlatS: 0 });
  t.equal(cabinet.value(shutter, 'SLAT'), undefined);
  const wrong: [string, Value][] = [
    ['POSITION', 101],
    ['POSITION', -1],
    ['MOVE', 1],
    ['MOVE', true],
  ];
  for (const [ident, value] of wrong)
    await t.rejects(command(cabinet, shutter, ident, value), { code: 'CANNOT_CONVERT' });
  await t.rejects(command(cabinet, shutter, 'KNOWN', true), { code: 'READ_ONLY' });
  const mistakes: [Record<string, unknown>, RegExp][] = [
    [{ Up: '' }, /Up and Down each need the name of a line/],
    [{ Up: 'RELAY3', Down: 'RELAY3' }, /are the same line/],
    [{ RunUpS: 0 }, /are not set: measure/],
    [{ SlatS: 20 }, /SlatS is longer than half a run/],
  ];
  for (const [properties, mistake] of mistakes) {
    const given = { Up: 'RELAY1', Down: 'RELAY2', RunUpS: 30, RunDownS: 30, ...properties };
    const one = cabinet.devices.create('Shutter', { name: 'Wrong' }, given);
    t.match(cabinet.value(one, 'STATUS'), mistake);
  }
  const second = cabinet.devices.create(
    'Shutter',
    {},
    { Up: 'RELAY3', Down: 'RELAY1', RunUpS: 9, RunDownS: 9 },
  );
  await cabinet.waitForValue(second, 'LINK', 'waiting');
  t.match(cabinet.value(second, 'STATUS'), /RELAY1 is in use/);
  await cabinet.addOpenRelay('RELAY3');
});
