import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { FakeQueueFiles } from '../../tools/bridge/fake-queue-files.js';
import {
  drain,
  failing,
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

t.test('while the receiver acknowledges, nothing is written to the disk', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  const receiver = new TestReceiver();
  queue.attach(receiver);
  const before = files.writes;
  for (let n = 1; n <= 1000; n++) {
    queue.put(valueAt('a', n));
    if (n % 10 === 0) clock.advance(INTERVAL_MS / 5);
    await yieldToEventLoop();
  }
  await drain(queue, clock);
  t.strictSame(seqs(receiver.live), range(1, 1000));
  t.equal(files.writes, before);
  t.equal(queue.figures.counters.of.normal.sent, 1000);
  await queue.close();
  t.equal(clock.pendingTimers, 0);
});

t.test(
  'what is not acknowledged goes to the disk, once per interval, and is sent after live values',
  async (t) => {
    const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
    const queue = await openQueue({ files, clock });
    const before = files.writes;
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 10; n++) queue.put(valueAt('a', n));
      await yieldToEventLoop();
      await passInterval(clock, files);
    }
    t.equal(files.writes - before, 3, 'one append per interval');
    t.equal(queue.figures.waiting, 30);
    const receiver = new TestReceiver(10);
    let open = (): void => undefined;
    receiver.gate = new Promise((resolve) => (open = resolve));
    queue.attach(receiver);
    for (let n = 0; n < 40; n++) queue.put(valueAt('a', n));
    await yieldToEventLoop();
    open();
    await drain(queue, clock);
    t.strictSame(seqs(receiver.live), range(31, 70));
    t.strictSame(seqs(receiver.historical), range(1, 30));
    t.strictSame(
      [...files.files.keys()].filter((name) => name.endsWith('.queue')),
      [],
      'files are removed after the acknowledgement',
    );
    await queue.close();
  },
);

t.test('historical values are sent at a limited rate', async (t) => {
  const clock = new ManualClock();
  const queue = await openQueue({ clock, resendRate: 100 });
  for (let n = 0; n < 200; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  const receiver = new TestReceiver();
  queue.attach(receiver);
  const atMs = clock.nowMs();
  await drain(queue, clock);
  t.equal(receiver.historical.length, 200);
  t.ok(clock.nowMs() - atMs >= 1900, 'two seconds for 200 values');
  await queue.close();
});

t.test('a lost connection: everything is sent again in its order', async (t) => {
  const clock = new ManualClock();
  const queue = await openQueue({ clock });
  const broken = new TestReceiver(5);
  broken.outcome = failing;
  queue.attach(broken);
  for (let n = 0; n < 25; n++) queue.put(valueAt('a', n));
  await until('all in memory', () => queue.figures.waiting === 25);
  await yieldToEventLoop();
  for (let n = 0; n < 5; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  const receiver = new TestReceiver(5);
  queue.attach(receiver);
  await drain(queue, clock);
  t.strictSame(seqs(receiver.historical), range(1, 30));
  t.strictSame(queue.figures.counters.of.normal, {
    ...queue.figures.counters.of.normal,
    accepted: 30,
    sent: 30,
  });
  await queue.close();
});

t.test('values that the receiver rejects are counted', async (t) => {
  const clock = new ManualClock();
  const queue = await openQueue({ clock });
  const receiver = new TestReceiver();
  receiver.outcome = (entries) => ({ failed: [], rejected: entries.filter(({ value }) => value === 3) });
  queue.attach(receiver);
  for (let n = 1; n <= 5; n++) queue.put(valueAt('h', n));
  await drain(queue, clock);
  t.strictSame(seqs(receiver.live), [1, 2, 4, 5]);
  t.strictSame(queue.figures.counters.droppedByReason(), { rejected: 1 });
  t.equal(queue.figures.counters.of.high.dropped.rejected, 1);
  await queue.close();
});

t.test('a full queue drops the oldest of the lowest priority', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock, maxBytes: 600_000 });
  const count = 2500;
  for (let round = 0; round < 40; round++) {
    for (let n = 0; n < count / 3; n++)
      for (const path of ['high', 'normal', 'low']) queue.put(valueAt(path, Math.sin(n + round)));
    await yieldToEventLoop();
    await passInterval(clock, files);
  }
  const { counters, bytes, waiting, nextSeq } = queue.figures;
  t.ok(bytes <= 600_000, `${bytes} bytes`);
  const { high, normal, low } = counters.of;
  t.equal(low.dropped.full + normal.dropped.full + high.dropped.full + waiting, nextSeq - 1);
  t.equal(high.dropped.full, 0);
  t.ok(low.dropped.full > normal.dropped.full, 'most of the lowest');
  const receiver = new TestReceiver(1000);
  queue.attach(receiver);
  await drain(queue, clock);
  const ofHigh = seqs(receiver.historical.filter(({ path }) => path === 'high'));
  t.strictSame(
    ofHigh,
    ofHigh.toSorted((a, b) => a - b),
  );
  t.equal(ofHigh.at(-1), nextSeq - 3, 'the newest is kept');
  await queue.close();
});

