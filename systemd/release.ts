/**
 * The steps of `make release` around the build. `node dist/systemd/release.js check` reports what prevents a
 * release; `collect` copies the built files to build/release/, with checksums, the bill of materials and the
 * changes of the version.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/base/package-root.js';
import { releaseProblems, sectionOf, securityText } from './release-checks.js';
import { billOfMaterials, type LockFile } from './sbom.js';

const read = (file: string): string => readFileSync(join(PACKAGE_ROOT, file), 'utf8');
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: PACKAGE_ROOT, encoding: 'utf8' }).trim();

const { version } = JSON.parse(read('package.json')) as { version: string };
const contact = process.env['SECURITY_CONTACT'] ?? '';
const lock = JSON.parse(read('package-lock.json')) as LockFile;

switch (process.argv[2]) {
  case 'check':
    check();
    break;
  case 'collect':
    collect();
    break;
  default:
    console.error('usage: node dist/systemd/release.js check|collect');
    process.exitCode = 2;
}

function check(): void {
  const { info } = JSON.parse(read('docs/reference/openrpc.json')) as { info: { version: string } };
  const problems = releaseProblems({
    version,
    versions: { 'package-lock.json': lock.version, 'docs/reference/openrpc.json': info.version },
    changelog: read('CHANGELOG.md'),
    status: git('status', '--porcelain'),
    tags: git('tag', '--list').split('\n'),
    contact,
  });
  for (const problem of problems) console.error(`release: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

function collect(): void {
  const target = join(PACKAGE_ROOT, 'build/release');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const built = [
    `stellwerk-${version}-linux-x64.tar.gz`,
    `stellwerk-${version}-linux-arm64.tar.gz`,
    `stellwerk-client-${version}.tgz`,
  ];
  for (const name of built) copyFileSync(join(PACKAGE_ROOT, 'build', name), join(target, name));
  const materials = JSON.stringify(billOfMaterials(lock), null, 2);
  writeFileSync(join(target, `stellwerk-${version}.cdx.json`), `${materials}\n`);
  const sums = readdirSync(target)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(target, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(target, 'CHANGES.md'), `${sectionOf(read('CHANGELOG.md'), version) ?? ''}\n`);
  writeFileSync(join(target, 'security.txt'), securityText(contact, new Date()));
  console.log(`release: build/release, ${sums.length} files with checksums`);
}
