/**
 * What can be guaranteed about counting: edges made as fast as a program can, on the kernel's simulated chip,
 * and edges from outside the machine. `LOST` is exactly what overflowed the kernel's buffer; edges that
 * coalesce before the kernel numbers them cannot be counted.
 */
import t from 'tap';
import { until } from '../tools/until.js';
import { Box, type Frames, PATIENCE_MS } from './machine/box.js';
import { FIRST_SENSE, interrupts, makeEdges } from './machine/sim-line.js';

/** Edges of a burst; even, so that it ends at its initial level. */
const BURST = 1_000;
/**
 * Edges that the kernel buffers for a line (`EVENT_BUFFER_SIZE` of the driver, the maximum that the kernel
 * grants).
 */
const BUFFER = 1_024;
/** More than the buffer holds and more than the gateway reads per iteration, while the gateway reads. */
const FLOOD = 5_000;
const CHIP = '9030000.pl061';
/** Limit for the complete flood to reach the client through a slow machine. */
const FLOOD_LIMIT_MS = 180_000;

const senses = Array.from({ length: 6 }, (_, n) => `SENSE${n + 1}`);
const tree = [
  ...senses.map(
    (line, n) => `- { instance: ${line}, ident: s${n}, module: GPIO Input, properties: { Line: ${line} } }`,
  ),
  '- { variable: Mark, ident: mark, type: integer }',
  `- { instance: In, ident: in, module: GPIO Input, properties: { Chip: ${CHIP}, Line: "1" } }`,
  `- { instance: Echo, ident: echo, module: GPIO Output, properties: { Chip: ${CHIP}, Line: "0", Boot: inactive } }`,
];
await using box = await Box.taken(t, tree.join('\n'));
const { agent } = box.machine;
for (const ident of [...senses.map((_, n) => `s${n}`), 'in', 'echo'])
  await box.becomes(`${ident}/LINK`, 'online');

/**
 * One line while edges are made on it: the values that a client received, and the counts of gateway and
 * kernel.
 */
class Witness implements Disposable {
  readonly #ident: string;
  readonly #offset: number;
  readonly #state: number;
  readonly #frames: Frames;
  #marks = 0;

  private constructor(n: number, state: number, frames: Frames) {
    this.#ident = `s${n}`;
    this.#offset = FIRST_SENSE + n;
    this.#state = state;
    this.#frames = frames;
  }

  static async of(n: number): Promise<Witness> {
    const state = await box.id(`s${n}/STATE`);
    return new Witness(n, state, await box.frames());
  }

