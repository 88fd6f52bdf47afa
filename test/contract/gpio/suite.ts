import { Fault, isAbort } from '../../../src/base/fault.js';
import {
  type Chip,
  type Edge,
  EDGES_PER_TURN,
  type GpioBackend,
  type InputLine,
  type InputListener,
  type InputOptions,
  type OutputLine,
  type OutputOptions,
  type LineLocation,
} from '../../../drivers/gpio/backends/line.js';
import { withinPatience, until } from '../../tools/until.js';

/** A chip with its far end: a test sets and sees what is at its lines. All of the contract is told by it. */
export interface Bench {
  readonly binding: GpioBackend;
  /** Its label. The first six lines are the test's. */
  readonly label: string;
  /** A line that has a name in the binding's own terms, where the backend knows names. */
  readonly named?: { readonly name: string; readonly offset: number };
  /** Whether edges are numbered, kept in a buffer of the asked size, and bias and drive can be set. */
  readonly isKernel: boolean;
  /** Whether every single edge of a burst is numbered: not where several CPUs merge them below the numbers. */
  readonly isExact: boolean;
  /** Drives a line from outside; the level is there when it resolves. */
  drive(offset: number, level: boolean): Promise<void> | void;
  /** Drives a line to and fro, `edges` times, without giving this process's event loop a turn. */
  burst(offset: number, edges: number): void;
  /** The level at a line as seen from outside. */
  seen(offset: number): Promise<boolean> | boolean;
  /** Pulls the chip out, where that can be done. The bench is of no more use then. */
  unplug?(): Promise<void> | void;
  close(): Promise<void>;
}

/** As much of tap as the contract uses, so that a machine without tap can tell it too. */
export interface Asserts {
  ok(value: unknown, ...text: [] | [string]): unknown;
  notOk(value: unknown): unknown;
  equal(value: unknown, command: unknown, ...text: [] | [string]): unknown;
  strictSame(value: unknown, command: unknown, ...text: [] | [string]): unknown;
  rejects(promise: Promise<unknown>, command: { code: string; message?: RegExp }): Promise<unknown>;
  pass(text: string, extra: { skip: string }): unknown;
}

/** Tells one sentence of the contract: runs its body as a test of that name. */
export type Sentence = (name: string, body: (t: Asserts) => Promise<void>) => Promise<unknown>;

const OUTPUT: OutputOptions = { activeLow: false, drive: 'push-pull', boot: 'inactive' };
const INPUT: InputOptions = { activeLow: false, bias: 'as-is', debounceUs: 0 };

/** Longer than any bounce made here, shorter than a test's patience. */
const DEBOUNCE_US = 30_000;

/** Notes what an input tells. */
class Ear implements InputListener {
  readonly heard: Edge[] = [];
  readonly batches: number[] = [];
  readonly gone = Promise.withResolvers<Error>();

  onEdges(edges: readonly Edge[]): void {
    this.heard.push(...edges);
    this.batches.push(edges.length);
  }

  onLost(cause: Error): void {
    this.gone.resolve(cause);
  }

  /** Edges that the numbers say were dropped, before or between those heard. */
  get dropped(): number {
    return (this.heard.at(-1)?.lineSeqno ?? 0) - this.heard.length;
  }
}

