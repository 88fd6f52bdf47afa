import t from 'tap';
import { LoginQueue, WAITING_PER_ADDRESS } from '../../../src/api/access/login-queue.js';
import { LoginThrottle } from '../../../src/api/access/login-throttle.js';
import { ManualClock } from '../../../src/base/clock.js';
import { HitLimits } from '../../tools/gateway/api-fixture.js';

function makeFixture() {
  const clock = new ManualClock();
  const limits = new HitLimits();
  const queue = new LoginQueue(clock, limits);
  const order: string[] = [];
  const release = Promise.withResolvers<void>();
  const add = (name: string, more: { account?: string; address?: string; failures?: number } = {}) =>
    queue.verify({
      account: 'owner',
      address: '10.0.0.1',
      failures: 0,
      ...more,
      verify: async () => {
        await release.promise;
        order.push(name);
        return name.startsWith('right');
      },
    });
  return { clock, limits, queue, order, release, add };
}

t.test(
  'logins with fewer failures are verified first; otherwise accounts and addresses alternate',
  async (t) => {
    const { add, order, release } = makeFixture();
    const all = [
      add('first'),
      add('failed', { failures: 2 }),
      add('a'),
      add('b'),
      add('front', { account: 'configurator 1' }),
      add('elsewhere', { address: '10.0.0.2' }),
    ];
    release.resolve();
    await Promise.all(all);
    t.strictSame(order, ['first', 'front', 'elsewhere', 'b', 'a', 'failed']);
  },
);

t.test('if too many logins wait, the last one in order is rejected', async (t) => {
  const { add, release, limits, order } = makeFixture();
  const first = add('first');
  const crowd = Array.from({ length: WAITING_PER_ADDRESS }, (_, n) => add(`wrong ${n}`, { failures: n % 3 }));
  const outcomes = Promise.allSettled(crowd);
  const right = add('right');
  release.resolve();
  t.equal(await right, true);
  t.strictSame(order, ['first', 'right']);
  await first;
  const rejected = (await outcomes).filter(({ status }) => status === 'rejected');
  t.equal(rejected.length, 1);
  t.match(rejected, [{ reason: { code: 'TOO_MANY_REQUESTS' } }]);
  t.equal(limits.hits.size, 1);
});

t.test('after a hundred failures in total, logins are verified at intervals', async (t) => {
  const { add, release, clock, order } = makeFixture();
  release.resolve();
  for (let n = 0; n < 100; n++) await add(`wrong ${n}`, { address: `10.0.0.${n}` });
  const right = add('right', { address: '10.1.0.1' });
  t.equal(order.length, 100, 'not immediately');
  clock.advance(250);
  t.equal(await right, true);
});

t.test('failures count per account and address, and per connection', async (t) => {
  const clock = new ManualClock();
  const failures = new LoginThrottle(clock);
  const [one, other] = [{}, {}];
  const delays = Array.from({ length: 16 }, () => failures.add('owner 10.0.0.1', one).delayMs);
  t.strictSame(delays, [...Array<number>(10).fill(0), 250, 500, 1000, 2000, 4000, 5000]);
  t.strictSame([failures.ofSocket(one), failures.ofSocket(other)], [16, 0]);
  t.equal(failures.add('configurator 1 10.0.0.1', other).delayMs, 0);
  clock.advance(16 * 60_000);
  t.strictSame(failures.add('owner 10.0.0.1', other), { count: 1, delayMs: 0 });
});
