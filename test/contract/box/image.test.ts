/** The image of a box: the same input gives the same bytes. The start of the image is tested in test/lab/box. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const IMAGE = join(PACKAGE_ROOT, 'box/image');
const missing = ['mke2fs', 'debugfs', 'sfdisk', 'mkfs.vfat', 'mcopy', 'mkimage'].filter(
  (name) => !hasProgram(name),
);
const skip = missing.length === 0 ? false : `not installed: ${missing.join(', ')}`;
const SUM = '0123456789abcdef'.repeat(4);
const SLOT_MEGABYTES = 8;
/** Of the disk id in an MBR. */
const ID_AT = 440;
/** Of every file; what a build writes later is set to it (slot.sh). */
const TIME = 1_767_225_600;
/** Programs of Debian are in /sbin, which is not in every path. */
const env = {
  ...process.env,
  SLOT_MB: String(SLOT_MEGABYTES),
  PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
};

/** Builds a slot with some files, created in this order, and the disk with it. */
function build(directory: string, names: readonly string[]): { slot: Buffer; disk: Buffer } {
  const [root, slot, disk] = [join(directory, 'root'), join(directory, 'slot'), join(directory, 'disk')];
  mkdirSync(join(root, 'boot'), { recursive: true });
  for (const name of names) {
    writeFileSync(join(root, 'boot', name), name.repeat(10_000));
    utimesSync(join(root, 'boot', name), TIME, TIME);
  }
  for (const path of [join(root, 'boot'), root]) utimesSync(path, TIME, TIME);
  execFileSync(join(IMAGE, 'make-ext4.sh'), [root, String(SLOT_MEGABYTES), SUM, slot], { env });
  execFileSync(join(IMAGE, 'disk.sh'), ['generic-arm64', slot, disk], { env });
  return { slot: readFileSync(slot), disk: readFileSync(disk) };
}

t.test('two builds of a slot and of the disk give the same bytes', { skip }, async (t) => {
  const one = build(await tempDirectory(t), ['vmlinuz', 'initrd', 'config']);
  const other = build(await tempDirectory(t), ['config', 'initrd', 'vmlinuz']);
  t.ok(one.slot.equals(other.slot), 'slot');
  t.ok(one.disk.equals(other.disk), 'disk');
});

t.test('the disk has a boot script, slot A, and room for the boot state', { skip }, async (t) => {
  const { slot, disk } = build(await tempDirectory(t), ['vmlinuz']);
  const megabyte = 1024 * 1024;
  const partitions = [0, 1, 2, 3].map((n) => {
    const at = 446 + 16 * n;
    return {
      type: disk[at + 4],
      start: disk.readUInt32LE(at + 8) / 2048,
      size: disk.readUInt32LE(at + 12) / 2048,
    };
  });
  t.strictSame(partitions, [
    { type: 0x0c, start: 4, size: 64 },
    { type: 0x83, start: 68, size: SLOT_MEGABYTES },
    { type: 0x83, start: 68 + SLOT_MEGABYTES, size: SLOT_MEGABYTES },
    { type: 0x83, start: 68 + 2 * SLOT_MEGABYTES, size: 64 },
  ]);
  t.ok(slot.length < SLOT_MEGABYTES * megabyte, 'an update writes only what the slot contains');
  t.ok(disk.subarray(68 * megabyte, 68 * megabyte + slot.length).equals(slot), 'slot A');
  for (const copy of [1, 2])
    t.ok(disk.subarray(copy * megabyte, copy * megabyte + 512).every((byte) => byte === 0));
  const fat = disk.subarray(4 * megabyte, 68 * megabyte);
  t.ok(fat.includes('setenv bootargs'), 'boot.scr');
  t.ok(fat.includes('console_args=console=ttyAMA0'), 'box.txt');
});

t.test('the first start gives the disk an id of its own, and changes nothing else', { skip }, async (t) => {
  const directory = await tempDirectory(t);
  const { disk: before } = build(directory, ['vmlinuz']);
  const path = join(directory, 'disk');
  const script = readFileSync(join(IMAGE, 'overlay/usr/lib/stellwerk-box/early-init'), 'utf8');
  const declared = /^new_disk_id\(\) \{\n[^]*?^\}\n/m.exec(script)?.[0] ?? '';
  const start = () => {
    execFileSync('sh', ['-c', `${declared} new_disk_id`], { env: { ...env, disk: path } });
    return readFileSync(path);
  };
  const after = start();
  const [old, id] = [before.readUInt32LE(ID_AT), after.readUInt32LE(ID_AT)];
  t.not(id, old);
  t.equal(id >>> 28, 5, 'not 0, and always eight digits');
  after.copy(before, ID_AT, ID_AT, ID_AT + 4);
  t.ok(after.equals(before));
  t.ok(start().equals(after), 'the next start keeps it');
});

t.test('a slot that its partition cannot hold is rejected', { skip }, async (t) => {
  const directory = await tempDirectory(t);
  build(directory, ['vmlinuz']);
  const slot = join(directory, 'slot');
  truncateSync(slot, (SLOT_MEGABYTES + 1) * 1024 * 1024);
  const disk = join(directory, 'other-disk');
  const { status, stderr } = spawnSync(join(IMAGE, 'disk.sh'), ['generic-arm64', slot, disk], {
    env,
    encoding: 'utf8',
  });
  t.equal(status, 1);
  t.match(stderr, `has more than ${SLOT_MEGABYTES} MiB`);
});

t.test('a disk that the box runs from is not mounted as a memory stick', async (t) => {
  const path = join(IMAGE, 'overlay/usr/lib/udev/rules.d/90-box-stick.rules');
  const rules = readFileSync(path, 'utf8').split('\n');
  const at = rules.findIndex((line) => line.startsWith('PROGRAM==') && line.endsWith('GOTO="box_stick_end"'));
  t.ok(at >= 0 && at < rules.findIndex((line) => line.includes('RUN+=')), 'before any mount');
  const link = join(await tempDirectory(t), 'disk');
  symlinkSync('/dev/null', link);
  /** Runs the program as udev does for a partition of `disk`; here it is a character device. */
  const isOwn = (disk: string) => {
    const [program = '', ...words] = /"([^"]*)"/.exec(rules[at] ?? '')?.[1]?.split(' ') ?? [];
    const parts = words.map((word) => word.replace('%P', disk).replace('/run/box/disk', link));
    return spawnSync(program, parts).status === 0;
  };
  t.equal(isOwn('null'), true);
  t.equal(isOwn('zero'), false, 'another disk');
  t.equal(isOwn(''), false, 'a stick without partitions');
});
