import t from 'tap';
import { type Gesture, GestureRecognizer, type GestureTimes } from '../../../drivers/gpio/inputs/gestures.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';

const standard: GestureTimes = { longMs: 600, holdEveryMs: 250, clickGapMs: 300, maxClicks: 3 };
type TimedGesture = readonly [atMs: number, gesture: Gesture];
/** Times of press, release, press, … */
type Presses = readonly number[];

/** The gestures of presses up to `endMs`, with additional calls of `advance`. */
function gesturesOf(
  times: GestureTimes,
  presses: Presses,
  { endMs, calls: requests = [] }: RunOptions,
): TimedGesture[] {
  const all: TimedGesture[] = [];
  const machine = new GestureRecognizer(times, false, (gesture, atMs) => all.push([atMs, gesture]));
  const late = [...requests].sort((a, b) => a - b);
  presses.forEach((atMs, n) => {
    while (late[0] !== undefined && late[0] < atMs) machine.advance(late.shift() as number);
    machine.edge(n % 2 === 0, atMs);
  });
  machine.advance(endMs);
  return all;
}
interface RunOptions {
  readonly endMs: number;
  readonly calls?: readonly number[];
}

/** The same by definition: each press by itself, then sequences of clicks. */
function expected(times: GestureTimes, presses: Presses, endMs: number): TimedGesture[] {
  const { longMs, holdEveryMs, clickGapMs, maxClicks } = times;
  const names = ['single', 'double', 'triple'] as const;
  const all: TimedGesture[] = [];
  let clicks = 0;
  const end = (atMs: number) => {
    const name = names[clicks - 1];
    if (name !== undefined) all.push([atMs, name]);
    clicks = 0;
  };
  for (let n = 0; n < presses.length; n += 2) {
    const [from = 0, to = Infinity, next = Infinity] = presses.slice(n, n + 3);
    all.push([from, 'press']);
    const lastMs = Math.min(to, endMs);
    if (lastMs - from >= longMs) {
      end(from + longMs);
      all.push([from + longMs, 'long']);
      if (holdEveryMs > 0)
        for (let at = from + longMs + holdEveryMs; at <= lastMs; at += holdEveryMs) all.push([at, 'hold']);
    }
    if (to > endMs) continue;
    all.push([to, 'release']);
    if (to - from >= longMs) continue;
    clicks++;
    if (clicks === maxClicks) end(to);
    else if (next - to >= clickGapMs && to + clickGapMs <= endMs) end(to + clickGapMs);
  }
  return all;
}

t.test('clicks, a long press and its repetitions, each as soon as it is certain', async (t) => {
  const names = (presses: Presses, times = standard) =>
    gesturesOf(times, presses, { endMs: 10_000 }).map(([atMs, gesture]) => `${gesture} ${atMs}`);
  t.strictSame(names([0, 100]), ['press 0', 'release 100', 'single 400']);
  t.strictSame(names([0, 100, 399, 450]).slice(-1), ['double 750']);
  t.strictSame(names([0, 100, 400, 450]).slice(-3), ['press 400', 'release 450', 'single 750']);
  t.strictSame(names([0, 50, 100, 150, 200, 250]).slice(-2), ['release 250', 'triple 250'], 'no wait');
  t.strictSame(names([0, 50], { ...standard, maxClicks: 1 }).slice(-1), ['single 50']);
  t.strictSame(names([0, 599]).slice(-1), ['single 899']);
  t.strictSame(names([0, 600]), ['press 0', 'long 600', 'release 600']);
  t.strictSame(names([0, 1101]).slice(1), ['long 600', 'hold 850', 'hold 1100', 'release 1101']);
  t.strictSame(names([0, 50, 100, 800]).slice(3), ['single 700', 'long 700', 'release 800']);
});

t.test('a press before the start does not count; a repeated edge counts once', async (t) => {
  const all: Gesture[] = [];
  const machine = new GestureRecognizer(standard, true, (gesture) => all.push(gesture));
  machine.advance(5000);
  machine.edge(true, 5000);
  machine.edge(false, 6000);
  machine.advance(9000);
  t.strictSame(all, []);
  machine.edge(true, 9000);
  machine.edge(true, 9100);
  machine.edge(false, 9200);
  machine.edge(false, 9300);
  machine.advance(10_000);
  t.strictSame(all, ['press', 'release', 'single']);
});

const seed = fuzzSeed();
t.test(
  `any presses, with any delay of advance, give the gestures of the definition (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const seen = new Set<Gesture>();
    for (let run = 0; run < 2000; run++) {
      const times: GestureTimes = {
        longMs: 1 + random.below(700),
        holdEveryMs: random.chance(0.2) ? 0 : 50 + random.below(300),
        clickGapMs: 1 + random.below(400),
        maxClicks: 1 + random.below(3),
      };
      let atMs = 0;
      const presses = random.some(14, () => (atMs += 1 + random.below(random.chance(0.3) ? 2000 : 300)));
      const endMs = atMs + random.below(2000);
      const requests = random.some(20, () => random.below(endMs + 1));
      const all = gesturesOf(times, presses, { endMs, calls: requests });
      for (const [, gesture] of all) seen.add(gesture);
      const required = expected(times, presses, endMs);
      if (JSON.stringify(all) === JSON.stringify(required)) continue;
      t.strictSame(all, required, JSON.stringify({ times, presses, endMs, calls: requests }));
      break;
    }
    t.equal(seen.size, 7, 'each gesture occurred');
  },
);
