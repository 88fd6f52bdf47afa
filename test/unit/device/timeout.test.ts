import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { withTimeout } from '../../../src/device/toolkit/timeout.js';

t.test('what rejects after nobody waits any more is no unhandled rejection', async (t) => {
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
  // Node looks for those that nobody took when the promises of a turn are done.
  await new Promise((resolve) => setImmediate(resolve));
  t.same(unhandled, []);
  t.equal(clock.pendingTimers, 0, 'no timer stays');
});
