/** Paths of the lab: its sources in test/lab, and everything that it creates in .work/lab of the checkout. */
import { join, resolve } from 'node:path';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';

/** The checkout (this file runs as dist/test/lab/paths.js). */
export const ROOT = resolve(PACKAGE_ROOT);
/** Scripts and files from which the machine is built. */
export const RECIPE = join(ROOT, 'test/lab/recipe');
/** The Debian releases of the machine's kernel and of its userland. */
export const KERNEL_SUITE = 'bookworm';
export const SUITE = process.env['SUITE'] ?? KERNEL_SUITE;
/** Everything generated; may be deleted at any time. */
export const WORK = join(ROOT, SUITE === KERNEL_SUITE ? '.work/lab' : `.work/lab-${SUITE}`);
/** The machine that up.ts prepares. */
export const READY = {
  kernel: join(WORK, 'kernel/vmlinuz'),
  initramfs: join(WORK, 'initramfs.cpio.gz'),
  /**
   * Contains two frozen machines (see {@link FROZEN}); booted cold it is a box switched on after its
   * installation.
   */
  disk: join(WORK, 'machine.qcow2'),
} as const;
/**
 * The frozen machines in the disk file: a booted box without the gateway, and one with the gateway installed
 * and running.
 */
export const FROZEN = { booted: 'booted', installed: 'installed' } as const;
/** The size of the memory stick, which a frozen machine remembers; enough for the bundle. */
export const STICK_BYTES = 96 * 1024 * 1024;
