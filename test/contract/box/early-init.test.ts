/** The first program of a box (early-init), with scripts in the place of the system. A real start: test/lab/box. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const SCRIPT = join(PACKAGE_ROOT, 'box/image/overlay/usr/lib/stellwerk-box/early-init');
const DISK = 'sys/devices/mmc/block/mmcblk0';

/** Starts a box whose kernel has found these partitions; returns how its disk was changed, its log, and what runs last. */
async function start(t: Test, partitions: readonly number[]) {
  const root = await tempDirectory(t);
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content, { mode: 0o755 });
  };
  const program = (path: string, script: string) => write(path, `#!/bin/sh\n${script}\n`);
  for (const path of ['run', 'dev', 'sys/class/block', 'proc/sys/kernel/random']) write(`${path}/.keep`, '');
  write('proc/sys/kernel/random/uuid', '01234567-89ab\n');
  write(`${DISK}/size`, '4194304\n');
  symlinkSync(join(root, DISK), join(root, 'sys/class/block/mmcblk0'));
  for (const n of partitions) {
    write(`${DISK}/mmcblk0p${n}/start`, `${n * 1000}\n`);
    write(`${DISK}/mmcblk0p${n}/size`, '1000\n');
    symlinkSync(join(root, DISK, `mmcblk0p${n}`), join(root, `sys/class/block/mmcblk0p${n}`));
  }
  const log = join(root, 'changes');
  for (const name of ['sfdisk', 'partx', 'e2fsck', 'resize2fs'])
    program(`usr/bin/${name}`, `echo "${name} $*" >>${log}`);
  program('usr/bin/modprobe', '');
  program('usr/bin/dumpe2fs', 'echo "Block count: 125"');
  program('usr/bin/findmnt', 'echo /dev/mmcblk0p2');
  program('usr/bin/mountpoint', `case $2 in */data) exit 1 ;; esac`);
  program('usr/bin/mount', `case $* in *" ${root}/data") exit ${partitions.includes(4) ? 0 : 1} ;; esac`);
  program('sbin/init', 'echo systemd');
  const script = readFileSync(SCRIPT, 'utf8')
    .replace(/^PATH=.*$/m, '')
    .replaceAll(/(?<![\w}*.])\/(?=(sys|run|tmp|data|dev|etc|var|proc|sbin)\b)/g, `${root}/`);
  write('early-init', script);
  const env = { ...process.env, PATH: `${root}/usr/bin:${process.env['PATH'] ?? ''}` };
  const { stdout } = spawnSync(join(root, 'early-init'), { encoding: 'utf8', env });
  const text = (path: string) =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8').trim() : '';
  return { changes: text('changes').replaceAll(root, ''), log: text('dev/kmsg'), last: stdout.trim() };
}

t.test('the data partition grows to the end of the disk, and is checked', async (t) => {
  const { changes, log, last } = await start(t, [1, 2, 3, 4]);
  t.match(changes, /^sfdisk .* -N 4 \/dev\/mmcblk0\npartx .*\ne2fsck -p \/dev\/mmcblk0p4$/m);
  t.strictSame([log, last], ['', 'systemd']);
});

t.test('systemd is started even if the kernel has not found the data partition', async (t) => {
  t.strictSame(await start(t, [1, 2, 3]), {
    changes: '',
    log: 'box: the data partition cannot be mounted',
    last: 'systemd',
  });
});
