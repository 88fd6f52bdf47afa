import t from 'tap';
import { CoalescedEdges } from '../../../drivers/gpio/inputs/coalesced-edges.js';
import type { Host, Value } from '../../../src/device/module.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

/** A counter of coalesced edges, with a fake kernel that counts interrupts and numbers edges. */
function makeFixture(before?: number) {
  const reported: Value[] = [];
  const problems: (string | undefined)[] = [];
  const host = {
    lastValue: () => before,
    report: (_ident: string, value: Value) => void reported.push(value),
    setProblem: (_code: string, text: string | undefined) => void problems.push(text),
  } as Partial<Host> as Host;
  let [interrupts, seqno]: [number | undefined, number] = [0, 0];
  const merges = new CoalescedEdges(host, { countInterrupts: async () => interrupts });
  const interrupted = (times: number) => (interrupts = (interrupts ?? 0) + times);
  const numbered = (edges: number) => {
    seqno = (seqno + edges) >>> 0;
    merges.noteEdges([{ active: true, atNs: 0n, lineSeqno: seqno }]);
  };
  const unknown = () => (interrupts = undefined);
  return { merges, reported, problems, interrupted, numbered, unknown };
}

const seed = fuzzSeed();
t.test(`coalesced edges are counted exactly when the line is idle (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const { merges, reported, problems, interrupted, numbered } = makeFixture(7);
  // The edges before the first sample are unknown.
  interrupted(random.below(1000));
  await merges.sample();
  await merges.sample();
  t.strictSame(reported, [7]);
  let merged = 7;
  for (let round = 0; round < 200; round++) {
    for (let burst = random.below(4); burst > 0; burst--) {
      const edges = random.below(3);
      const lost = random.below(100);
      interrupted(edges + lost);
      // A sample while edges are in flight reports nothing.
      if (random.chance(0.3)) await merges.sample();
      if (edges > 0) numbered(edges); // of some numbers only the last one is reported: the others are dropped
      merged += lost + (edges > 0 ? 0 : edges);
    }
    await merges.sample();
    await merges.sample();
    t.equal(reported.at(-1), merged, `round ${round}`);
    if (!t.passing()) break;
  }
  t.strictSame(problems, []);
});

t.test('a line that is never idle is not reported', async (t) => {
  const { merges, reported, interrupted, numbered } = makeFixture();
  for (let n = 0; n < 50; n++) {
    interrupted(2);
    numbered(1);
    await merges.sample();
  }
  t.strictSame(reported, []);
});

t.test('counting stops with a problem if the count is unknown', async (t) => {
  const another = makeFixture();
  await another.merges.sample();
  await another.merges.sample();
  another.numbered(1); // an edge without an interrupt: the count belongs to another line
  for (let n = 0; n < 3; n++) await another.merges.sample();
  t.strictSame(another.reported, [0]);
  t.match(another.problems, [/numbered more edges than/]);
  const none = makeFixture();
  none.unknown();
  await none.merges.sample();
  await none.merges.sample();
  t.match(none.problems, [/does not count the interrupts of this line alone/]);
  t.strictSame(none.reported, []);
});

t.test('a counter has MERGED with CountMerged, and a problem if it cannot be counted', async (t) => {
  const board = new BoardFixture(t);
  const without = await board.add('Counter', { Line: 'BUTTON1' });
  await board.waitForLink(without, 'online');
  t.equal(board.value(without, 'MERGED'), undefined);
  const counter = await board.add('Counter', { Line: 'BUTTON2', CountMerged: true });
  await board.waitForLink(counter, 'online');
  await board.elapse(2000);
  t.match(board.status(counter), /MERGED cannot be counted here.*Set CountMerged to false/);
  const wrong = await board.add('Counter', { Line: 'BUTTON3', CountMerged: true, DebounceUs: 5 });
  t.match(board.status(wrong), /CountMerged requires DebounceUs 0/);
});
