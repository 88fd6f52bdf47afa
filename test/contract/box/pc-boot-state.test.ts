/**
 * The boot state of a PC: fw_setenv and fw_printenv, as RAUC calls them, write and read GRUB's format in two copies;
 * grub.cfg chooses a slot.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const BOX = 'usr/lib/stellwerk-box';
const PROGRAMS = join(PACKAGE_ROOT, 'box/image/overlay-generic-x64', BOX);
const DEFAULTS = join(PACKAGE_ROOT, 'box/image/overlay', BOX, 'boot-state.defaults');
/** Where disk.sh puts the files of both copies. */
const COPIES = [5122 * 1024, 6146 * 1024];
const BLOCK_BYTES = 1024;

/** An empty disk, and the programs on it. */
async function emptyDisk(test: Test) {
  const disk = join(await tempDirectory(test), 'disk');
  writeFileSync(disk, '');
  truncateSync(disk, 8 * 1024 * 1024);
  const env = { ...process.env, DISK: disk, DEFAULTS };
  const run = (name: string, ...args: string[]) =>
    execFileSync(join(PROGRAMS, name), args, { env, encoding: 'utf8' }).trim();
  const damage = (copy: number) => {
    const file = openSync(disk, 'r+');
    writeSync(file, Buffer.alloc(512, 0xff), 0, 512, COPIES[copy] ?? 0);
    closeSync(file);
  };
  const block = (copy: number) =>
    readFileSync(disk)
      .subarray(COPIES[copy], (COPIES[copy] ?? 0) + BLOCK_BYTES)
      .toString('latin1');
  return { env, run, damage, block };
}

t.test('both copies have GRUB’s format, and one value changes without the others', async (t) => {
  const { run, block } = await emptyDisk(t);
  t.equal(run('fw_printenv', '-n', 'BOOT_ORDER'), 'A B', 'the default');
  run('fw_setenv', 'BOOT_ORDER', 'B A');
  run('fw_setenv', 'BOOT_A_LEFT', '2');
  t.equal(run('fw_printenv', 'BOOT_ORDER'), 'BOOT_ORDER=B A');
  t.equal(run('fw_printenv', '-n', 'BOOT_B_LEFT'), '3');
  t.match(block(0), /^# GRUB Environment Block\nBOOT_A_LEFT=2\n(?:BOOT_\w+=[AB0-9 ]+\n){2}#{900,}$/);
  t.equal(block(1), block(0));
});

t.test('a damaged copy is not used, and the next change repairs it', async (t) => {
  const { env, run, damage, block } = await emptyDisk(t);
  run('fw_setenv', 'BOOT_ORDER', 'B A');
  damage(0);
  t.equal(run('fw_printenv', '-n', 'BOOT_ORDER'), 'B A', 'the second copy');
  damage(1);
  t.equal(run('fw_printenv', '-n', 'BOOT_ORDER'), 'A B', 'the defaults');
  run('fw_setenv', 'BOOT_ORDER', 'B');
  t.equal(block(1), block(0));
  t.equal(spawnSync(join(PROGRAMS, 'fw_printenv'), ['OTHER'], { env }).status, 1);
});

/** What grub.cfg chooses and writes, executed by a shell: this part of it differs only in how variables are set. */
function chooseSlot(state: string): string {
  const [choice = ''] =
    /^if \[ -z "\$BOOT_ORDER" \][^]*(?=^# The first copy)/m.exec(
      readFileSync(join(PACKAGE_ROOT, 'box/image/grub.cfg'), 'utf8'),
    ) ?? [];
  const shell = choice.replaceAll(/\bset (?=\w+=)/g, '').replaceAll(/\bfunction (\w+) \{/g, '$1() {');
  const script = `${state}\n${shell}\necho "$slot, $BOOT_ORDER, $BOOT_A_LEFT $BOOT_B_LEFT"`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trim().split('\n').at(-1) ?? '';
}

t.test('GRUB tries both slots again if none has any attempts left, even if only one is in the order', (t) => {
  t.equal(chooseSlot(''), 'A, A B, 2 3');
  t.equal(chooseSlot('BOOT_ORDER="A B" BOOT_A_LEFT=0 BOOT_B_LEFT=3'), 'B, A B, 0 2');
  for (const [order, next] of [
    ['A', 'A B'],
    ['B', 'A B'],
    ['B A', 'B A'],
  ] as const)
    t.equal(chooseSlot(`BOOT_ORDER="${order}" BOOT_A_LEFT=0 BOOT_B_LEFT=0`), `, ${next}, 3 3`);
  t.end();
});
