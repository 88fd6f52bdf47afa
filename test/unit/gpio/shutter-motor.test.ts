import t, { type Test } from 'tap';
import type { GpioOutput } from '../../../drivers/gpio/outputs/request-output.js';
import { ShutterMemory } from '../../../drivers/gpio/outputs/shutter-memory.js';
import { ShutterMotor } from '../../../drivers/gpio/outputs/shutter-motor.js';
import type { ShutterProperties } from '../../../drivers/gpio/outputs/shutter.js';
import {
  unknownState,
  longestRunMs,
  type TravelTimes,
} from '../../../drivers/gpio/outputs/shutter-travel.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import type { Host } from '../../../src/device/module.js';
import { Interlocks } from '../../../src/device/switch/interlocks.js';

const times: TravelTimes = { runMs: { up: 10_000, down: 8000 }, slatMs: 0, reserveMs: 1000 };

/** A motor on two fake outputs. */
function motor(t: Test) {
  const clock = new ManualClock();
  const on = { up: false, down: false };
  const seen: string[] = [];
  const line = (direction: 'up' | 'down') =>
    ({
      location: { name: direction },
      drive: async (active: boolean) => void (on[direction] = active),
      probe: async () => undefined,
      close: async () => void seen.push(`${direction} closed`),
    }) as Partial<GpioOutput> as GpioOutput;
  const host = {
    id: 12345,
    clock,
    bootFlags: new Set<string>(),
    signal: new AbortController().signal,
    properties: { DeadTimeMs: 0 },
    siblings: () => [],
    debug: () => undefined,
    lastValue: () => undefined,
    report: () => undefined,
    setProblem: () => undefined,
  } as Partial<Host> as Host<ShutterProperties>;
  const memory = new ShutterMemory(host, ['line up', 'line down']);
  const made = new ShutterMotor({
    host,
    times,
    memory,
    lines: { up: line('up'), down: line('down') },
    lineKeys: { up: 'line up', down: 'line down' },
    interlocks: new Interlocks(clock),
    onChange: () => undefined,
    onGuardStop: () => void seen.push('cut'),
  });
  t.teardown(() => made.close());
  return { clock, on, seen, motor: made, memory };
}

t.test('a motor that is never stopped is switched off one second after its longest run', async (t) => {
  const { clock, on, seen, motor: up } = motor(t);
  await up.run('up');
  clock.advance(longestRunMs(times, 'up') + 999);
  await yieldToEventLoop();
  t.strictSame([on, seen, up.isResting], [{ up: true, down: false }, [], false]);
  clock.advance(1);
  await yieldToEventLoop();
  t.strictSame([on, seen, up.isResting], [{ up: false, down: false }, ['cut'], true]);
  t.equal(up.restState.position.high, 0, 'the position is known');
  t.equal(clock.pendingTimers, 0);
});

t.test('the remembered position is never more certain than it can be', async (t) => {
  const { clock, motor: down, memory, seen } = motor(t);
  t.strictSame(memory.recall(), unknownState);
  await down.run('down');
  clock.advance(12_000);
  await down.stop();
  const closed = { low: 1, high: 1 };
  t.strictSame(memory.recall().position, closed);
  await down.run('up');
  t.strictSame(memory.recall().position, { low: 0, high: 1 }, 'as soon as it runs');
  clock.advance(1000);
  await down.close();
  const { low, high } = memory.recall().position;
  t.strictSame([Math.round(low * 1000), Math.round(high * 1000)], [894, 906], 'closing stops the motor');
  t.strictSame(seen, ['up closed', 'down closed']);
});
