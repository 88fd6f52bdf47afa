/** Updates of a box as its owner and its schedule request them; the service that works as root is a file here. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { BoxUpdates } from '../../../src/composition/updates/box-updates.js';
import { NameResolver } from '../../../src/device/toolkit/name-resolver.js';
import { REQUEST_FILE } from '../../../src/service/updates/box-files.js';
import { boxIn, put, reportState, SLOTS } from '../../tools/box/box-directory.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

/** A publisher of updates; counts who asks. */
async function publisher(t: Test, reply: { version: string; update?: string }) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(JSON.stringify({ update: 'box-1.2.0.raucb', ...reply }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stable/box.json` };
}

async function box(t: Test, yaml = '', clock?: ManualClock) {
  const directory = await tempDirectory(t);
  const files = boxIn(directory);
  reportState(files, {});
  const gateway = await startGateway(t, SIMULATED_CONFIG + yaml, {
    directory,
    boxFiles: files,
    ...(clock && { clock }),
  });
  const path = join(directory, 'data/run', REQUEST_FILE);
  /** What was requested; the service takes it. */
  const taken = () => {
    if (!existsSync(path)) return undefined;
    const request = JSON.parse(readFileSync(path, 'utf8')) as object;
    rmSync(path);
    return request;
  };
  return { gateway, files, taken };
}

t.test('the owner checks, installs, restarts, and returns to the other version', async (t) => {
  const { asked, url } = await publisher(t, { version: '1.2.0' });
  const { gateway, files, taken } = await box(t, `updates: { url: "${url}" }\n`);
  t.match(await rpc(gateway, 'GW_GetUpdates'), {
    IsBox: true,
    Version: '1.1.0',
    Slots: [
      { Name: 'A', Version: '1.0.0' },
      { Name: 'B', IsRunning: true, IsNext: true, IsUsable: true },
    ],
    Busy: '',
    Available: '',
  });
  t.equal(await rpc(gateway, 'GW_InstallUpdate'), 'PARAMETER_BOUNDS', 'nothing was found yet');
  t.match(await rpc(gateway, 'GW_CheckUpdates'), { Available: '1.2.0', CheckedMs: Number });
  t.strictSame(asked, ['/stable/box.json']);
  t.equal(taken(), undefined, 'a check installs nothing');
  t.equal(await rpc(gateway, 'GW_InstallUpdate'), true);
  t.match(await rpc(gateway, 'GW_GetUpdates'), { Busy: 'waiting' });
  t.equal(await rpc(gateway, 'GW_RestartBox'), 'BUSY');
  const source = new URL('box-1.2.0.raucb', url).href;
  t.strictSame(taken(), { action: 'install', source, isAutomatic: false, version: '1.2.0' });
  reportState(files, { busy: 'install', version: '1.2.0', percent: 40 });
  t.match(await rpc(gateway, 'GW_GetUpdates'), { Busy: 'install', Installing: '1.2.0', Percent: 40 });
  t.equal(await rpc(gateway, 'GW_ActivateOtherSlot'), 'BUSY');
  reportState(files, { problem: 'the signature is wrong' });
  t.match(await rpc(gateway, 'GW_GetUpdates'), { Busy: '', Problem: 'the signature is wrong' });
  t.equal(await rpc(gateway, 'GW_InstallUpdate', '/media/stick/box.raucb'), true);
  t.match(taken(), { source: '/media/stick/box.raucb', version: '' }, 'any version of a file');
  t.equal(await rpc(gateway, 'GW_InstallUpdate', '/etc/shadow'), 'PARAMETER_BOUNDS');
  t.equal(await rpc(gateway, 'GW_ActivateOtherSlot'), true);
  t.match(taken(), { action: 'back' });
  t.equal(await rpc(gateway, 'GW_RestartBox'), true);
  t.match(taken(), { action: 'restart' });
});

t.test('a machine without slots has no updates', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG, {
    boxFiles: { ...boxIn(await tempDirectory(t)), release: '/none' },
  });
  t.match(await rpc(gateway, 'GW_GetUpdates'), { IsBox: false, Slots: [], Version: '' });
  for (const method of ['GW_CheckUpdates', 'GW_InstallUpdate', 'GW_ActivateOtherSlot', 'GW_RestartBox'])
    t.equal(
      await rpc(gateway, method, ...(method === 'GW_InstallUpdate' ? ['/media/u.raucb'] : [])),
      'NOT_SUPPORTED',
    );
});

t.test('an address that does not offer updates is an error', async (t) => {
  const { url } = await publisher(t, { version: '<b>' });
  const { gateway } = await box(t, `updates: { url: "${url}" }\n`);
  t.equal(await rpc(gateway, 'GW_CheckUpdates'), 'URL_FAILED');
  const without = await box(t);
  t.equal(await rpc(without.gateway, 'GW_CheckUpdates'), 'NAME_NOT_FOUND');
});

t.test('a service that ended without a report is a problem, not progress', async (t) => {
  const { gateway, files } = await box(t);
  reportState(files, { busy: 'install', percent: 40, atMs: 0 });
  t.match(await rpc(gateway, 'GW_GetUpdates'), { Busy: '', Problem: /journalctl -u box-update/ });
});

t.test('a gateway that stops requests nothing more', async (t) => {
  const directory = await tempDirectory(t);
  const files = boxIn(directory);
  reportState(files, {});
  const clock = new ManualClock();
  const names = new NameResolver(clock, { local: async () => [], system: async () => [] });
  const updates = new BoxUpdates({
    files,
    clock,
    names,
    runtimeDirectory: directory,
    config: () => undefined,
    log: silentLog,
  });
  const restarting = updates.restart();
  await updates.close();
  await restarting;
  t.notOk(existsSync(join(directory, REQUEST_FILE)));
});

const HOUR = 3_600_000;

t.test('nothing is asked unless it is configured; then once a day, in the window', async (t) => {
  const { asked, url } = await publisher(t, { version: '1.2.0' });
  const clock = new ManualClock();
  const noon = new Date(clock.nowMs()).setHours(12, 0, 0, 0);
  clock.advance(noon + 24 * HOUR - clock.nowMs());
  const { gateway, files, taken } = await box(t, '', clock);
  const atMs = Number.MAX_SAFE_INTEGER;
  reportState(files, { atMs });
  clock.sleep(24 * HOUR);
  t.match(await rpc(gateway, 'GW_GetUpdates'), { NextCheckMs: 0 });
  await gateway.configure(`${SIMULATED_CONFIG}updates: { url: "${url}", from: "02:00", to: "04:00" }\n`);
  await rpc(gateway, 'GW_ReloadConfiguration');
  const { NextCheckMs } = (await rpc(gateway, 'GW_GetUpdates')) as { NextCheckMs: number };
  t.ok(
    NextCheckMs >= noon + 62 * HOUR && NextCheckMs <= noon + 64 * HOUR,
    'between 2 and 4 in the next night',
  );
  clock.sleep(13 * HOUR);
  await rpc(gateway, 'GW_GetUpdates');
  t.strictSame(asked, [], 'neither without the setting, nor before the window');
  /** To the minute after the check is due; a request over the network has no time to be late. */
  const passCheck = async () => {
    const updates = (await rpc(gateway, 'GW_GetUpdates')) as { NextCheckMs: number };
    clock.sleep(updates.NextCheckMs + 60_000 - clock.nowMs());
  };
  await passCheck();
  await until('the check', () => asked.length === 1);
  t.match(await rpc(gateway, 'GW_GetUpdates'), { Available: '1.2.0' });
  t.equal(taken(), undefined, 'it is not installed');

  await gateway.configure(`${SIMULATED_CONFIG}updates: { url: "${url}", install: true }\n`);
  await rpc(gateway, 'GW_ReloadConfiguration');
  await passCheck();
  await until('the second check', () => asked.length === 2);
  const source = new URL('box-1.2.0.raucb', url).href;
  await until('the request', () => existsSync(join(gateway.directory, 'data/run', REQUEST_FILE)));
  t.strictSame(taken(), { action: 'install', source, isAutomatic: true, version: '1.2.0' });
  const [a, b] = SLOTS;
  reportState(files, {
    atMs,
    slots: [
      { ...a!, version: '1.2.0', isNext: true },
      { ...b!, isNext: false },
    ],
  });
  clock.sleep(12 * HOUR);
  t.match(await rpc(gateway, 'GW_GetUpdates'), { Slots: [{ Version: '1.2.0', IsNext: true }, {}] });
  t.equal(taken(), undefined, 'no restart by day');
  await passCheck();
  // The work of the night before may still be ending; the next minute tries again.
  await until('the restart', () => {
    clock.advance(60_000);
    return existsSync(join(gateway.directory, 'data/run', REQUEST_FILE));
  });
  t.match(taken(), { action: 'restart' }, 'in the window');
});

for (const [why, note] of [
  ['rolled back', 'rolledBack'],
  ['left by its owner', 'skipped'],
] as const)
  t.test(`a version that was ${why} is not downloaded again`, async (t) => {
    const reply = { version: '1.2.0' };
    const { url } = await publisher(t, reply);
    const clock = new ManualClock();
    const { gateway, files, taken } = await box(t, `updates: { url: "${url}", install: true }\n`, clock);
    reportState(files, { atMs: Number.MAX_SAFE_INTEGER });
    const times = { time: '2026-11-01T02:00:00Z', limit: 180 };
    const rolledBack = JSON.stringify({ version: '1.2.0', running: '1.1.0', reason: 'start', ...times });
    put(files[note], note === 'skipped' ? '1.2.0\n' : rolledBack);
    const updates = async () =>
      (await rpc(gateway, 'GW_GetUpdates')) as { NextCheckMs: number; Available: string };
    const passCheck = async () => clock.sleep((await updates()).NextCheckMs + 60_000 - clock.nowMs());
    await passCheck();
    await until('the check', async () => (await updates()).Available === '1.2.0');
    reply.version = '1.3.0';
    await passCheck();
    await until('a request', () => existsSync(join(gateway.directory, 'data/run', REQUEST_FILE)));
    t.match(taken(), { action: 'install', version: '1.3.0' }, 'the first request is for another version');
  });
