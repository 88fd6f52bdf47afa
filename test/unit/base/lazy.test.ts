import t from 'tap';
import { Lazy } from '../../../src/base/lazy.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';

t.test('the value is created by the first call, once', async (t) => {
  let count = 0;
  const late = new Lazy(async () => {
    await yieldToEventLoop();
    return { count: ++count };
  });
  t.equal(await late.current(), undefined, 'reading the present value creates nothing');
  t.equal(count, 0);
  const [first, second] = await Promise.all([late.get(), late.get()]);
  t.equal(first, second);
  t.equal(await late.get(), first);
  t.equal(await late.current(), first);
  t.equal(count, 1);
});

t.test('a failure rejects all waiting calls, and the next call tries again', async (t) => {
  let count = 0;
  const late = new Lazy(async () => {
    const mine = ++count;
    await yieldToEventLoop();
    if (mine === 1) throw new Error('the disk is gone');
    return mine;
  });
  const all = [late.get(), late.get()];
  const made = late.current();
  for (const one of all) await t.rejects(one, { message: 'the disk is gone' });
  t.equal(await made, undefined);
  t.equal(await late.current(), undefined);
  t.equal(await late.get(), 2);
  t.equal(await late.current(), 2);
});

t.test('after a synchronous failure the next call tries again too', async (t) => {
  let count = 0;
  const late = new Lazy(() => {
    if (++count < 3) throw new Error(`${count}`);
    return Promise.resolve(count);
  });
  await t.rejects(late.get(), { message: '1' });
  await t.rejects(late.get(), { message: '2' });
  t.equal(await late.get(), 3);
});
