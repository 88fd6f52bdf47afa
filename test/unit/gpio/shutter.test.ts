import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import type { Value } from '../../../src/device/module.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { message } from '../../../src/kernel/messages.js';
import { objectType } from '../../../src/kernel/object.js';
import { OutputFixture } from '../../tools/devices/output-fixture.js';
import { qualityOf } from '../../tools/devices/variable-quality.js';

/** Advances the clock in small steps, with iterations of the event loop in between. */
async function elapse(outputs: OutputFixture, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10) {
    await yieldToEventLoop();
    outputs.clock.advance(Math.min(10, left));
  }
  await yieldToEventLoop();
}

const levels = (outputs: OutputFixture) => outputs.levels('RELAY1', 'RELAY2');
const command = (outputs: OutputFixture, { id }: Instance, ...[ident, value]: [string, Value]) =>
  outputs.devices.write(id, ident, value);
/** A command that may have to wait for the dead time. */
const messages = (outputs: OutputFixture, ms: number, ...commands: Promise<void>[]) =>
  Promise.all([...commands, elapse(outputs, ms)]);
const shown = (outputs: OutputFixture, shutter: Instance) =>
  ['POSITION', 'SLAT', 'MOVE', 'KNOWN'].map((ident) => outputs.value(shutter, ident));

/** An open shutter with a known position. */
async function opened(outputs: OutputFixture, properties: Record<string, unknown> = {}): Promise<Instance> {
  const shutter = await outputs.addShutter(properties);
  await elapse(outputs, 5000);
  await command(outputs, shutter, 'MOVE', 0);
  await elapse(outputs, 35_000);
  t.strictSame(shown(outputs, shutter), [0, 0, 2, true]);
  return shutter;
}

t.test('a shutter moves to its target and reports its position', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await outputs.addShutter();
  t.strictSame(shown(outputs, shutter), [50, 50, 2, false], 'unknown');
  const qualities = () => ['POSITION', 'SLAT', 'MOVE'].map((ident) => qualityOf(shutter, ident));
  t.strictSame(qualities(), ['bad NOT_KNOWN', 'bad NOT_KNOWN', 'good']);
  await elapse(outputs, 500);
  await command(outputs, shutter, 'MOVE', 0);
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [true, false, 50, 50, 0, false]);
  await elapse(outputs, 34_000);
  t.strictSame(levels(outputs), [true, false], 'still within the reserve');
  await elapse(outputs, 1000);
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 0, 0, 2, true]);
  t.strictSame(qualities(), ['good', 'good', 'good']);

  await command(outputs, shutter, 'POSITION', 40);
  t.strictSame(levels(outputs), [false, true]);
  t.equal(outputs.value(shutter, 'PENDING'), 'stops at 2023-11-14T22:14:09Z');
  await elapse(outputs, 8000);
  t.strictSame(shown(outputs, shutter), [20, 100, 4, true]);
  await elapse(outputs, 6000);
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 40, 100, 2, true]);
  t.equal(outputs.value(shutter, 'PENDING'), '');

  await messages(outputs, 2500, command(outputs, shutter, 'SLAT', 25));
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 40, 25, 2, true]);
  await command(outputs, shutter, 'SLAT', 25);
  await command(outputs, shutter, 'POSITION', 40);
  t.strictSame(levels(outputs), [false, false], 'it is there');
  t.equal(outputs.clock.pendingTimers, 2, 'at rest: the next probe, and the one timer of all deadlines');
});

t.test('concurrent targets for position and slats are both reached', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await opened(outputs);
  await command(outputs, shutter, 'SLAT', 50);
  await command(outputs, shutter, 'POSITION', 70);
  await elapse(outputs, 23_000);
  t.match(outputs.value(shutter, 'PENDING'), /^up at 2023-.*Z \(dead time\)$/);
  t.strictSame(levels(outputs), [false, false]);
  await elapse(outputs, 3000);
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 70, 50, 2, true]);
});

t.test('a command replaces the one in progress', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await opened(outputs);
  await command(outputs, shutter, 'MOVE', 4);
  await elapse(outputs, 5000);
  await command(outputs, shutter, 'POSITION', 20);
  t.strictSame(levels(outputs), [false, true], 'it continues');
  await elapse(outputs, 3000);
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 20, 100, 2, true]);

  await command(outputs, shutter, 'MOVE', 4);
  await elapse(outputs, 3000);
  const back = command(outputs, shutter, 'POSITION', 10);
  await yieldToEventLoop();
  t.strictSame(levels(outputs), [false, false]);
  await elapse(outputs, 490);
  t.strictSame(levels(outputs), [false, false], 'the dead time');
  await elapse(outputs, 10);
  await back;
  t.strictSame(levels(outputs), [true, false]);
  await elapse(outputs, 4000);
  await command(outputs, shutter, 'MOVE', 2);
  t.strictSame([...levels(outputs), outputs.value(shutter, 'MOVE')], [false, false, 2]);
  await elapse(outputs, 60_000);
  t.strictSame(levels(outputs), [false, false], 'it stays stopped');
});