t.test('old values are dropped', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock, maxAgeMs: 3600_000 });
  queue.put(valueAt('a', 1, clock.nowMs()));
  await yieldToEventLoop();
  await passInterval(clock, files);
  await queue.close();
  const next = await openQueue({ files: files.reopen(), clock, maxAgeMs: 3600_000 });
  t.equal(next.figures.waiting, 1);
  clock.advance(2 * 3600_000);
  await until('it is dropped', () => next.figures.waiting === 0);
  t.strictSame(next.figures.counters.droppedByReason(), { age: 1 });
  await next.close();
});

t.test('a clean stop keeps everything, and counts continue', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  const receiver = new TestReceiver();
  receiver.outcome = (entries) => ({ failed: [], rejected: entries });
  queue.attach(receiver);
  queue.put(valueAt('a', 0));
  await until('it is rejected', () => queue.figures.waiting === 0);
  queue.detach();
  for (let n = 0; n < 10; n++) queue.put(valueAt(n % 2 === 0 ? 'a' : 'h', n));
  await queue.close();
  await queue.close();
  const next = await openQueue({ files: files.reopen({ hasPower: false }), clock });
  t.equal(next.figures.waiting, 10);
  t.equal(next.figures.nextSeq, 12);
  t.strictSame(next.figures.counters.droppedByReason(), { rejected: 1 });
  const other = new TestReceiver();
  next.attach(other);
  await drain(next, clock);
  t.strictSame(
    seqs(other.historical).sort((a, b) => a - b),
    range(2, 11),
  );
  await next.close();
});

t.test('a clean stop within a file: what was acknowledged is not sent again', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock, resendRate: 100 });
  for (let n = 0; n < 50; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  await passInterval(clock, files);
  const receiver = new TestReceiver(10);
  queue.attach(receiver);
  await until('the first values', () => receiver.historical.length === 10);
  await until('they are finished', () => queue.figures.waiting === 40);
  await queue.close();
  const next = await openQueue({ files: files.reopen(), clock });
  const other = new TestReceiver();
  next.attach(other);
  await drain(next, clock);
  t.strictSame(seqs(other.historical), range(11, 50));
  await next.close();
});

t.test('a crash of the process loses nothing', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  for (let n = 0; n < 10; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  await passInterval(clock, files);
  const stalled = new TestReceiver();
  stalled.gate = new Promise(() => undefined);
  queue.attach(stalled);
  for (let n = 0; n < 5; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  const next = await openQueue({ files: files.reopen(), clock });
  t.equal(next.figures.waiting, 15);
  t.equal(next.figures.nextSeq, 16);
  t.strictSame(next.figures.counters.droppedByReason(), {});
  const receiver = new TestReceiver();
  next.attach(receiver);
  await drain(next, clock);
  t.strictSame(seqs(receiver.historical), range(1, 15));
  await next.close();
});

t.test('a power cut: what was not on the disk is counted, and no number is used twice', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  for (let n = 0; n < 10; n++) queue.put(valueAt(n % 2 === 0 ? 'a' : 'h', n));
  await yieldToEventLoop();
  await passInterval(clock, files);
  for (let n = 0; n < 7; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  const next = await openQueue({ files: files.reopen({ hasPower: false }), clock, boot: 'boot-2' });
  t.equal(next.figures.waiting, 10);
  t.ok(next.figures.nextSeq > 17);
  t.equal(next.figures.counters.droppedByReason().powerCut, next.figures.nextSeq - 1 - 10);
  await next.close();
});

t.test('a full disk: values stay in memory, then the lowest priority is dropped', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const problems: unknown[] = [];
  const queue = await openQueue({ files, clock, onDiskProblem: (thrown) => problems.push(thrown) });
  files.failing.add('append').add('replace');
  for (let n = 0; n < 100; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  clock.advance(INTERVAL_MS);
  await until('the problem', () => problems.length > 0);
  t.match(problems[0], { code: 'ENOSPC' });
  for (let n = 0; n < 20_000; n++) queue.put(valueAt(n % 2 === 0 ? 'h' : 'l', n));
  await yieldToEventLoop();
  clock.advance(INTERVAL_MS);
  await yieldToEventLoop();
  const { counters, waiting, nextSeq } = queue.figures;
  t.ok(waiting <= 10_000);
  t.equal(counters.of.low.dropped.disk, counters.of.low.accepted);
  t.equal(waiting + counters.dropped, nextSeq - 1);
  files.failing.clear();
  clock.advance(INTERVAL_MS);
  await until('the disk is in use again', () => problems.at(-1) === undefined);
  const receiver = new TestReceiver();
  queue.attach(receiver);
  await drain(queue, clock);
  t.equal(receiver.historical.length + counters.dropped, 20_100);
  await queue.close();
});

t.test('a receiver that is too slow: live values go to the disk, and keep their order', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  const receiver = new TestReceiver(10);
  let open = (): void => undefined;
  receiver.gate = new Promise((resolve) => (open = resolve));
  queue.attach(receiver);
  for (let n = 0; n < 6000; n++) queue.put(valueAt('a', n));
  await yieldToEventLoop();
  clock.advance(INTERVAL_MS);
  open();
  await until('the backlog is on the disk', () => queue.figures.bytes > 0);
  queue.put(valueAt('a', 6000));
  await drain(queue, clock);
  t.strictSame(seqs(receiver.live), [...range(1, 20), 6001]);
  t.strictSame(seqs(receiver.historical), range(21, 6000));
  await queue.close();
});

