import t from 'tap';
import { ClockJumps, ManualClock } from '../../src/base/clock.js';
import { nextTurn } from '../../src/base/turn.js';
import { cyclicDate, cyclicTime, eventType } from '../../src/kernel/event.js';
import type { Event } from '../../src/kernel/events.js';
import { message } from '../../src/kernel/messages.js';
import { DueQueue } from '../../src/script/events/queue.js';
import { AT_ONCE } from '../../src/script/events/runs.js';
import { EventBench, NOON, settled } from '../tools/event-bench.js';
import { Random, fuzzSeed, seedNote } from '../tools/random.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

t.test('a cyclic event runs when it is due, and says when it will next', async (t) => {
  using bench = new EventBench();
  const event = bench.cyclic({ timeType: cyclicTime.minute, timeValue: 15 });
  await settled();
  t.equal(event.data.nextRun, (NOON + 15 * MINUTE_MS) / 1000);
  t.equal(bench.clock.waiting, 1, 'one timer');
  await bench.pass(HOUR_MS, MINUTE_MS);
  t.equal(bench.runs.length, 4);
  t.match(bench.runs[0], { sender: 'TimerEvent', parameters: { EVENT: event.id } });
  t.match(event.data, { lastRun: (NOON + HOUR_MS) / 1000, nextRun: (NOON + HOUR_MS) / 1000 + 900 });
  bench.kernel.events.set(event, { active: false });
  await settled();
  t.match(event.data, { nextRun: 0 });
  t.equal(bench.clock.waiting, 0, 'no timer for nothing');
});

t.test('a run is told once, with the next one', async (t) => {
  using bench = new EventBench();
  const { kernel } = bench;
  const event = bench.cyclic({ timeType: cyclicTime.minute, timeValue: 15 });
  await settled();
  const told: unknown[] = [];
  kernel.changes.listen(({ Message, SenderID, Data }) => {
    if (Message === message.EM_UPDATE && SenderID === event.id) told.push(Data);
  });
  await bench.pass(HOUR_MS / 2, MINUTE_MS);
  const at = (minutes: number) => NOON / 1000 + minutes * 60;
  t.strictSame(told.splice(0), [
    [at(15), at(30)],
    [at(30), at(45)],
  ]);
  kernel.events.set(event, { limit: 1 });
  await bench.pass(HOUR_MS, MINUTE_MS);
  t.strictSame(told, [[at(45), 0]], 'and the last run, without a next one');
});

t.test('a schedule carries out the action of the point that is reached', async (t) => {
  using bench = new EventBench();
  const { kernel } = bench;
  const event = bench.event(eventType.schedule);
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
  await settled();
  t.equal(event.data.nextRun, (NOON + HOUR_MS) / 1000);
  await bench.pass(3 * HOUR_MS, 10 * MINUTE_MS);
  t.match(bench.runs, [
    { text: 'warm', sender: 'Schedule', parameters: { ACTION: 1 } },
    { text: 'x', parameters: { ACTION: 3 } },
  ]);
  t.match(bench.acted, [['{COOL}', { values: { ACTION: 2 } }]]);
  t.equal(event.data.lastActionId, 3);
});

t.test(
  'the clock is set forward: what was missed runs once; of a plan, the point that holds now',
  async (t) => {
    using bench = new EventBench();
    const often = bench.cyclic({ timeType: cyclicTime.second, timeValue: 10 });
    const daily = bench.cyclic({ dateType: cyclicDate.none, timeFrom: { hour: 13, minute: 0, second: 0 } });
    await settled();
    bench.clock.jump(5 * HOUR_MS);
    await bench.pass(MINUTE_MS, 1000);
    const runsOf = (event: Event) =>
      bench.runs.filter(({ parameters }) => parameters['EVENT'] === event.id).length;
    t.equal(runsOf(daily), 1);
    t.ok(runsOf(often) <= 7, `${runsOf(often)} runs of one every 10 s in a minute`);
    t.ok(runsOf(often) >= 5);
    t.equal(daily.data.nextRun, (NOON + DAY_MS + HOUR_MS) / 1000);
  },
);

t.test('the clock is set back: a time of day does not come twice, a repetition goes on', async (t) => {
  using bench = new EventBench();
  const daily = bench.cyclic({ timeFrom: { hour: 13, minute: 0, second: 0 } });
  const often = bench.cyclic({ timeType: cyclicTime.second, timeValue: 10 });
  const plan = bench.event(eventType.schedule);
  const start = { hour: 13, minute: 0, second: 0 };
  bench.kernel.events.setSchedule(plan.id, {
    actions: [{ id: 1, name: 'A', color: 0, scriptText: 'a', actionId: '', actionParameters: {} }],
    groups: [{ id: 1, days: 127, points: [{ id: 1, start, actionId: 1 }] }],
  });
  await bench.pass(HOUR_MS + MINUTE_MS, 10_000);
  const runsOf = (event: Event) =>
    bench.runs.filter(({ parameters }) => parameters['EVENT'] === event.id).length;
  t.strictSame([runsOf(daily), runsOf(plan)], [1, 1]);
  bench.clock.jump(-HOUR_MS);
  const before = runsOf(often);
  await bench.pass(2 * HOUR_MS, 10_000);
  t.strictSame([runsOf(daily), runsOf(plan)], [1, 1], 'one o’clock has been');
  t.ok(runsOf(often) - before >= 2 * 360 - 13, 'at most two minutes later it goes on');
  await bench.pass(DAY_MS, MINUTE_MS);
  t.strictSame([runsOf(daily), runsOf(plan)], [2, 2], 'on the next day it comes again');
  bench.clock.jump(-400 * DAY_MS);
  await bench.pass(DAY_MS + MINUTE_MS, MINUTE_MS);
  t.strictSame(
    [runsOf(daily), runsOf(plan)],
    [3, 3],
    'a clock that was a year ahead keeps nothing from running',
  );
});

