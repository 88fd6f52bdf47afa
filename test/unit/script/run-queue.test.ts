import t from 'tap';
import {
  RunQueue,
  QUEUED_RUNS_LIMIT,
  QUEUED_RUNS_PER_FRONT,
  QUEUED_RUNS_OF_ALL_FRONTS,
} from '../../../src/script/run-queue.js';

const all = () => true;

t.test('the owner, events and each web front take turns', async (t) => {
  const queue = new RunQueue<string>();
  for (let n = 0; n < 3; n++) queue.add('front 1', `front 1, ${n}`);
  queue.add('event', 'event');
  queue.add('owner', 'owner 0');
  queue.add('owner', 'owner 1');
  const order = Array.from({ length: 7 }, () => queue.take(all)?.item);
  t.strictSame(order, ['front 1, 0', 'event', 'owner 0', 'front 1, 1', 'owner 1', 'front 1, 2', undefined]);
  t.equal(queue.size, 0);
});

t.test('a script that may not run is skipped and keeps its position', async (t) => {
  const queue = new RunQueue<number>();
  queue.add('front 1', 1);
  queue.add('owner', 2);
  t.equal(queue.take((owner) => owner === 'owner')?.item, 2);
  t.equal(
    queue.take((owner) => owner === 'owner'),
    undefined,
  );
  t.equal(queue.take(all)?.item, 1);
});

t.test('the queue limit of one role does not affect the others', async (t) => {
  const queue = new RunQueue<number>();
  for (let n = 0; n < QUEUED_RUNS_PER_FRONT; n++) queue.add('front 1', n);
  t.match(queue.limitFor('front 1'), /per front/);
  t.equal(queue.limitFor('front 2'), undefined);
  for (let n = 0; n < QUEUED_RUNS_OF_ALL_FRONTS - QUEUED_RUNS_PER_FRONT; n++)
    queue.add(`front ${2 + (n % 3)}`, n);
  t.match(queue.limitFor('front 9'), /all fronts/);
  t.equal(queue.limitFor('owner'), undefined);
  for (let n = 0; n < QUEUED_RUNS_LIMIT; n++) queue.add('event', n);
  t.match(queue.limitFor('event'), /waiting scripts/);
  t.equal(queue.limitFor('owner'), undefined);
  queue.delete('front 1', 0);
  t.equal(queue.limitFor('front 1'), undefined, 'a cancelled one leaves the queue');
});
