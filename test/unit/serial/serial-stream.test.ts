import t from 'tap';
import { SerialStream } from '../../../drivers/serial/serial-stream.js';
import type { OpenPort } from '../../../drivers/serial/port.js';
import { delay, ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { silentLog } from '../../../src/base/log.js';
import { SerialQueue } from '../../../src/base/serial-queue.js';

/** A stream to a port that sends one after the other; each send takes as long as `sendMs` says. */
function streamTo(clock: ManualClock, sendMs: (bytes: Uint8Array) => number) {
  const queue = new SerialQueue();
  const port = { send: (bytes) => queue.run(() => delay(clock, sendMs(bytes))) } as Partial<OpenPort>;
  const stalls: Error[] = [];
  const stream = new SerialStream({
    port: port as OpenPort,
    name: 'ttyS0',
    baudRate: 9600,
    clock,
    log: silentLog,
    onSent: () => undefined,
    onStalled: (cause) => stalls.push(cause),
  });
  return { stream, stalls };
}

t.test('a short send may wait for a long one', async (t) => {
  const clock = new ManualClock();
  const { stream, stalls } = streamTo(clock, ({ length }) => (length > 100 ? 6200 : 10));
  const sends = [stream.send(new Uint8Array(10_000)), stream.send(new Uint8Array(10))];
  await yieldToEventLoop();
  clock.advance(6200);
  await yieldToEventLoop();
  clock.advance(10);
  await Promise.all(sends);
  t.same(stalls, []);
  t.equal(clock.pendingTimers, 0);
});

t.test('the limit of a send counts only the bytes that wait', async (t) => {
  const clock = new ManualClock();
  let isStalled = false;
  const { stream, stalls } = streamTo(clock, () => (isStalled ? 3_600_000 : 10));
  const first = stream.send(new Uint8Array(10_000));
  await yieldToEventLoop();
  clock.advance(10);
  await first;
  isStalled = true;
  void stream.send(new Uint8Array(10));
  await yieldToEventLoop();
  clock.advance(5000);
  t.same(stalls, []);
  clock.advance(1000);
  t.match(stalls, [{ code: 'TIMED_OUT' }]);
});
