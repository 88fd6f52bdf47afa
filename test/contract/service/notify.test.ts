import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { hasProgram, Program } from '../../tools/program.js';
import { until } from '../../tools/until.js';
import { nativeFile } from '../../../src/base/package-root.js';

const { notify, giveBack } = createRequire(import.meta.url)(nativeFile('notify.node')) as {
  notify(path: string, text: string): void;
  giveBack(): void;
};
const skip = hasProgram('socat') ? false : 'needs socat, which plays systemd here';

/** Sends until somebody listens, and gives what arrived. */
async function received(receiver: string, path: string, text: string): Promise<string> {
  await using socat = new Program('socat', ['-u', receiver, 'STDOUT']);
  await until('somebody to listen', () => {
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

await t.test('a state text reaches a socket in the file system', { skip }, async (t) => {
  const path = join(await tempDirectory(t), 'notify');
  const text = 'READY=1\nSTATUS=Grün: 3 of 3 instances online\nWATCHDOG=1';
  t.equal(await received(`UNIX-RECV:${path}`, path, text), text);
});

await t.test('and one at an abstract address', { skip }, async (t) => {
  const name = `stellwerk-test-${process.pid}`;
  t.equal(await received(`ABSTRACT-RECV:${name}`, `@${name}`, 'STOPPING=1'), 'STOPPING=1');
});

await t.test('what cannot be sent is thrown, not waited for', async (t) => {
  const path = join(await tempDirectory(t), 'nobody');
  t.throws(() => notify(path, 'READY=1'), { code: 'ENOENT' });
  t.throws(() => notify(`@stellwerk-test-nobody-${process.pid}`, 'READY=1'), { code: 'ECONNREFUSED' });
  for (const wrong of ['', 'relative', `/${'x'.repeat(107)}`, `/${'x'.repeat(5000)}`])
    t.throws(() => notify(wrong, 'READY=1'), { code: 'EINVAL' });
  t.throws(() => notify(path, 'x'.repeat(5000)), { code: 'EMSGSIZE' });
  const untyped = notify as (...args: unknown[]) => void;
  for (const wrong of [[], [path], [path, 1], [null, 'READY=1']])
    t.throws(() => untyped(...wrong), { code: 'EINVAL' });
});

await t.test('memory that nobody uses goes back to the machine', async (t) => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const resident = () => process.memoryUsage().rss / 2 ** 20;
  // Below what the C library has a mapping of its own for; some stay, so that what lies between can't just be
  // cut off.
  const all = Array.from({ length: 2000 }, () => Buffer.allocUnsafeSlow(60_000).fill(1));
  const kept = all.filter((_one, n) => n % 50 === 0);
  all.length = 0;
  gc();
  await yieldToEventLoop();
  const before = resident();
  giveBack();
  t.ok(before - resident() > 50, `${before} MiB before, ${resident()} after`);
  t.ok(
    kept.every((one) => one.every((byte) => byte === 1)),
    'and nothing that somebody uses',
  );
});
