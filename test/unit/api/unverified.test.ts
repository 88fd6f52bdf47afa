import t from 'tap';
import {
  REQUEST_COST,
  UNVERIFIED_IN_ALL,
  UNVERIFIED_PER_ADDRESS,
  UnverifiedBudget,
} from '../../../src/api/access/unverified-budget.js';
import { HitLimits } from '../../tools/gateway/api-fixture.js';

const BODY = 65_536;
const FIT = Math.floor(UNVERIFIED_PER_ADDRESS / (BODY + REQUEST_COST));

t.test('the oldest incomplete request of an address is dropped, complete ones stay', async (t) => {
  const limits = new HitLimits();
  const budget = new UnverifiedBudget(limits);
  const evicted: number[] = [];
  const shares = Array.from({ length: FIT }, (_, n) => budget.take('10.0.0.1', BODY, () => evicted.push(n)));
  shares[0]?.arrived();
  budget.take('10.0.0.1', BODY, () => evicted.push(FIT));
  t.strictSame(evicted, [1]);
  t.equal(limits.hits.size, 1);
  for (const share of shares) share.arrived();
  for (const share of shares) share.release();
  for (const share of shares) share.release();
  t.equal(budget.bytes, BODY + REQUEST_COST, 'a second release does nothing');
});

t.test('complete requests are not evicted: the next is rejected', async (t) => {
  const budget = new UnverifiedBudget(new HitLimits());
  for (let n = 0; n < FIT; n++) budget.take('fd00:1:2:3::1', BODY, () => t.fail()).arrived();
  t.throws(() => budget.take('fd00:1:2:3::ffff', BODY, () => t.fail()), { code: 'BUSY' }, 'the same network');
  budget.take('fd00:1:2:4::1', BODY, () => t.fail());
});

t.test('all addresses share one budget', async (t) => {
  const budget = new UnverifiedBudget(new HitLimits());
  let evicted = 0;
  for (let n = 0; n < 400; n++) {
    budget.take(`10.0.${n >> 4}.${n & 15}`, BODY, () => (evicted += 1));
    if (budget.bytes > UNVERIFIED_IN_ALL) t.fail();
  }
  t.equal(evicted, 400 - Math.floor(UNVERIFIED_IN_ALL / (BODY + REQUEST_COST)));
});

t.test('complete requests of many addresses do not block another address', async (t) => {
  const budget = new UnverifiedBudget(new HitLimits());
  const evicted: string[] = [];
  const from = (address: string) => budget.take(address, BODY, () => evicted.push(address));
  for (let n = 0; budget.bytes + BODY + REQUEST_COST <= UNVERIFIED_IN_ALL; n++)
    from(`10.0.0.${Math.floor(n / FIT)}`).arrived();
  t.strictSame(evicted, []);
  from('10.0.1.1').arrived();
  from('10.0.1.1').arrived();
  t.equal(evicted.length, 2);
  t.notOk(evicted.includes('10.0.1.1'));
  t.ok(budget.bytes <= UNVERIFIED_IN_ALL);
});
