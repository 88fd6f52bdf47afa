import { Worker } from 'node:worker_threads';
import t from 'tap';
import { replyOf } from '../../../src/base/worker-reply.js';

interface Message {
  readonly done?: number;
  readonly reply?: string;
}

const run = (source: string) =>
  new Worker(`const { parentPort } = require('worker_threads'); ${source}`, { eval: true });

t.test('the reply is the first message that is one, and the thread ends', async (t) => {
  const worker = run(`
    for (const done of [1, 2]) parentPort.postMessage({ done });
    parentPort.postMessage({ reply: 'finished' });
    parentPort.on('message', () => {});`);
  const seen: Message[] = [];
  const reply = await replyOf(worker, (message: Message) => {
    seen.push(message);
    return message.reply;
  });
  t.equal(reply, 'finished');
  t.strictSame(seen.slice(0, 2), [{ done: 1 }, { done: 2 }]);
  t.equal(worker.threadId, -1, 'its thread has ended although it waits for messages');
});

t.test('a thread that replies and ends immediately has replied', async (t) => {
  const worker = run(`parentPort.postMessage({ reply: 'last' }); process.exit(1);`);
  t.equal(await replyOf(worker, ({ reply }: Message) => reply), 'last');
});

t.test('a thread that ends without a reply rejects', async (t) => {
  const replyIn = ({ reply }: Message) => reply;
  await t.rejects(replyOf(run(''), replyIn), { message: /without a reply \(exit code 0\)/ });
  await t.rejects(replyOf(run('process.exit(3)'), replyIn), { message: /without a reply \(exit code 3\)/ });
  await t.rejects(replyOf(run(`throw new RangeError('too far')`), replyIn), { message: 'too far' });
});
