import t, { type Test } from 'tap';
import { buttonMessage } from '../../../drivers/gpio/inputs/button.js';
import { gestures } from '../../../drivers/gpio/inputs/gestures.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

const names = new Map(gestures.map((gesture) => [buttonMessage[gesture], gesture]));

/** The messages of the instances in the change stream from now on. */
function received(board: BoardFixture): (readonly [id: number, text: string])[] {
  const all: [number, string][] = [];
  board.kernel.changes.listen(({ SenderID, Message, Data }) => {
    const gesture = names.get(Message);
    if (gesture !== undefined) all.push([SenderID, `${gesture} ${String(Data[0])}`]);
  });
  return all;
}

const counts = (board: BoardFixture, button: Instance) =>
  Object.fromEntries(gestures.map((gesture) => [gesture, board.value(button, gesture.toUpperCase())]));

async function add(board: BoardFixture, properties: Record<string, unknown>): Promise<Instance> {
  const button = await board.add('Button', properties);
  await board.waitForLink(button, 'online');
  return button;
}

t.test('a button: each gesture is a message and a count; bouncing is not a gesture', async (t) => {
  const board = new BoardFixture(t);
  const button = await add(board, { Line: 'BUTTON1', ActiveLow: true, Bias: 'pull-up' });
  const all = received(board);
  for (const active of [true, false, true, false, true]) {
    await board.drive('BUTTON1', active);
    board.clock.advance(2);
  }
  await board.elapse(200);
  t.equal(board.value(button, 'STATE'), true);
  await board.drive('BUTTON1', false);
  await board.elapse(500);
  await board.drive('BUTTON1', true);
  await board.elapse(1200);
  await board.drive('BUTTON1', false);
  await board.elapse(1000);
  t.strictSame(
    all.map(([, text]) => text),
    ['press 1', 'release 1', 'single 1', 'press 2', 'long 1', 'hold 1', 'hold 2', 'release 2'],
  );
  t.strictSame(
    all.map(([id]) => id),
    all.map(() => button.id),
  );
  const expected = { press: 2, release: 2, single: 1, double: 0, triple: 0, long: 1, hold: 2 };
  t.strictSame(counts(board, button), expected);
  t.equal(board.value(button, 'STATE'), false);
});

t.test('a button toggles another object at the configured gesture', async (t) => {
  const board = new BoardFixture(t);
  const light = await board.add('Relay', { Line: 'RELAY1' });
  await board.waitForLink(light, 'online');
  board.kernel.tree.set(light, 'ident', 'light');
  const line = { ActiveLow: true, Bias: 'pull-up' };
  const near = await add(board, { ...line, Line: 'BUTTON1', Toggles: 'light' });
  const far = await add(board, { ...line, Line: 'BUTTON2', Toggles: 'light/STATE', ToggleAt: 'double' });
  const click = async (button: string): Promise<unknown> => {
    await board.drive(button, true);
    await board.elapse(100);
    await board.drive(button, false);
    await board.elapse(100);
    return board.value(light, 'STATE');
  };
  t.strictSame([await click('BUTTON1'), await click('BUTTON1')], [true, false]);
  t.strictSame([await click('BUTTON2'), await click('BUTTON2')], [false, false], 'a third click may follow');
  await board.elapse(500);
  t.equal(board.value(light, 'STATE'), true);
  t.strictSame([...board.devices.allProblems()], []);

  await board.change(near, { Toggles: 'attic' });
  await board.waitForLink(near, 'online');
  await click('BUTTON1');
  t.match(
    [...board.devices.allProblems()],
    [{ id: near.id, code: 'TOGGLES', text: /no boolean variable or switch at attic/ }],
    'reported by the button',
  );
  t.equal(board.value(light, 'STATE'), true);
  await board.change(light, { MinOnS: 5 });
  await board.waitForLink(light, 'online');
  await board.change(near, { Toggles: 'light' });
  await board.waitForLink(near, 'online');
  await click('BUTTON1');
  await click('BUTTON1');
  t.match([...board.devices.allProblems()], [{ code: 'TOGGLES', text: /The rule forbids it/ }]);
  await board.elapse(6000);
  await click('BUTTON1');
  t.strictSame([...board.devices.allProblems()], [], 'cleared when toggling works again');
  t.equal(far.data.status, near.data.status);
});

t.test('a second press during the dead time of the target cancels the first', async (t) => {
  const board = new BoardFixture(t);
  const interlock = { Interlock: 'valves', DeadTimeMs: 3000 };
  const open = await board.add('Relay', { Line: 'RELAY1', ...interlock });
  const close = await board.add('Relay', { Line: 'RELAY2', ...interlock });
  for (const one of [open, close]) await board.waitForLink(one, 'online');
  board.kernel.tree.set(close, 'ident', 'close');
  const problems: unknown[] = [];
  for (const line of ['BUTTON1', 'BUTTON2']) await add(board, { Line: line, Toggles: 'close' });
  const seen = board.watch(close, 'STATE');
  const press = async (line = 'BUTTON1') => {
    await board.drive(line, true);
    await board.elapse(100);
    await board.drive(line, false);
    await board.elapse(400);
    problems.push(...board.devices.allProblems());
  };
  // The dead time applies after the start, too.
  await board.elapse(4000);
  await board.devices.write(open.id, 'STATE', true);
  await board.devices.write(open.id, 'STATE', false);
  await press();
  t.match(board.value(close, 'PENDING'), /dead time/);
  await press('BUTTON2');
  t.equal(board.value(close, 'PENDING'), '');
  await board.elapse(5000);
  t.notOk(seen.includes(true));
  t.strictSame([...problems, ...board.devices.allProblems()], []);
  await press();
  t.equal(board.value(close, 'STATE'), true);
});

