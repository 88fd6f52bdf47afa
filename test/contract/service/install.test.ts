import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { manualPage } from '../../../src/base/manual-page.js';
import { BUNDLED_FILES, BUNDLED_FOLDERS } from '../../../systemd/bundle-contents.js';
import { SHELLS } from '../../../src/cli/commands/shells.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { hasProgram } from '../../tools/program.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const root = PACKAGE_ROOT;

/** A directory as a bundle unpacks to, with a program instead of Node that prints its arguments. */
function makeBundle(at: string, version: string): string {
  for (const folder of ['bin', 'dist/program/lib', 'systemd'])
    mkdirSync(join(at, folder), { recursive: true });
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name: 'stellwerk', version }, null, 2));
  writeFileSync(join(at, 'dist/program/lib/main.js'), '');
  writeFileSync(join(at, 'bin/node'), '#!/bin/sh\necho "$$" "$@"\n');
  chmodSync(join(at, 'bin/node'), 0o755);
  cpSync(join(root, 'bin/stellwerk'), join(at, 'bin/stellwerk'));
  for (const file of readdirSync(join(root, 'systemd')))
    cpSync(join(root, 'systemd', file), join(at, 'systemd', file));
  cpSync(join(root, 'systemd/install.sh'), join(at, 'install.sh'));
  cpSync(join(root, 'docs'), join(at, 'docs'), { recursive: true });
  for (const file of BUNDLED_FILES) if (file !== 'package.json') cpSync(join(root, file), join(at, file));
  writeFileSync(join(at, 'bin/stellwerk-keeper'), '');
  mkdirSync(join(at, 'completions'));
  for (const shell of SHELLS) writeFileSync(join(at, 'completions', shell), shell);
  return at;
}

function install(bundle: string, destdir: string, ...options: string[]): string {
  return execFileSync(join(bundle, 'install.sh'), ['--destdir', destdir, ...options], { encoding: 'utf8' });
}

t.test('the installer puts a version next to the previous one, and keeps the owner’s files', async (t) => {
  const place = await tempDirectory(t);
  const destdir = join(place, 'box');
  const home = join(destdir, 'opt/stellwerk');
  const configuration = join(destdir, 'etc/stellwerk/gateway.yaml');

  install(makeBundle(join(place, 'one'), '1.0.0'), destdir);
  t.equal(readlinkSync(join(home, 'current')), '1.0.0');
  t.equal(readlinkSync(join(destdir, 'usr/local/bin/stellwerk')), '/opt/stellwerk/current/bin/stellwerk');
  const unit = readFileSync(join(destdir, 'etc/systemd/system/stellwerk.service'), 'utf8');
  t.match(unit, 'ExecStart=/opt/stellwerk/current/bin/stellwerk serve ');
  const root = readFileSync(join(destdir, 'etc/systemd/system/stellwerk-chips.service'), 'utf8');
  t.match(root, 'ExecStart=/opt/stellwerk/current/bin/stellwerk enable-chip --serve');
  t.notMatch(
    readFileSync(configuration, 'utf8').replace(/#.*/g, ''),
    /password/i,
    'the installed configuration has no password',
  );

  writeFileSync(configuration, 'board: generic\n');
  mkdirSync(join(destdir, 'var/lib/stellwerk'), { recursive: true });
  writeFileSync(join(destdir, 'var/lib/stellwerk/data'), 'theirs');
  install(join(place, 'one'), destdir);
  install(makeBundle(join(place, 'two'), '1.1.0'), destdir);
  t.equal(readlinkSync(join(home, 'current')), '1.1.0');
  t.same(
    readdirSync(home).sort(),
    ['1.0.0', '1.1.0', 'current'],
    'the previous version stays, for a rollback',
  );
  install(join(place, 'two'), destdir);
  t.ok(existsSync(join(home, '1.0.0')), 'also after a second run');
  install(makeBundle(join(place, 'three'), '1.2.0'), destdir);
  t.same(readdirSync(home).sort(), ['1.1.0', '1.2.0', 'current'], 'the one before that is removed');
  t.equal(
    readFileSync(configuration, 'utf8'),
    'board: generic\n',
    'an upgrade does not change the configuration',
  );

  install(join(place, 'three'), destdir, '--uninstall');
  t.notOk(existsSync(home));
  t.strictSame(readdirSync(join(destdir, 'etc/systemd/system')), [], 'no unit stays');
  t.equal(readFileSync(configuration, 'utf8'), 'board: generic\n', 'nor does an uninstallation');
  t.equal(readFileSync(join(destdir, 'var/lib/stellwerk/data'), 'utf8'), 'theirs');
});

t.test('the user of the gateway can read what a root with another umask installs', async (t) => {
  const place = await tempDirectory(t);
  const destdir = join(place, 'box');
  const bundle = makeBundle(join(place, 'one'), '1.0.0');
  execFileSync('sh', ['-c', 'umask 077; exec "$0" --destdir "$1"', join(bundle, 'install.sh'), destdir]);
  const unreadable = readdirSync(destdir, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const { mode } = lstatSync(join(destdir, name));
    return (mode & 0o044) !== 0o044;
  });
  t.strictSame(unreadable, ['etc/stellwerk/gateway.yaml']);
  t.equal(statSync(join(destdir, 'opt/stellwerk')).mode & 0o777, 0o755);
});

