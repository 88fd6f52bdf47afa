import t from 'tap';
import { Late } from '../../src/base/late.js';
import { nextTurn } from '../../src/base/turn.js';

t.test('it is made with the first who asks, and once', async (t) => {
  let count = 0;
  const late = new Late(async () => {
    await nextTurn();
    return { count: ++count };
  });
  t.equal(await late.made(), undefined, 'to ask what there is makes nothing');
  t.equal(count, 0);
  const [first, second] = await Promise.all([late.get(), late.get()]);
  t.equal(first, second);
  t.equal(await late.get(), first);
  t.equal(await late.made(), first);
  t.equal(count, 1);
});

t.test('a failure goes to all who asked meanwhile, and the next has it made anew', async (t) => {
  let count = 0;
  const late = new Late(async () => {
    const mine = ++count;
    await nextTurn();
    if (mine === 1) throw new Error('the disk is gone');
    return mine;
  });
  const all = [late.get(), late.get()];
  const made = late.made();
  for (const one of all) await t.rejects(one, { message: 'the disk is gone' });
  t.equal(await made, undefined);
  t.equal(await late.made(), undefined);
  t.equal(await late.get(), 2);
  t.equal(await late.made(), 2);
});

t.test('one that fails before it waits for anything is made anew, too', async (t) => {
  let count = 0;
  const late = new Late(() => {
    if (++count < 3) throw new Error(`${count}`);
    return Promise.resolve(count);
  });
  await t.rejects(late.get(), { message: '1' });
  await t.rejects(late.get(), { message: '2' });
  t.equal(await late.get(), 3);
});
