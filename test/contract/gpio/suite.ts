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

/** A backend with one chip, whose lines a test can drive and read from outside. */
export interface Fixture {
  readonly backend: GpioBackend;
  /** The chip's label. The first six lines are for tests. */
  readonly label: string;
  /** A line that has a name, if the backend supports names. */
  readonly named?: { readonly name: string; readonly offset: number };
  /** Whether edges are numbered and buffered as requested, and bias and drive can be set. */
  readonly isKernel: boolean;
  /** Whether every edge of a burst is numbered: with several CPUs, edges may coalesce before that. */
  readonly isExact: boolean;
  /** Drives a line from outside; the level is set when it resolves. */
  drive(offset: number, level: boolean): Promise<void> | void;
  /** Toggles a line `edges` times without a turn of the event loop of this process. */
  burst(offset: number, edges: number): void;
  /** The level of a line, read from outside. */
  levelAt(offset: number): Promise<boolean> | boolean;
  /** Unplugs the chip, if possible. The fixture cannot be used afterwards. */
  unplug?(): Promise<void> | void;
  close(): Promise<void>;
}

/** The part of tap that the contract uses, so that it also runs on a machine without tap. */
export interface Asserts {
  ok(value: unknown, ...text: [] | [string]): unknown;
  notOk(value: unknown): unknown;
  equal(value: unknown, command: unknown, ...text: [] | [string]): unknown;
  strictSame(value: unknown, command: unknown, ...text: [] | [string]): unknown;
  rejects(promise: Promise<unknown>, command: { code: string; message?: RegExp }): Promise<unknown>;
  pass(text: string, extra: { skip: string }): unknown;
}

/** Runs one case of the contract as a test of that name. */
export type ContractCase = (name: string, body: (t: Asserts) => Promise<void>) => Promise<unknown>;

/** Runs each case on a new fixture, which is closed afterwards. */
export function onNewFixture<F extends { close(): Promise<void> }>(
  runCase: ContractCase,
  makeFixture: () => Promise<F>,
): (name: string, body: (t: Asserts, fixture: F) => Promise<void>) => Promise<unknown> {
  return (name, body) =>
    runCase(name, async (t) => {
      const fixture = await makeFixture();
      try {
        await body(t, fixture);
      } finally {
        await fixture.close();
      }
    });
}

const OUTPUT: OutputOptions = { activeLow: false, drive: 'push-pull', boot: 'inactive' };
const INPUT: InputOptions = { activeLow: false, bias: 'as-is', debounceUs: 0 };

/** Longer than any bounce here, shorter than a test's timeout. */
const DEBOUNCE_US = 30_000;

/** Records the edges of an input. */
class EdgeRecorder implements InputListener {
  readonly edges: Edge[] = [];
  readonly batches: number[] = [];
  readonly gone = Promise.withResolvers<Error>();

  onEdges(edges: readonly Edge[]): void {
    this.edges.push(...edges);
    this.batches.push(edges.length);
  }

  onLost(cause: Error): void {
    this.gone.resolve(cause);
  }

  /** Edges that were dropped before or between the recorded ones, by their numbers. */
  get dropped(): number {
    return (this.edges.at(-1)?.lineSeqno ?? 0) - this.edges.length;
  }
}

