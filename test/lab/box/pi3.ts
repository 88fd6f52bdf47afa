/**
 * The image of the Raspberry Pi on qemu's Pi 3: `node dist/test/lab/box/pi3.js`, after up.js. In place of the Pi's
 * closed firmware, qemu loads the card's U-Boot and device tree. All that follows is the card's own. There is no guest
 * agent, so the console shows how far it comes.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { packageVersion } from '../../../src/service/system.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { buildStage } from '../machine/stage.js';
import { ROOT } from '../paths.js';
import { BOX_WORK, IMAGE, VERSION } from './paths.js';

/** qemu's Pi 3 is slow, and its timers stall for minutes if the machine is busy. */
const START_LIMIT_MS = 1_800_000;
/** qemu 7.2's Pi resets as soon as its watchdog is started. */
const CONSOLE_ARGS = 'console=ttyS1,115200 systemd.watchdog_sec=0 module_blacklist=bcm2835_wdt';
const UBOOT = 'usr/lib/u-boot/rpi_arm64/u-boot.bin';
const DEVICE_TREE = 'broadcom/bcm2837-rpi-3-b.dtb';
/** qemu accepts cards whose size is a power of two. */
const CARD_BYTES = '4G';
const CONSOLE_TAIL = 2_000;

const run = promisify(execFile);
const parts = join(process.env['IMAGE_WORK'] ?? join(ROOT, '.work/image'), 'arm64');
const bundle = join(ROOT, 'build', `stellwerk-${packageVersion()}-linux-arm64.tar.gz`);
const work = join(BOX_WORK, 'pi3');
const [slot, disk] = [join(work, 'slot.ext4'), join(work, 'disk.img')];

mkdirSync(work, { recursive: true });
await buildStage({
  name: 'box-pi3-disk',
  from: [bundle, IMAGE, join(parts, 'userland.key'), join(parts, 'kernel.key'), CONSOLE_ARGS],
  output: disk,
  make: async () => {
    const from = ['userland.tar', 'kernel', 'initrd.gz'].map((name) => join(parts, name));
    const keys = join(BOX_WORK, 'keys/ca.pem');
    await run(join(IMAGE, 'slot.sh'), ['rpi', ...from, bundle, keys, VERSION.flashed, slot]);
    const env = {
      ...process.env,
      CONSOLE_ARGS,
      FIRMWARE: join(parts, 'firmware'),
      KERNEL: join(parts, 'kernel'),
    };
    await run(join(IMAGE, 'disk.sh'), ['rpi', slot, disk], { env });
  },
});

const directory = await tempDirectory(t);
const at = (name: string) => join(directory, name);
const kernel = join(parts, 'kernel/usr/lib');
const [release = ''] = readdirSync(kernel).filter((name) => name.startsWith('linux-image-'));
await run('cp', [join(kernel, release, DEVICE_TREE), at('pi.dtb')]);
// The device tree gives the serial line that qemu emulates to Bluetooth.
await run('fdtput', ['-r', at('pi.dtb'), '/soc/serial@7e201000/bluetooth']);
await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', disk, at('card'), CARD_BYTES]);
const options = [
  '-M raspi3b -accel tcg,thread=multi,tb-size=512 -nodefaults -display none',
  `-kernel ${join(parts, 'firmware', UBOOT)} -dtb ${at('pi.dtb')}`,
  `-serial null -serial file:${at('console')} -drive if=sd,format=qcow2,file=${at('card')}`,
].flatMap((words) => words.split(' '));
// qemu opens it later.
writeFileSync(at('console'), '');
const started = performance.now();
// setpriv: qemu must not outlive a test that is killed.
const qemu = spawn('setpriv', ['--pdeathsig', 'KILL', 'qemu-system-aarch64', ...options], {
  stdio: 'inherit',
});
const exited = once(qemu, 'exit');
t.teardown(async () => {
  qemu.kill('SIGKILL');
  await exited;
});

for (const [what, pattern] of [
  ['U-Boot chooses slot A', /box: slot A, order A B, attempts left A 2 B 3/],
  ['the kernel starts', /Linux version 6/],
  ['the data partition grows', /box: growing \/dev\/mmcblk0p4/],
  ['the console shows the claim code', /asks for the claim code [0-9A-Z-]{8,}/],
  ['the slot is confirmed', /box: slot A, [0-9.]+: healthy at \d+ s/],
] as const)
  await t.test(what, async (t) => {
    const console = () => readFileSync(at('console'), 'latin1');
    const [found] = await until(what, () => pattern.exec(console()), START_LIMIT_MS).catch(
      (late: unknown) => {
        throw new Error(`the console ends with:\n${console().slice(-CONSOLE_TAIL)}`, { cause: late });
      },
    );
    t.ok(found, what);
    t.comment(`${found}, after ${Math.round((performance.now() - started) / 1000)} s`);
  });