t.test('until the clock is trusted, only what needs no time of day runs', async (t) => {
  using bench = new EventBench(new Date(1970, 0, 1, 12).getTime());
  bench.clock.isTrusted = false;
  const daily = bench.cyclic({ timeFrom: { hour: 13, minute: 0, second: 0 } });
  await settled();
  t.equal(daily.data.nextRun, 0);
  t.equal(bench.clock.waiting, 1);
  const often = bench.cyclic({ timeType: cyclicTime.minute, timeValue: 1 });
  await settled();
  await bench.pass(2 * HOUR_MS, MINUTE_MS);
  const runsOf = (event: Event) =>
    bench.runs.filter(({ parameters }) => parameters['EVENT'] === event.id).length;
  t.strictSame([runsOf(daily), runsOf(often)], [0, 120]);
  bench.clock.jump(NOON - bench.clock.nowMs());
  bench.clock.isTrusted = true;
  await bench.pass(MINUTE_MS, 10_000);
  t.equal(runsOf(daily), 0, 'what is long over is not made up for');
  t.equal(daily.data.nextRun, (NOON + HOUR_MS) / 1000);
  await bench.pass(HOUR_MS, MINUTE_MS);
  t.equal(runsOf(daily), 1);
});

t.test(
  'ten thousand events wait on one timer, and an update of another variable looks at none',
  async (t) => {
    using bench = new EventBench();
    const { kernel } = bench;
    const triggering = kernel.variables.create(1);
    for (let n = 0; n < 5000; n++) {
      const cyclic = kernel.events.create(eventType.cyclic, NOON);
      kernel.events.set(cyclic, { active: true });
      kernel.events.setCyclic(cyclic.id, { timeFrom: { hour: 11, minute: n % 60, second: 0 } });
      const event = kernel.events.create(eventType.trigger, NOON);
      kernel.events.set(event, { active: true });
      kernel.events.setTrigger(event.id, { variableId: triggering.id });
    }
    void bench.engine;
    const isPlanned = () => [...kernel.tree.of(4)].every(({ data }) => data.type === 0 || data.nextRun > 0);
    for (let n = 0; n < 1000 && !isPlanned(); n++) await nextTurn();
    t.ok(isPlanned());
    await settled();
    t.equal(bench.clock.waiting, 1);
    const before = kernel.changes.counter;
    await bench.pass(HOUR_MS, MINUTE_MS);
    t.equal(kernel.changes.counter, before, 'nothing is told of them');
    await bench.set(kernel.variables.create(1).id, 1);
    t.equal(bench.runs.length, 0);
    // Below a script each of them would run.
    const isTold = (id: number) => kernel.events.get(id).data.lastRun > 0;
    kernel.variables.update(triggering, 1, NOON);
    const all = kernel.events.of(triggering.id).map(({ id }) => id);
    for (let n = 0; n < 2 * (5000 / AT_ONCE) + 100 && !all.every(isTold); n++) await nextTurn();
    t.ok(all.every(isTold), 'and all of one variable run');
    bench[Symbol.dispose]();
    t.equal(bench.clock.waiting, 0);
  },
);

const seed = fuzzSeed();
t.test(
  `the queue gives what is due in the order of times, as a sorted list does; ${seedNote(seed)}`,
  async (t) => {
    const random = new Random(seed);
    const queue = new DueQueue();
    const plain = new Map<number, number>();
    const first = () => [...plain.values()].reduce((a, b) => Math.min(a, b), Infinity);
    let taken = 0;
    for (let n = 0; n < 20_000; n++) {
      const id = random.below(50);
      if (random.chance(0.2)) {
        queue.put(id, undefined);
        plain.delete(id);
      } else if (random.chance(0.7)) {
        const atMs = random.below(1000);
        queue.put(id, atMs);
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
  },
);

t.test('a clock that was set is noticed, one that runs is not', async (t) => {
  const clock = new ManualClock();
  const jumps = new ClockJumps(clock);
  clock.advance(HOUR_MS);
  t.equal(jumps.look(), 0);
  clock.jump(-HOUR_MS);
  clock.advance(1000);
  t.equal(jumps.look(), -HOUR_MS);
  t.equal(jumps.look(), 0, 'once');
  clock.jump(500);
  t.equal(jumps.look(), 0, 'a little is how a clock is kept right');
  clock.jump(2 * HOUR_MS);
  t.equal(jumps.look(), 2 * HOUR_MS);
});
