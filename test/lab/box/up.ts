/**
 * From nothing to a flashable image and updates for the lab: `node dist/test/lab/box/up.js`. Does only what is
 * not done yet. Needs Debian 12, root, the packages of packages.txt, and the bundle of
 * `make bundle ARCH=arm64`, or for BOARD=generic-x64 that of `make bundle ARCH=x64`. The keys are made here and are good for nothing else.
 */
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
import { packageVersion } from '../../../src/service/system.js';
import { buildStage } from '../machine/stage.js';
import {
  BUNDLE,
  CACHED_WORK,
  CONSOLE_ARGS,
  DEBIAN_ARCH,
  KEYS,
  LAB_OVERLAYS,
  makeDisk,
  makeSlot,
  prepareParts,
  run,
  STAGE,
} from './image-build.js';
import { BOARD, BOX_WORK, IMAGE, PREPARED, VERSION } from './paths.js';

const AGENT = ['qemu-guest-agent', 'liburing2', 'libnuma1'];
const broken = join(BOX_WORK, 'broken');

mkdirSync(BOX_WORK, { recursive: true });
const parts = await prepareParts(CACHED_WORK);
const { agent, settings } = LAB_OVERLAYS;
if (!existsSync(agent)) await run(join(IMAGE, 'download.sh'), 'bookworm', DEBIAN_ARCH, agent, ...AGENT);
for (const directory of Object.values(KEYS))
  if (!existsSync(directory)) await run(join(IMAGE, 'make-keys.sh'), directory);
breakGateway();

const slotKeys = await Promise.all(
  Object.entries(VERSION).map(([name, version]) =>
    buildStage({
      name: `${STAGE}-slot-${name}`,
      from: [BUNDLE, IMAGE, settings, join(parts, 'userland.key'), join(parts, 'kernel.key'), version],
      output: slot(name),
      make: () => {
        const overlays = [agent, settings, ...(name === 'broken' ? [broken] : [])];
        return makeSlot(parts, { version, output: slot(name), overlays });
      },
    }),
  ),
);
await buildStage({
  name: `${STAGE}-disk`,
  from: [slotKeys[Object.keys(VERSION).indexOf('flashed')] ?? '', CONSOLE_ARGS],
  output: PREPARED.disk,
  make: () => makeDisk(parts, slot('flashed'), PREPARED.disk),
});
await buildStage({
  name: `${STAGE}-stick`,
  from: [...slotKeys, import.meta.filename],
  output: PREPARED.stick,
  make: makeStick,
});

function slot(name: string): string {
  return join(BOX_WORK, `${name}.ext4`);
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
  await Promise.all([
    makeUpdate('good', KEYS.own, file('good')),
    makeUpdate('broken', KEYS.own, file('broken')),
    makeUpdate('good', KEYS.foreign, file('foreign')),
  ]);
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
