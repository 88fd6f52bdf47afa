import t from 'tap';
import type { Instance } from '../../../src/kernel/instances.js';
import { objectType } from '../../../src/kernel/object.js';
import { Random } from '../../tools/random.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

async function online(board: BoardFixture, module: string, properties: object): Promise<Instance> {
  const instance = await board.add(module, { ...properties });
  await board.waitForLink(instance, 'online');
  return instance;
}

const isOn = (board: BoardFixture, instance: Instance) => /oscillating/.test(board.status(instance));
const flood = (board: BoardFixture, line: string, ...[perS, forMs]: [number, number]) =>
  board.call('GW_SimulateFlood', line, perS, forMs);

/** Why one of its variables is uncertain; undefined if it is not. */
function doubtOf(instance: Instance, ident: string): string | undefined {
  const variable = instance.children?.byIdent(ident);
  return variable?.is(objectType.variable) ? variable.data.qualityProblem?.reason : 'no variable';
}

t.test('every change of a contact, a test or a fast switch is reported', async (t) => {
  const board = new BoardFixture(t);
  const burst = await online(board, 'GPIO Input', { Line: 'BUTTON1' });
  const busy = await online(board, 'GPIO Input', { Line: 'BUTTON2' });
  const messages = [board.watch(burst, 'STATE'), board.watch(busy, 'STATE')];
  await flood(board, 'BUTTON1', 10_000, 500);
  await flood(board, 'BUTTON2', 400, 10_000);
  await board.elapse(11_000);
  t.strictSame(
    messages.map((all) => all.length),
    [5000, 4000],
  );
  t.notOk(isOn(board, burst) || isOn(board, busy));
});

t.test(
  'an oscillating input is reported once per second, keeps counting, and is correct afterwards',
  async (t) => {
    const board = new BoardFixture(t);
    const input = await online(board, 'GPIO Input', { Line: 'BUTTON1' });
    const messages = board.watch(input, 'STATE');
    await flood(board, 'BUTTON1', 5000, 20_000);
    await board.elapse(20_000);
    t.ok(isOn(board, input));
    t.match(board.devices.problems(input.id), [{ code: 'OSCILLATES', text: /^BUTTON1: oscillating/ }]);
    t.equal(doubtOf(input, 'STATE'), 'OSCILLATES');
    const before = messages.length;
    t.ok(before > 10_000 && before <= 10_300, `${before} changes reported of 100,000`);
    // It ends with another value than it began with, which is reported although it is not over yet.
    await board.drive('BUTTON1', true);
    await board.elapse(1100);
    t.strictSame([board.value(input, 'STATE'), board.value(input, 'COUNT')], [true, 50_001]);
    t.equal(board.value(input, 'LOST'), 0);
    await board.elapse(7000);
    t.ok(isOn(board, input), 'not over yet');
    t.equal(doubtOf(input, 'STATE'), 'OSCILLATES');
    await board.elapse(3000);
    t.notOk(isOn(board, input));
    t.equal(doubtOf(input, 'STATE'), undefined);
    const after = messages.length;
    await board.drive('BUTTON1', false);
    await board.elapse(10);
    t.strictSame([messages.length, board.value(input, 'STATE')], [after + 1, false]);
    await board.devices.close();
    t.equal(board.clock.pendingTimers, 0);
  },
);

t.test('a requested value is uncertain while the line oscillates', async (t) => {
  const board = new BoardFixture(t);
  const inputs = [
    await online(board, 'GPIO Input', { Line: 'BUTTON1' }),
    await online(board, 'Button', { Line: 'BUTTON2', DebounceUs: 0 }),
  ];
  for (const line of ['BUTTON1', 'BUTTON2']) await flood(board, line, 5000, 20_000);
  await board.elapse(5000);
  for (const input of inputs) {
    t.ok(isOn(board, input));
    await board.devices.refresh(input.id, 'STATE');
    t.equal(doubtOf(input, 'STATE'), 'OSCILLATES');
  }
  await board.elapse(30_000);
  for (const input of inputs) {
    await board.devices.refresh(input.id, 'STATE');
    t.equal(doubtOf(input, 'STATE'), undefined);
  }
});

t.test('an oscillation is not over while it nearly resumes', async (t) => {
  const board = new BoardFixture(t);
  const input = await online(board, 'GPIO Input', { Line: 'BUTTON1' });
  await flood(board, 'BUTTON1', 10_000, 1500);
  await board.elapse(1500);
  t.ok(isOn(board, input));
  await flood(board, 'BUTTON1', 30, 60_000);
  await board.elapse(60_000);
  t.ok(isOn(board, input), 'below the limit of its begin, above the limit of its end');
  await flood(board, 'BUTTON1', 20, 12_000);
  await board.elapse(12_000);
  t.notOk(isOn(board, input));
});

t.test('a count that is not reported yet is reported when the instance closes', async (t) => {
  const board = new BoardFixture(t);
  const input = await online(board, 'GPIO Input', { Line: 'BUTTON1' });
  await flood(board, 'BUTTON1', 10_000, 2000);
  await board.elapse(2010);
  const messages = board.value(input, 'COUNT');
  await board.drive('BUTTON1', true);
  await board.elapse(10);
  t.equal(board.value(input, 'COUNT'), messages, 'not reported yet');
  await board.change(input, { ActiveLow: false });
  await board.waitForLink(input, 'online');
  t.strictSame([board.value(input, 'COUNT'), board.value(input, 'STATE')], [10_001, true]);
});

