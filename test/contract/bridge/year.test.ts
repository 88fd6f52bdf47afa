/**
 * A year without a receiver, and then one appears: the memory stays flat, and putting a value takes no longer. DAYS
 * sets the number of days; nightly: `DAYS=365 node dist/test/contract/bridge/year.test.js`.
 */
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { openQueueFiles } from '../../../drivers/bridge/queue/disk-files.js';
import type { ForwardQueue } from '../../../drivers/bridge/queue/forward-queue.js';
import type { Receiver } from '../../../drivers/bridge/queue/receiver.js';
import { openQueue, valueAt } from '../../tools/bridge/queue-fixture.js';
import { liveBytesWithBuffers } from '../../tools/memory.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const DAYS = Number(process.env['DAYS'] ?? 3);
const HOUR_MS = 3600_000;
/** Each reports once per hour. */
const VARIABLES = 100;
const PATHS = Array.from({ length: VARIABLES }, (_, n) => `hall/V${n}`);
/** Puts that are measured as one. */
const MEASURED = 2000;
const SAMPLES = 8;
const options = { timeout: 120_000 + DAYS * 5_000 };

t.test(`${DAYS} days without a receiver`, options, async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock();
  const files = await openQueueFiles({
    directory: join(directory, 'queue'),
    memoryFile: join(directory, 'run', 'queue'),
  });
  const queue = await openQueue({
    files,
    clock,
    writeIntervalMs: HOUR_MS,
    maxAgeMs: 400 * 24 * HOUR_MS,
    resendRate: 100_000,
  });
  let value = 0;
  const pass = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      for (const path of PATHS) queue.put(valueAt(path, ++value, clock.nowMs()));
      await yieldToEventLoop();
      const before = queue.figures.bytesWritten;
      clock.advance(HOUR_MS);
      await until('the values are on the disk', () => queue.figures.bytesWritten > before);
    }
  };

  await pass(24);
  const [early, putEarly] = [liveBytesWithBuffers(), putUs(queue, clock, () => ++value)];
  await pass((DAYS - 1) * 24);
  const [late, putLate] = [liveBytesWithBuffers(), putUs(queue, clock, () => ++value)];
  const { waiting, bytes } = queue.figures;
  t.equal(waiting, value);
  t.equal(queue.figures.counters.dropped, 0);

  let count = 0;
  const last = new Map<string, number>();
  // It keeps no value: the memory is that of the queue.
  const receiver: Receiver = {
    batch: 200,
    window: 2,
    async send(entries, isHistorical) {
      count += entries.length;
      for (const { path, seq } of isHistorical ? entries : []) {
        if (seq <= (last.get(path) ?? 0)) t.fail(`${path}: ${seq} after ${last.get(path)}`);
        last.set(path, seq);
      }
      await Promise.resolve();
      return { failed: [], rejected: [] };
    },
  };
  queue.attach(receiver);
  let peak = 0;
  const puts: number[] = [];
  await until(
    'an empty queue',
    async () => {
      if (queue.figures.waiting > MEASURED) puts.push(putUs(queue, clock, () => ++value));
      for (let n = 0; n < 200; n++) {
        clock.advance(10);
        await yieldToEventLoop();
      }
      peak = Math.max(peak, liveBytesWithBuffers());
      return queue.figures.waiting === 0;
    },
    options.timeout,
  );
  const putWhile = puts.toSorted((a, b) => a - b)[Math.floor(puts.length / 2)] ?? NaN;
  t.equal(count, value, 'each value is sent once');
  const mib = (used: number) => `${(used / 2 ** 20).toFixed(1)} MiB`;
  t.comment(
    `${waiting} values, ${(bytes / waiting).toFixed(2)} bytes each on the disk; used memory ${mib(early)} after a ` +
      `day, ${mib(late)} after ${DAYS} days, at most ${mib(peak)} while they are sent; a put takes ` +
      `${putEarly.toFixed(2)}, ${putLate.toFixed(2)} and ${putWhile.toFixed(2)} µs`,
  );
  t.ok(late - early < 4 * 2 ** 20, 'the memory is flat without a receiver');
  t.ok(peak - early < 16 * 2 ** 20, 'and while the values are sent');
  t.ok(Math.max(putLate, putWhile) < 5 * putEarly, 'a put takes no longer');
  await queue.close();
});

/** The time of a put, µs: the least of some, because others can only add to it. */
function putUs(queue: ForwardQueue, clock: ManualClock, next: () => number): number {
  const puts = MEASURED / SAMPLES;
  const all = Array.from({ length: SAMPLES }, () => {
    const startMs = performance.now();
    for (let n = 0; n < puts; n++) queue.put(valueAt(PATHS[n % VARIABLES] ?? '', next(), clock.nowMs()));
    return ((performance.now() - startMs) * 1000) / puts;
  });
  return Math.min(...all);
}
