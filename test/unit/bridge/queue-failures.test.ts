/** A queue whose disk fails, whose files are damaged, and whose process is killed. */
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { FakeQueueFiles } from '../../tools/bridge/fake-queue-files.js';
import {
  drain,
  INTERVAL_MS,
  openQueue,
  passInterval,
  seqs,
  TestReceiver,
  valueAt,
} from '../../tools/bridge/queue-fixture.js';
import { until } from '../../tools/until.js';

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

t.test('damage that cannot be counted on a full disk loses no further value', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  let queue = await openQueue({ files, clock });
  for (const from of [1, 11]) {
    for (let n = from; n < from + 10; n++) queue.put(valueAt('a', n));
    await yieldToEventLoop();
    await passInterval(clock, files);
  }
  await queue.close();
  const next = files.reopen();
  const [name, bytes] = [...next.files].find(([file]) => file.endsWith('.queue')) as [string, Buffer];
  // The last byte is of the second write.
  next.files.set(name, Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1) === 0 ? 1 : 0])]));
  queue = await openQueue({ files: next, clock });
  for (let n = 21; n <= 30; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  await passInterval(clock, next);
  const receiver = new TestReceiver();
  queue.attach(receiver);
  next.failing.add('replace');
  await until('the values before the damage', async () => {
    clock.advance(INTERVAL_MS);
    await yieldToEventLoop();
    return receiver.historical.length === 10;
  });
  clock.advance(INTERVAL_MS);
  for (let n = 0; n < 50; n++) await yieldToEventLoop();
  t.strictSame(queue.figures.counters.droppedByReason(), {}, 'what is not stored is not counted twice');
  next.failing.clear();
  clock.advance(INTERVAL_MS);
  await drain(queue, clock);
  t.strictSame(seqs(receiver.historical), [...range(1, 10), ...range(21, 30)]);
  t.strictSame(queue.figures.counters.droppedByReason(), { damaged: 10 });
  await queue.close();
});

t.test('a file without a readable value is lost to damage, not to its age', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  let queue = await openQueue({ files, clock });
  for (let n = 1; n <= 5; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  await passInterval(clock, files);
  await queue.close();
  const next = files.reopen();
  const [name, bytes] = [...next.files].find(([file]) => file.endsWith('.queue')) as [string, Buffer];
  // As after a power cut: the header of the frame is on the disk, the end of its payload is not.
  next.files.set(name, bytes.subarray(0, -1));
  queue = await openQueue({ files: next, clock });
  t.equal(queue.figures.waitingOf('normal').oldestMs, undefined);
  await passInterval(clock, next);
  t.strictSame(queue.figures.counters.droppedByReason(), { damaged: 5 });
  t.match(queue.figures, { waiting: 0, bytes: 0 });
  t.notOk(next.files.has(name), 'it is removed once the loss is stored');
  queue.put(valueAt('a', 6));
  await yieldToEventLoop();
  await passInterval(clock, next);
  const receiver = new TestReceiver();
  queue.attach(receiver);
  await drain(queue, clock);
  t.strictSame(seqs(receiver.historical), [6]);
  t.strictSame(queue.figures.counters.droppedByReason(), { damaged: 5 });
  await queue.close();
});

t.test('a file without a readable value is counted once, however often the queue is opened', async (t) => {
  let files = new FakeQueueFiles();
  const clock = new ManualClock();
  for (const first of [1, 6, 11]) {
    const queue = await openQueue({ files, clock });
    for (let n = first; n < first + 5; n++) queue.put(valueAt('a', n));
    await yieldToEventLoop();
    await passInterval(clock, files);
    await queue.close();
    files = files.reopen();
    const [name, bytes] = [...files.files].findLast(([file]) => file.endsWith('.queue')) as [string, Buffer];
    if (first === 6) files.files.set(name, bytes.subarray(0, -1));
  }
  const queue = await openQueue({ files, clock });
  const receiver = new TestReceiver();
  queue.attach(receiver);
  await drain(queue, clock);
  t.strictSame(seqs(receiver.historical), [...range(1, 5), ...range(11, 15)]);
  t.strictSame(queue.figures.counters.droppedByReason(), { damaged: 5 });
  await queue.close();
});

const HOUR_MS = 3600_000;

/** Five runs of a queue, each of which leaves a file with ten values; those of a run are an hour younger. */
async function fiveFiles(clock: ManualClock, firstMs: number): Promise<FakeQueueFiles> {
  let files = new FakeQueueFiles();
  for (let run = 0; run < 5; run++) {
    const queue = await openQueue({ files, clock });
    for (const n of range(1, 10)) queue.put(valueAt('a', run * 10 + n, firstMs + run * HOUR_MS));
    await yieldToEventLoop();
    await passInterval(clock, files);
    await queue.close();
    files = files.reopen();
  }
  return files;
}

const isQueue = (name: string) => name.endsWith('.queue');
const queueFiles = ({ files }: FakeQueueFiles) => [...files.keys()].filter(isQueue);

t.test('of a long queue, only the first and the last file are read at the start', async (t) => {
  const clock = new ManualClock();
  const files = await fiveFiles(clock, clock.nowMs());
  const queue = await openQueue({ files, clock });
  const names = queueFiles(files);
  t.equal(names.length, 5);
  t.strictSame(files.readNames.filter(isQueue).toSorted(), [names[0], names[4]]);
  t.match(queue.figures, { waiting: 50, nextSeq: 51 });
  t.equal(queue.figures.waitingOf('normal').oldestMs, clock.nowMs() - 5 * INTERVAL_MS);
  const receiver = new TestReceiver();
  queue.attach(receiver);
  await drain(queue, clock);
  t.strictSame(seqs(receiver.historical), range(1, 50));
  t.strictSame(queueFiles(files), []);
  await queue.close();
});