/** Runs the complete contract, each case on a new fixture. */
export async function gpioContract(
  runCase: ContractCase,
  makeFixture: () => Promise<Fixture>,
): Promise<void> {
  const on = (name: string, body: (t: Asserts, on: OnFixture) => Promise<void>): Promise<unknown> =>
    runCase(name, async (t) => {
      const fixture = await makeFixture();
      const { label } = fixture;
      const chip = (await fixture.backend.chips()).find((other) => other.label === label);
      if (chip === undefined) throw new Error(`no chip ${label}`);
      const location = (offset: number): LineLocation => ({ chip, offset, name: `${label}/${offset}` });
      const { backend } = fixture;
      const output = (offset: number, command: Partial<OutputOptions> = {}) =>
        backend.requestOutput(location(offset), { ...OUTPUT, ...command });
      const input = async (offset: number, command: Partial<InputOptions> = {}) => {
        const recorder = new EdgeRecorder();
        return {
          recorder,
          line: await backend.requestInput(location(offset), { ...INPUT, ...command }, recorder),
        };
      };
      try {
        await body(t, { fixture, chip, location, output, input });
        t.equal([...fixture.backend.requestedLines()].length, 0, 'no line is left requested');
      } finally {
        await fixture.close();
      }
    });

  await on('a chip is found by its label and lists its lines', async (t, { fixture, chip }) => {
    const lines = await fixture.backend.lines(chip);
    t.equal(lines.length, chip.lines);
    t.ok(chip.lines >= 6);
    t.strictSame(
      lines.map((line) => line.offset),
      Array.from(lines, (_, n) => n),
    );
    if (fixture.named !== undefined) t.equal(lines[fixture.named.offset]?.name, fixture.named.name);
    t.notOk(lines[0]?.isUsed);
  });

  await on('an output drives its values, beginning with the first', async (t, { fixture, output }) => {
    await using inactive = await output(0);
    await using active = await output(1, { boot: 'active' });
    t.strictSame([inactive.initial, active.initial], [false, true]);
    t.strictSame([await fixture.levelAt(0), await fixture.levelAt(1)], [false, true]);
    for (const value of [true, false, false, true]) {
      await inactive.set(value);
      t.equal(await fixture.levelAt(0), value);
      t.equal(await inactive.get(), value);
    }
    t.equal(await fixture.levelAt(1), true, 'the other line is unchanged');
  });

  await on('active low inverts values, not levels', async (t, { fixture, output, input }) => {
    await fixture.drive(2, true);
    await using line = await output(0, { activeLow: true, boot: 'active' });
    t.equal(await fixture.levelAt(0), false);
    t.equal(await line.get(), true);
    await line.set(false);
    t.equal(await fixture.levelAt(0), true);
    const { line: found, recorder } = await input(2, { activeLow: true });
    await using _found = found;
    t.equal(found.initial, false);
    await fixture.drive(2, false);
    await until('the edge', () => recorder.edges.length > 0);
    t.equal(recorder.edges[0]?.active, true);
    t.equal(await found.get(), true);
  });

  await on('boot: hold keeps the present value', async (t, { fixture, output }) => {
    await fixture.drive(0, true);
    await fixture.drive(1, false);
    await fixture.drive(2, true);
    await using high = await output(0, { boot: 'hold' });
    await using low = await output(1, { boot: 'hold' });
    await using turned = await output(2, { boot: 'hold', activeLow: true });
    t.strictSame([high.initial, low.initial, turned.initial], [true, false, false]);
    t.strictSame(
      [await fixture.levelAt(0), await fixture.levelAt(1), await fixture.levelAt(2)],
      [true, false, true],
    );
    await high.set(false);
    await turned.set(true);
    t.strictSame([await fixture.levelAt(0), await fixture.levelAt(2)], [false, false]);
  });

  await on('a requested line is in use until it is closed', async (t, { fixture, chip, output, input }) => {
    const line = await output(0);
    t.equal([...fixture.backend.requestedLines()].length, 1);
    t.ok([...fixture.backend.requestedLines()].includes(line));
    const info = (await fixture.backend.lines(chip))[0];
    t.equal(info?.isUsed, true);
    t.equal(info?.direction, 'output');
    await t.rejects(output(0), { code: 'DEVICE_OFFLINE', message: /in use/ });
    await t.rejects(input(0), { code: 'DEVICE_OFFLINE', message: /in use/ });
    t.equal([...fixture.backend.requestedLines()].length, 1);
    await line.close();
    await (await input(0)).line.close();
  });

  await on(
    'a line may be closed twice; a closed line rejects with an AbortError',
    async (t, { output, input }) => {
      const line = await output(0);
      await Promise.all([line.close(), line.close()]);
      await line.close();
      t.ok(isAbort(await line.set(true).catch((thrown: unknown) => thrown)));
      t.ok(isAbort(await line.get().catch((thrown: unknown) => thrown)));
      const { line: other } = await input(1);
      await other.close();
      await other[Symbol.asyncDispose]();
      t.ok(isAbort(await other.get().catch((thrown: unknown) => thrown)));
    },
  );

  await on(
    'unsupported requests are rejected as configuration errors',
    async (t, { fixture, chip, output, input }) => {
      await t.rejects(output(chip.lines), { code: 'DEVICE_CONFIGURATION' });
      await t.rejects(input(chip.lines + 7), { code: 'DEVICE_CONFIGURATION' });
      if (fixture.isKernel) return;
      await t.rejects(output(0, { drive: 'open-drain' }), {
        code: 'DEVICE_CONFIGURATION',
        message: /drive/,
      });
      await t.rejects(input(0, { bias: 'pull-up' }), { code: 'DEVICE_CONFIGURATION', message: /bias/ });
    },
  );

  await on(
    'an input delivers every change in order, but not its initial value',
    async (t, { fixture, input }) => {
      await fixture.drive(0, true);
      const { line, recorder } = await input(0);
      await using _line = line;
      t.equal(line.initial, true);
      const before = process.hrtime.bigint();
      for (let n = 1; n <= 20; n++) {
        await fixture.drive(0, n % 2 === 0);
        await until(`edge ${n}`, () => recorder.edges.length >= n);
        t.equal(await line.get(), n % 2 === 0);
      }
      t.strictSame(
        recorder.edges.map((edge) => edge.active),
        Array.from({ length: 20 }, (_, n) => n % 2 === 1),
      );
      const numbers = Array.from({ length: 20 }, (_, n) => (fixture.isKernel ? n + 1 : 0));
      t.strictSame(
        recorder.edges.map((edge) => edge.lineSeqno),
        numbers,
      );
      const times = recorder.edges.map((edge) => edge.atNs);
      t.strictSame(
        times,
        times.toSorted((a, b) => Number(a - b)),
        'timestamps are ascending',
      );
      t.ok(
        times.every((at) => at >= before && at <= process.hrtime.bigint()),
        'timestamps are of the monotonic clock',
      );
    },
  );

  await on('nothing is delivered after closing', async (t, { fixture, input }) => {
    const { line, recorder } = await input(0);
    const { line: other, recorder: otherRecorder } = await input(1);
    await using _other = other;
    fixture.burst(0, 3);
    await line.close();
    const received = recorder.edges.length;
    await fixture.drive(0, true);
    await fixture.drive(1, true);
    await until('the other line', () => otherRecorder.edges.length > 0);
    t.equal(recorder.edges.length, received);
  });

  await on('a debounced input delivers a bouncing contact once', async (t, { fixture, input }) => {
    if (fixture.backend.minDebounceUs > DEBOUNCE_US) {
      const command = { debounceUs: DEBOUNCE_US };
      await t.rejects(input(0, command), { code: 'DEVICE_CONFIGURATION', message: /debouncing/ });
      return;
    }
    const { line, recorder } = await input(0, { debounceUs: DEBOUNCE_US });
    await using _line = line;
    fixture.burst(0, 7);
    await until('the debounced edge', () => recorder.edges.length > 0);
    t.strictSame(
      recorder.edges.map((edge) => edge.active),
      [true],
    );
    t.equal(await line.get(), true);
    await fixture.drive(0, false);
    await until('the next', () => recorder.edges.length > 1);
    t.strictSame(
      recorder.edges.map((edge) => edge.active),
      [true, false],
    );
  });

  await on(
    'a burst beyond the buffer: numbers show what was dropped, the last value is correct',
    async (t, { fixture, input }) => {
      const { line, recorder } = await input(0, { eventBuffer: 64 });
      await using _line = line;
      fixture.burst(0, 999);
      await until('the last value', () => recorder.edges.at(-1)?.active === true);
      await settled(recorder, fixture, 999);
      t.equal(await line.get(), true);
      t.equal(recorder.edges.at(-1)?.active, true);
      if (fixture.isExact) t.strictSame([recorder.edges.length, recorder.dropped], [64, 935]);
      else if (fixture.isKernel)
        t.ok(
          recorder.edges.length + recorder.dropped <= 999,
          `${recorder.edges.length} + ${recorder.dropped}`,
        );
      else t.ok(recorder.edges.every((edge) => edge.lineSeqno === 0));
      if (fixture.isKernel)
        t.ok(
          recorder.edges.every(
            ({ lineSeqno }, n) => n === 0 || lineSeqno > (recorder.edges[n - 1]?.lineSeqno ?? 0),
          ),
        );
    },
  );

  await on(
    'a flood is delivered in limited batches and starves no other line',
    async (t, { fixture, input }) => {
      const { line, recorder } = await input(0);
      const { line: other, recorder: otherRecorder } = await input(1);
      await using _line = line;
      await using _other = other;
      fixture.burst(0, 999);
      await fixture.drive(1, true);
      await until('the quiet line', () => otherRecorder.edges.length > 0);
      await until('the end of the flood', () => recorder.edges.at(-1)?.active === true);
      await settled(recorder, fixture, 999);
      t.ok(recorder.batches.every((size) => size >= 1 && size <= EDGES_PER_TURN));
      t.equal(otherRecorder.edges.length, 1);
      if (fixture.isExact) t.equal(recorder.edges.length, 999);
    },
  );

  await on('a line that is busy for long delivers every edge', async (t, { fixture, input }) => {
    const { line, recorder } = await input(0);
    await using _line = line;
    // About 10,000 per second, with turns of the event loop in which they can be read.
    for (let n = 1, dueNs = process.hrtime.bigint(); n <= 501; n++, dueNs += 100_000n) {
      while (process.hrtime.bigint() < dueNs) await new Promise(setImmediate);
      await fixture.drive(0, n % 2 === 1);
    }
    await until('the last value', () => recorder.edges.at(-1)?.active === true);
    await settled(recorder, fixture, 501);
    t.equal(await line.get(), true);
    t.equal(recorder.edges.at(-1)?.active, true);
    if (fixture.isExact) t.strictSame([recorder.edges.length, recorder.dropped], [501, 0]);
    else if (fixture.isKernel) t.ok(recorder.edges.length + recorder.dropped <= 501);
  });

  await on('an unplugged chip is noticed by inputs and outputs', async (t, { fixture, output, input }) => {
    const out = await output(0);
    const { line, recorder } = await input(1);
    if (fixture.unplug !== undefined) {
      await fixture.unplug();
      await t.rejects(withinPatience('a reply', out.set(true)), { code: 'DEVICE_OFFLINE' });
      await t.rejects(withinPatience('a reply', line.get()), { code: 'DEVICE_OFFLINE' });
      const failure = await Promise.race([
        recorder.gone.promise,
        line.get().catch((thrown: unknown) => thrown),
      ]);
      t.ok(failure instanceof Fault && failure.code === 'DEVICE_OFFLINE');
      await t.rejects(output(2), { code: 'DEVICE_OFFLINE' });
    } else t.pass('noticed', { skip: 'this chip cannot be unplugged' });
    await out.close();
    await line.close();
  });
}

interface OnFixture {
  readonly fixture: Fixture;
  readonly chip: Chip;
  readonly location: (offset: number) => LineLocation;
  readonly output: (offset: number, command?: Partial<OutputOptions>) => Promise<OutputLine>;
  readonly input: (
    offset: number,
    command?: Partial<InputOptions>,
  ) => Promise<{ recorder: EdgeRecorder; line: InputLine }>;
}

/**
 * Waits for the last edge of a burst by its number or, if edges are not all numbered, until no more edges
 * come.
 */
async function settled(recorder: EdgeRecorder, fixture: Fixture, edges: number): Promise<void> {
  if (fixture.isExact)
    return void (await until('the last edge', () => recorder.edges.at(-1)?.lineSeqno === edges));
  for (let quiet = 0, received = -1; quiet < 20;) {
    quiet = recorder.edges.length === received ? quiet + 1 : 0;
    received = recorder.edges.length;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
