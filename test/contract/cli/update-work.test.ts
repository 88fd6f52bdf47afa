/** The work of the service for updates, with a script in the place of RAUC. */
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ManualClock, systemClock, type Clock } from '../../../src/base/clock.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { SlotUpdates } from '../../../src/cli/maintenance/slot-updates.js';
import { UpdateWork } from '../../../src/cli/maintenance/update-work.js';
import { isUpdateSource, readState, takeRequest } from '../../../src/service/updates/box-files.js';
import { boxIn, put } from '../../tools/box/box-directory.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const STATUS = JSON.stringify({
  boot_primary: 'rootfs.1',
  slots: [
    { 'rootfs.0': { bootname: 'A', state: 'inactive', boot_status: 'good' } },
    { 'rootfs.1': { bootname: 'B', state: 'booted', boot_status: 'good' } },
  ],
});

/** A box on which RAUC says that each update has a version; it notes its calls. */
async function box(t: Test, version: string, install = 'true') {
  const directory = await tempDirectory(t);
  const files = boxIn(directory);
  const rauc = join(directory, 'rauc');
  put(
    rauc,
    `#!/bin/sh
echo "$*" >>${directory}/calls
case $1 in
info) grep -q damaged "$3" && { echo 'signature verification failed' >&2; exit 1; }; echo '{"version":"${version}"}' ;;
status) [ "$2" = mark-active ] || echo '${STATUS}' ;;
install) cp ${files.state} ${directory}/during; echo ' 20% Checking'; echo '100% done'; ${install} ;;
esac
`,
  );
  chmodSync(rauc, 0o755);
  const update = join(directory, 'update.raucb');
  put(update, 'sound');
  const work = new UpdateWork(new SlotUpdates(rauc, files), files, { clock: systemClock() });
  const calls = () => readFileSync(join(directory, 'calls'), 'utf8');
  /** Another process with these slots. */
  const other = (clock: Clock, freeBytes?: () => Promise<number>) =>
    new UpdateWork(new SlotUpdates(rauc, files), files, { clock, freeBytes });
  return { directory, files, work, update, calls, other };
}

t.test('an installation reports its progress, and the slots at its end', async (t) => {
  const { directory, files, work, update, calls } = await box(t, '1.2.0');
  t.equal(await work.install(update), '1.2.0');
  t.match(calls(), `install ${update}`);
  t.match(await readState(join(directory, 'during')), { busy: 'install', version: '1.2.0', percent: 0 });
  t.match(await readState(files.state), { busy: '', problem: '', slots: [{ name: 'A' }, { name: 'B' }] });
});

t.test('an update is downloaded, and deleted again; a damaged one is rejected', async (t) => {
  const { files, work, calls } = await box(t, '1.2.0');
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/none' ? 404 : 200;
    response.end(request.url === '/damaged' ? 'damaged' : 'sound');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.equal(await work.install(`${origin}/update.raucb`), '1.2.0');
  t.match(calls(), `install ${files.download}`);
  t.notOk(existsSync(files.download));
  await t.rejects(work.install(`${origin}/damaged`), { message: 'signature verification failed' });
  t.notOk(existsSync(files.download));
  t.match(await readState(files.state), { busy: '', problem: 'signature verification failed' });
  await t.rejects(work.install(`${origin}/none`), { message: /returned 404/ });
  t.equal(calls().match(/^install/gm)?.length, 1);
});