t.test('a press that began before the start does not count; counts continue', async (t) => {
  const board = new BoardFixture(t);
  const button = await add(board, { Line: 'BUTTON1' });
  await board.drive('BUTTON1', true);
  await board.elapse(100);
  await board.change(button, { ClickGapMs: 100 });
  await board.waitForLink(button, 'online');
  const all = received(board);
  await board.elapse(5000);
  await board.drive('BUTTON1', false);
  await board.elapse(1000);
  t.strictSame(all, []);
  await board.drive('BUTTON1', true);
  await board.elapse(100);
  await board.drive('BUTTON1', false);
  await board.elapse(120);
  t.match(counts(board, button), { press: 2, release: 1, single: 1, long: 0, hold: 0 });
  await board.elapse(100);
  await board.devices.close();
  t.equal(board.clock.pendingTimers, 0, 'no timer is left after closing');
});

t.test('a press that began or lasts while the chip is gone does not count', async (t) => {
  const board = new BoardFixture(t);
  const button = await add(board, { Line: 'BUTTON1' });
  await board.drive('BUTTON1', true);
  await board.elapse(100);
  t.match(counts(board, button), { press: 1, release: 0, long: 0 });
  await board.setChipGone(true);
  await board.elapse(1000);
  await board.setChipGone(false);
  await board.elapse(31_000);
  await board.waitForLink(button, 'online');
  t.match(counts(board, button), { press: 1, release: 0, long: 0 }, 'its end was not seen');
  await board.drive('BUTTON1', false);
  await board.elapse(1000);
  await board.setChipGone(true);
  await board.drive('BUTTON1', true);
  await board.elapse(1000);
  await board.setChipGone(false);
  await board.elapse(31_000);
  await board.waitForLink(button, 'online');
  t.equal(board.value(button, 'STATE'), true);
  await board.drive('BUTTON1', false);
  await board.elapse(1000);
  t.match(counts(board, button), { press: 1, release: 0, single: 0, long: 0 });
});

/** The presses and pauses of one button, with their durations. */
const randomMoves = (random: Random): number[] =>
  Array.from({ length: 2 * (3 + random.below(6)) }, () => 10 * random.pick([5, 12, 25, 31, 61, 90, 150]));

/** Operates buttons concurrently; returns the gestures of each. */
async function together(t: Test, all: readonly number[][]): Promise<string[][]> {
  const board = new BoardFixture(t);
  const lines = all.map((_, n) => `BUTTON${n + 1}`);
  const buttons = await Promise.all(lines.map((Line) => add(board, { Line })));
  const messages = received(board);
  const moves = all.flatMap((lasts, n) => {
    let atMs = 0;
    return lasts.map((ms, edge) => ({ atMs: (atMs += ms), line: lines[n] ?? '', active: edge % 2 === 0 }));
  });
  let nowMs = 0;
  for (const { atMs, line, active } of moves.sort((a, b) => a.atMs - b.atMs)) {
    await board.elapse(atMs - nowMs);
    nowMs = atMs;
    await board.call('GW_SimulateBounce', line, active, 2, 5, atMs);
  }
  await board.elapse(2000);
  return buttons.map(({ id }) => messages.filter(([sender]) => sender === id).map(([, text]) => text));
}

const seed = fuzzSeed();
t.test(`concurrent buttons report the same gestures as each alone (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const all = Array.from({ length: 8 }, () => randomMoves(random));
  const at = await together(t, all);
  for (const [n, moves] of all.entries()) {
    const [alone] = await together(t, [moves]);
    t.strictSame(at[n], alone, `button ${n + 1}: ${moves.join()}`);
    t.ok(at[n]?.some((text) => text.startsWith('press')));
  }
});

t.test('many concurrent buttons: each has its own gestures', async (t) => {
  const board = new BoardFixture(t);
  const random = new Random(7);
  const lines = Array.from({ length: 8 }, (_, n) => `BUTTON${n + 1}`);
  const buttons = await Promise.all(lines.map((Line) => add(board, { Line, HoldEveryMs: 0 })));
  const clicks = lines.map((_, n) => n % 3);
  // Each clicks 1 to 3 times, 100 ms on and 100 ms off, with its own start.
  const moves = lines.flatMap((line, n) => {
    const fromMs = 10 * random.below(20);
    return Array.from({ length: 2 * ((clicks[n] ?? 0) + 1) }, (_, edge) => ({
      atMs: fromMs + 100 * edge,
      line,
      active: edge % 2 === 0,
    }));
  });
  let nowMs = 0;
  for (const { atMs, line, active } of moves.sort((a, b) => a.atMs - b.atMs)) {
    await board.elapse(atMs - nowMs);
    nowMs = atMs;
    await board.drive(line, active);
  }
  await board.elapse(1000);
  for (const [n, one] of buttons.entries()) {
    const { single, double, triple, long } = counts(board, one);
    t.strictSame([single, double, triple, long], [...[0, 1, 2].map((c) => Number(c === clicks[n])), 0]);
  }
});
