/**
 * The queue of a bridge with crashes, power cuts, full disks, damaged files and a receiver that comes and goes:
 * each value is received or counted. ROUNDS sets the number of rounds.
 */
import t, { type Test } from 'tap';
import { ManualClock } from '../../src/base/clock.js';
import { yieldToEventLoop } from '../../src/base/event-loop.js';
import type { Entry } from '../../drivers/bridge/queue/entry.js';
import type { ForwardQueue } from '../../drivers/bridge/queue/forward-queue.js';
import { decodeFrames } from '../../drivers/bridge/queue/frame-codec.js';
import { FakeQueueFiles } from '../tools/bridge/fake-queue-files.js';
import { failing, INTERVAL_MS, openQueue, TestReceiver, valueAt } from '../tools/bridge/queue-fixture.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';
import { until } from '../tools/until.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 40);
const STEPS = 60;
const OPTIONS = { timeout: 60_000 + 2_000 * ROUNDS };
/** Small, so that some rounds fill it. */
const MAX_BYTES = 400_000;
/** Longer than the queue accepts. */
const LONG_TEXT = 'x'.repeat(65_537);
const PATHS = ['high/A', 'high/B', 'normal/A', 'normal/B', 'low/A', 'low/B'] as const;

/** All receivers reject the same values. */
const isRejected = ({ value }: Entry): boolean => Number(value) % 101 === 0;

/** One queue over several processes, and the client that reads what it sends. */
class Rehearsal {
  readonly clock = new ManualClock();
  readonly #random: Random;
  readonly #t: Test;
  files = new FakeQueueFiles();
  queue: ForwardQueue | undefined;
  receiver = new TestReceiver();
  readonly received = new Map<number, Entry>();
  /** What was put, by sequence number. */
  readonly put = new Map<number, { path: string; value: number }>();
  #nextValue = 1;
  hasPowerCut = false;
  hasDiskProblem = false;
  hasDamage = false;
  hasCrash = false;
  #boot = 1;
  #receivers: TestReceiver[] = [];

  constructor(t: Test, random: Random) {
    this.#t = t;
    this.#random = random;
  }

  async open(): Promise<ForwardQueue> {
    const { files, clock } = this;
    return (this.queue = await openQueue({
      files,
      clock,
      boot: `boot-${this.#boot}`,
      maxBytes: MAX_BYTES,
      resendRate: 100_000,
      onDiskProblem: (thrown) => (this.hasDiskProblem = thrown !== undefined),
    }));
  }

  attach(): void {
    this.receiver = new TestReceiver(1 + this.#random.below(200));
    this.receiver.outcome = this.#outcome();
    this.#receivers.push(this.receiver);
    this.queue?.attach(this.receiver);
  }

  /** A receiver is not reachable, accepts all that it does not reject, or only some of it. */
  #outcome(): TestReceiver['outcome'] {
    const random = this.#random;
    const kind = random.below(10);
    if (kind < 3) return failing;
    return (entries) => ({
      rejected: entries.filter(isRejected),
      failed: kind === 3 ? entries.filter((entry) => !isRejected(entry) && random.chance(0.2)) : [],
    });
  }

