import t from 'tap';
import { Backends } from '../../../drivers/gpio/backends/backends.js';
import { isHeld } from '../../../drivers/gpio/inputs/held-line.js';
import { ManualClock } from '../../../src/base/clock.js';

const LINE = { line: 'BUTTON', activeLow: true, bias: 'pull-up' } as const;

/** Reads the line of a board for 10 s, while `atMs` changes what happens on it. */
async function heldOn(
  board: Backends,
  clock: ManualClock,
  atMs: Readonly<Record<number, () => void>> = {},
): Promise<{ held: boolean; ms: number; reports: number }> {
  let reports = 0;
  let held: boolean | undefined;
  const done = isHeld(board, LINE, { holdMs: 10_000, onActive: () => reports++ }).then((is) => (held = is));
  let ms = 0;
  for (; held === undefined && ms < 20_000; ms += 10) {
    atMs[ms]?.();
    // The line is read between two steps of the clock.
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10);
  }
  return { held: await done, ms, reports };
}

function simulated() {
  const clock = new ManualClock();
  const board = new Backends(
    { gpio: [{ chip: 'sim', lines: { BUTTON: 0, RELAY: 1 } }], simulated: { wires: [] } },
    clock,
  );
  const press = (isPressed: boolean) => board.simulatedBoard?.drive('BUTTON', !isPressed);
  return { clock, board, press };
}

t.test('a line that is active for 10 s is held', async (t) => {
  const { clock, board, press } = simulated();
  press(true);
  const { held, ms, reports } = await heldOn(board, clock, {
    4000: () => press(false),
    4020: () => press(true),
  });
  t.ok(held, 'a contact may bounce');
  t.ok(ms >= 10_000, `${ms} ms`);
  t.equal(reports, 1);
  t.same([...(await board.get('auto')).requestedLines()], [], 'the line is released');
});

t.test('a line that is released before, or never active, is not held', async (t) => {
  const { clock, board, press } = simulated();
  press(true);
  t.match(await heldOn(board, clock, { 9500: () => press(false) }), { held: false, reports: 1 });
  press(false);
  const { held, ms, reports } = await heldOn(board, clock);
  t.match({ held, reports }, { held: false, reports: 0 });
  t.ok(ms <= 100, `the start is not delayed: ${ms} ms`);
  press(true);
  const short = await heldOn(board, clock, { 30: () => press(false) });
  t.match(short, { held: false, reports: 0 }, 'a disturbance');
});

t.test('an output is never touched, nor a line that is in use', async (t) => {
  const { clock, board } = simulated();
  const located = await board.locate('auto', { chip: '', line: 'RELAY' });
  const output = { activeLow: false, drive: 'push-pull', boot: 'active' } as const;
  const relay = await located.backend.requestOutput(located.location, output);
  const options = { holdMs: 10_000, onActive: () => t.fail('it must not be read') };
  const read = () => isHeld(board, { ...LINE, line: 'RELAY' }, options);
  await t.rejects(read(), { code: 'DEVICE_OFFLINE' });
  await relay.close();
  await t.rejects(read(), { code: 'DEVICE_OFFLINE' }, 'it keeps its level after the program that set it');
  t.equal(board.simulatedBoard?.level('RELAY'), true);
  await t.rejects(isHeld(board, { ...LINE, line: 'NONE' }, options), { code: 'DEVICE_OFFLINE' });
  t.equal(clock.pendingTimers, 0);
});