t.test('an oscillating button has no gestures until the oscillation is over', async (t) => {
  const board = new BoardFixture(t);
  const button = await online(board, 'Button', { Line: 'BUTTON1' });
  await flood(board, 'BUTTON1', 40, 90_000);
  await board.elapse(60_000);
  t.ok(isOn(board, button));
  const before = board.value(button, 'PRESS');
  t.ok(Number(before) <= 1100, `${before} presses of 1800`);
  await board.elapse(30_000);
  // Pressed when it ends: the beginning of the press was not seen.
  await board.drive('BUTTON1', true);
  await board.elapse(12_000);
  t.notOk(isOn(board, button));
  t.equal(board.value(button, 'STATE'), true);
  await board.drive('BUTTON1', false);
  await board.elapse(1000);
  t.strictSame([board.value(button, 'PRESS'), board.value(button, 'LONG')], [before, 0]);
  await board.drive('BUTTON1', true);
  await board.elapse(100);
  await board.drive('BUTTON1', false);
  await board.elapse(1000);
  t.equal(board.value(button, 'PRESS'), Number(before) + 1);
  t.equal(board.value(button, 'STATE'), false);
});

t.test('fast presses with much bouncing are presses, with either debouncing', async (t) => {
  const board = new BoardFixture(t);
  const buttons = [
    await online(board, 'Button', { Line: 'BUTTON1', DebounceUs: 9000 }),
    await online(board, 'Button', { Line: 'BUTTON2' }),
  ];
  for (let n = 0; n < 300; n++) {
    for (const line of ['BUTTON1', 'BUTTON2'])
      await board.call('GW_SimulateBounce', line, n % 2 === 0, 10, 8, n);
    await board.elapse(100);
  }
  t.strictSame(
    buttons.map((one) => [board.value(one, 'PRESS'), isOn(board, one)]),
    [
      [150, false],
      [150, false],
    ],
  );
});

t.test('a level group has no number while one of its lines oscillates', async (t) => {
  const board = new BoardFixture(t);
  const group = await online(board, 'Level Group', { Lines: ['BUTTON1', 'BUTTON2'], SettleMs: 0 });
  await flood(board, 'BUTTON2', 10_000, 5000);
  await board.elapse(4000);
  t.match(board.status(group), /BUTTON2: oscillating/);
  t.equal(doubtOf(group, 'VALUE'), 'OSCILLATES');
  const messages = board.watch(group, 'VALUE');
  await board.drive('BUTTON1', true);
  await board.elapse(1000);
  t.strictSame(messages, []);
  await board.elapse(12_000);
  t.notOk(isOn(board, group));
  t.strictSame(messages, [1]);
  t.equal(doubtOf(group, 'VALUE'), undefined);
});

t.test(
  'a counter never counts as oscillating: 10,000 edges per second, five reports per second',
  async (t) => {
    const board = new BoardFixture(t);
    const counter = await online(board, 'Counter', { Line: 'BUTTON1', Edges: 'both' });
    const fan = await online(board, 'Frequency', { Line: 'BUTTON2' });
    const messages = board.watch(counter, 'COUNT');
    await flood(board, 'BUTTON1', 10_000, 10_000);
    await flood(board, 'BUTTON2', 10_000, 10_000);
    await board.elapse(10_500);
    t.strictSame([board.value(counter, 'COUNT'), board.value(counter, 'LOST')], [100_000, 0]);
    t.ok(messages.length <= 52, `${messages.length} reports`);
    t.equal(board.value(counter, 'RATE'), 10_000);
    t.equal(Math.round(Number(board.value(fan, 'FREQUENCY'))), 5000);
    t.notOk(isOn(board, counter) || isOn(board, fan));
  },
);

t.test('an oscillating line does not affect a hundred others', async (t) => {
  const names = Array.from({ length: 101 }, (_, n) => `LINE${n}`);
  const lines = Object.fromEntries(names.map((name, offset) => [name, offset]));
  const plan = { gpio: [{ chip: 'simulated', lines }], simulated: { wires: [] } };
  const board = new BoardFixture(t, undefined, plan);
  const random = new Random(3);
  const [wild = '', ...quiet] = names;
  const oscillating = await online(board, 'GPIO Input', { Line: wild });
  const modules = ['GPIO Input', 'Button', 'Counter'];
  const others = await Promise.all(
    quiet.map((Line, n) => online(board, modules[n % 3] ?? '', { Line, DebounceUs: n % 2 === 0 ? 0 : 1000 })),
  );
  await flood(board, wild, 12_800, 10_000);
  const presses = quiet.map(() => 0);
  for (let step = 0; step < 100; step++) {
    const at = random.below(quiet.length);
    await board.drive(quiet[at] ?? '', true);
    presses[at] = (presses[at] ?? 0) + 1;
    await board.elapse(50);
    await board.drive(quiet[at] ?? '', false);
    await board.elapse(50);
  }
  await board.elapse(1000);
  t.ok(isOn(board, oscillating));
  t.equal(board.value(oscillating, 'COUNT'), 64_000);
  const counted = others.map((one, n) => board.value(one, n % 3 === 1 ? 'PRESS' : 'COUNT'));
  t.strictSame(counted, presses);
  t.ok(others.every((one) => board.value(one, 'LOST') === 0 && !isOn(board, one)));
});
