/** The contract on the character device, as a program that runs with a stand-in for the kernel preloaded. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { cdevFixture, type StandInPaths } from './cdev.js';
import { until } from '../../tools/until.js';
import { gpioContract } from './suite.js';

const [, , kernel = '', node = '', addon = ''] = process.argv;
const require = createRequire(import.meta.url);
const paths: StandInPaths = { kernel, node, addon };

await gpioContract(
  (name, body) => t.test(name, body),
  () => cdevFixture(paths),
);

await t.test('a worker that ends while it watches a line ends cleanly and releases the line', async (t) => {
  const fixture = await cdevFixture(paths);
  const source = `
    const { workerData, parentPort } = require('node:worker_threads');
    const { Request, flags } = require(workerData.addon);
    const options = { offsets: [3], consumer: 'worker', flags: flags.input | flags.rising };
    const request = new Request(workerData.node, options);
    request.watch(() => parentPort.postMessage('edge'), () => undefined);
    parentPort.postMessage('watching');`;
  const [chip] = await fixture.backend.chips();
  if (chip === undefined) throw new Error('no chip');
  for (let n = 0; n < 3; n++) {
    const worker = new Worker(source, { eval: true, workerData: paths });
    await once(worker, 'message');
    t.equal((await fixture.backend.lines(chip))[3]?.isUsed, true);
    await fixture.drive(3, n % 2 === 0);
    await worker.terminate();
    t.equal((await fixture.backend.lines(chip))[3]?.isUsed, false);
  }
});

await t.test('a request that is dropped without closing is closed by the garbage collector', async (t) => {
  const { Request, lines } = require(addon);
  const isUsed = () => (lines(node)[2].flags & 1) === 1;
  (() => new Request(node, { offsets: [2], consumer: 'dropped', flags: 0 }))();
  t.ok(isUsed());
  await until('the line to be free', () => {
    gc?.();
    return !isUsed();
  });
});

await t.test('the addon rejects invalid arguments', async (t) => {
  const { Request, KeeperSocket, chip, lines, flags } = require(addon);
  const good = { offsets: [1], consumer: 'x', flags: flags.input };
  const wrong = [
    { ...good, offsets: [] },
    { ...good, offsets: ['1'] },
    { ...good, offsets: Array(65).fill(1) },
    { ...good, consumer: 'x'.repeat(32) },
    { ...good, consumer: 7 },
    { ...good, flags: -1 },
    { ...good, flags: 1.5 },
    { ...good, flags: flags.output },
    { ...good, flags: flags.output, values: 1 },
    { ...good, flags: flags.output, values: 1n << 64n },
    { ...good, debounceUs: 2 ** 32 },
    undefined,
  ];
  for (const command of wrong) t.throws(() => new Request(node, command), `refused: ${inspect(command)}`);
  t.throws(() => new Request(node, { ...good, flags: flags.input | flags.output, values: 0n }), {
    code: 'EINVAL',
  });
  const received = () => undefined;
  t.throws(() => new KeeperSocket('/nowhere', received, received), { code: 'ENOENT', syscall: 'connect' });
  for (const given of [
    [],
    ['x'.repeat(200), received, received],
    ['/nowhere', received],
    [7, received, received],
  ])
    t.throws(() => new KeeperSocket(...given), TypeError);
  t.throws(() => KeeperSocket.prototype.send.call(new Date(), 'x'), TypeError);
  for (const method of ['receive', 'close'] as const)
    t.throws(() => KeeperSocket.prototype[method].call({}), TypeError);
  t.throws(() => new Request('/dev/null', good), { code: 'ENOTTY' });
  t.throws(() => chip('x'.repeat(5000)));
  t.throws(() => lines({}));
  const request = new Request(node, good);
  t.throws(() => new Request(node, good), { code: 'EBUSY', syscall: 'request lines' });
  t.throws(() => request.get(1), TypeError);
  t.throws(() => request.get(2n), { code: 'EINVAL' });
  t.throws(() => request.set(1n, 1n), { code: 'EPERM' });
  t.throws(() => request.watch(), TypeError);
  t.throws(() => Request.prototype.get.call({}, 1n), TypeError);
  t.throws(() => Request.prototype.close.call(new Date()), TypeError);
  request.watch(
    () => undefined,
    () => undefined,
  );
  t.throws(() => request.watch(Object, Object), /already watched/);
  t.throws(() => request.pause('no'), TypeError);
  request.close();
  request.close();
  t.throws(() => request.get(1n), { code: 'EBADF' });
});
