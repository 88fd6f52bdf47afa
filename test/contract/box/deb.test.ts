import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { SHELLS } from '../../../src/cli/commands/shells.js';
import { BUNDLED_FILES } from '../../../systemd/bundle-contents.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { hasProgram } from '../../tools/program.js';

const skip = hasProgram('dpkg-deb') ? false : 'dpkg-deb is not installed';

/** A bundle in which Node is a program that prints its arguments. */
function makeBundle(directory: string): string {
  const name = 'stellwerk-1.2.3-linux-x64';
  const at = join(directory, name);
  for (const folder of ['bin', 'completions', 'dist']) mkdirSync(join(at, folder), { recursive: true });
  for (const folder of ['systemd', 'docs'])
    cpSync(join(PACKAGE_ROOT, folder), join(at, folder), { recursive: true });
  for (const file of BUNDLED_FILES) cpSync(join(PACKAGE_ROOT, file), join(at, file));
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name: 'stellwerk', version: '1.2.3' }, null, 2));
  writeFileSync(join(at, 'THIRD-PARTY.txt'), 'licences\n');
  cpSync(join(PACKAGE_ROOT, 'systemd/install.sh'), join(at, 'install.sh'));
  for (const program of ['node', 'stellwerk', 'stellwerk-keeper']) {
    writeFileSync(join(at, 'bin', program), '#!/bin/sh\necho "$@"\n');
    chmodSync(join(at, 'bin', program), 0o755);
  }
  for (const shell of SHELLS) writeFileSync(join(at, 'completions', shell), shell);
  const tarball = join(directory, `${name}.tar.gz`);
  execFileSync('tar', ['-C', directory, '-czf', tarball, name]);
  return tarball;
}

const build = (bundle: string, output: string): string => {
  execFileSync(join(PACKAGE_ROOT, 'box/deb/build.sh'), [bundle, output]);
  return join(output, 'stellwerk_1.2.3_amd64.deb');
};

const shared = await tempDirectory(t);
/** Built by the first test, for all: its compression takes most of the time. */
const file = join(shared, 'one/stellwerk_1.2.3_amd64.deb');

t.test('the same bundle gives the same package', { skip }, async (t) => {
  const directory = await tempDirectory(t);
  const bundle = makeBundle(directory);
  t.equal(build(bundle, join(shared, 'one')), file);
  const other = readFileSync(build(bundle, join(directory, 'other')));
  t.ok(readFileSync(file).equals(other));
});

t.test('the package contains no configuration, no data and no version that runs', { skip }, async (t) => {
  const directory = await tempDirectory(t);
  const root = join(directory, 'root');
  execFileSync('dpkg-deb', ['-x', file, root]);
  const paths = execFileSync('find', ['.', '-mindepth', '1', '-maxdepth', '4'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const kept of ['./etc', './var', './usr/lib/stellwerk/1.2.3', './usr/lib/stellwerk/current'])
    t.notOk(paths.split('\n').includes(kept), kept);
  const control = execFileSync('dpkg-deb', ['-f', file], { encoding: 'utf8' });
  t.match(control, /^Version: 1\.2\.3$/m);
  t.match(control, /^Architecture: amd64$/m);
  t.notMatch(execFileSync('dpkg-deb', ['-I', file], { encoding: 'utf8' }), /conffiles/);
  // Links that lead out of the package would be broken.
  const links = execFileSync('find', ['usr/share', '-xtype', 'l'], { cwd: root, encoding: 'utf8' });
  t.equal(links, '');
  const unit = readFileSync(join(root, 'usr/lib/systemd/system/stellwerk.service'), 'utf8');
  t.match(unit, 'ExecStart=/usr/lib/stellwerk/current/bin/stellwerk serve ');
});

t.test('the maintainer scripts do nothing for what does not concern them', { skip }, async (t) => {
  const directory = await tempDirectory(t);
  const control = join(directory, 'control');
  execFileSync('dpkg-deb', ['-e', file, control]);
  for (const [script, action] of [
    ['postinst', 'abort-upgrade'],
    ['prerm', 'upgrade'],
    ['postrm', 'upgrade'],
    ['postrm', 'disappear'],
  ] as const)
    t.equal(
      execFileSync(join(control, script), [action, '1.0.0'], { encoding: 'utf8' }),
      '',
      `${script} ${action}`,
    );
});