t.test('times of a clock that was not synchronised are corrected before sending', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock(1_000_000)];
  clock.hasTrustedTime = false;
  const untrusted = () => ({ boot: 'boot-1', monotonicMs: Number(clock.monotonicNs() / 1_000_000n) });
  const queue = await openQueue({ files, clock });
  queue.put({ ...valueAt('a', 1, clock.nowMs()), untrusted: untrusted() });
  await yieldToEventLoop();
  await passInterval(clock, files);
  const receiver = new TestReceiver();
  queue.attach(receiver);
  await yieldToEventLoop();
  t.strictSame(receiver.historical, [], 'historical values wait for the clock');
  clock.stepWallClock(1_700_000_000_000);
  clock.hasTrustedTime = true;
  clock.advance(INTERVAL_MS);
  await drain(queue, clock);
  t.match(receiver.historical, [{ atMs: 1_700_001_000_000 }]);
  t.notOk('untrusted' in (receiver.historical[0] ?? {}));
  await queue.close();
  const next = await openQueue({ files: files.reopen(), clock, boot: 'boot-2' });
  const later = new TestReceiver();
  next.attach(later);
  next.put({ ...valueAt('a', 2, 5), untrusted: { boot: 'boot-1', monotonicMs: 10_000 } });
  next.put({ ...valueAt('a', 3, 5), untrusted: { boot: 'boot-0', monotonicMs: 10_000 } });
  await drain(next, clock);
  t.match(
    later.live[0],
    { atMs: 1_700_001_010_000 },
    'the clock of an earlier run of the kernel is remembered',
  );
  t.match(later.live[1], { atMs: 5, untrusted: { boot: 'boot-0' } }, 'one that was never known stays marked');
  await next.close();
});

t.test('a box whose clock is never synchronised sends its values after a while', async (t) => {
  const clock = new ManualClock();
  clock.hasTrustedTime = false;
  const queue = await openQueue({ clock });
  queue.put({ ...valueAt('a', 1), untrusted: { boot: 'boot-1', monotonicMs: 1 } });
  await yieldToEventLoop();
  const receiver = new TestReceiver();
  queue.attach(receiver);
  clock.advance(9 * 60_000);
  await yieldToEventLoop();
  t.equal(receiver.historical.length, 0);
  clock.advance(2 * 60_000);
  await drain(queue, clock);
  t.match(receiver.historical, [{ untrusted: { boot: 'boot-1' } }]);
  await queue.close();
});

t.test('texts that are too long are counted, long ones do not fill the memory', async (t) => {
  const [files, clock] = [new FakeQueueFiles(), new ManualClock()];
  const queue = await openQueue({ files, clock });
  queue.put({ ...valueAt('a', 0), type: 3, value: 'x'.repeat(70_000) });
  for (let n = 0; n < 40; n++) queue.put({ ...valueAt('a', 0), type: 3, value: 'x'.repeat(60_000) });
  await until('they are on the disk', () => queue.figures.bytes > 40 * 60_000);
  t.strictSame(queue.figures.counters.droppedByReason(), { size: 1 });
  await queue.close();
});