/** An address that sends `bytes` zeros, and then ends only if `ends`. */
async function sender(t: Test, { bytes, ends, length }: { bytes: number; ends: boolean; length?: number }) {
  const server = createServer((_request, response) => {
    if (length !== undefined) response.setHeader('content-length', length);
    if (ends) response.end(Buffer.alloc(bytes));
    else response.write(Buffer.alloc(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/update.raucb`;
}

t.test('a download leaves 100 MB of the data partition free', async (t) => {
  const { files, other, calls } = await box(t, '1.2.0');
  const url = await sender(t, { bytes: 50e6, ends: true, length: 50e6 });
  const tooLittle = other(systemClock(), async () => 149e6);
  const message = /^the update does not fit in \S+\/data\/box: 149 MB are free, 100 MB must stay.* 50 MB;/;
  await t.rejects(tooLittle.install(url), { message });
  // Others write at the same time.
  const free = [200e6, 110e6, 99e6];
  const shrinking = other(systemClock(), async () => free.shift() ?? 0);
  await t.rejects(shrinking.install(url), { message: /99 MB are free, 100 MB must stay free; delete files/ });
  t.strictSame(free, []);
  t.notOk(existsSync(files.download));
  const enough = other(systemClock(), async () => 150e6);
  t.equal(await enough.install(url), '1.2.0');
  t.equal(calls().match(/^install/gm)?.length, 1);
});

t.test('a download that does not end is cancelled before systemd stops the service', async (t) => {
  const { files, other } = await box(t, '1.2.0');
  const url = await sender(t, { bytes: 1000, ends: false });
  const clock = new ManualClock();
  const installing = other(clock).install(url);
  const failed = t.rejects(installing, { message: /^127\S+ did not send the update within 2 h$/ });
  await until('the download', () => existsSync(files.download) && statSync(files.download).size === 1000);
  clock.advance(2 * 3_600_000);
  await failed;
  t.notOk(existsSync(files.download));
  t.equal(clock.pendingTimers, 0);
  const service = join(PACKAGE_ROOT, 'box/image/overlay/etc/systemd/system/box-update.service');
  t.match(readFileSync(service, 'utf8'), /^TimeoutStartSec=3h$/m);
});

t.test('a download that is cancelled with a signal leaves no file', async (t) => {
  const { files, work } = await box(t, '1.2.0');
  const url = await sender(t, { bytes: 1000, ends: false });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const failed = t.rejects(work.install(url), { name: 'AbortError' }, signal);
    await until('the download', () => existsSync(files.download) && statSync(files.download).size === 1000);
    process.emit(signal);
    await failed;
    t.notOk(existsSync(files.download));
    t.match(await readState(files.state), { busy: '', problem: '' });
  }
});

t.test('two processes do not install at the same time', async (t) => {
  const { files, other, work, update, calls } = await box(t, '1.2.0');
  const url = await sender(t, { bytes: 1000, ends: false });
  const clock = new ManualClock();
  const failed = t.rejects(other(clock).install(url), { message: /within 2 h/ });
  await until('the download', () => existsSync(files.download));
  const message = /^another update is in progress/;
  await t.rejects(work.install(update), { message });
  await t.rejects(work.back(), { message });
  await work.status();
  t.match(await readState(files.state), { busy: 'download' }, 'the state is that of the first one');
  t.ok(existsSync(files.download), 'and so is the file');
  clock.advance(2 * 3_600_000);
  await failed;
  t.equal(await work.install(update), '1.2.0', 'afterwards');
  t.equal(calls().match(/^install/gm)?.length, 1);
});

t.test('only a newer version that was neither rolled back nor left is installed automatically', async (t) => {
  for (const version of ['1.1.0', '1.0.9', '1.1.0-rc1']) {
    const { work, update, calls } = await box(t, version);
    t.equal(await work.install(update, { isAutomatic: true }), undefined, version);
    t.notMatch(calls(), /^install/m);
  }
  const skipped = await box(t, '1.2.0');
  put(skipped.files.skipped, '1.2.0\n');
  t.equal(await skipped.work.install(skipped.update, { isAutomatic: true }), undefined);
  t.equal(await skipped.work.install(skipped.update), '1.2.0', 'on request');
  const rolledBack = await box(t, '1.2.0');
  const note = {
    version: '1.2.0',
    running: '1.1.0',
    time: '2026-11-01T02:00:00Z',
    reason: 'start',
    limit: 180,
  };
  put(rolledBack.files.rolledBack, JSON.stringify(note));
  t.equal(await rolledBack.work.install(rolledBack.update, { isAutomatic: true }), undefined);
  await t.rejects(rolledBack.work.install(rolledBack.update), { message: /was rolled back.*--again/ });
  t.equal(await rolledBack.work.install(rolledBack.update, { again: true }), '1.2.0');
  const newer = await box(t, '1.10.0');
  t.equal(await newer.work.install(newer.update, { isAutomatic: true }), '1.10.0');
});

t.test('an update of another version than the one that was offered is rejected', async (t) => {
  for (const isAutomatic of [false, true]) {
    const { files, work, update, calls } = await box(t, '1.0.0');
    const message = '1.2.0 was offered, but the update is 1.0.0; check for updates again';
    const options = { isAutomatic, again: true, expected: '1.2.0' };
    await t.rejects(work.install(update, options), { message });
    t.match(await readState(files.state), { problem: message });
    t.notMatch(calls(), /^install/m);
  }
  const { work, update } = await box(t, '1.2.0');
  t.equal(await work.install(update, { expected: '1.2.0' }), '1.2.0');
  const { work: older, update: file } = await box(t, '1.0.0');
  t.equal(await older.install(file), '1.0.0', 'the owner may install an older one from a file');
});

t.test('a version that is not confirmed keeps the slot that it would roll back to', async (t) => {
  const { files, work, update, calls } = await box(t, '1.2.0');
  put(files.verdict, 'unhealthy (it did not become healthy within 180 s)\n');
  await t.rejects(work.install(update), { message: /1\.1\.0 is not confirmed yet/ });
  t.notMatch(calls(), /^install/m);
});

t.test(
  'the other slot is activated, and the version that runs is not installed automatically again',
  async (t) => {
    const { files, work, calls } = await box(t, '1.2.0');
    t.match(await work.back(), { name: 'A' });
    t.match(calls(), 'status mark-active other');
    t.equal(readFileSync(files.skipped, 'utf8'), '1.1.0\n');
    await work.status();
    t.match(await readState(files.state), { busy: '', slots: [{ name: 'A' }, { isBooted: true }] });
  },
);

t.test('a failed installation is reported with its reason', async (t) => {
  const { files, work, update } = await box(
    t,
    '1.2.0',
    "{ echo 'LastError: the slot is too small'; exit 1; }",
  );
  await t.rejects(work.install(update), { message: 'the slot is too small' });
  t.match(await readState(files.state), { busy: '', problem: 'the slot is too small' });
});

t.test('a request is taken once, and only if it is valid', async (t) => {
  const path = join(await tempDirectory(t), 'request');
  const valid = { action: 'install', source: '/media/stick/u.raucb', isAutomatic: false, version: '1.2.0' };
  put(path, JSON.stringify(valid));
  t.strictSame(await takeRequest(path), valid);
  t.equal(await takeRequest(path), undefined);
  for (const wrong of [
    '',
    'null',
    '[]',
    JSON.stringify({ ...valid, action: 'rm' }),
    JSON.stringify({ ...valid, source: '/etc/shadow' }),
    JSON.stringify({ ...valid, isAutomatic: 1 }),
    JSON.stringify({ ...valid, version: undefined }),
    JSON.stringify({ ...valid, version: '<b>' }),
  ]) {
    put(path, wrong);
    t.equal(await takeRequest(path), undefined, wrong);
    t.notOk(existsSync(path), 'a wrong request does not start the service again');
  }
  for (const source of ['/media/../etc/u.raucb', '/media/stick/u.txt', 'file:///u.raucb', '-u.raucb', ''])
    t.equal(isUpdateSource(source), false, source);
});
