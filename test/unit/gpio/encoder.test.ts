import t from 'tap';
import { ENCODER_TURNED } from '../../../drivers/gpio/inputs/encoder.js';
import { QuadratureDecoder } from '../../../drivers/gpio/inputs/quadrature.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

/** A and B at each quarter step, beginning with both inactive. */
const lines = (quarter: number) => {
  const phase = ((quarter % 4) + 4) % 4;
  return { a: phase === 1 || phase === 2, b: phase === 2 || phase === 3 };
};

const seed = fuzzSeed();
t.test(`any movement with any bouncing ends at the last detent reached (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const wrong: string[] = [];
  for (let run = 0; run < 500; run++) {
    const steps = random.pick([1, 2, 4] as const);
    const from = random.below(4);
    const knob = new QuadratureDecoder(steps, lines(from).a, lines(from).b);
    let [quarter, position, detent] = [from, 0, 0];
    for (let n = 0; n < 100; n++) {
      const before = lines(quarter);
      quarter += random.chance(0.7) ? 1 : -1;
      const after = lines(quarter);
      const line = before.a === after.a ? 'b' : 'a';
      for (let bounce = random.below(3); bounce > 0; bounce--) {
        position += knob.edge(line, after[line]);
        position += knob.edge(line, before[line]);
      }
      position += knob.edge(line, after[line]);
      if ((quarter - from) % steps === 0) detent = (quarter - from) / steps;
      if (position !== detent) break;
    }
    if (position !== detent) wrong.push(`run ${run}, ${steps} steps: ${position}, not ${detent}`);
  }
  t.strictSame(wrong, []);
});

t.test('a knob: position and message at each detent, which continue after reopening', async (t) => {
  const board = new BoardFixture(t);
  const knob = await board.add('Encoder', { LineA: 'BUTTON1', LineB: 'BUTTON2' });
  await board.waitForLink(knob, 'online');
  const messages: unknown[] = [];
  board.kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (Message === ENCODER_TURNED && SenderID === knob.id) messages.push(Data);
  });
  const turn = async (from: number, to: number) => {
    const by = Math.sign(to - from);
    for (let quarter = from; quarter !== to + by; quarter += by) {
      const { a, b } = lines(quarter);
      await board.drive('BUTTON1', a);
      await board.drive('BUTTON2', b);
      await board.elapse(10);
    }
  };
  await turn(0, 10);
  t.equal(board.value(knob, 'POSITION'), 2, 'half a step does not count');
  await turn(10, -4);
  t.equal(board.value(knob, 'POSITION'), -1);
  await board.change(knob, { StepsPerDetent: '2' });
  await board.waitForLink(knob, 'online');
  await turn(-4, -2);
  t.equal(board.value(knob, 'POSITION'), 0);
  t.strictSame(messages, [
    [1, 1],
    [1, 2],
    [-1, 1],
    [-1, 0],
    [-1, -1],
    [1, 0],
  ]);
  const one = await board.add('Encoder', { LineA: 'BUTTON3', LineB: 'BUTTON3' });
  t.match(board.status(one), /are the same line/);
});

t.test('reports of a fast knob are combined; dropped edges are LOST', async (t) => {
  const board = new BoardFixture(t);
  const knob = await board.add('Encoder', { LineA: 'BUTTON1', LineB: 'BUTTON2' });
  await board.waitForLink(knob, 'online');
  const messages: number[] = [];
  board.kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (Message === ENCODER_TURNED && SenderID === knob.id) messages.push(Number(Data[0]));
  });
  // 1,000 quarter steps, which is 250 detents, in one second.
  for (let quarter = 1; quarter <= 1000; quarter++) {
    await board.drive('BUTTON1', lines(quarter).a);
    await board.drive('BUTTON2', lines(quarter).b);
    await board.elapse(1);
  }
  await board.elapse(20);
  t.equal(board.value(knob, 'POSITION'), 250);
  t.ok(messages.length <= 51, `${messages.length} messages`);
  t.equal(
    messages.reduce((sum, detents) => sum + detents, 0),
    250,
  );
  // More edges than both buffers hold, without an iteration of the event loop to read them.
  for (const line of ['BUTTON1', 'BUTTON2'])
    for (let n = 0; n < 1500; n++) void board.drive(line, n % 2 === 0);
  await board.elapse(1000);
  t.equal(board.value(knob, 'LOST'), 2 * (1500 - 1024));
  t.match(board.status(knob), /faster than it can be read/);
  await board.elapse(20_000);
  t.notMatch(board.status(knob), /faster than it can be read/);
  await board.devices.close();
  t.equal(board.clock.pendingTimers, 0, 'no timer is left after closing');
});
