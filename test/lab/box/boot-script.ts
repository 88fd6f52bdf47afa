/**
 * The boot script in U-Boot on an emulated arm64 board: `node dist/test/lab/box/boot-script.js`. The slots of its card
 * have no kernel, so that every attempt fails: the script goes through all its states in a few seconds. What follows
 * a start is in the other files of this directory.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import t from 'tap';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { UBOOT } from './flashed-box.js';
import { IMAGE } from './paths.js';

const SLOT_MEGABYTES = 8;
/** One state takes three seconds on an idle machine. */
const LIMIT_MS = 300_000;
const SUM = '0123456789abcdef'.repeat(4);
/** What the script prints in each state, of the boot state and of its choice: complete lines. */
const STATES =
  /box: (?:boot state from copy \d|no boot state, defaults|no attempts left|slot [AB], order[^\r\n]*(?=[\r\n]))/g;

const run = promisify(execFile);
const directory = await tempDirectory(t);
const card = join(directory, 'card');
const root = join(directory, 'root');
const slot = join(directory, 'slot');
await mkdir(root);
const env = { ...process.env, SLOT_MB: String(SLOT_MEGABYTES) };
await run(join(IMAGE, 'make-ext4.sh'), [root, String(SLOT_MEGABYTES), SUM, slot], { env });
await run(join(IMAGE, 'disk.sh'), ['generic-arm64', slot, card], { env });

/** Switches the board on until the script has printed `count` lines; returns them. */
async function statesAfterSwitchOn(count: number): Promise<string[]> {
  const console = join(directory, 'console');
  await writeFile(console, '');
  const options = [
    '-M virt,gic-version=3,acpi=off -cpu cortex-a53 -m 256 -nodefaults -display none',
    `-bios ${UBOOT} -chardev file,id=console,path=${console} -serial chardev:console`,
    `-drive file=${card},if=none,id=card,format=raw -device virtio-blk-pci,drive=card,bootindex=0`,
  ].flatMap((words) => words.split(' '));
  // setpriv: qemu must not outlive a test that is killed.
  const qemu = spawn('setpriv', ['--pdeathsig', 'KILL', 'qemu-system-aarch64', ...options], {
    stdio: 'inherit',
  });
  const exited = once(qemu, 'exit');
  const printed = async () => (await readFile(console, 'latin1')).match(STATES) ?? [];
  try {
    await until(`${count} states`, async () => (await printed()).length >= count, LIMIT_MS);
    return (await printed()).slice(0, count).map((line) => line.trim().replace(/^box: /, ''));
  } finally {
    qemu.kill('SIGKILL');
    await exited;
  }
}

await t.test('each attempt is counted, then the other slot is tried, then both get three', async (t) => {
  t.strictSame(await statesAfterSwitchOn(15), [
    'no boot state, defaults',
    'slot A, order A B, attempts left A 2 B 3',
    ...['A 1 B 3', 'A 0 B 3'].flatMap((left) => [
      'boot state from copy 1',
      `slot A, order A B, attempts left ${left}`,
    ]),
    ...['A 0 B 2', 'A 0 B 1', 'A 0 B 0'].flatMap((left) => [
      'boot state from copy 1',
      `slot B, order A B, attempts left ${left}`,
    ]),
    'boot state from copy 1',
    'no attempts left',
    'boot state from copy 1',
  ]);
});

for (const [order, next] of [
  ['B A', 'B A'],
  ['B', 'A B'],
  ['A', 'A B'],
] as const)
  await t.test(`without attempts, both slots are tried again after the order ${order}`, async (t) => {
    await writeState({ BOOT_ORDER: order, BOOT_A_LEFT: '0', BOOT_B_LEFT: '0' });
    const [first] = next;
    t.strictSame(await statesAfterSwitchOn(4), [
      'boot state from copy 1',
      'no attempts left',
      'boot state from copy 1',
      `slot ${first}, order ${next}, attempts left ${first === 'A' ? 'A 2 B 3' : 'A 3 B 2'}`,
    ]);
  });

for (const [copies, first] of [
  [[1], 'boot state from copy 2'],
  [[2], 'boot state from copy 1'],
  [[1, 2], 'no boot state, defaults'],
] as const)
  await t.test(
    `a slot is chosen with damaged copies ${copies.join(' and ')} of the boot state`,
    async (t) => {
      for (const copy of copies)
        await run('qemu-io', ['-f', 'raw', '-c', `write -q -P 0xff ${copy}M 512`, card]);
      const [state, choice, next] = await statesAfterSwitchOn(3);
      t.equal(state, first);
      t.match(choice, /^(slot [AB], order A B, attempts left A \d B \d|no attempts left)/);
      t.equal(next, 'boot state from copy 1', 'both copies are written again');
    },
  );

/** Writes the first copy of the boot state in U-Boot's format: a CRC-32, then the variables, each with a NUL. */
async function writeState(variables: Readonly<Record<string, string>>): Promise<void> {
  const sector = Buffer.alloc(512);
  const text = Object.entries(variables).map(([name, value]) => `${name}=${value}\0`);
  sector.write(text.join(''), 4, 'latin1');
  sector.writeUInt32LE(crc32(sector.subarray(4)));
  await using file = await open(card, 'r+');
  await file.write(sector, 0, sector.length, 1024 * 1024);
}
