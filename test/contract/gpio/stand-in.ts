import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ADDON, SANITIZERS, compileC, sanitizerLibrary, sourcesIn } from '../../tools/compile-c.js';
import { compileFileSystem, fuseObstacle } from '../../tools/fuse.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const here = join(PACKAGE_ROOT, 'test/contract/gpio');
const native = join(PACKAGE_ROOT, 'drivers/gpio/native');
/** Only the addon is instrumented, so memory that Node keeps until its end is not a leak. */
const ASAN_OPTIONS = 'detect_leaks=0:halt_on_error=1:abort_on_error=0';

/** Mounts the stand-in in a mount namespace, runs a program there, and ends the stand-in with it. */
const MOUNTED = `
  mount -t tmpfs none /sys/class && mkdir /sys/class/gpio || exit 1
  "$1" -f -s /sys/class/gpio & fuse=$!
  n=0; until [ -e /sys/class/gpio/export ] || [ $n = 100 ]; do n=$((n+1)); sleep 0.05; done
  shift; "$@"; status=$?
  kill $fuse; exit $status`;

/**
 * Runs a compiled test program as a subtest, with a stand-in mounted at /sys/class/gpio; skips it with a
 * reason if that is not possible.
 */
export async function onSysfsStandIn(t: Test, program: string): Promise<void> {
  const skip = await sysfsObstacle();
  let fuse = '';
  if (skip === false) fuse = await compileFileSystem('gpiofuse', join(here, 'fuse/gpiofuse.c'));
  const node = [process.execPath, '--enable-source-maps', program];
  await t.spawn('unshare', ['-m', 'sh', '-c', MOUNTED, 'sh', fuse, ...node], { skip }, 'sysfs and onoff');
}

/**
 * Runs a compiled test program with a stand-in for the kernel's character device preloaded, and with the
 * addon built for the address and undefined-behaviour sanitizers; skips it with a reason if that is not
 * possible.
 */
export async function onCdevStandIn(t: Test, program: string): Promise<void> {
  const skip = hasProgram('gcc') ? false : 'needs gcc';
  const env: Record<string, string | undefined> = { ...process.env, ASAN_OPTIONS };
  const args = ['--enable-source-maps', '--expose-gc', program];
  if (skip === false) {
    const devices = join(await tempDirectory(t), 'gpio-stand-in');
    await mkdir(devices);
    const node = join(devices, 'gpiochip0');
    await writeFile(node, '');
    const [kernel, addon, asan] = await Promise.all([
      compileC('gpiokernel.node', [join(here, 'kernel/gpiokernel.c')], ADDON),
      compileC('gpio.node', await sourcesIn(native), [...ADDON, ...SANITIZERS]),
      sanitizerLibrary(),
    ]);
    env['LD_PRELOAD'] = `${asan} ${kernel}`;
    args.push(kernel, node, addon);
  }
  await t.spawn(process.execPath, args, { skip, env }, 'the character device and its addon');
}

async function sysfsObstacle(): Promise<string | false> {
  return hasProgram('unshare') && hasProgram('gcc') ? fuseObstacle() : 'needs unshare and gcc';
}
