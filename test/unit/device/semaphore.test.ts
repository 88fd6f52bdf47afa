import t from 'tap';
import { Semaphore } from '../../../src/device/toolkit/semaphore.js';

t.test('two jobs run at the same time, the others in order', async (t) => {
  const semaphore = new Semaphore(2);
  const started: number[] = [];
  const jobs = [0, 1, 2, 3].map((n) => {
    const end = Promise.withResolvers<number>();
    const done = semaphore.run(() => {
      started.push(n);
      return end.promise;
    });
    return { end, done };
  });
  t.strictSame(started, [0, 1]);
  jobs[1]?.end.resolve(1);
  t.equal(await jobs[1]?.done, 1);
  t.strictSame(started, [0, 1, 2]);
  jobs[0]?.end.reject(new Error('failed'));
  await t.rejects(Promise.resolve(jobs[0]?.done), { message: 'failed' });
  t.strictSame(started, [0, 1, 2, 3], 'a failed job releases its permit');
  jobs[2]?.end.resolve(2);
  jobs[3]?.end.resolve(3);
  t.strictSame(await Promise.all([jobs[2]?.done, jobs[3]?.done]), [2, 3]);
});
