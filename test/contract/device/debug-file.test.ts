import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { Debug } from '../../../src/device/debug.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { message } from '../../../src/kernel/messages.js';
import { FILE_LIMIT, openDebugFile } from '../../../src/service/debug-file.js';
import { tempDirectory } from '../../tools/temp-directory.js';

/** Sender and data of the debug messages from now on. */
function debugged({ changes }: Kernel): (readonly [number, ...unknown[]])[] {
  const seen: (readonly [number, ...unknown[]])[] = [];
  changes.listen(({ SenderID, Message, Data }) => {
    if (Message === message.KL_DEBUG) seen.push([SenderID, ...Data]);
  });
  return seen;
}

t.test('a debug file grows to its limit, and the previous one is kept', async (t) => {
  const directory = join(await tempDirectory(t), 'debug');
  const clock = new ManualClock();
  const kernel = new Kernel({ counter: 0, random: Math.random });
  await using debug = new Debug({
    kernel,
    clock,
    openFile: (id) => openDebugFile(directory, id, silentLog),
  });
  const seen = debugged(kernel);
  await Promise.all([debug.enableFile(12_345), debug.enableFile(12_345)]);
  debug.send(12_345, { what: 'received', data: 'a\nb' });
  debug.send(12_345, { what: 'raw', data: Buffer.from([1, 2]) });
  debug.send(54_321, { what: 'received', data: 'of another instance' });
  await debug.disableFile(12_345);
  t.equal(debug.isOn, false);
  debug.send(12_345, { what: 'received', data: 'too late' });
  const at = new Date(clock.nowMs()).toISOString();
  const path = join(directory, '12345.log');
  t.equal(await readFile(path, 'utf8'), `${at} received: a\\nb\n${at} raw: 0102\n`);
  t.equal((await stat(path)).mode & 0o077, 0, 'readable by the owner only');
  t.strictSame(seen, [], 'a request for a file only writes the file');

  await writeFile(path, 'x'.repeat(FILE_LIMIT - 10));
  await writeFile(`${path}.1`, 'old');
  await debug.enableFile(12_345);
  debug.send(12_345, { what: 'received', data: 'next' });
  await debug.close();
  t.strictSame((await readdir(directory)).sort(), ['12345.log', '12345.log.1']);
  t.equal(await readFile(path, 'utf8'), `${at} received: next\n`);
  t.equal((await stat(`${path}.1`)).size, FILE_LIMIT - 10);
});

t.test('an unwritable debug file is reported, and ends', async (t) => {
  const place = await tempDirectory(t);
  await writeFile(join(place, 'debug'), 'no directory');
  await using debug = new Debug({
    kernel: new Kernel({ counter: 0, random: Math.random }),
    clock: new ManualClock(),
    openFile: (id) => openDebugFile(join(place, 'debug'), id, silentLog),
  });
  await t.rejects(debug.enableFile(1), { code: 'STORE_UNUSABLE', message: /1\.log cannot be written/ });
  t.equal(debug.isOn, false);
});
