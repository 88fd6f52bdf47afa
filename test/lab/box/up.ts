/**
 * From nothing to a flashable image and updates for the lab: `node dist/test/lab/box/up.js`. Does only what is
 * not done yet. Needs Debian 12, root, the packages of packages.txt, and the bundle of
 * `make bundle ARCH=arm64`, or for BOARD=generic-x64 that of `make bundle ARCH=x64`. The keys are made here and are good for nothing else.
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageVersion } from '../../../src/service/system.js';
import { buildStage } from '../machine/stage.js';
import { ROOT } from '../paths.js';
import { BOARD, BOX_WORK, IMAGE, PREPARED, VERSION } from './paths.js';

/** The longest, the userland, takes two to three minutes on an idle machine. */
const SCRIPT_LIMIT_MS = 3_600_000;
/** Of the bundle, of Debian's packages, and what the names of the stages begin with. */
const { bundleArch, arch, stage, console } = {
  'generic-arm64': { bundleArch: 'arm64', arch: 'arm64', stage: 'box', console: 'ttyAMA0' },
  'generic-x64': { bundleArch: 'x64', arch: 'amd64', stage: 'box-x64', console: 'ttyS0' },
}[BOARD];
const AGENT = ['qemu-guest-agent', 'liburing2', 'libnuma1'];
/** A board that others' work slows down is not to fail; the console is quiet, because each line costs time. */
const CONSOLE_ARGS = [
  `console=${console} quiet systemd.show_status=0 systemd.watchdog_sec=900`,
  'systemd.default_timeout_start_sec=900 systemd.default_device_timeout_sec=900',
].join(' ');

const work = process.env['IMAGE_WORK'] ?? join(ROOT, '.work/image');
const parts = join(work, arch);
/** Compresses fast: the lab does not download. */
const env = { ...process.env, COMPRESSION_LEVEL: '1', CONSOLE_ARGS, FIRMWARE: join(parts, 'firmware') };
const agent = join(BOX_WORK, 'agent');
const overlay = join(ROOT, 'test/lab/box/overlay');
const broken = join(BOX_WORK, 'broken');
const [keys, foreign] = [join(BOX_WORK, 'keys'), join(BOX_WORK, 'foreign-keys')];
const bundle = join(ROOT, 'build', `stellwerk-${packageVersion()}-linux-${bundleArch}.tar.gz`);
if (!existsSync(bundle)) throw new Error(`no bundle: run make bundle ARCH=${bundleArch} first`);

mkdirSync(BOX_WORK, { recursive: true });
await run(join(IMAGE, 'prepare.sh'), arch, work);
if (!existsSync(agent)) await run(join(IMAGE, 'download.sh'), 'bookworm', arch, agent, ...AGENT);
for (const directory of [keys, foreign])
  if (!existsSync(directory)) await run(join(IMAGE, 'make-keys.sh'), directory);
breakGateway();

const slotKeys = new Map<string, string>();
for (const [name, version] of Object.entries(VERSION))
  slotKeys.set(
    name,
    await buildStage({
      name: `${stage}-slot-${name}`,
      from: [bundle, IMAGE, overlay, join(parts, 'userland.key'), join(parts, 'kernel.key'), version],
      output: slot(name),
      make: () => makeSlot(name, version),
    }),
  );
await buildStage({
  name: `${stage}-disk`,
  from: [slotKeys.get('flashed') ?? '', CONSOLE_ARGS],
  output: PREPARED.disk,
  make: () => run(join(IMAGE, 'disk.sh'), BOARD, slot('flashed'), PREPARED.disk),
});
await buildStage({
  name: `${stage}-stick`,
  from: [...slotKeys.values(), import.meta.filename],
  output: PREPARED.stick,
  make: makeStick,
});

function slot(name: string): string {
  return join(BOX_WORK, `${name}.ext4`);
}

function makeSlot(name: string, version: string): Promise<void> {
  const overlays = [agent, overlay, ...(name === 'broken' ? [broken] : [])];
  const from = [join(parts, 'userland.tar'), join(parts, 'kernel'), join(parts, 'initrd.gz'), bundle];
  return run(join(IMAGE, 'slot.sh'), BOARD, ...from, join(keys, 'ca.pem'), version, slot(name), ...overlays);
}

/** An overlay in which Node does not start. */
function breakGateway(): void {
  const directory = join(broken, `opt/stellwerk/${packageVersion()}/bin`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'node'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(directory, 'node'), 0o755);
}

/** The updates, in a file system that the box sees as a memory stick. */
async function makeStick(): Promise<void> {
  const directory = join(BOX_WORK, 'stick');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const file = (name: string) => join(directory, `${name}.raucb`);
  await makeUpdate('good', keys, file('good'));
  await makeUpdate('broken', keys, file('broken'));
  await makeUpdate('good', foreign, file('foreign'));
  await run('cp', file('good'), file('damaged'));
  const target = openSync(file('damaged'), 'r+');
  writeSync(target, Buffer.alloc(4096, 0xff), 0, 4096, Math.floor(statSync(file('damaged')).size / 2));
  closeSync(target);
  await run('rm', '-f', PREPARED.stick);
  await run('truncate', '-s', '1G', PREPARED.stick);
  await run('mke2fs', '-q', '-t', 'ext4', '-d', directory, PREPARED.stick);
  rmSync(directory, { recursive: true });
}

function makeUpdate(name: 'good' | 'broken', signer: string, output: string): Promise<void> {
  const key = [join(signer, 'signer-1.key'), join(signer, 'signer-1.pem'), join(signer, 'ca.pem')];
  return run(join(IMAGE, 'update-bundle.sh'), BOARD, slot(name), VERSION[name], ...key, output);
}

/** Runs a program; its output is in the error if it fails. */
async function run(command: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(command, args, { env, timeout: SCRIPT_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });
}