t.test('the marker of an update replaces what the user of the gateway has put there', async (t) => {
  const box = await tempDirectory(t);
  const [function_ = ''] =
    /^set_up_machine\(\) \{[^]*?^\}$/m.exec(readFileSync(join(root, 'systemd/install.sh'), 'utf8')) ?? [];
  mkdirSync(join(box, 'bin'));
  for (const name of ['systemctl', 'journalctl', 'udevadm', 'systemd-sysusers', 'systemd-tmpfiles'])
    writeFileSync(join(box, 'bin', name), '#!/bin/sh\n', { mode: 0o755 });
  const [file, marker] = [join(box, 'shadow'), join(box, 'run/stellwerk/updating')];
  mkdirSync(join(box, 'run/stellwerk'), { recursive: true });
  writeFileSync(file, 'root:*:\n');
  symlinkSync(file, marker);
  const script = `booted() { :; }\nstart_keeper() { :; }\nstart=yes sysusers=x tmpfiles=x
${function_.replaceAll('/run/', `${box}/run/`)}\nset_up_machine`;
  const env = { ...process.env, PATH: `${box}/bin:${process.env['PATH']}` };
  t.equal(spawnSync('sh', ['-euc', script], { env }).status, 0);
  t.strictSame([readFileSync(file, 'utf8'), lstatSync(marker).isFile()], ['root:*:\n', true]);
});

t.test('the installer reports errors, and installs completely or not at all', async (t) => {
  const place = await tempDirectory(t);
  const bundle = makeBundle(join(place, 'one'), '1.0.0');
  t.equal(spawnSync(join(bundle, 'install.sh'), ['--nonsense']).status, 2);
  const checkout = spawnSync(join(root, 'systemd/install.sh'), ['--destdir', place], { encoding: 'utf8' });
  t.equal(checkout.status, 1);
  t.match(checkout.stderr, /is not an unpacked bundle/);
  t.notOk(existsSync(join(place, 'etc')), 'nothing was installed');
  install(bundle, join(place, 'box'), '--prefix', '/usr');
  const unit = readFileSync(join(place, 'box/usr/lib/systemd/system/stellwerk.service'), 'utf8');
  t.match(unit, 'ExecStart=/usr/lib/stellwerk/current/bin/stellwerk serve ');
});

t.test('a program that cannot be copied completely is removed again', async (t) => {
  const place = await tempDirectory(t);
  const home = join(place, 'box/opt/stellwerk');
  install(makeBundle(join(place, 'one'), '1.0.0'), join(place, 'box'));
  const bundle = makeBundle(join(place, 'two'), '1.1.0');
  mkdirSync(join(place, 'programs'));
  // As on a full disk.
  const copy = '#!/bin/sh\nfor target; do :; done\nmkdir -p "$target"\necho part >"$target/part"\nexit 1\n';
  writeFileSync(join(place, 'programs/cp'), copy, { mode: 0o755 });
  const env = { ...process.env, PATH: `${join(place, 'programs')}:${process.env['PATH']}` };
  const options = ['--destdir', join(place, 'box')];
  const { status, stderr } = spawnSync(join(bundle, 'install.sh'), options, { encoding: 'utf8', env });
  t.equal(status, 1);
  t.match(stderr, /cannot copy the program to .*1\.1\.0.*run install\.sh again/);
  t.strictSame(readdirSync(home).sort(), ['1.0.0', 'current'], 'the disk has its space again');
  t.equal(readlinkSync(join(home, 'current')), '1.0.0');
});

/** The target of a link of an installed tree, within that tree. */
function within(destdir: string, path: string): string {
  let at = destdir;
  for (const step of path.split('/').filter((one) => one !== '')) {
    at = join(at, step);
    const target =
      lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(at) : undefined;
    if (target !== undefined)
      at = target.startsWith('/')
        ? within(destdir, target)
        : within(destdir, join(at.slice(destdir.length), '..', target));
  }
  return at;
}

