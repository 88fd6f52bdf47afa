import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { withTimeout } from '../../../src/device/toolkit/timeout.js';

t.test('a rejection after the timeout is not an unhandled rejection', async (t) => {
  const unhandled: unknown[] = [];
  const note = (thrown: unknown) => unhandled.push(thrown);
  process.on('unhandledRejection', note);
  t.teardown(() => process.off('unhandledRejection', note));
  const clock = new ManualClock();
  const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const aborted = AbortSignal.abort(new Error('stopped'));
  await t.rejects(withTimeout(clock, { ms: 1, what: 'It', signal: aborted }, early.promise), {
    message: 'stopped',
  });
  const slow = withTimeout(clock, { ms: 1, what: 'It' }, late.promise);
  clock.advance(1);
  await t.rejects(slow, { code: 'TIMED_OUT' });
  early.reject(new Error('early'));
  late.reject(new Error('late'));
  // Node reports unhandled rejections after the promise jobs of an iteration.
  await new Promise((resolve) => setImmediate(resolve));
  t.same(unhandled, []);
  t.equal(clock.pendingTimers, 0, 'no timer is left');
});
