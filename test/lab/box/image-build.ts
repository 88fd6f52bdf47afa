/** The steps of `make image`, as the lab does them: with fast compression, and a quiet console. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageVersion } from '../../../src/service/system.js';
import { ROOT } from '../paths.js';
import { BOARD, BOX_WORK, IMAGE } from './paths.js';

/** The longest, the userland, takes two to three minutes on an idle machine. */
const SCRIPT_LIMIT_MS = 3_600_000;
/** Of the bundle, of Debian's packages, and what the names of the stages begin with. */
const boards = {
  'generic-arm64': { bundleArch: 'arm64', arch: 'arm64', stage: 'box', console: 'ttyAMA0' },
  'generic-x64': { bundleArch: 'x64', arch: 'amd64', stage: 'box-x64', console: 'ttyS0' },
} as const;
const { bundleArch, console } = boards[BOARD];
export const { arch: DEBIAN_ARCH, stage: STAGE } = boards[BOARD];
/** A board that others' work slows down is not to fail; the console is quiet, because each line costs time. */
export const CONSOLE_ARGS = [
  `console=${console} quiet systemd.show_status=0 systemd.watchdog_sec=900`,
  'systemd.default_timeout_start_sec=900 systemd.default_device_timeout_sec=900',
].join(' ');

/** Can be a cache of several checkouts: the variable IMAGE_WORK names it. */
export const CACHED_WORK = process.env['IMAGE_WORK'] ?? join(ROOT, '.work/image');
/** The bundle of `make bundle`. */
export const BUNDLE = join(ROOT, 'build', `stellwerk-${packageVersion()}-linux-${bundleArch}.tar.gz`);
/** What the images of the lab have in addition: the guest agent, and long time limits. */
export const LAB_OVERLAYS = {
  agent: join(BOX_WORK, 'agent'),
  settings: join(ROOT, 'test/lab/box/overlay'),
} as const;
/** Certificates and signers that are good for nothing else. */
export const KEYS = { own: join(BOX_WORK, 'keys'), foreign: join(BOX_WORK, 'foreign-keys') } as const;

/** Builds userland, kernel and initramfs in a directory, if they are not there; returns their directory. */
export async function prepareParts(work: string): Promise<string> {
  if (!existsSync(BUNDLE)) throw new Error(`no bundle: run make bundle ARCH=${bundleArch} first`);
  await run(join(IMAGE, 'prepare.sh'), DEBIAN_ARCH, work);
  return join(work, DEBIAN_ARCH);
}

interface Slot {
  readonly version: string;
  readonly output: string;
  /** Directories whose files it has in addition. */
  readonly overlays: readonly string[];
}

/** Builds a slot. */
export function makeSlot(parts: string, { version, output, overlays }: Slot): Promise<void> {
  const from = [join(parts, 'userland.tar'), join(parts, 'kernel'), join(parts, 'initrd.gz'), BUNDLE];
  return run(join(IMAGE, 'slot.sh'), BOARD, ...from, join(KEYS.own, 'ca.pem'), version, output, ...overlays);
}

/** Builds the image that is written to a card. */
export function makeDisk(parts: string, slot: string, output: string): Promise<void> {
  return runWith({ FIRMWARE: join(parts, 'firmware') }, join(IMAGE, 'disk.sh'), BOARD, slot, output);
}

/** Runs a program; its output is in the error if it fails. */
export function run(command: string, ...args: string[]): Promise<void> {
  return runWith({}, command, ...args);
}

async function runWith(own: NodeJS.ProcessEnv, command: string, ...args: string[]): Promise<void> {
  // Compresses fast: the lab does not download.
  const env = { ...process.env, COMPRESSION_LEVEL: '1', CONSOLE_ARGS, ...own };
  await promisify(execFile)(command, args, { env, timeout: SCRIPT_LIMIT_MS, maxBuffer: 64 * 1024 * 1024 });
}
