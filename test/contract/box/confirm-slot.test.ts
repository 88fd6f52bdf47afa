/**
 * The decision about a slot after its start (confirm-slot), with scripts in the place of systemd, RAUC and the
 * gateway. The same on an emulated board: test/lab/box.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { readRollbackNote } from '../../../src/service/updates/rollback-note.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const SCRIPT = join(PACKAGE_ROOT, 'box/image/overlay/usr/lib/stellwerk-box/confirm-slot');

interface Situation {
  /** The exit code of the health gate: 0 healthy, 1 not, 78 its configuration has errors. */
  gate: number;
  /** How often systemd restarted the gateway. */
  crashes?: number;
  /** The version that was confirmed in this slot before; the one that runs is 2.0.0. */
  confirmed?: string;
  /** What the other slot has: nothing, a file system without a kernel, or a system. */
  other?: 'empty' | 'no kernel' | 'system';
  /**
   * The exit code of the other slot's `stellwerk check --start`: 0 no errors, 78 errors, 124 no reply in time,
   * 64 it does not have the option.
   */
  otherCheck?: number;
  /** The exit code of its `stellwerk check`, which also counts what a start tolerates. */
  otherPlainCheck?: number;
  /** U-Boot's order; slot A runs. */
  order?: string;
  /** The reason why the other slot was not healthy. */
  reason?: string;
  /** The claim code of a gateway without an owner. */
  claim?: string;
  /** The attempts that the slots have left. */
  attempts?: [a: number, b: number];
  /** Whether the data partition cannot be mounted. */
  isDataMissing?: boolean;
}

