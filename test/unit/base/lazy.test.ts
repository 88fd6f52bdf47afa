import t from 'tap';
import { Lazy } from '../../../src/base/lazy.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';

t.test('it is made with the first who asks, and once', async (t) => {
  let count = 0;
  const late = new Lazy(async () => {
    await yieldToEventLoop();
    return { count: ++count };
  });
  t.equal(await late.current(), undefined, 'to ask what there is makes nothing');
  t.equal(count, 0);
  const [first, second] = await Promise.all([late.get(), late.get()]);
  t.equal(first, second);
  t.equal(await late.get(), first);
  t.equal(await late.current(), first);
  t.equal(count, 1);
});

t.test('a failure goes to all who asked meanwhile, and the next has it made anew', async (t) => {
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

t.test('one that fails before it waits for anything is made anew, too', async (t) => {
  let count = 0;
  const late = new Lazy(() => {
    if (++count < 3) throw new Error(`${count}`);
    return Promise.resolve(count);
  });
  await t.rejects(late.get(), { message: '1' });
  await t.rejects(late.get(), { message: '2' });
  t.equal(await late.get(), 3);
});
