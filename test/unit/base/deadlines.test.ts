import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { Deadlines, Deadline } from '../../../src/base/deadlines.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';

/** The maximum delay of a report. */
const LATE_MS = 1000;

const seed = fuzzSeed();
t.test(`deadlines agree with a simple model, at random times (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const wrong: string[] = [];
  let messages = 0;
  for (let round = 0; round < 40; round++) {
    const clock = new ManualClock();
    const deadlines = new Deadlines(clock);
    const nowMs = () => Number(clock.monotonicNs()) / 1e6;
    // The model: a deadline is due at one time, or never.
    const all = Array.from({ length: 1 + random.below(60) }, (_, n) => {
      const one = {
        name: `${round}/${n}`,
        dueMs: Infinity,
        promised: new Deadline(1000 * (1 + random.below(random.chance(0.5) ? 5 : 300)), () => {
          messages++;
          if (nowMs() < one.dueMs) wrong.push(`${one.name} was reported too early, or twice`);
          one.dueMs = Infinity;
        }),
      };
      return one;
    });
    for (let step = 0; step < 400; step++) {
      const one = random.pick(all);
      const act = random.below(10);
      if (act < 5) {
        const ageMs = random.chance(0.7) ? 0 : random.below(one.promised.withinMs * 1.2);
        const isKept = deadlines.restart(one.promised, ageMs);
        if (isKept !== ageMs < one.promised.withinMs) wrong.push(`${one.name}, ${ageMs} ms old: ${isKept}`);
        one.dueMs = isKept ? nowMs() + one.promised.withinMs - ageMs : Infinity;
      } else if (act === 5) {
        deadlines.cancel(one.promised);
        one.dueMs = Infinity;
      } else clock.advance(random.below(act === 6 ? 20_000 : 700));
      for (const { name, dueMs } of all)
        if (nowMs() >= dueMs + LATE_MS) wrong.push(`${name} is due since ${dueMs}, now ${nowMs()}`);
    }
    if (clock.pendingTimers > 1) wrong.push(`${clock.pendingTimers} timers`);
    clock.advance(2 * 301_000);
    if (all.some(({ dueMs }) => dueMs !== Infinity)) wrong.push('some were never reported');
    if (clock.pendingTimers > 0) wrong.push('no timer is left');
    if (wrong.length > 0) break;
  }
  t.strictSame(wrong.slice(0, 5), []);
  t.ok(messages > 400, `${messages} were missed`);
});

t.test(
  '50,000 deadlines have one timer, and are checked once per period, however many values arrive',
  async (t) => {
    const clock = new ManualClock();
    let timers = 0;
    const counting = {
      monotonicNs: clock.monotonicNs,
      after: (ms: number, callback: () => void) => {
        timers++;
        return clock.after(ms, callback);
      },
    };
    const deadlines = new Deadlines(counting);
    let overdue = 0;
    const all = Array.from({ length: 50_000 }, () => new Deadline(60_000, () => void overdue++));
    for (let second = 0; second < 50; second++) {
      for (const promised of all) deadlines.restart(promised, 0);
      clock.advance(1000);
    }
    t.equal(timers, 1);
    t.equal(clock.pendingTimers, 1);
    clock.advance(30_000);
    t.equal(overdue, 0);
    clock.advance(60_000);
    t.equal(overdue, 50_000);
    t.equal(clock.pendingTimers, 0, 'a removed deadline costs nothing');
  },
);

t.test(
  'many simultaneous deadlines are reported in slices, one per iteration of the event loop',
  async (t) => {
    const clock = new ManualClock();
    const turns: number[] = [];
    const deadlines = new Deadlines({
      monotonicNs: clock.monotonicNs,
      after: (ms, callback) =>
        clock.after(ms, () => {
          turns.push(0);
          callback();
        }),
    });
    const report = () => turns.push((turns.pop() ?? 0) + 1);
    for (let n = 0; n < 1200; n++) deadlines.restart(new Deadline(5000, report), 0);
    clock.advance(5000);
    t.strictSame(turns, [500, 500, 200]);
  },
);
