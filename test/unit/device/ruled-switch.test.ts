import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { Interlocks } from '../../../src/device/switch/interlocks.js';
import { RuledSwitch } from '../../../src/device/switch/ruled-switch.js';
import { Stagger } from '../../../src/device/switch/stagger.js';

/** An output that may be active for five seconds. */
const pump = (
  clock: ManualClock,
  drive: (active: boolean) => Promise<void>,
  setProblem: (text: string | undefined) => void = () => undefined,
) =>
  new RuledSwitch(
    {
      id: 1,
      name: 'Pump',
      clock,
      line: 'line',
      interlocks: new Interlocks(clock),
      rules: { minOnMs: 0, minOffMs: 0, maxOnMs: 5000, isPulse: false, group: '', deadTimeMs: 0 },
      configured: () => [],
      drive,
      onStatus: () => undefined,
      setProblem,
    },
    { active: false, offAt: 0 },
  );

await t.test('a required off is retried until the device accepts it, and reported meanwhile', async (t) => {
  const clock = new ManualClock();
  const driven: boolean[] = [];
  const problems: (string | undefined)[] = [];
  let isStuck = false;
  const output = pump(
    clock,
    async (active) => {
      if (isStuck) throw fault('DEVICE_REFUSED', 'it is stuck');
      driven.push(active);
    },
    (text) => problems.push(text),
  );
  await output.write(true);
  isStuck = true;
  await t.rejects(output.write(false), { code: 'DEVICE_REFUSED' });
  clock.advance(5000);
  await yieldToEventLoop();
  clock.advance(1000);
  await yieldToEventLoop();
  t.match(problems, [undefined, /switching it off failed; .* it is stuck/, /failed/]);
  isStuck = false;
  clock.advance(1000);
  await yieldToEventLoop();
  t.strictSame([driven, problems.at(-1)], [[true, false], undefined]);
  output.close();
  t.equal(clock.pendingTimers, 0, 'no timer is left');
  await t.rejects(output.write(true), { name: 'AbortError' });
  t.strictSame(driven, [true, false]);
});

await t.test('a command that switches off ends the retries and their problem', async (t) => {
  const clock = new ManualClock();
  const problems: (string | undefined)[] = [];
  let isStuck = false;
  const output = pump(
    clock,
    async () => {
      if (isStuck) throw fault('DEVICE_REFUSED', 'it is stuck');
    },
    (text) => problems.push(text),
  );
  await output.write(true);
  isStuck = true;
  clock.advance(5000);
  await yieldToEventLoop();
  t.match(problems, [undefined, /switching it off failed; .* it is stuck/]);
  isStuck = false;
  await output.write(false);
  t.equal(problems.at(-1), undefined);
  t.equal(clock.pendingTimers, 0, 'nothing is retried');
  output.close();
});

await t.test('switching on while the end of the time is switching off starts a new time', async (t) => {
  const clock = new ManualClock();
  const driven: boolean[] = [];
  let takes = Promise.resolve();
  const output = pump(clock, async (active) => {
    await takes;
    driven.push(active);
  });
  await output.write(true);
  const slow = Promise.withResolvers<void>();
  takes = slow.promise;
  const commands = [output.write(false), output.write(true)];
  clock.advance(5000);
  slow.resolve();
  await Promise.all(commands);
  await yieldToEventLoop();
  t.strictSame(driven, [true, false, true], 'the end of the first time has no effect any more');
  clock.advance(5000);
  await yieldToEventLoop();
  t.strictSame(driven, [true, false, true, false]);
  output.close();
});

await t.test('commands to stay on do not delay the end of the time', async (t) => {
  const clock = new ManualClock();
  const driven: boolean[] = [];
  let takes = Promise.resolve();
  const output = pump(clock, async (active) => {
    await takes;
    driven.push(active);
  });
  await output.write(true);
  const slow = Promise.withResolvers<void>();
  takes = slow.promise;
  const commands = [1, 2, 3].map(() => output.write(true));
  await yieldToEventLoop();
  clock.advance(5000);
  slow.resolve();
  const results = await Promise.allSettled(commands);
  await yieldToEventLoop();
  t.strictSame(driven, [true, true, false], 'the command in progress, then the off');
  t.match(results, [
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'DEVICE_REFUSED', message: /the output had to be switched off/ } },
    { status: 'rejected', reason: { code: 'DEVICE_REFUSED' } },
  ]);
  output.close();
});

await t.test('turns are separated by a gap, and a late one does not wait', async (t) => {
  const clock = new ManualClock();
  const stagger = new Stagger(clock);
  t.strictSame(
    [stagger.nextDelayMs(500), stagger.nextDelayMs(500), stagger.nextDelayMs(2000)],
    [0, 500, 2500],
  );
  clock.advance(10_000);
  t.strictSame([stagger.nextDelayMs(500), stagger.nextDelayMs(500)], [0, 500]);
});
