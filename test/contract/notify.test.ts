import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { tempDirectory } from '../tools/place.js';
import { hasProgram, Program } from '../tools/program.js';
import { until } from '../tools/until.js';

const { notify } = createRequire(import.meta.url)('../../../build/notify.node') as {
  notify(path: string, text: string): void;
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