/** Runs the script on a box; returns its verdict, what it asked RAUC and systemd for, and the box's files. */
async function decide(t: Test, situation: Situation) {
  const { gate, crashes = 0, confirmed, other = 'empty', order = 'A B', reason, claim } = situation;
  const {
    otherCheck = 0,
    otherPlainCheck = 78,
    attempts: [a, b] = [2, 3],
    isDataMissing = false,
  } = situation;
  const root = await tempDirectory(t);
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content, { mode: 0o755 });
  };
  const program = (name: string, script: string) => write(name, `#!/bin/sh\n${script}\n`);
  const log = join(root, 'asked');
  write('proc/cmdline', 'root=PARTUUID=53574b31-02 ro rauc.slot=A panic=10\n');
  write('proc/uptime', '42.00 80.00\n');
  write('etc/os-release', 'ID=debian\nIMAGE_VERSION=2.0.0\n');
  write(
    'data/box/rauc.status',
    '[slot.rootfs.0]\nbundle.version=1.0.0\n\n[slot.rootfs.1]\nbundle.version=3.0.0\n',
  );
  write('var/lib/stellwerk-update/.keep', '');
  write('run/box/.keep', '');
  write('dev/.keep', '');
  if (confirmed !== undefined) write('data/box/confirmed.A', `${confirmed}\n`);
  if (reason !== undefined) write('data/box/reason.B', `${reason}\n`);
  program('opt/stellwerk/current/systemd/health-gate.sh', `exit ${gate}`);
  cpSync(
    join(PACKAGE_ROOT, 'systemd/note-rollback.sh'),
    join(root, 'opt/stellwerk/current/systemd/note-rollback.sh'),
  );
  program(
    'usr/lib/stellwerk-box/fw_printenv',
    `case $* in *BOOT_ORDER) echo '${order}' ;; *) printf 'BOOT_ORDER=${order}\nBOOT_A_LEFT=${a}\nBOOT_B_LEFT=${b}\n' ;; esac`,
  );
  program('bin/mountpoint', `exit ${isDataMissing ? 1 : 0}`);
  program('bin/rauc', `echo "rauc $*" >>${log}`);
  program(
    'bin/systemctl',
    `case $* in is-system-running*) echo running ;; *NRestarts*) echo ${crashes} ;; *) echo "systemctl $*" >>${log} ;; esac`,
  );
  program('bin/stellwerk', claim === undefined ? 'exit 1' : `echo ${claim}`);
  write('sys/class/tty/console/active', 'ttyS1 tty0\n');
  program('bin/mount', `case $2 in vfat) ;; *) exit ${other === 'empty' ? 1 : 0} ;; esac`);
  program('bin/umount', '');
  // With the path of the console's file, its relative paths would start from the wrong directory.
  write('var/lib/stellwerk/gateway.yaml', 'by the console');
  const check = `case $* in 'check --start') exit ${otherCheck} ;; check) exit ${otherPlainCheck} ;; *) exit 78 ;; esac`;
  program('run/box/other/opt/stellwerk/current/bin/stellwerk', check);
  if (other === 'system') write('run/box/other/boot/vmlinuz', 'kernel');
  write('etc/stellwerk/gateway.yaml', 'fine');
  const env = { ...process.env, ROOT: root, PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}` };
  let code = 0;
  try {
    execFileSync(SCRIPT, { env, stdio: 'pipe' });
  } catch (thrown) {
    code = (thrown as { status: number }).status;
  }
  const text = (path: string) => {
    const file = join(root, path);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  };
  return {
    code,
    verdict: text('run/box/verdict'),
    shown: ['dev/ttyS1', 'dev/tty0', 'run/box/boot.d/claim-code.txt'].map(text),
    asked: text('asked')?.split('\n') ?? [],
    confirmed: text('data/box/confirmed.A'),
    reason: text('data/box/reason.B'),
    rolledBack: await readRollbackNote(join(root, 'var/lib/stellwerk-update/rolled-back')),
  };
}

const REBOOT = 'systemctl --no-block reboot';
const MARK_BAD = 'rauc status mark-bad booted';

t.test('a healthy version is confirmed', async (t) => {
  t.match(await decide(t, { gate: 0 }), {
    code: 0,
    verdict: 'healthy',
    asked: ['rauc status mark-good'],
    confirmed: '2.0.0',
    rolledBack: undefined,
  });
});

t.test('the claim code is on each console and on the card; without one, nothing is', async (t) => {
  const { shown } = await decide(t, { gate: 0, claim: 'ABCD2345' });
  t.equal(shown.length, 3);
  for (const text of shown) t.match(text, /asks for the claim code ABCD2345$/);
  t.strictSame((await decide(t, { gate: 0 })).shown, [undefined, undefined, undefined]);
});

t.test('a new version that is not healthy restarts the box, and keeps its other attempts', async (t) => {
  const { code, verdict, asked, confirmed } = await decide(t, { gate: 1, confirmed: '1.0.0' });
  t.equal(code, 1);
  t.match(verdict, /^unhealthy \(it did not become healthy within 180 s\)/);
  t.strictSame(asked, [REBOOT]);
  t.equal(confirmed, '1.0.0');
});

t.test('five crashes are bad immediately', async (t) => {
  t.strictSame((await decide(t, { gate: 1, crashes: 5, other: 'system' })).asked, [MARK_BAD, REBOOT]);
});

t.test('a gateway that crashes in the only system of the box is neither bad nor restarted', async (t) => {
  for (const other of ['empty', 'no kernel'] as const) {
    const { code, verdict, asked, confirmed } = await decide(t, { gate: 1, crashes: 5, other });
    t.strictSame([code, asked, confirmed], [1, [], undefined], other);
    t.match(verdict, /^unhealthy .* the other slot has no system$/);
  }
});

t.test('a box without another system remains on after the last attempt of a new version', async (t) => {
  const used = { gate: 1, attempts: [0, 3] } satisfies Situation;
  const only = await decide(t, { ...used, other: 'empty' });
  t.strictSame([only.code, only.asked], [1, []]);
  t.match(only.verdict, /^unhealthy .* the other slot has no system$/);
  t.strictSame((await decide(t, { ...used, other: 'system' })).asked, [REBOOT]);
});

t.test('errors in the configuration count only if the other version accepts it', async (t) => {
  const accepted = await decide(t, { gate: 78, other: 'system' });
  t.strictSame(accepted.asked, [MARK_BAD, REBOOT]);
  t.match(accepted.verdict, /it rejects the configuration/);
  for (const replies of [
    {},
    { other: 'system', otherCheck: 78 },
    { other: 'system', otherCheck: 124 },
  ] as const) {
    const rejected = await decide(t, { gate: 78, ...replies });
    t.strictSame(rejected.asked, ['rauc status mark-good']);
    t.equal(rejected.verdict, 'healthy, but the configuration has errors');
  }
});

t.test(
  'a problem that the other version tolerates at its start does not keep a version that cannot start',
  async (t) => {
    const { verdict, asked } = await decide(t, {
      gate: 78,
      other: 'system',
      otherCheck: 0,
      otherPlainCheck: 78,
    });
    t.strictSame(asked, [MARK_BAD, REBOOT]);
    t.match(verdict, /it rejects the configuration/);
  },
);

t.test('if the other version is too old to say, only a new version is rolled back', async (t) => {
  const old = { gate: 78, other: 'system', otherCheck: 64 } satisfies Situation;
  for (const otherPlainCheck of [0, 78])
    t.strictSame((await decide(t, { ...old, otherPlainCheck })).asked, [MARK_BAD, REBOOT]);
  const kept = 'healthy, but the configuration has errors';
  t.equal((await decide(t, { ...old, otherPlainCheck: 1 })).verdict, kept, 'its program does not run');
  t.equal((await decide(t, { ...old, otherPlainCheck: 78, confirmed: '2.0.0' })).verdict, kept);
});

t.test('a confirmed version that is not healthy is neither restarted nor confirmed again', async (t) => {
  const { code, verdict, asked } = await decide(t, { gate: 1, confirmed: '2.0.0' });
  t.equal(code, 1);
  t.equal(verdict, 'unhealthy, but confirmed before');
  t.strictSame(asked, []);
});

t.test(
  'without its data partition, a box is not confirmed, and restarts while a system has attempts',
  async (t) => {
    const situation = { gate: 0, confirmed: '1.0.0', claim: 'ABCD2345' };
    const verdict = 'unhealthy: the data partition cannot be mounted';
    for (const [attempts, other, asked] of [
      [[2, 0], 'system', [REBOOT]],
      [[2, 3], 'empty', [REBOOT]],
      [[0, 3], 'system', [REBOOT]],
      [[0, 3], 'empty', []],
      [[0, 3], 'no kernel', []],
      [[0, 0], 'system', []],
    ] satisfies [[number, number], Situation['other'], string[]][]) {
      const ended = await decide(t, { ...situation, other, attempts, isDataMissing: true });
      t.match(ended, { code: 1, verdict });
      t.strictSame(ended.asked, asked, `${attempts.join(' ')} ${other}`);
      const text = `stellwerk: ${verdict}`;
      t.strictSame([ended.confirmed, ended.shown], ['1.0.0', [text, text, undefined]], 'no claim code');
    }
  },
);

t.test('after a rollback, the slot that runs is first, and a note names the version', async (t) => {
  const { verdict, asked, rolledBack } = await decide(t, {
    gate: 0,
    confirmed: '2.0.0',
    order: 'B A',
    attempts: [2, 0],
  });
  t.equal(verdict, 'healthy');
  t.strictSame(asked, [
    'rauc status mark-good',
    'rauc status mark-active booted',
    'rauc status mark-bad other',
  ]);
  t.match(rolledBack, { version: '3.0.0', running: '2.0.0', reason: 'start', limit: 180 });
});

t.test('a slot that has marked itself as bad is no longer in the order, and is noted once', async (t) => {
  const reason = 'configuration';
  const marked = await decide(t, { gate: 0, confirmed: '2.0.0', order: 'A', reason });
  t.match(marked.asked, ['rauc status mark-good', 'rauc status mark-active booted']);
  t.match(marked.rolledBack, { version: '3.0.0', running: '2.0.0', reason });
  t.equal(marked.reason, undefined);
  const later = await decide(t, { gate: 0, confirmed: '2.0.0', order: 'A' });
  t.strictSame([later.asked, later.rolledBack], [['rauc status mark-good'], undefined]);
});

t.test('a version that was left by its owner is not a rollback', async (t) => {
  const left = await decide(t, { gate: 0, confirmed: '2.0.0', order: 'A B', reason: 'start' });
  t.strictSame([left.asked, left.rolledBack], [['rauc status mark-good'], undefined]);
});

t.test('an owner who returns to the other slot before this one is confirmed starts it next', async (t) => {
  const left = await decide(t, { gate: 0, confirmed: '1.0.0', order: 'B A', attempts: [2, 3] });
  t.strictSame([left.asked, left.rolledBack], [['rauc status mark-good'], undefined]);
  t.strictSame([left.verdict, left.confirmed], ['healthy', '2.0.0']);
});
