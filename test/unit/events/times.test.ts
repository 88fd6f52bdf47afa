import t from 'tap';
import { ClockStepDetector, ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { cyclicDate, cyclicTime, eventType } from '../../../src/kernel/events/event-data.js';
import type { Event } from '../../../src/kernel/events/events.js';
import { message } from '../../../src/kernel/messages.js';
import { DueQueue } from '../../../src/events/due-queue.js';
import { CONCURRENT_RUNS } from '../../../src/events/event-runner.js';
import { EventFixture, NOON, eventsSettled } from '../../tools/gateway/event-fixture.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

t.test('a cyclic event runs when it is due, and has the time of its next run', async (t) => {
  using fixture = new EventFixture();
  const event = fixture.cyclic({ timeType: cyclicTime.minute, timeValue: 15 });
  await eventsSettled();
  t.equal(event.data.nextRun, (NOON + 15 * MINUTE_MS) / 1000);
  t.equal(fixture.clock.pendingTimers, 1, 'one timer');
  await fixture.pass(HOUR_MS, MINUTE_MS);
  t.equal(fixture.runs.length, 4);
  t.match(fixture.runs[0], { sender: 'TimerEvent', parameters: { EVENT: event.id } });
  t.match(event.data, { lastRun: (NOON + HOUR_MS) / 1000, nextRun: (NOON + HOUR_MS) / 1000 + 900 });
  fixture.kernel.events.set(event, { active: false });
  await eventsSettled();
  t.match(event.data, { nextRun: 0 });
  t.equal(fixture.clock.pendingTimers, 0, 'no timer without an event');
});

t.test('a run is reported once, with the next one', async (t) => {
  using fixture = new EventFixture();
  const { kernel } = fixture;
  const event = fixture.cyclic({ timeType: cyclicTime.minute, timeValue: 15 });
  await eventsSettled();
  const messages: unknown[] = [];
  kernel.changes.listen(({ Message, SenderID, Data }) => {
    if (Message === message.EM_UPDATE && SenderID === event.id) messages.push(Data);
  });
  await fixture.pass(HOUR_MS / 2, MINUTE_MS);
  const at = (minutes: number) => NOON / 1000 + minutes * 60;
  t.strictSame(messages.splice(0), [
    [at(15), at(30)],
    [at(30), at(45)],
  ]);
  kernel.events.set(event, { limit: 1 });
  await fixture.pass(HOUR_MS, MINUTE_MS);
  t.strictSame(messages, [[at(45), 0]], 'and the last run, without a next one');
});

t.test('a schedule runs the action of a point when it is reached', async (t) => {
  using fixture = new EventFixture();
  const { kernel } = fixture;
  const event = fixture.event(eventType.schedule);
  const action = { name: 'A', color: -1, actionParameters: {} };
  const point = (id: number, hour: number, actionId: number) => ({
    id,
    start: { hour, minute: 0, second: 0 },
    actionId,
  });
  kernel.events.setSchedule(event.id, {
    actions: [
      { ...action, id: 1, scriptText: 'warm', actionId: '' },
      { ...action, id: 2, scriptText: '', actionId: '{COOL}' },
      { ...action, id: 3, scriptText: '', actionId: '' },
    ],
    groups: [{ id: 1, days: 127, points: [point(1, 13, 1), point(2, 14, 2), point(3, 15, 3)] }],
  });
  await eventsSettled();
  t.equal(event.data.nextRun, (NOON + HOUR_MS) / 1000);
  await fixture.pass(3 * HOUR_MS, 10 * MINUTE_MS);
  t.match(fixture.runs, [
    { text: 'warm', sender: 'Schedule', parameters: { ACTION: 1 } },
    { text: 'x', parameters: { ACTION: 3 } },
  ]);
  t.match(fixture.acted, [['{COOL}', { values: { ACTION: 2 } }]]);
  t.equal(event.data.lastActionId, 3);
});

t.test('clock set forward: missed runs happen once; of a schedule, the point that applies now', async (t) => {
  using fixture = new EventFixture();
  const often = fixture.cyclic({ timeType: cyclicTime.second, timeValue: 10 });
  const daily = fixture.cyclic({ dateType: cyclicDate.none, timeFrom: { hour: 13, minute: 0, second: 0 } });
  await eventsSettled();
  fixture.clock.stepWallClock(5 * HOUR_MS);
  await fixture.pass(MINUTE_MS, 1000);
  const runsOf = (event: Event) =>
    fixture.runs.filter(({ parameters }) => parameters['EVENT'] === event.id).length;
  t.equal(runsOf(daily), 1);
  t.ok(runsOf(often) <= 7, `${runsOf(often)} runs of one every 10 s in a minute`);
  t.ok(runsOf(often) >= 5);
  t.equal(daily.data.nextRun, (NOON + DAY_MS + HOUR_MS) / 1000);
});

t.test('clock set back: a time of day does not repeat, an interval continues', async (t) => {
  using fixture = new EventFixture();
  const daily = fixture.cyclic({ timeFrom: { hour: 13, minute: 0, second: 0 } });
  const often = fixture.cyclic({ timeType: cyclicTime.second, timeValue: 10 });
  const plan = fixture.event(eventType.schedule);
  const start = { hour: 13, minute: 0, second: 0 };
  fixture.kernel.events.setSchedule(plan.id, {
    actions: [{ id: 1, name: 'A', color: 0, scriptText: 'a', actionId: '', actionParameters: {} }],
    groups: [{ id: 1, days: 127, points: [{ id: 1, start, actionId: 1 }] }],
  });
  await fixture.pass(HOUR_MS + MINUTE_MS, 10_000);
  const runsOf = (event: Event) =>
    fixture.runs.filter(({ parameters }) => parameters['EVENT'] === event.id).length;
  t.strictSame([runsOf(daily), runsOf(plan)], [1, 1]);
  fixture.clock.stepWallClock(-HOUR_MS);
  const before = runsOf(often);
  await fixture.pass(2 * HOUR_MS, 10_000);
  t.strictSame([runsOf(daily), runsOf(plan)], [1, 1], 'one o’clock has passed');
  t.ok(runsOf(often) - before >= 2 * 360 - 13, 'it continues after at most two minutes');
  await fixture.pass(DAY_MS, MINUTE_MS);
  t.strictSame([runsOf(daily), runsOf(plan)], [2, 2], 'on the next day it runs again');
  fixture.clock.stepWallClock(-400 * DAY_MS);
  await fixture.pass(DAY_MS + MINUTE_MS, MINUTE_MS);
  t.strictSame([runsOf(daily), runsOf(plan)], [3, 3], 'a clock that was a year ahead prevents no run');
});

t.test('until the clock is synchronised, only events without a time of day run', async (t) => {
  using fixture = new EventFixture(new Date(1970, 0, 1, 12).getTime());
  fixture.clock.hasTrustedTime = false;
  const daily = fixture.cyclic({ timeFrom: { hour: 13, minute: 0, second: 0 } });
  await eventsSettled();
  t.equal(daily.data.nextRun, 0);
  t.equal(fixture.clock.pendingTimers, 1);
  const often = fixture.cyclic({ timeType: cyclicTime.minute, timeValue: 1 });
  await eventsSettled();
  await fixture.pass(2 * HOUR_MS, MINUTE_MS);
  const runsOf = (event: Event) =>
    fixture.runs.filter(({ parameters }) => parameters['EVENT'] === event.id).length;
  t.strictSame([runsOf(daily), runsOf(often)], [0, 120]);
  fixture.clock.stepWallClock(NOON - fixture.clock.nowMs());
  fixture.clock.hasTrustedTime = true;
  await fixture.pass(MINUTE_MS, 10_000);
  t.equal(runsOf(daily), 0, 'old runs are not made up for');
  t.equal(daily.data.nextRun, (NOON + HOUR_MS) / 1000);
  await fixture.pass(HOUR_MS, MINUTE_MS);
  t.equal(runsOf(daily), 1);
});

t.test('a timed event that is activated right after the clock was synchronised is planned', async (t) => {
  using fixture = new EventFixture(new Date(1970, 0, 1, 12).getTime());
  const { clock } = fixture;
  clock.hasTrustedTime = false;
  fixture.trigger(fixture.kernel.variables.create(1).id, 0);
  await eventsSettled();
  t.equal(clock.pendingTimers, 0, 'nothing checks the clock');
  clock.stepWallClock(NOON + HOUR_MS - 5000 - clock.nowMs());
  clock.hasTrustedTime = true;
  const daily = fixture.cyclic({ timeFrom: { hour: 13, minute: 0, second: 0 } });
  t.equal(fixture.engine.stateOf(daily), 'READY');
  await eventsSettled();
  t.equal(daily.data.nextRun, (NOON + HOUR_MS) / 1000);
  await fixture.pass(5000, 1000);
  t.equal(fixture.runs.length, 1);
});

t.test('an event that waits for the clock is planned, even if another is activated before', async (t) => {
  using fixture = new EventFixture(new Date(1970, 0, 1, 12).getTime());
  const { clock } = fixture;
  clock.hasTrustedTime = false;
  const waiting = fixture.cyclic({ timeFrom: { hour: 14, minute: 0, second: 0 } });
  await eventsSettled();
  clock.stepWallClock(NOON - clock.nowMs());
  clock.hasTrustedTime = true;
  fixture.cyclic({ timeFrom: { hour: 15, minute: 0, second: 0 } });
  await fixture.pass(MINUTE_MS, 10_000);
  t.equal(waiting.data.nextRun, (NOON + 2 * HOUR_MS) / 1000);
});

t.test(
  'ten thousand events share one timer, and an update of another variable checks none of them',
  async (t) => {
    using fixture = new EventFixture();
    const { kernel } = fixture;
    const triggering = kernel.variables.create(1);
    for (let n = 0; n < 5000; n++) {
      const cyclic = kernel.events.create(eventType.cyclic, NOON);
      kernel.events.set(cyclic, { active: true });
      kernel.events.setCyclic(cyclic.id, { timeFrom: { hour: 11, minute: n % 60, second: 0 } });
      const event = kernel.events.create(eventType.trigger, NOON);
      kernel.events.set(event, { active: true });
      kernel.events.setTrigger(event.id, { variableId: triggering.id });
    }
    void fixture.engine;
    const isPlanned = () =>
      [...kernel.tree.objectsOfType(4)].every(({ data }) => data.type === 0 || data.nextRun > 0);
    for (let n = 0; n < 1000 && !isPlanned(); n++) await yieldToEventLoop();
    t.ok(isPlanned());
    await eventsSettled();
    t.equal(fixture.clock.pendingTimers, 1);
    const before = kernel.changes.counter;
    await fixture.pass(HOUR_MS, MINUTE_MS);
    t.equal(kernel.changes.counter, before, 'no message is sent for them');
    await fixture.set(kernel.variables.create(1).id, 1);
    t.equal(fixture.runs.length, 0);
    // Below a script each of them would run.
    const isTold = (id: number) => kernel.events.get(id).data.lastRun > 0;
    kernel.variables.update(triggering, 1, NOON);
    const all = kernel.events.triggeredBy(triggering.id).map(({ id }) => id);
    for (let n = 0; n < 2 * (5000 / CONCURRENT_RUNS) + 100 && !all.every(isTold); n++)
      await yieldToEventLoop();
    t.ok(all.every(isTold), 'and all of one variable run');
    fixture[Symbol.dispose]();
    t.equal(fixture.clock.pendingTimers, 0);
  },
);

const seed = fuzzSeed();
t.test(`the queue returns due events in order of time, like a sorted list; ${seedLabel(seed)}`, async (t) => {
  const random = new Random(seed);
  const queue = new DueQueue();
  const plain = new Map<number, number>();
  const first = () => [...plain.values()].reduce((a, b) => Math.min(a, b), Infinity);
  let taken = 0;
  for (let n = 0; n < 20_000; n++) {
    const id = random.below(50);
    if (random.chance(0.2)) {
      queue.set(id, undefined);
      plain.delete(id);
    } else if (random.chance(0.7)) {
      const atMs = random.below(1000);
      queue.set(id, atMs);
      plain.set(id, atMs);
    } else {
      const nowMs = random.below(1000);
      const got = queue.take(nowMs);
      const expected = first();
      if (got === undefined) {
        if (expected <= nowMs) t.fail('nothing was due');
      } else {
        taken++;
        if (plain.get(got) !== expected) t.fail(`${got} came before another`);
        plain.delete(got);
      }
    }
    if ((queue.firstMs ?? Infinity) !== first() || queue.size !== plain.size) t.fail(`step ${n}`);
  }
  t.ok(taken > 1000);
});

t.test('a clock step is noticed, a running clock is none', async (t) => {
  const clock = new ManualClock();
  const jumps = new ClockStepDetector(clock);
  clock.advance(HOUR_MS);
  t.equal(jumps.takeStepMs(), 0);
  clock.stepWallClock(-HOUR_MS);
  clock.advance(1000);
  t.equal(jumps.takeStepMs(), -HOUR_MS);
  t.equal(jumps.takeStepMs(), 0, 'once');
  clock.stepWallClock(500);
  t.equal(jumps.takeStepMs(), 0, 'small steps are normal corrections');
  clock.stepWallClock(2 * HOUR_MS);
  t.equal(jumps.takeStepMs(), 2 * HOUR_MS);
});