  async step(): Promise<void> {
    const random = this.#random;
    const queue = this.queue as ForwardQueue;
    const count = random.below(random.chance(0.1) ? 4000 : 40);
    for (let n = 0; n < count; n++) {
      const path = random.pick(PATHS);
      const entry = valueAt(path, this.#nextValue++, this.clock.nowMs());
      const seq = queue.put(random.chance(0.001) ? { ...entry, value: LONG_TEXT } : entry);
      if (this.put.has(seq)) this.#t.fail(`the number ${seq} was used twice`);
      this.put.set(seq, { path, value: this.#nextValue - 1 });
    }
    await this.pass(1 + random.below(5));
    if (random.chance(0.3)) this.clock.advance(INTERVAL_MS);
    await this.pass(random.below(30));
    if (random.chance(0.15)) this.attach();
    if (random.chance(0.15)) queue.detach();
    if (random.chance(0.05)) this.files.failing.add(random.pick(['append', 'replace', 'remove']));
    if (random.chance(0.1)) this.files.failing.clear();
    if (random.chance(0.05)) await this.restart();
  }

  async pass(turns: number): Promise<void> {
    for (let n = 0; n < turns; n++) {
      this.clock.advance(1);
      await yieldToEventLoop();
    }
  }

  /** The process ends in one of the ways in which it can, and the next one starts. */
  async restart(damage = false): Promise<void> {
    const random = this.#random;
    // Sequence numbers that could not be reserved may be used again after a power cut.
    const isWritable = this.files.failing.size === 0 && !this.hasDiskProblem;
    const way = random.pick(isWritable ? (['stop', 'crash', 'power cut'] as const) : (['crash'] as const));
    if (way === 'stop') await this.queue?.close();
    else this.hasCrash = true;
    const hasPower = way !== 'power cut';
    if (!hasPower) {
      this.hasPowerCut = true;
      this.#boot += 1;
    }
    this.files = this.files.reopen({ hasPower, random });
    if (damage) this.damage();
    this.check();
    this.hasDiskProblem = false;
    await this.open();
    if (random.chance(0.5)) this.attach();
  }

  damage(): void {
    this.hasDamage = true;
    for (const [name, bytes] of this.files.files) {
      // One of the two copies of the state is intact.
      if (name === 'state.copy') continue;
      if (this.#random.chance(0.5) || bytes.length === 0) continue;
      const copy = Buffer.from(bytes);
      for (let n = this.#random.below(4); n >= 0; n--) {
        const at = this.#random.below(copy.length);
        copy[at] = (copy[at] as number) ^ (1 << this.#random.below(8));
      }
      this.files.files.set(name, copy.subarray(0, copy.length - this.#random.below(3) * 100));
    }
  }

  /** Reads what was sent: the right values, in order. */
  check(): void {
    for (const receiver of this.#receivers.splice(0)) {
      this.checkOrder(receiver.live, 'now');
      this.checkOrder(receiver.historical, 'the past');
      for (const entry of receiver.received) {
        const put = this.put.get(entry.seq);
        if (put === undefined || entry.value !== put.value || put.path !== entry.path)
          this.#t.fail(`${entry.path} ${entry.seq} has the value ${String(entry.value)}`);
        this.received.set(entry.seq, entry);
      }
    }
  }

  checkOrder(entries: readonly Entry[], which: string): void {
    const last = new Map<string, number>();
    for (const { path, seq } of entries) {
      if (seq <= (last.get(path) ?? 0)) this.#t.fail(`${which}: ${path}: ${seq} after ${last.get(path)}`);
      last.set(path, seq);
    }
  }

  async end(): Promise<ForwardQueue> {
    const queue = this.queue as ForwardQueue;
    this.files.failing.clear();
    this.receiver = new TestReceiver(1000);
    this.receiver.outcome = (entries) => ({ rejected: entries.filter(isRejected), failed: [] });
    this.#receivers.push(this.receiver);
    queue.attach(this.receiver);
    await until('an empty queue', async () => {
      this.clock.advance(100);
      await yieldToEventLoop();
      return queue.figures.waiting === 0;
    });
    this.check();
    await queue.close();
    return queue;
  }
}

const seed = fuzzSeed();

t.test(`${ROUNDS} rounds lose nothing uncounted (${seedLabel(seed)})`, OPTIONS, async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const random = new Random(seed + round);
    const rehearsal = new Rehearsal(t, random);
    await rehearsal.open();
    for (let step = 0; step < STEPS; step++) await rehearsal.step();
    const { figures } = await rehearsal.end();
    const { nextSeq, counters } = figures;
    const missing = nextSeq - 1 - rehearsal.received.size;
    const isExact = !rehearsal.hasCrash && !rehearsal.hasPowerCut;
    const isCounted = isExact ? missing === counters.dropped : missing <= counters.dropped;
    const drops = JSON.stringify(counters.droppedByReason());
    if (!isCounted) t.fail(`round ${round}: ${missing} of ${nextSeq - 1} missing, counted ${drops}`);
  }
  t.pass('all rounds');
});

t.test(`damaged files never show wrong values (${seedLabel(seed)})`, OPTIONS, async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const random = new Random(seed + 1_000_000 + round);
    const rehearsal = new Rehearsal(t, random);
    await rehearsal.open();
    for (let part = 0; part < 3; part++) {
      for (let step = 0; step < 10; step++) await rehearsal.step();
      await rehearsal.restart(true);
    }
    await rehearsal.end();
  }
  t.pass('all rounds');
});

t.test(`random bytes are no values (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  for (let n = 0; n < 2000; n++)
    if ([...decodeFrames(random.bytes(random.below(200)))].some(({ entries }) => entries.length > 0))
      t.fail('values of random bytes');
  t.pass('all inputs');
});