t.test('the docs, the schema and completions are installed, and removed again', async (t) => {
  const place = await tempDirectory(t);
  const bundle = makeBundle(join(place, 'one'), '1.0.0');
  for (const [prefix, share, options] of [
    ['/usr/local', '/usr/local/share', []],
    ['/usr', '/usr/share', ['--prefix', '/usr']],
  ] as const) {
    const destdir = join(place, `box${prefix}`);
    install(bundle, destdir, ...options);
    const places = [
      `${share}/doc/stellwerk/use/configuration.md`,
      `${share}/bash-completion/completions/stellwerk`,
      `${share}/zsh/site-functions/_stellwerk`,
      `${share}/fish/vendor_completions.d/stellwerk.fish`,
    ];
    for (const path of places) t.ok(statSync(within(destdir, path)).isFile(), path);
    const [, schema = ''] =
      /^# yaml-language-server: \$schema=(\S+)\n/.exec(
        readFileSync(join(destdir, 'etc/stellwerk/gateway.yaml'), 'utf8'),
      ) ?? [];
    t.equal(schema, `${share}/doc/stellwerk/reference/gateway.schema.json`);
    t.ok(statSync(within(destdir, schema)).isFile());
    install(bundle, destdir, '--uninstall', ...options);
    for (const path of places) t.notOk(existsSync(join(destdir, path)), path);
  }
});

t.test('every path in a text exists on an installed machine', async (t) => {
  const destdir = join(await tempDirectory(t), 'box');
  install(makeBundle(join(destdir, '../bundle'), '1.0.0'), destdir);
  const inBundle = (path: string) =>
    [...BUNDLED_FOLDERS, ...BUNDLED_FILES].some((one) => path === one || path.startsWith(`${one}/`)) &&
    existsSync(join(root, path));
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const units = readdirSync(join(root, 'systemd')).filter((name) => !/\.(ts|sh)$/.test(name));
  let seen = 0;
  for (const file of ['README.md', ...pages]) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, link = ''] of text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)) {
      t.ok(inBundle(join(file, '..', link)), `${file}: ${link}`);
      seen += 1;
    }
  }
  const named = /(?<![\w.$}])\/(?:opt|etc|usr\/local)\/(?:[\w.-]+\/)*[\w.-]*stellwerk[\w./-]*/g;
  for (const file of [...pages, ...units.map((unit) => `systemd/${unit}`)]) {
    for (const [path] of readFileSync(join(root, file), 'utf8').matchAll(named)) {
      const exact = path
        .replace(/[.,]$/, '')
        .replace(/\/opt\/stellwerk\/(VERSION|\d+\.\d+\.\d+)/, '/opt/stellwerk/1.0.0');
      // Administrators create drop-ins; everything else is installed.
      if (/\.d\/|\.d$/.test(exact)) continue;
      t.ok(existsSync(within(destdir, exact)), `${file}: ${path}`);
      seen += 1;
    }
  }
  t.ok(seen > 100, `${seen} paths`);
});

