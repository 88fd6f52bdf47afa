import t from 'tap';
import { Debouncer } from '../../../drivers/gpio/inputs/debouncer.js';
import { EventQueue } from '../../../drivers/gpio/backends/event-queue.js';
import type { Edge } from '../../../drivers/gpio/backends/line.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

/**
 * A change of the line: the level and its time in eighths of a millisecond, which add up without rounding.
 */
interface Move {
  readonly at8: number;
  readonly level: boolean;
}

interface Run {
  readonly initial: boolean;
  readonly period8: number;
  readonly moves: readonly Move[];
}

const NS8 = 125_000n;

/**
 * The expected edges by a simple reference implementation: each level that lasts for the period, unless it
 * counts already.
 */
function expected({ initial, period8, moves }: Run): string[] {
  let counts = initial;
  const edges: string[] = [];
  for (const [n, { at8, level }] of moves.entries()) {
    const lasted8 = (moves[n + 1]?.at8 ?? Infinity) - at8;
    if (lasted8 < period8 || level === counts) continue;
    counts = level;
    edges.push(`${level} ${at8 + period8}`);
  }
  return edges;
}

const shown = (edges: readonly Edge[]) => edges.map(({ active, atNs }) => `${active} ${Number(atNs / NS8)}`);

/** Bursts of bouncing with pauses that are about, and sometimes exactly, as long as the period. */
function randomRun(random: Random): Run {
  const initial = random.chance(0.5);
  const period8 = 1 + random.below(60);
  let at8 = 0;
  const moves = Array.from({ length: 1 + random.below(40) }, (_, n) => {
    at8 += random.chance(0.6)
      ? random.below(period8)
      : random.pick([period8 - 1, period8, period8 + 1, 5 * period8]);
    return { at8, level: initial === (n % 2 === 1) };
  });
  return { initial, period8, moves };
}

/** Runs the changes through the simulated kernel; returns the edges that it delivers. */
async function kernelLike({ initial, period8, moves }: Run): Promise<string[]> {
  const clock = new ManualClock();
  const edges: Edge[] = [];
  const listener = {
    onEdges: (batch: readonly Edge[]) => void edges.push(...batch),
    onLost: () => undefined,
  };
  const command = { activeLow: false, bias: 'as-is', debounceUs: period8 * 125 } as const;
  const queue = new EventQueue(command, listener, clock);
  queue.start(initial);
  let now8 = 0;
  for (const { at8, level } of moves) {
    clock.advance((at8 - now8) / 8);
    now8 = at8;
    queue.levelChanged(level, clock.monotonicNs());
  }
  clock.advance(1000);
  while (clock.pendingTimers > 0) await yieldToEventLoop();
  await yieldToEventLoop();
  return shown(edges);
}

/**
 * Runs the changes through the gateway's debouncer; edges are read late and in random batches, as on a busy
 * machine.
 */
async function ours({ initial, period8, moves }: Run, random: Random) {
  const clock = new ManualClock();
  const edges: Edge[] = [];
  const debounce = new Debouncer(
    { clock, periodUs: period8 * 125, onEdges: (batch) => void edges.push(...batch) },
    initial,
  );
  let unread: Edge[] = [];
  /** One iteration of the event loop: everything that has happened is read. */
  const read = async () => {
    if (unread.length > 0) debounce.addEdges(unread);
    unread = [];
    await yieldToEventLoop();
  };
  let now8 = 0;
  for (const [n, { at8, level }] of moves.entries()) {
    // Time and deadlines may pass without an iteration of the event loop: then unread edges go first.
    if (random.chance(0.5)) await read();
    clock.advance((at8 - now8) / 8);
    now8 = at8;
    unread.push({ active: level, atNs: clock.monotonicNs(), lineSeqno: n + 1 });
  }
  await read();
  clock.advance(1000);
  await read();
  const { active } = debounce;
  debounce.close();
  return { edges: shown(edges), active, waiting: clock.pendingTimers };
}

const seed = fuzzSeed();
t.test(
  `random bouncing: the kernel and the gateway deliver the same edges (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    for (let n = 0; n < 500 && t.passing(); n++) {
      const run = randomRun(random);
      const required = expected(run);
      t.strictSame(await kernelLike(run), required, `kernel: ${JSON.stringify(run)}`);
      const { edges, active, waiting } = await ours(run, random);
      t.strictSame(edges, required, `ours: ${JSON.stringify(run)}`);
      t.equal(active, run.moves.at(-1)?.level, 'the last value is correct');
      t.equal(waiting, 0);
    }
  },
);

t.test('a deadline that passes while edges are unread waits for them', async (t) => {
  const clock = new ManualClock();
  const edges: Edge[] = [];
  const debounce = new Debouncer(
    { clock, periodUs: 5000, onEdges: (batch) => void edges.push(...batch) },
    false,
  );
  debounce.addEdges([{ active: true, atNs: 0n, lineSeqno: 1 }]);
  // The timer fires late; the line changed back at 2 ms, which is read in the same iteration.
  clock.advance(6);
  debounce.addEdges([{ active: false, atNs: 2_000_000n, lineSeqno: 2 }]);
  await yieldToEventLoop();
  clock.advance(50);
  await yieldToEventLoop();
  t.strictSame([edges, debounce.active], [[], false]);
  // Nothing is delivered after closing, even if a deadline has passed.
  debounce.addEdges([{ active: true, atNs: clock.monotonicNs(), lineSeqno: 3 }]);
  clock.advance(5);
  debounce.close();
  await yieldToEventLoop();
  t.strictSame([edges, clock.pendingTimers], [[], 0]);
});

for (const DebounceUs of [1_000, 9_999, 10_000, 20_000])
  t.test(`${DebounceUs} µs: a bouncing contact counts once, a short one never`, async (t) => {
    const board = new BoardFixture(t);
    const input = await board.add('GPIO Input', {
      Line: 'BUTTON1',
      DebounceUs,
      ActiveLow: true,
      Bias: 'pull-up',
    });
    await board.waitForLink(input, 'online');
    const edges = board.watch(input, 'STATE');
    const contact = DebounceUs / 1500;
    for (let n = 1; n <= 20; n++) {
      await board.call('GW_SimulateBounce', 'BUTTON1', n % 2 === 1, 1 + (n % 9), contact, n);
      await board.elapse(100);
      t.equal(edges.length, n);
    }
    t.strictSame([board.value(input, 'COUNT'), board.value(input, 'LOST')], [10, 0]);
    await board.drive('BUTTON1', true);
    board.clock.advance((DebounceUs - 100) / 1000);
    await board.drive('BUTTON1', false);
    await board.elapse(100);
    t.equal(edges.length, 20, 'a short one does not count');
    // A refresh between a change and the end of its period reports the debounced value.
    await board.drive('BUTTON1', true);
    await board.devices.refresh(input.id, 'STATE');
    t.equal(board.value(input, 'STATE'), false);
    await board.elapse(100);
    await board.devices.refresh(input.id, 'STATE');
    t.equal(board.value(input, 'STATE'), true);
  });