t.test('values of files that were not read at the start become too old', async (t) => {
  const clock = new ManualClock();
  const files = await fiveFiles(clock, clock.nowMs());
  const queue = await openQueue({ files, clock, maxAgeMs: 24 * HOUR_MS });
  clock.advance(26.5 * HOUR_MS);
  await until('the drops', () => queue.figures.waiting <= 20);
  t.strictSame(queueFiles(files).length, 2, 'of the runs after 3 and 4 hours');
  t.strictSame(queue.figures.counters.droppedByReason(), { age: 30 });
  await queue.close();
});

t.test('what is lost of files that were not read at the start is counted when they are read', async (t) => {
  const clock = new ManualClock();
  const files = await fiveFiles(clock, clock.nowMs());
  const [, second = '', third = '', fourth = ''] = queueFiles(files);
  // The second has no end, the third no beginning, the fourth no value that can be read.
  files.files.set(second, (files.files.get(second) as Buffer).subarray(0, -1));
  files.files.set(third, Buffer.alloc(100));
  files.files.set(fourth, (files.files.get(fourth) as Buffer).subarray(0, 16));
  const queue = await openQueue({ files, clock });
  t.equal(queue.figures.waiting, 50);
  const receiver = new TestReceiver();
  queue.attach(receiver);
  await drain(queue, clock);
  t.strictSame(seqs(receiver.historical), [...range(1, 10), ...range(41, 50)]);
  t.strictSame(queue.figures.counters.droppedByReason(), { damaged: 30 });
  await queue.close();
});

t.test('a queue that cannot be loaded closes its files', async (t) => {
  const files = new FakeQueueFiles();
  files.failing.add('list');
  await t.rejects(openQueue({ files, clock: new ManualClock() }), { code: 'EIO' });
  t.ok(files.isClosed);
});

t.test('a full queue on a full disk: each value is counted once, however often it is tried', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock, maxBytes: 40_000 });
  const put = async (count: number) => {
    for (let n = 1; n <= count; n++) queue.put(valueAt('a', n));
    await yieldToEventLoop();
  };
  await put(1000);
  await passInterval(clock, files);
  await put(1000);
  files.failing.add('replace');
  for (let n = 0; n < 5; n++) {
    clock.advance(INTERVAL_MS);
    for (let turn = 0; turn < 20; turn++) await yieldToEventLoop();
  }
  t.equal(queue.figures.waiting, 2000);
  t.equal(queue.figures.counters.dropped, 0);
  files.failing.clear();
  await passInterval(clock, files);
  t.equal(queue.figures.waiting + queue.figures.counters.dropped, 2000);
  t.ok(queue.figures.counters.dropped > 0);
  await queue.close();
});

t.test('counts of dropped values survive a crash of the process', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  queue.put({ ...valueAt('a', 1), value: 'x'.repeat(100_000) });
  await yieldToEventLoop();
  const next = await openQueue({ files: files.reopen(), clock });
  t.strictSame(next.figures.counters.droppedByReason(), { size: 1 });
  t.equal(next.put(valueAt('a', 2)), 2, 'its number is not used again');
  await next.close();
});

t.test('values whose priority has changed are kept in a crash', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  queue.put(valueAt('lamp', 1));
  await yieldToEventLoop();
  queue.put(valueAt('hall', 2));
  await yieldToEventLoop();
  await passInterval(clock, files);
  queue.put(valueAt('low', 3));
  await yieldToEventLoop();
  const next = await openQueue({ files: files.reopen(), clock, priorityOf: () => 'high' });
  const receiver = new TestReceiver();
  next.attach(receiver);
  await drain(next, clock);
  t.strictSame(
    receiver.historical.map(({ path }) => path),
    ['hall', 'lamp', 'low'],
  );
  await next.close();
});

t.test('texts of which all take more than a frame may have arrive, also after a crash', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  const put = async () => {
    for (let n = 0; n < 31; n++) queue.put({ ...valueAt('a', 0), type: 3, value: '€'.repeat(65_000) });
    await yieldToEventLoop();
  };
  await put();
  await until('they are on the disk', () => queue.figures.bytes > 31 * 3 * 65_000);
  files.failing.add('append');
  await put();
  const next = await openQueue({ files: files.reopen(), clock });
  t.equal(next.figures.waiting, 62);
  const receiver = new TestReceiver();
  next.attach(receiver);
  await drain(next, clock);
  t.strictSame(seqs(receiver.historical), range(1, 62));
  t.strictSame(next.figures.counters.droppedByReason(), {});
  await next.close();
});

t.test('on a full disk, texts above the limit of the memory are dropped, and no numbers', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  files.failing.add('append');
  const put = async (count: number) => {
    for (let n = 0; n < count; n++) {
      queue.put(valueAt('l', n));
      queue.put({ ...valueAt('l', 0), type: 3, value: 'x'.repeat(50_000) });
      queue.put({ ...valueAt('h', 0), type: 3, value: 'x'.repeat(10_000) });
      await yieldToEventLoop();
    }
  };
  await put(20);
  clock.advance(INTERVAL_MS);
  await put(180);
  const { of } = queue.figures.counters;
  t.equal(of.low.dropped.disk, 160, 'of 10,000,000 + 2,000,000 characters, 8,000,000 are too many');
  t.equal(of.high.dropped.disk, 0);
  t.equal(queue.figures.waiting, 600 - 160);
  const left = files.reopen().memory.left.length;
  t.ok(left < 5_500_000, `${left} bytes in the file in memory`);
  await queue.close();
});