/** Runs the whole contract on benches made anew for each sentence. */
export async function gpioContract(sentence: Sentence, makeBench: () => Promise<Bench>): Promise<void> {
  const on = (name: string, body: (t: Asserts, on: OnBench) => Promise<void>): Promise<unknown> =>
    sentence(name, async (t) => {
      const bench = await makeBench();
      const { label } = bench;
      const chip = (await bench.binding.chips()).find((other) => other.label === label);
      if (chip === undefined) throw new Error(`no chip ${label}`);
      const place = (offset: number): LineLocation => ({ chip, offset, name: `${label}/${offset}` });
      const { binding } = bench;
      const output = (offset: number, command: Partial<OutputOptions> = {}) =>
        binding.requestOutput(place(offset), { ...OUTPUT, ...command });
      const input = async (offset: number, command: Partial<InputOptions> = {}) => {
        const ear = new Ear();
        return { ear, line: await binding.requestInput(place(offset), { ...INPUT, ...command }, ear) };
      };
      try {
        await body(t, { bench, chip, place, output, input });
        t.equal(bench.binding.heldCount, 0, 'no line is left requested');
      } finally {
        await bench.close();
      }
    });

  await on('a chip is found by its label and tells its lines', async (t, { bench, chip }) => {
    const lines = await bench.binding.lines(chip);
    t.equal(lines.length, chip.lines);
    t.ok(chip.lines >= 6);
    t.strictSame(
      lines.map((line) => line.offset),
      Array.from(lines, (_, n) => n),
    );
    if (bench.named !== undefined) t.equal(lines[bench.named.offset]?.name, bench.named.name);
    t.notOk(lines[0]?.isUsed);
  });

  await on('an output drives what it is told, from its first value on', async (t, { bench, output }) => {
    await using inactive = await output(0);
    await using active = await output(1, { boot: 'active' });
    t.strictSame([inactive.initial, active.initial], [false, true]);
    t.strictSame([await bench.seen(0), await bench.seen(1)], [false, true]);
    for (const value of [true, false, false, true]) {
      await inactive.set(value);
      t.equal(await bench.seen(0), value);
      t.equal(await inactive.get(), value);
    }
    t.equal(await bench.seen(1), true, 'the other line is left alone');
  });

  await on('active low turns values around, not levels', async (t, { bench, output, input }) => {
    await bench.drive(2, true);
    await using line = await output(0, { activeLow: true, boot: 'active' });
    t.equal(await bench.seen(0), false);
    t.equal(await line.get(), true);
    await line.set(false);
    t.equal(await bench.seen(0), true);
    const { line: found, ear } = await input(2, { activeLow: true });
    await using _found = found;
    t.equal(found.initial, false);
    await bench.drive(2, false);
    await until('the edge', () => ear.heard.length > 0);
    t.equal(ear.heard[0]?.active, true);
    t.equal(await found.get(), true);
  });

  await on('boot: hold takes the value that it finds', async (t, { bench, output }) => {
    await bench.drive(0, true);
    await bench.drive(1, false);
    await bench.drive(2, true);
    await using high = await output(0, { boot: 'hold' });
    await using low = await output(1, { boot: 'hold' });
    await using turned = await output(2, { boot: 'hold', activeLow: true });
    t.strictSame([high.initial, low.initial, turned.initial], [true, false, false]);
    t.strictSame([await bench.seen(0), await bench.seen(1), await bench.seen(2)], [true, false, true]);
    await high.set(false);
    await turned.set(true);
    t.strictSame([await bench.seen(0), await bench.seen(2)], [false, false]);
  });

  await on('a held line is busy, and free when it is closed', async (t, { bench, chip, output, input }) => {
    const line = await output(0);
    t.equal(bench.binding.heldCount, 1);
    t.ok([...bench.binding.requestedLines()].includes(line));
    const info = (await bench.binding.lines(chip))[0];
    t.equal(info?.isUsed, true);
    t.equal(info?.direction, 'output');
    await t.rejects(output(0), { code: 'DEVICE_OFFLINE', message: /in use/ });
    await t.rejects(input(0), { code: 'DEVICE_OFFLINE', message: /in use/ });
    t.equal(bench.binding.heldCount, 1);
    await line.close();
    await (await input(0)).line.close();
  });

  await on('closing twice is fine; a closed line answers with an abort', async (t, { output, input }) => {
    const line = await output(0);
    await Promise.all([line.close(), line.close()]);
    await line.close();
    t.ok(isAbort(await line.set(true).catch((thrown: unknown) => thrown)));
    t.ok(isAbort(await line.get().catch((thrown: unknown) => thrown)));
    const { line: other } = await input(1);
    await other.close();
    await other[Symbol.asyncDispose]();
    t.ok(isAbort(await other.get().catch((thrown: unknown) => thrown)));
  });

  await on(
    'what can never work is refused as a mistake of the configuration',
    async (t, { bench, chip, output, input }) => {
      await t.rejects(output(chip.lines), { code: 'DEVICE_CONFIGURATION' });
      await t.rejects(input(chip.lines + 7), { code: 'DEVICE_CONFIGURATION' });
      if (bench.isKernel) return;
      await t.rejects(output(0, { drive: 'open-drain' }), {
        code: 'DEVICE_CONFIGURATION',
        message: /drive/,
      });
      await t.rejects(input(0, { bias: 'pull-up' }), { code: 'DEVICE_CONFIGURATION', message: /bias/ });
    },
  );

  await on('an input tells every change, in order, and not what it found', async (t, { bench, input }) => {
    await bench.drive(0, true);
    const { line, ear } = await input(0);
    await using _line = line;
    t.equal(line.initial, true);
    const before = process.hrtime.bigint();
    for (let n = 1; n <= 20; n++) {
      await bench.drive(0, n % 2 === 0);
      await until(`edge ${n}`, () => ear.heard.length >= n);
      t.equal(await line.get(), n % 2 === 0);
    }
    t.strictSame(
      ear.heard.map((edge) => edge.active),
      Array.from({ length: 20 }, (_, n) => n % 2 === 1),
    );
    const numbers = Array.from({ length: 20 }, (_, n) => (bench.isKernel ? n + 1 : 0));
    t.strictSame(
      ear.heard.map((edge) => edge.lineSeqno),
      numbers,
    );
    const times = ear.heard.map((edge) => edge.atNs);
    t.strictSame(
      times,
      times.toSorted((a, b) => Number(a - b)),
      'times grow',
    );
    t.ok(
      times.every((at) => at >= before && at <= process.hrtime.bigint()),
      'of the monotonic clock',
    );
  });

  await on('nothing is told after closing', async (t, { bench, input }) => {
    const { line, ear } = await input(0);
    const { line: other, ear: otherEar } = await input(1);
    await using _other = other;
    bench.burst(0, 3);
    await line.close();
    const received = ear.heard.length;
    await bench.drive(0, true);
    await bench.drive(1, true);
    await until('the other line', () => otherEar.heard.length > 0);
    t.equal(ear.heard.length, received);
  });

  await on('a debounced input tells a bouncing contact once', async (t, { bench, input }) => {
    if (bench.binding.minDebounceUs > DEBOUNCE_US) {
      const command = { debounceUs: DEBOUNCE_US };
      await t.rejects(input(0, command), { code: 'DEVICE_CONFIGURATION', message: /debouncing/ });
      return;
    }
    const { line, ear } = await input(0, { debounceUs: DEBOUNCE_US });
    await using _line = line;
    bench.burst(0, 7);
    await until('the debounced edge', () => ear.heard.length > 0);
    t.strictSame(
      ear.heard.map((edge) => edge.active),
      [true],
    );
    t.equal(await line.get(), true);
    await bench.drive(0, false);
    await until('the next', () => ear.heard.length > 1);
    t.strictSame(
      ear.heard.map((edge) => edge.active),
      [true, false],
    );
  });

  await on(
    'a burst beyond the buffer: numbers tell what is missing, the last value is right',
    async (t, { bench, input }) => {
      const { line, ear } = await input(0, { eventBuffer: 64 });
      await using _line = line;
      bench.burst(0, 999);
      await until('the last value', () => ear.heard.at(-1)?.active === true);
      await settled(ear);
      t.equal(await line.get(), true);
      t.equal(ear.heard.at(-1)?.active, true);
      if (bench.isExact) t.strictSame([ear.heard.length, ear.dropped], [64, 935]);
      else if (bench.isKernel)
        t.ok(ear.heard.length + ear.dropped <= 999, `${ear.heard.length} + ${ear.dropped}`);
      else t.ok(ear.heard.every((edge) => edge.lineSeqno === 0));
      if (bench.isKernel)
        t.ok(
          ear.heard.every(({ lineSeqno }, n) => n === 0 || lineSeqno > (ear.heard[n - 1]?.lineSeqno ?? 0)),
        );
    },
  );

  await on('a flood comes in bounded batches and starves no other line', async (t, { bench, input }) => {
    const { line, ear } = await input(0);
    const { line: other, ear: otherEar } = await input(1);
    await using _line = line;
    await using _other = other;
    bench.burst(0, 999);
    await bench.drive(1, true);
    await until('the quiet line', () => otherEar.heard.length > 0);
    await until('the end of the flood', () => ear.heard.at(-1)?.active === true);
    await settled(ear);
    t.ok(ear.batches.every((size) => size >= 1 && size <= EDGES_PER_TURN));
    t.equal(otherEar.heard.length, 1);
    if (bench.isExact) t.equal(ear.heard.length, 999);
  });

  await on('a line that is busy for long is told edge by edge, to the last', async (t, { bench, input }) => {
    const { line, ear } = await input(0);
    await using _line = line;
    // Some 10,000 a second, with turns of the loop between, in which they can be read.
    for (let n = 1, dueNs = process.hrtime.bigint(); n <= 501; n++, dueNs += 100_000n) {
      while (process.hrtime.bigint() < dueNs) await new Promise(setImmediate);
      await bench.drive(0, n % 2 === 1);
    }
    await until('the last value', () => ear.heard.at(-1)?.active === true);
    await settled(ear);
    t.equal(await line.get(), true);
    t.equal(ear.heard.at(-1)?.active, true);
    if (bench.isExact) t.strictSame([ear.heard.length, ear.dropped], [501, 0]);
    else if (bench.isKernel) t.ok(ear.heard.length + ear.dropped <= 501);
  });

  await on(
    'a chip that is pulled out is noticed, whatever the line is',
    async (t, { bench, output, input }) => {
      const out = await output(0);
      const { line, ear } = await input(1);
      if (bench.unplug !== undefined) {
        await bench.unplug();
        await t.rejects(withinPatience('an answer', out.set(true)), { code: 'DEVICE_OFFLINE' });
        await t.rejects(withinPatience('an answer', line.get()), { code: 'DEVICE_OFFLINE' });
        const messages = await Promise.race([
          ear.gone.promise,
          line.get().catch((thrown: unknown) => thrown),
        ]);
        t.ok(messages instanceof Fault && messages.code === 'DEVICE_OFFLINE');
        await t.rejects(output(2), { code: 'DEVICE_OFFLINE' });
      } else t.pass('noticed', { skip: 'this chip cannot be pulled out' });
      await out.close();
      await line.close();
    },
  );
}

interface OnBench {
  readonly bench: Bench;
  readonly chip: Chip;
  readonly place: (offset: number) => LineLocation;
  readonly output: (offset: number, command?: Partial<OutputOptions>) => Promise<OutputLine>;
  readonly input: (offset: number, command?: Partial<InputOptions>) => Promise<{ ear: Ear; line: InputLine }>;
}

/** Waits until an ear has heard nothing new over several turns of the loop. */
async function settled(ear: Ear): Promise<void> {
  for (let quiet = 0, received = -1; quiet < 20;) {
    quiet = ear.heard.length === received ? quiet + 1 : 0;
    received = ear.heard.length;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
