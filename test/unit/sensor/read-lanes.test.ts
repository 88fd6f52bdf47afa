import t from 'tap';
import { OVERDUE_MS, ReadLanes } from '../../../drivers/sensor/read-lanes.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';

/** Reads that end when a test says so. */
class Reads {
  readonly clock = new ManualClock();
  readonly lanes = new ReadLanes(this.clock);
  readonly started: string[] = [];
  readonly #pending = new Map<string, () => void>();

  begin(bus: string, name: string): void {
    void this.lanes.run(bus, async () => {
      this.started.push(name);
      await new Promise<void>((resolve) => this.#pending.set(name, resolve));
    });
  }

  async end(name: string): Promise<void> {
    this.#pending.get(name)?.();
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let n = 0; n < 5; n++) await yieldToEventLoop();
}

t.test('a bus has one read at a time, the gateway two', async (t) => {
  const reads = new Reads();
  reads.begin('i2c-1', 'a1');
  reads.begin('i2c-1', 'a2');
  reads.begin('i2c-2', 'b1');
  reads.begin('spi0', 'c1');
  await settle();
  t.strictSame(reads.started, ['a1', 'b1']);
  await reads.end('a1');
  t.strictSame(reads.started.length, 3, 'one more');
  await reads.end('b1');
  t.strictSame([...reads.started].sort(), ['a1', 'a2', 'b1', 'c1']);
});

t.test('a bus that hangs keeps one thread, and the others go on', async (t) => {
  const reads = new Reads();
  reads.begin('i2c-1', 'hung1');
  reads.begin('i2c-2', 'hung2');
  reads.begin('spi0', 'c1');
  await settle();
  t.strictSame(reads.started, ['hung1', 'hung2']);
  reads.clock.advance(OVERDUE_MS);
  await settle();
  t.ok(reads.lanes.isOverdue('i2c-1'));
  t.notOk(reads.lanes.isOverdue('spi0'));
  t.strictSame(reads.started, ['hung1', 'hung2', 'c1'], 'the third thread');
  reads.begin('spi1', 'd1');
  await settle();
  t.notOk(reads.started.includes('d1'), 'the fourth is left to the gateway');
  await reads.end('c1');
  t.ok(reads.started.includes('d1'));
  await reads.end('hung1');
  t.notOk(reads.lanes.isOverdue('i2c-1'), 'it has recovered');
  reads.begin('i2c-1', 'again');
  await settle();
  t.ok(reads.started.includes('again'));
});

t.test('a read that fails releases its bus', async (t) => {
  const lanes = new ReadLanes(new ManualClock());
  const fail = () => Promise.reject(new Error('EIO'));
  for (let n = 0; n < 5; n++) await t.rejects(lanes.run('i2c-1', fail), { message: 'EIO' });
  t.equal(await lanes.run('i2c-1', async () => 1), 1);
});