  /** Makes a burst of edges on the line; `stalled`: while the gateway is stopped and reads nothing. */
  async edges(count: number, stalled: boolean): Promise<void> {
    const signal = (name: string) => `systemctl kill --kill-whom=main -s ${name} stellwerk`;
    const make = makeEdges(this.#offset, count);
    await agent.run(stalled ? `${signal('STOP')} && ${make}; made=$?; ${signal('CONT')}; exit $made` : make);
  }

  /** Number of interrupts of the line. */
  interrupts(): Promise<number> {
    return interrupts(agent, this.#offset);
  }

  /** The values that the client received, in order. */
  get received(): boolean[] {
    return this.#frames.updates(this.#state).map(({ value }) => value === true);
  }

  count(ident: 'COUNT' | 'LOST'): Promise<number> {
    return box.value(`${this.#ident}/${ident}`) as Promise<number>;
  }

  /** Waits until the values received and the edges lost make up this number; returns both. */
  async settled(edges: number): Promise<{ received: boolean[]; lost: number }> {
    const all = async () => this.received.length + (await this.count('LOST')) >= edges;
    await until(`${edges} edges of ${this.#ident}, received or lost`, all, FLOOD_LIMIT_MS);
    return { received: this.received, lost: await this.count('LOST') };
  }

  /**
   * Waits until no more edges arrive: coalesced ones are never reported, so their number is unknown. Returns
   * as `settled`.
   */
  async rested(): Promise<{ received: boolean[]; lost: number }> {
    let before = -1;
    const isResting = async () => {
      // A change after those of the line: when it arrives, they have arrived.
      const mark = await box.id('mark');
      await box.call('SetValue', mark, ++this.#marks);
      await this.#frames.update(mark, this.#marks);
      const isSame = this.received.length === before;
      before = this.received.length;
      return isSame;
    };
    await until(`the end of the edges of ${this.#ident}`, isResting, PATIENCE_MS);
    return { received: this.received, lost: await this.count('LOST') };
  }

  /** The value of the line, read now. */
  async reading(): Promise<unknown> {
    await box.call('HW_RequestStatus', await box.id(this.#ident), 'STATE');
    return box.value(`${this.#ident}/STATE`);
  }

  status(): Promise<unknown> {
    return box.value(`${this.#ident}/STATUS`);
  }

  [Symbol.dispose](): void {
    this.#frames[Symbol.dispose]();
  }
}

const alternating = (values: readonly boolean[]): boolean =>
  values.every((value, n) => value !== values[n - 1]);
const activeOf = (values: readonly boolean[]): number => values.filter(Boolean).length;

await t.test('one processor: a burst is counted exactly, read immediately or later', async (t) => {
  await agent.run('echo 0 >/sys/devices/system/cpu/cpu1/online');
  for (const [n, stalled] of [
    [0, false],
    [1, true],
  ] as const) {
    using line = await Witness.of(n);
    const before = await line.interrupts();
    await line.edges(BURST, stalled);
    const { received, lost } = await line.settled(BURST);
    const how = stalled ? 'read later' : 'read immediately';
    t.strictSame([received.length, lost], [BURST, 0], `${how}: each edge is a frame`);
    t.ok(alternating(received), `${how}: in order`);
    t.equal((await line.interrupts()) - before, BURST, `${how}: as many as interrupts of the kernel`);
    t.strictSame(
      [received.at(-1), await line.count('COUNT'), await line.reading()],
      [false, BURST / 2, false],
    );
  }
});

await t.test(
  'one processor: edges that overflow the buffer are counted as LOST, exactly, and reported',
  async (t) => {
    using line = await Witness.of(2);
    await line.edges(2 * BUFFER + 10, true);
    const { received, lost } = await line.settled(2 * BUFFER + 10);
    t.strictSame([received.length, lost], [BUFFER, BUFFER + 10], 'the newest were kept');
    t.ok(alternating(received), 'without a gap among them');
    t.strictSame(
      [received.at(-1), await line.count('COUNT'), await line.reading()],
      [false, BUFFER / 2, false],
    );
    t.match(await line.status(), /faster than it can be read/);
  },
);

await t.test('one processor: each edge of a flood is received or lost', async (t) => {
  using line = await Witness.of(3);
  await line.edges(FLOOD, false);
  const { received, lost } = await line.settled(FLOOD);
  t.equal(received.length + lost, FLOOD, `${received.length} received and ${lost} lost`);
  t.strictSame(
    [received.at(-1), await line.count('COUNT'), await line.reading()],
    [false, activeOf(received), false],
  );
});

await t.test('two processors: no more edges than made, and the last value is correct', async (t) => {
  await agent.run('echo 1 >/sys/devices/system/cpu/cpu1/online');
  for (const [n, stalled] of [
    [4, false],
    [5, true],
  ] as const) {
    using line = await Witness.of(n);
    const before = await line.interrupts();
    await line.edges(BURST, stalled);
    t.equal((await line.interrupts()) - before, BURST, 'an interrupt for each');
    const { received, lost } = await line.rested();
    const sum = received.length + lost;
    t.ok(sum > 0 && sum <= BURST, `${sum} of ${BURST} were received or lost`);
    t.strictSame(
      [received.at(-1), await line.count('COUNT'), await line.reading()],
      [false, activeOf(received), false],
    );
  }
});

await t.test('from outside: 1,000 edges, each made when the last was echoed', async (t) => {
  const pins = await box.machine.pins();
  const [state, echo] = [await box.id('in/STATE'), await box.id('echo')];
  using frames = await box.frames();
  // The bursts before may have stalled the gateway for longer than its deadline.
  await box.becomes('echo/LINK', 'online');
  const lagsMs: number[] = [];
  for (let n = 1; n <= BURST; n++) {
    const isActive = n % 2 === 1;
    await pins.drive(1, isActive);
    const drivenMs = performance.now();
    await frames.update(state, isActive);
    lagsMs.push(performance.now() - drivenMs);
    await box.call('HW_WriteValueBoolean', echo, 'STATE', isActive);
    await until(`echo ${n}`, () => pins.level(0) === isActive, PATIENCE_MS);
  }
  lagsMs.sort((a, b) => a - b);
  const lag = (part: number) => lagsMs[Math.floor(part * BURST)]?.toFixed(0);
  t.comment(`from a pin to the frame, in the emulated machine: p50 ${lag(0.5)} ms, p99 ${lag(0.99)} ms`);
  const received = frames.updates(state);
  t.equal(received.length, BURST);
  t.ok(
    received.every(({ value, changed }, n) => value === (n % 2 === 0) && changed === true),
    'strictly alternating',
  );
  t.strictSame([await box.value('in/COUNT'), await box.value('in/LOST')], [BURST / 2, 0]);
});

await t.test('from outside: after a burst the last level is correct', async (t) => {
  const pins = await box.machine.pins();
  for (const last of [true, false]) {
    for (let n = 0; n < 99; n++) await pins.drive(1, n % 2 === 0 ? last : !last);
    await box.becomes('in/STATE', last);
    await box.call('HW_RequestStatus', await box.id('in'), 'STATE');
    t.equal(await box.value('in/STATE'), last);
  }
});