t.test('a command cancels another that waits, which rejects', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await opened(outputs, { DeadTimeMs: 5000 });
  const down = command(outputs, shutter, 'MOVE', 4);
  await yieldToEventLoop();
  const too = command(outputs, shutter, 'POSITION', 50);
  const rejected = t.rejects(down, { code: 'DEVICE_REFUSED', message: /switched off while it waited/ });
  const refusedToo = t.rejects(too, { code: 'DEVICE_REFUSED' });
  await elapse(outputs, 1000);
  await command(outputs, shutter, 'MOVE', 2);
  await Promise.all([rejected, refusedToo]);
  await elapse(outputs, 60_000);
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 0, 0, 2, true]);
});

t.test('if the position is unknown, it is learnt at the nearer end stop first', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await outputs.addShutter();
  await elapse(outputs, 500);
  await command(outputs, shutter, 'POSITION', 70);
  t.strictSame(levels(outputs), [false, true]);
  t.match(outputs.value(shutter, 'PENDING'), /^stops at .* \(end stop, to learn the position\)$/);
  await elapse(outputs, 34_600);
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 100, 100, 2, true]);
  await elapse(outputs, 13_000);
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 70, 0, 2, true]);
});

t.test('the position survives a restart but not a power cut', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await opened(outputs);
  await command(outputs, shutter, 'POSITION', 40);
  await elapse(outputs, 15_000);
  const online = () => outputs.waitForValue(shutter, 'LINK', 'online');
  await outputs.restart();
  await online();
  t.strictSame(shown(outputs, shutter), [40, 100, 2, true]);
  await outputs.restart('boot');
  await online();
  t.strictSame(shown(outputs, shutter), [40, 100, 2, true], 'after a clean stop and a boot');
  await outputs.restart('power cut');
  await online();
  t.strictSame(shown(outputs, shutter), [50, 50, 2, false]);
  await elapse(outputs, 500);
  await command(outputs, shutter, 'MOVE', 4);
  await elapse(outputs, 35_000);
  t.strictSame(shown(outputs, shutter), [100, 100, 2, true], 'learnt again');
});

t.test('closing stops the motor, and the position stays as certain as possible', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await opened(outputs);
  await command(outputs, shutter, 'MOVE', 4);
  await elapse(outputs, 17_000);
  await outputs.devices.applyChanges(shutter.id);
  await outputs.waitForValue(shutter, 'LINK', 'online');
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 50, 100, 2, true]);
  await elapse(outputs, 500);
  await command(outputs, shutter, 'MOVE', 0);
  await elapse(outputs, 8000);
  await outputs.restart('boot');
  await outputs.waitForValue(shutter, 'LINK', 'online');
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 25, 50, 2, false]);
});

t.test('after a crash during a run, the position is anywhere on its path', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await opened(outputs);
  await command(outputs, shutter, 'POSITION', 60);
  await elapse(outputs, 25_000);
  t.strictSame(shown(outputs, shutter), [60, 100, 2, true]);
  await outputs.restart('crash');
  await outputs.waitForValue(shutter, 'LINK', 'online');
  t.strictSame(shown(outputs, shutter), [60, 100, 2, true], 'the motor was at rest');
  await elapse(outputs, 500);
  await command(outputs, shutter, 'MOVE', 0);
  await elapse(outputs, 100);
  await outputs.restart('crash');
  t.strictSame(levels(outputs), [true, false], 'the gateway is not running');
  await outputs.waitForValue(shutter, 'LINK', 'online');
  t.strictSame([...levels(outputs), ...shown(outputs, shutter)], [false, false, 30, 50, 2, false]);
});

t.test('other lines are another shutter with an unknown position', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await opened(outputs);
  outputs.devices.setProperty(shutter.id, 'Down', 'RELAY3');
  await outputs.devices.applyChanges(shutter.id);
  await outputs.waitForValue(shutter, 'LINK', 'online');
  t.strictSame(shown(outputs, shutter), [50, 50, 2, false]);
  outputs.devices.setProperty(shutter.id, 'Down', 'RELAY2');
  await outputs.devices.applyChanges(shutter.id);
  await outputs.waitForValue(shutter, 'LINK', 'online');
  t.strictSame(shown(outputs, shutter), [0, 0, 2, true]);
});

