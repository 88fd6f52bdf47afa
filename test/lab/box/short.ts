/**
 * The box in `.ci/run`: `node dist/test/lab/box/short.js`, after up.js, with BOARD of this machine's architecture,
 * whose userland needs no emulation to be built. The image is built a second time from nothing and compared; the
 * first one starts, rejects updates, is updated, and rolls a broken update back. The steps follow one another on
 * one card. `make lab-box` has the rest, on the board with U-Boot.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { tempDirectory } from '../../tools/temp-directory.js';
import { FlashedBox, installUpdate, writeCard } from './flashed-box.js';
import { CACHED_WORK, DEBIAN_ARCH, LAB_OVERLAYS, makeDisk, makeSlot, prepareParts } from './image-build.js';
import { BOX_WORK, PREPARED, VERSION } from './paths.js';

const STATE = '/usr/lib/stellwerk-box/fw_printenv';
const CHIP_REPLY = '/run/stellwerk-chips/reply';
const started = performance.now();
const seconds = () => `${Math.round((performance.now() - started) / 1000)} s`;

// While the box works: it waits for most of the time that a gateway must have run.
const secondBuild = imageFromNothing('second');
secondBuild.catch(() => undefined);

await using box = await FlashedBox.switchOn(await writeCard(await tempDirectory(t)));

await t.test('the image starts, its slot is confirmed, and it asks for the code on the card', async (t) => {
  await box.printed(/box: slot A, order A B, attempts left A 2 B 3/);
  await box.up();
  t.comment(`up after ${seconds()}`);
  t.equal(await box.verdict(), 'healthy');
  t.comment(`confirmed after ${seconds()}`);
  t.equal(await box.agent.run('systemctl --failed --no-legend'), '');
  const [, code = ''] = await box.printed(/asks for the claim code ([0-9A-Z-]{8,})/);
  await box.agent.run('mkdir -p /run/card && mount -o ro $(readlink -f /run/box/boot) /run/card');
  t.match(await box.agent.run('cat /run/card/claim-code.txt; umount /run/card'), code);
});

await t.test('an update of a foreign signer and a damaged one change nothing', async (t) => {
  const before = await box.agent.run(STATE);
  const foreign = await installUpdate(box.agent, 'foreign');
  t.equal(foreign.code, 1);
  t.match(foreign.err, /signature|certificate/i);
  t.equal(await box.agent.run(STATE), before);
  t.equal((await installUpdate(box.agent, 'damaged')).code, 1);
  t.match(await box.agent.run('stellwerk update status'), /slot A .* runs, used at the next start/);
  t.comment(`rejected after ${seconds()}`);
});

await t.test('a chip that the gateway requests is declared on the data partition', async (t) => {
  // The board's own bus, with nothing at this address: the kernel has the chip, and its driver finds none.
  const request = JSON.stringify({ id: '0123456789abcdef', device: 'tmp102@0-0048' });
  await box.agent.put('/run/request', request);
  await box.agent.run('mv /run/request /run/stellwerk/chip-request');
  await box.agent.run(`until [ -s ${CHIP_REPLY} ]; do sleep 1; done`);
  t.match(JSON.parse(await box.agent.run(`cat ${CHIP_REPLY}`)), { id: '0123456789abcdef', problem: null });
  t.match(await box.agent.run('cat /data/box/chips.rules'), 'ATTR{new_device}="tmp102 0x48"');
});

await t.test('a good update is confirmed in the other slot', async (t) => {
  const { code, out } = await installUpdate(box.agent, 'good');
  t.equal(code, 0);
  t.match(out, `${VERSION.good} is installed. Restart the box`);
  t.comment(`installed after ${seconds()}`);
  t.strictSame(await box.restart(), ['B']);
  await box.up();
  t.equal(await box.verdict(), 'healthy');
  t.comment(`confirmed after ${seconds()}`);
  t.match(await box.agent.run(STATE), 'BOOT_ORDER=B A');
  t.notMatch(await box.agent.run('cat /proc/cmdline'), 'PARTUUID=53574b31', 'the disk has an id of its own');
  t.equal(await box.agent.run('cat /sys/bus/i2c/devices/0-0048/name'), 'tmp102', 'the declared chip');
});

await t.test('an update whose gateway does not start is rolled back by itself', async (t) => {
  t.equal((await installUpdate(box.agent, 'broken')).code, 0);
  // Five crashes use up all attempts.
  t.strictSame(await box.restart(2), ['A', 'B']);
  await box.up();
  t.equal(await box.verdict(), 'healthy');
  t.match(await box.agent.run('stellwerk update status'), `${VERSION.broken} was rolled back`);
  t.comment(`rolled back after ${seconds()}`);
  await box.powerOff();
});

await t.test('two builds of the image from the same packages have the same bytes', async (t) => {
  let one = { parts: join(CACHED_WORK, DEBIAN_ARCH), disk: PREPARED.disk as string };
  let other = await secondBuild;
  // The first can be a cache of packages that Debian has replaced since.
  if ((await packagesOf(one.parts)) !== (await packagesOf(other.parts))) {
    t.comment('the cache has other packages: a third build');
    [one, other] = [other, await imageFromNothing('third')];
  }
  t.equal(await packagesOf(one.parts), await packagesOf(other.parts), 'packages and versions');
  t.equal(await digestOf(one.disk), await digestOf(other.disk), 'image');
  t.comment(`compared after ${seconds()}`);
});

/** Builds the image again, with nothing of an earlier build. */
async function imageFromNothing(name: string): Promise<{ parts: string; disk: string }> {
  const work = join(BOX_WORK, name);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const parts = await prepareParts(work);
  const [slot, disk] = [join(work, 'slot.ext4'), join(work, 'disk.img')];
  const overlays = [LAB_OVERLAYS.agent, LAB_OVERLAYS.settings];
  await makeSlot(parts, { version: VERSION.flashed, output: slot, overlays });
  await makeDisk(parts, slot, disk);
  t.comment(`the ${name} image is built after ${seconds()}`);
  return { parts, disk };
}

/** The kernel, and Debian's packages in a userland, with their versions. */
async function packagesOf(parts: string): Promise<string> {
  const args = ['-xOf', join(parts, 'userland.tar'), './var/lib/dpkg/status'];
  const { stdout } = await promisify(execFile)('tar', args, { maxBuffer: 64 * 1024 * 1024 });
  const versions = stdout.split('\n').filter((line) => /^(Package|Version): /.test(line));
  return [await readFile(join(parts, 'kernel/version'), 'utf8'), ...versions].join('\n');
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
