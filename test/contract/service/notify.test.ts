import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { hasProgram, Program } from '../../tools/program.js';
import { until } from '../../tools/until.js';
import { loadServiceAddon, type ServiceAddon } from '../../../src/service/notify.js';

const addon = loadServiceAddon();
const { notify, trimAllocator } = addon;
const skip = hasProgram('socat') ? false : 'requires socat, which acts as systemd here';

/** Sends until there is a listener, and returns what it received. */
async function received(receiver: string, path: string, text: string): Promise<string> {
  await using socat = new Program('socat', ['-u', receiver, 'STDOUT']);
  await until('a listener', () => {
    try {
      notify(path, text);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown)) throw thrown;
      return !['ENOENT', 'ECONNREFUSED'].includes(String(thrown.code));
    }
  });
  await until('the datagram', () => socat.output.length >= text.length);
  return socat.output;
}

await t.test('a state reaches a socket in the file system', { skip }, async (t) => {
  const path = join(await tempDirectory(t), 'notify');
  const text = 'READY=1\nSTATUS=Grün: 3 of 3 instances online\nWATCHDOG=1';
  t.equal(await received(`UNIX-RECV:${path}`, path, text), text);
});

await t.test('and one at an abstract address', { skip }, async (t) => {
  const name = `stellwerk-test-${process.pid}`;
  t.equal(await received(`ABSTRACT-RECV:${name}`, `@${name}`, 'STOPPING=1'), 'STOPPING=1');
});

await t.test('a state that cannot be sent throws, without waiting', async (t) => {
  const path = join(await tempDirectory(t), 'nobody');
  t.throws(() => notify(path, 'READY=1'), { code: 'ENOENT' });
  t.throws(() => notify(`@stellwerk-test-nobody-${process.pid}`, 'READY=1'), { code: 'ECONNREFUSED' });
  for (const wrong of ['', 'relative', `/${'x'.repeat(107)}`, `/${'x'.repeat(5000)}`])
    t.throws(() => notify(wrong, 'READY=1'), { code: 'EINVAL' });
  t.throws(() => notify(path, 'x'.repeat(70_000)), { code: 'EMSGSIZE' });
  const untyped = notify as (...args: unknown[]) => void;
  for (const wrong of [[], [path], [path, 1], [null, 'READY=1']])
    t.throws(() => untyped(...wrong), { code: 'EINVAL' });
});

await t.test('unused memory is returned to the system', async (t) => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const resident = () => process.memoryUsage().rss / 2 ** 20;
  // Smaller than what the C library maps separately; some stay, so that the top of the heap cannot just be
  // trimmed.
  const all = Array.from({ length: 2000 }, () => Buffer.allocUnsafeSlow(60_000).fill(1));
  const kept = all.filter((_one, n) => n % 50 === 0);
  all.length = 0;
  gc();
  await yieldToEventLoop();
  const before = resident();
  // The engine frees the memory of buffers in a thread of its own.
  await until('50 MiB are returned', () => {
    trimAllocator();
    return before - resident() > 50;
  });
  t.ok(
    kept.every((one) => one.every((byte) => byte === 1)),
    'and no memory in use',
  );
});

await t.test('the addon has the members of its TypeScript interface, and no others', async (t) => {
  // The compiler rejects a member that the interface does not declare, and a missing one.
  const members: Record<keyof ServiceAddon, 'function'> = { notify: 'function', trimAllocator: 'function' };
  t.strictSame(
    Object.fromEntries(Object.entries(addon).map(([name, value]) => [name, typeof value])),
    members,
  );
});