t.test('a rejected on leaves the motor at rest; a rejected off is retried until it succeeds', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await opened(outputs);
  await elapse(outputs, 500);
  const refuse = (line: string, isRefused: boolean) => {
    const simulatedLine = outputs.simulatedBoard.lineNamed(line);
    if (simulatedLine !== undefined) simulatedLine.rejectsWrites = isRefused;
  };
  refuse('RELAY2', true);
  await t.rejects(command(outputs, shutter, 'MOVE', 4), { code: 'DEVICE_REFUSED' });
  await elapse(outputs, 10);
  t.match(outputs.devices.problems(shutter.id), [{ code: 'DOWN', text: /must be inactive.* retrying/ }]);
  t.match(outputs.value(shutter, 'RULE'), /Blind down may be active, as switching it failed/);
  t.equal(outputs.value(shutter, 'MOVE'), 4, 'it may run');
  refuse('RELAY2', false);
  await elapse(outputs, 1500);
  t.strictSame(outputs.devices.problems(shutter.id), []);
  t.strictSame([outputs.value(shutter, 'RULE'), outputs.value(shutter, 'MOVE')], ['', 2]);

  await command(outputs, shutter, 'MOVE', 0);
  await elapse(outputs, 35_000);
  await command(outputs, shutter, 'POSITION', 10);
  refuse('RELAY2', true);
  await elapse(outputs, 6000);
  t.strictSame(levels(outputs), [false, true]);
  await t.rejects(command(outputs, shutter, 'MOVE', 0), { code: 'DEVICE_REFUSED' });
  t.strictSame(levels(outputs), [false, true], 'never both');
  refuse('RELAY2', false);
  await elapse(outputs, 1000);
  t.strictSame(levels(outputs), [false, false]);
  t.equal(outputs.value(shutter, 'MOVE'), 2);
  const position = Number(outputs.value(shutter, 'POSITION'));
  t.ok(position > 11 && position < 25, `the position where it stopped: ${position}`);
});

t.test('an unknown position has bad quality until it is known', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await outputs.addShutter();
  const seen: unknown[] = [];
  const position = shutter.children?.byIdent('POSITION');
  const reason = () => (position?.is(objectType.variable) ? position.data.qualityProblem?.reason : 'none');
  t.equal(reason(), 'NOT_KNOWN');
  await elapse(outputs, 500);
  outputs.kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (SenderID !== position?.id || Message === message.GW_PENDING) return;
    seen.push(Message === message.VM_UPDATE ? Data[0] : Data[1]);
  });
  await command(outputs, shutter, 'MOVE', 0);
  await elapse(outputs, 35_000);
  t.equal(reason(), undefined);
  t.strictSame(seen.slice(0, 3), [4, '', 2], 'nothing is reported before the position is known');
  await command(outputs, shutter, 'MOVE', 4);
  await elapse(outputs, 5000);
  await outputs.restart('power cut');
  await outputs.waitForValue(shutter, 'LINK', 'online');
  t.strictSame([reason(), outputs.value(shutter, 'POSITION')], ['NOT_KNOWN', 50]);
});

t.test('the position is reported once per second', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await opened(outputs);
  const seen: unknown[] = [];
  const position = shutter.children?.byIdent('POSITION');
  outputs.kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (Message === message.VM_UPDATE && SenderID === position?.id) seen.push(Data[0]);
  });
  await command(outputs, shutter, 'MOVE', 4);
  await elapse(outputs, 35_000);
  t.equal(seen.at(-1), 100);
  t.ok(seen.length > 25 && seen.length <= 36, `${seen.length} times`);
});

t.test('invalid commands and properties are rejected', async (t) => {
  const outputs = new OutputFixture(t);
  const shutter = await outputs.addShutter({ SlatS: 0 });
  t.equal(outputs.value(shutter, 'SLAT'), undefined);
  const wrong: [string, Value][] = [
    ['POSITION', 101],
    ['POSITION', -1],
    ['MOVE', 1],
    ['MOVE', true],
  ];
  for (const [ident, value] of wrong)
    await t.rejects(command(outputs, shutter, ident, value), { code: 'CANNOT_CONVERT' });
  await t.rejects(command(outputs, shutter, 'KNOWN', true), { code: 'READ_ONLY' });
  const errors: [Record<string, unknown>, RegExp][] = [
    [{ Up: '' }, /Up and Down each need the name of a line/],
    [{ Up: 'RELAY3', Down: 'RELAY3' }, /are the same line/],
    [{ RunUpS: 0 }, /are not set: measure/],
    [{ SlatS: 20 }, /SlatS is longer than half a run/],
  ];
  for (const [properties, problem] of errors) {
    const given = { Up: 'RELAY1', Down: 'RELAY2', RunUpS: 30, RunDownS: 30, ...properties };
    const one = outputs.devices.create('Shutter', { name: 'Wrong' }, given);
    t.match(outputs.value(one, 'STATUS'), problem);
  }
  const second = outputs.devices.create(
    'Shutter',
    {},
    { Up: 'RELAY3', Down: 'RELAY1', RunUpS: 9, RunDownS: 9 },
  );
  await outputs.waitForValue(second, 'LINK', 'waiting');
  t.match(outputs.value(second, 'STATUS'), /RELAY1 is in use/);
  await outputs.addOpenRelay('RELAY3');
});