t.test('texts of the program refer to pages by their path on this machine', async (t) => {
  const sources = ['src', 'drivers'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const bare: string[] = [];
  for (const file of sources)
    for (const line of readFileSync(join(root, file), 'utf8').split('\n')) {
      if (/^\s*(\*|\/\/|\/\*)/.test(line)) continue;
      if (/docs\/[\w-]+\.md/.test(line)) bare.push(`${file}: ${line.trim()}`);
      for (const [, page = ''] of line.matchAll(/manual\('([^']+)'\)/g))
        t.ok(existsSync(join(root, 'docs', page)), page);
    }
  t.strictSame(bare, [], 'manual() of src/base/manual-page.ts names a page');
  t.ok(existsSync(manualPage('hardware/boards.md')));
});

t.test('bin/stellwerk becomes the Node next to it, also through links', async (t) => {
  const place = await tempDirectory(t);
  const bundle = makeBundle(join(place, 'app'), '1.0.0');
  const link = join(place, 'stellwerk');
  symlinkSync(join(bundle, 'bin/stellwerk'), link);
  const { stdout, pid } = spawnSync(link, ['serve', 'a b'], { encoding: 'utf8', cwd: '/' });
  t.match(stdout.trim().split(' '), [String(pid)], 'the same process');
  t.match(stdout, `${bundle}/dist/program/lib/main.js serve a b`);
  t.equal(spawnSync(join(place, 'app/bin/stellwerk'), ['x']).status, 0);
});

t.test(
  'bin/stellwerk without a suitable Node, or without a program, exits with 69 and says what to do',
  async (t) => {
    const place = await tempDirectory(t);
    const bundle = makeBundle(join(place, 'app'), '1.0.0');
    writeFileSync(join(bundle, 'bin/node'), '');
    chmodSync(join(bundle, 'bin/node'), 0o644);
    const old = join(place, 'old');
    mkdirSync(old);
    writeFileSync(join(old, 'node'), '#!/bin/sh\necho 20\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${old}:/usr/bin:/bin` };
    const without = spawnSync(join(bundle, 'bin/stellwerk'), { encoding: 'utf8', env });
    t.equal(without.status, 69);
    t.match(without.stderr, /no Node 24 found/);
    const empty = makeBundle(join(place, 'empty'), '1.0.0');
    writeFileSync(join(empty, 'dist/program/lib/main.js'), '');
    execFileSync('rm', ['-r', join(empty, 'dist')]);
    const incomplete = spawnSync(join(empty, 'bin/stellwerk'), { encoding: 'utf8' });
    t.equal(incomplete.status, 69);
    t.match(incomplete.stderr, /make build/);
  },
);

t.test(
  'the units are as restricted as possible',
  { skip: hasProgram('systemd-analyze') ? false : 'systemd-analyze is not installed' },
  async (t) => {
    for (const [unit, most] of [
      ['stellwerk.service', 17],
      ['stellwerk-keeper.service', 8],
      // As root: it writes to /boot and /etc/udev/rules.d.
      ['stellwerk-chips.service', 14],
    ] as const) {
      const options = ['security', '--offline=yes', `--threshold=${most}`, '--no-pager', `./${unit}`];
      const { status, stdout } = spawnSync('systemd-analyze', options, {
        cwd: join(root, 'systemd'),
        encoding: 'utf8',
      });
      t.equal(status, 0, /Overall exposure.*/.exec(stdout)?.[0] ?? 'no figure');
    }
  },
);

t.test(
  'the shell scripts pass shellcheck',
  { skip: hasProgram('shellcheck') ? false : 'shellcheck is not installed' },
  async (t) => {
    const scripts = [
      'bin/stellwerk',
      'systemd/install.sh',
      'systemd/health-gate.sh',
      'systemd/note-rollback.sh',
      'box/image/overlay/usr/lib/stellwerk-box/apply-network',
      '.ci/run',
      ...['build.sh', 'preinst', 'postinst', 'prerm', 'postrm'].map((name) => `box/deb/${name}`),
      'box/apt/build-repository.sh',
    ].map((file) => join(root, file));
    const { status, stdout } = spawnSync('shellcheck', scripts, { encoding: 'utf8' });
    t.equal(status, 0, stdout);
  },
);

t.test(
  'the ids of the user and its group are fixed; existing ones keep theirs',
  { skip: hasProgram('systemd-sysusers') ? false : 'systemd-sysusers is not installed' },
  async (t) => {
    const create = (name: string, passwd: string, group: string) => {
      const at = join(place, name);
      mkdirSync(join(at, 'etc'), { recursive: true });
      writeFileSync(join(at, 'etc/passwd'), `root:x:0:0::/root:/bin/sh\n${passwd}`);
      writeFileSync(join(at, 'etc/group'), `root:x:0:\ndialout:x:20:\n${group}`);
      for (const file of ['shadow', 'gshadow']) writeFileSync(join(at, 'etc', file), '');
      const input = readFileSync(join(root, 'systemd/sysusers.conf'));
      execFileSync('systemd-sysusers', [`--root=${at}`, '-'], { input, stdio: ['pipe', 'ignore', 'ignore'] });
      return ['passwd', 'group'].map((file) => readFileSync(join(at, 'etc', file), 'utf8')).join('');
    };
    const place = await tempDirectory(t);
    t.match(
      create('new', '', ''),
      /^stellwerk:x:851:851:[^]*^dialout:x:20:stellwerk[^]*^gpio:x:850:stellwerk[^]*^stellwerk:x:851:/m,
    );
    const before = ['stellwerk:x:998:997::/:/bin/false\n', 'gpio:x:993:pi\nstellwerk:x:997:\n'] as const;
    t.match(
      create('existing', ...before),
      /^stellwerk:x:998:997:[^]*^gpio:x:993:pi,stellwerk[^]*^stellwerk:x:997:/m,
    );
    const taken = create('taken', 'other:x:851:850::/:/bin/false\n', 'other:x:850:\n');
    t.match(taken, /^other:x:851:850:[^]*^stellwerk:x:\d+:/m);
    t.notMatch(taken, /^(stellwerk|gpio):x:85[01]:/m);
  },
);
