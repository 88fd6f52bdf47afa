import t, { type Test } from 'tap';
import type { OutputLine } from '../../drivers/gpio/line.js';
import { Memory } from '../../drivers/gpio/shutter-memory.js';
import { Motor } from '../../drivers/gpio/shutter-motor.js';
import type { ShutterProperties } from '../../drivers/gpio/shutter.js';
import { anywhere, longestMs, type Times } from '../../drivers/gpio/shutter-travel.js';
import { ManualClock } from '../../src/base/clock.js';
import { nextTurn } from '../../src/base/turn.js';
import type { Host } from '../../src/device/module.js';
import { Interlocks } from '../../src/device/switch/interlocks.js';

const times: Times = { runMs: { up: 10_000, down: 8000 }, slatMs: 0, reserveMs: 1000 };

/** A motor on two lines that only remember what they were told. */
function motor(t: Test) {
  const clock = new ManualClock();
  const on = { up: false, down: false };
  const seen: string[] = [];
  const line = (direction: 'up' | 'down') =>
    ({
      place: { name: direction },
      set: async (active: boolean) => void (on[direction] = active),
      get: async () => on[direction],
      close: async () => void seen.push(`${direction} closed`),
    }) as Partial<OutputLine> as OutputLine;
  const host = {
    id: 12345,
    clock,
    marks: new Set<string>(),
    signal: new AbortController().signal,
    properties: { DeadTimeMs: 0 },
    siblings: () => [],
    debug: () => undefined,
    last: () => undefined,
    report: () => undefined,
    trouble: () => undefined,
  } as Partial<Host> as Host<ShutterProperties>;
  const memory = new Memory(host, ['line up', 'line down']);
  const made = new Motor({
    host,
    times,
    memory,
    lines: { up: line('up'), down: line('down') },
    marks: { up: 'line up', down: 'line down' },
    interlocks: new Interlocks(clock),
    changed: () => undefined,
    cut: () => void seen.push('cut'),
  });
  t.teardown(() => made.close());
  return { clock, on, seen, motor: made, memory };
}

t.test('a motor that nobody stops goes off by its guard, a second after its longest run', async (t) => {
  const { clock, on, seen, motor: up } = motor(t);
  await up.run('up');
  clock.advance(longestMs(times, 'up') + 999);
  await nextTurn();
  t.strictSame([on, seen, up.isResting], [{ up: true, down: false }, [], false]);
  clock.advance(1);
  await nextTurn();
  t.strictSame([on, seen, up.isResting], [{ up: false, down: false }, ['cut'], true]);
  t.equal(up.at.position.high, 0, 'where that left it is known');
  t.equal(clock.waiting, 0);
});

t.test('what it remembers is never ahead of what can be sure', async (t) => {
  const { clock, motor: down, memory, seen } = motor(t);
  t.strictSame(memory.recall(), anywhere);
  await down.run('down');
  clock.advance(12_000);
  await down.stop();
  const closed = { low: 1, high: 1 };
  t.strictSame(memory.recall().position, closed);
  await down.run('up');
  t.strictSame(memory.recall().position, { low: 0, high: 1 }, 'from the moment that it runs');
  clock.advance(1000);
  await down.close();
  const { low, high } = memory.recall().position;
  t.strictSame([Math.round(low * 1000), Math.round(high * 1000)], [894, 906], 'closing stops it');
  t.strictSame(seen, ['up closed', 'down closed']);
});
