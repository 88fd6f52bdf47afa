/**
 * The update of the Debian package (postinst), with scripts in the place of systemd and the health gate. The same
 * with dpkg and systemd: test/lab/box/deb.ts.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { tempDirectory } from '../../tools/temp-directory.js';

/** The machine, on which the absolute paths of postinst are below a directory. */
async function machine(t: Test) {
  const root = await tempDirectory(t);
  const home = join(root, 'usr/lib/stellwerk');
  const write = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true });
    // As dpkg: never in place, because the versions are hard links.
    rmSync(path, { force: true });
    writeFileSync(path, content, { mode: 0o755 });
  };
  const program = (path: string, script: string) => write(path, `#!/bin/sh\n${script}\n`);
  const restarts = join(root, 'restarts');
  write(restarts, '0');
  mkdirSync(join(root, 'run/systemd/system'), { recursive: true });
  write(join(root, 'usr/share/stellwerk/gateway.yaml'), '');
  for (const name of ['systemd-sysusers', 'systemd-tmpfiles', 'systemd-cat', 'udevadm'])
    program(join(root, 'bin', name), name === 'systemd-cat' ? 'cat >/dev/null' : '');
  /**
   * Unpacks a version, and configures it. Scripts: `gate`, the health gate; `cli`, its stellwerk; `note`, before
   * the note of a rollback is written.
   */
  const configure = (version: string, { gate = 'exit 0', state = 'active', cli = '', note = '' } = {}) => {
    const content = join(home, 'package');
    program(join(content, 'bin/node'), '');
    program(join(content, 'bin/stellwerk'), cli);
    program(join(content, 'systemd/health-gate.sh'), gate);
    program(join(content, 'systemd/note-rollback.sh'), `${note}\necho "$1 $2 $3" >${join(root, 'note')}`);
    write(join(content, 'systemd/stellwerk-chips.path'), '');
    // A restart keeps the count of restarts, unless it was reset.
    const systemctl = `case $* in *ActiveState*) echo ${state} ;; *MainPID*) echo 0 ;; *NRestarts*) cat ${root}/counted ;;
'reset-failed stellwerk.service') echo 0 >${restarts} ;; *restart*stellwerk.service) cp ${restarts} ${root}/counted ;; esac`;
    program(join(root, 'bin/systemctl'), systemctl);
    const script = readFileSync(join(PACKAGE_ROOT, 'box/deb/postinst'), 'utf8')
      .replaceAll(/(?<![\w"}])\/(usr\/lib|usr\/share|var\/lib|etc|run)\//g, `${root}/$1/`)
      .replaceAll('@VERSION@', version);
    write(join(root, 'postinst'), script);
    const env = { ...process.env, PATH: `${root}/bin:${process.env['PATH']}` };
    const log = openSync(join(root, 'log'), 'a');
    const { status } = spawnSync(join(root, 'postinst'), ['configure'], {
      env,
      stdio: ['pipe', 'pipe', log],
    });
    closeSync(log);
    return status;
  };
  return {
    root,
    configure,
    crash: (times: number) => write(restarts, String(times)),
    current: () => readlinkSync(join(home, 'current')),
    versions: () =>
      readdirSync(home)
        .filter((name) => /^\d/.test(name))
        .sort(),
    isClean: () => !existsSync(join(home, 'previous')),
    rolledBack: () => (existsSync(join(root, 'note')) ? readFileSync(join(root, 'note'), 'utf8').trim() : ''),
  };
}

/** A health gate during which the power is cut. */
const POWER_CUT = 'kill -9 $PPID';

t.test('an update keeps one previous version, also if it is configured again', async (t) => {
  const { configure, current, versions, isClean } = await machine(t);
  t.equal(configure('1.0.0', { state: 'inactive' }), 0);
  t.equal(configure('1.1.0'), 0);
  t.equal(configure('1.2.0'), 0);
  t.strictSame(versions(), ['1.1.0', '1.2.0']);
  t.equal(configure('1.2.0'), 0);
  t.strictSame([current(), versions(), isClean()], ['1.2.0', ['1.1.0', '1.2.0'], true]);
});

t.test('after a power cut during the health gate, the version is checked again', async (t) => {
  for (const state of ['active', 'failed']) {
    const { configure, current, versions, isClean, rolledBack } = await machine(t);
    configure('1.0.0');
    t.equal(configure('1.1.0', { gate: POWER_CUT }), null);
    t.equal(current(), '1.1.0', 'nobody has checked it');
    t.equal(configure('1.1.0', { gate: 'exit 1', state }), 0);
    t.equal(rolledBack(), '1.1.0 1.0.0 unhealthy');
    t.strictSame([current(), versions(), isClean()], ['1.0.0', ['1.0.0'], true]);
  }
});

t.test('if it is healthy then, it stays, and the version before it is kept', async (t) => {
  const { configure, current, versions, isClean, rolledBack } = await machine(t);
  configure('1.0.0');
  configure('1.1.0', { gate: POWER_CUT });
  t.equal(configure('1.1.0'), 0);
  t.strictSame([current(), versions(), isClean()], ['1.1.0', ['1.0.0', '1.1.0'], true]);
  t.equal(rolledBack(), '');
});

t.test('the next version is rolled back to the last one that was checked', async (t) => {
  const { configure, current, versions, rolledBack } = await machine(t);
  configure('1.0.0');
  configure('1.1.0', { gate: POWER_CUT });
  t.equal(configure('1.2.0', { gate: 'exit 1' }), 0);
  t.equal(rolledBack(), '1.2.0 1.0.0 unhealthy');
  t.strictSame([current(), versions()], ['1.0.0', ['1.0.0']]);
});

t.test('a service that was stopped stays so, also after a power cut', async (t) => {
  const { configure, current, versions, isClean } = await machine(t);
  configure('1.0.0');
  configure('1.1.0', { gate: POWER_CUT });
  t.equal(configure('1.1.0', { gate: 'exit 1', state: 'inactive' }), 0);
  t.strictSame([current(), versions(), isClean()], ['1.1.0', ['1.0.0', '1.1.0'], true]);
});

t.test(
  'the restarts of a version that crashes do not count against the update that repairs it',
  async (t) => {
    const { configure, crash, current, rolledBack } = await machine(t);
    configure('1.0.0');
    crash(7);
    const gate = 'exit "$(systemctl show -P NRestarts stellwerk.service)"';
    t.equal(configure('1.1.0', { gate }), 0);
    t.strictSame([current(), rolledBack()], ['1.1.0', '']);
  },
);

t.test('errors in the configuration count only if the previous version starts with it', async (t) => {
  const updated = async (start: number, state = 'active') => {
    const { configure, current, rolledBack } = await machine(t);
    // Its plain check also returns 78 for a problem that a start tolerates.
    configure('1.0.0', { cli: `case $* in 'check --start') exit ${start} ;; *) exit 78 ;; esac` });
    t.equal(configure('1.1.0', { gate: 'exit 78', state }), 0);
    return [current(), rolledBack()];
  };
  t.strictSame(await updated(0), ['1.0.0', '1.1.0 1.0.0 configuration']);
  t.strictSame(await updated(78), ['1.1.0', '']);
  t.strictSame(await updated(64), ['1.0.0', '1.1.0 1.0.0 configuration'], 'it does not have the option');
  t.strictSame(await updated(64, 'activating'), ['1.1.0', ''], 'nor did it run');
  t.strictSame(await updated(1), ['1.1.0', ''], 'its program does not run');
});

t.test('the marker of an update replaces what the user of the gateway has put there', async (t) => {
  const { root, configure, current } = await machine(t);
  const [file, marker] = [join(root, 'etc/shadow'), join(root, 'run/stellwerk/updating')];
  mkdirSync(dirname(marker));
  mkdirSync(dirname(file));
  writeFileSync(file, 'root:*:\n');
  symlinkSync(file, marker);
  t.equal(configure('1.0.0'), 0);
  t.strictSame([readFileSync(file, 'utf8'), lstatSync(marker).isFile()], ['root:*:\n', true]);
  rmSync(marker);
  mkdirSync(marker);
  t.equal(configure('1.1.0'), 0, 'a directory, which no file replaces, is not an error of the package');
  t.equal(current(), '1.1.0');
});

t.test('a rollback that can be neither noted nor reported is not an error of the package', async (t) => {
  const { root, configure, current, versions, isClean } = await machine(t);
  configure('1.0.0');
  writeFileSync(join(root, 'bin/systemd-cat'), '#!/bin/sh\nexit 1\n');
  t.equal(configure('1.1.0', { gate: 'exit 1', note: 'exit 1' }), 0);
  t.strictSame([current(), versions(), isClean()], ['1.0.0', ['1.0.0'], true]);
});

t.test('the report of a rollback is appended to the log of the package manager', async (t) => {
  const { root, configure } = await machine(t);
  configure('1.0.0');
  writeFileSync(join(root, 'log'), 'a line of the package manager\n');
  configure('1.1.0', { gate: 'exit 1' });
  t.match(
    readFileSync(join(root, 'log'), 'utf8'),
    /^a line of the package manager\nstellwerk: 1\.1\.0 was rolled back: .*\n$/,
  );
});
