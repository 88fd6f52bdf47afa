/**
 * From nothing to a frozen machine with the bundle installed: `node dist/test/lab/up.js [BUNDLE.tar.gz]`.
 * Does only what is not done yet. Needs Debian 12, root, and the packages of packages.txt; without an
 * argument it uses the bundle of `make bundle ARCH=arm64`.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Machine } from './machine/machine.js';
import { RECIPE, FROZEN, KERNEL_SUITE, READY, ROOT, STICK_BYTES, SUITE, WORK } from './paths.js';
import { buildStage } from './machine/stage.js';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';
import { packageVersion } from '../../src/service/system.js';

/** The longest, the userland, takes two to three minutes on an idle machine. */
const SCRIPT_LIMIT_MS = 2_700_000;
const SYSTEM_LIMIT_MS = 300_000;
const INSTALL_LIMIT_MS = 600_000;

const userland = join(WORK, 'userland.tar');
const kernel = join(WORK, 'kernel');
const image = join(WORK, 'image.raw');
const booted = join(WORK, 'booted.qcow2');

mkdirSync(WORK, { recursive: true });
const bundle = process.argv[2] ?? currentBundle();
await script('binfmt.sh');
await install(await boot(await assemble()));

/** Userland and kernel are built from Debian in parallel; then the disk. */
async function assemble(): Promise<string> {
  const packages = recipe('userland-packages.txt');
  const [userlandKey, kernelKey] = await Promise.all([
    buildStage({
      name: 'userland',
      from: [recipe('userland.sh'), packages, SUITE],
      output: userland,
      make: () => script('userland.sh', SUITE, packages, userland),
    }),
    buildStage({
      name: 'kernel',
      from: [recipe('kernel.sh'), recipe('w1-sim.c'), KERNEL_SUITE],
      output: READY.kernel,
      make: () => script('kernel.sh', KERNEL_SUITE, kernel),
    }),
  ]);
  const initramfsKey = await buildStage({
    name: 'initramfs',
    from: [recipe('initramfs.sh'), recipe('init.c'), kernelKey],
    output: READY.initramfs,
    make: () => script('initramfs.sh', kernel, READY.initramfs),
  });
  const imageKey = await buildStage({
    name: 'image',
    from: [
      recipe('image.sh'),
      recipe('edges.c'),
      recipe('i2c-word.c'),
      recipe('overlay'),
      userlandKey,
      kernelKey,
    ],
    output: image,
    make: () => script('image.sh', userland, kernel, image),
  });
  return initramfsKey + imageKey;
}

/** Boots the machine without the gateway and freezes it. */
function boot(diskKey: string): Promise<string> {
  return buildStage({
    name: 'booted',
    from: [join(PACKAGE_ROOT, 'dist/test/lab/machine/machine.js'), diskKey],
    output: booted,
    async make() {
      rmSync(booted, { force: true });
      await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', image, booted]);
      await using machine = await Machine.start({ disk: booted });
      await machine.agent.run('systemctl is-system-running --wait', SYSTEM_LIMIT_MS);
      await machine.agent.run('modprobe ftdi_sio; sync');
      await machine.freeze(FROZEN.booted);
    },
  });
}

/**
 * Installs the bundle as a user would, from a memory stick, freezes the machine, and shuts it down cleanly.
 */
async function install(bootedKey: string): Promise<void> {
  const relay = ['relay.js', 'frames.js'].map((name) => join(PACKAGE_ROOT, 'dist/test/lab/guest', name));
  await buildStage({
    name: 'installed',
    from: [bundle, ...relay, bootedKey, import.meta.filename],
    output: READY.disk,
    async make() {
      const stick = join(WORK, 'stick.raw');
      copyFileSync(bundle, stick);
      truncateSync(stick, STICK_BYTES);
      copyFileSync(booted, READY.disk);
      await using machine = await Machine.start({ disk: READY.disk, frozen: FROZEN.booted, stick });
      const { agent } = machine;
      await agent.run('mkdir -p /opt/lab/relay');
      await agent.put('/opt/lab/relay/package.json', '{"type":"module"}');
      for (const file of relay) await agent.copy(file, '/opt/lab/relay');
      // Past the page cache: the machine was frozen with an empty stick. gzip stops at the end of the
      // compressed data.
      const unpack = 'dd if=/dev/vdb bs=1M iflag=direct status=none | (gzip -dcq || [ $? = 2 ]) | tar -x';
      await agent.run(
        `set -o pipefail; mkdir /root/bundle && cd /root/bundle && ${unpack}`,
        INSTALL_LIMIT_MS,
      );
      await agent.run('/root/bundle/stellwerk-*/install.sh && rm -r /root/bundle', INSTALL_LIMIT_MS);
      await agent.run(
        'systemctl start lab-relay && systemctl is-active stellwerk lab-relay && sync',
        SYSTEM_LIMIT_MS,
      );
      await machine.freeze(FROZEN.installed);
      await machine.powerOff();
    },
  });
}

/** The bundle of this version; an older one may exist. */
function currentBundle(): string {
  const file = join(ROOT, 'build', `stellwerk-${packageVersion()}-linux-arm64.tar.gz`);
  if (!existsSync(file)) throw new Error('no bundle: run `make bundle ARCH=arm64` first');
  return file;
}

function recipe(name: string): string {
  return join(RECIPE, name);
}

async function script(name: string, ...args: string[]): Promise<void> {
  await run(recipe(name), args);
}

/** Runs a program; its output is in the error if it fails. */
async function run(command: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(command, args, { timeout: SCRIPT_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });
}
