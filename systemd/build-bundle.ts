/**
 * Builds the bundle for installation: `node dist/systemd/build-bundle.js x64|arm64` (run by `make bundle`
 * after it has compiled the sources and the addons). Writes build/stellwerk-VERSION-linux-ARCH.tar.gz with
 * Node, the compiled gateway, its packages for this architecture, addons, board files, units, the docs,
 * completions and the installer. The build is reproducible.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { BUNDLED_PACKAGES } from './esbuild-options.js';
import { BUNDLED_FILES, BUNDLED_FOLDERS } from './bundle-contents.js';
import { SHELLS } from '../src/cli/commands/shells.js';

/** Modification time of all files in the tarball; constant, for a reproducible build. */
const MTIME = '2026-01-01T00:00:00Z';
/** Packages that only compilation or type checking needs. */
const BUILD_ONLY = ['@types', 'undici-types', 'nan', 'node-addon-api'];
/** Directories of a package that no program loads. */
const IDLE_FOLDERS = [
  'test',
  'tests',
  'docs',
  'doc',
  'example',
  'examples',
  'benchmark',
  'benchmarks',
  'coverage',
  'integration',
  'integration-test',
  'scripts',
];
/**
 * Files of a package that no program loads: types, source maps, sources of addons, documents except licences.
 */
const IDLE_FILES =
  /\.(d\.[cm]?ts|ts|map|md|markdown|yml|flow|cc|cpp|c|h|hpp|gyp|gypi|tsbuildinfo|html|sh|a)$|(^|\/)\./i;
const LICENCE = /^(licen[cs]e|copying|notice)(\b|[-_.])/i;

/** Maximum output of `stellwerk completion`, which contains the names of all functions. */
const COMPLETION_LIMIT = 16 * 1024 * 1024;

interface PackageFile {
  name: string;
  version: string;
  license?: string;
  /** Programs that it installs; the gateway runs none of them. */
  bin?: string | Record<string, string>;
}

/** Removes symbols from programs of the target's architecture. */
const STRIP = process.env['STRIP'] ?? 'strip';

const root = join(import.meta.dirname, '..', '..');
const arch = architectureFrom(process.argv[2]);
const { version } = readPackage(root);
const name = `stellwerk-${version}-linux-${arch}`;
const work = join(root, 'build', 'bundle', arch);
const stage = join(work, name);
const packages = join(work, 'packages');

fetchPackages();
rmSync(stage, { recursive: true, force: true });
copyProgram();
copyNode();
writeFileSync(join(stage, 'THIRD-PARTY.txt'), licences());
prune(join(stage, 'node_modules'));
pack();

function architectureFrom(word: string | undefined): 'x64' | 'arm64' {
  if (word === 'x64' || word === 'arm64') return word;
  console.error('usage: node dist/systemd/build-bundle.js x64|arm64');
  process.exit(2);
}

/**
 * Fetches the production packages for the target, once per lock file. npm filters them by architecture
 * itself.
 */
function fetchPackages(): void {
  const lock = join(packages, 'fetched');
  const required = readFileSync(join(root, 'package-lock.json'));
  if (existsSync(lock) && readFileSync(lock).equals(required)) return;
  console.log(`bundle: packages for ${arch}`);
  mkdirSync(packages, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    cpSync(join(root, file), join(packages, file));
  const options = [
    '--omit=dev',
    `--cpu=${arch}`,
    '--os=linux',
    '--libc=glibc',
    '--ignore-scripts',
    // A release can be built offline if npm has cached the packages.
    '--prefer-offline',
    '--loglevel=error',
  ];
  execFileSync('npm', ['ci', ...options], { cwd: packages, stdio: 'inherit' });
  writeFileSync(lock, required);
}

function copyProgram(): void {
  mkdirSync(join(stage, 'build'), { recursive: true });
  const keep = (from: string): boolean => !IDLE_FILES.test(from);
  for (const folder of ['program', 'src/base', 'src/client'])
    cpSync(join(root, 'dist', folder), join(stage, 'dist', folder), { recursive: true, filter: keep });
  // With its types, because programs install the client from the bundle.
  cpSync(join(root, 'dist', 'client'), join(stage, 'dist', 'client'), { recursive: true });
  for (const folder of BUNDLED_FOLDERS) {
    cpSync(join(root, folder), join(stage, folder), {
      recursive: true,
      filter: (from) => !from.endsWith('.ts'),
    });
  }
  for (const file of BUNDLED_FILES) cpSync(join(root, file), join(stage, file));
  completions();
  cpSync(join(root, 'systemd', 'install.sh'), join(stage, 'install.sh'));
  rmSync(join(stage, 'systemd', 'install.sh'));
  cpSync(join(packages, 'node_modules'), join(stage, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const [file, to] of [
    ['gpio.node', 'build'],
    ['notify.node', 'build'],
    ['serial.node', 'build'],
    ['stellwerk-keeper', 'bin'],
    ['stellwerk-script', 'build'],
    ['epoll.node', 'node_modules/epoll/build/Release'],
  ] as const) {
    mkdirSync(join(stage, to), { recursive: true });
    execFileSync(STRIP, ['-o', join(stage, to, file), join(root, 'build', 'native', arch, file)]);
  }
}

/** Generates the completion scripts of the shells with the program itself. */
function completions(): void {
  const folder = join(stage, 'completions');
  mkdirSync(folder);
  for (const shell of SHELLS)
    writeFileSync(
      join(folder, shell),
      execFileSync(join(root, 'bin', 'stellwerk'), ['completion', shell], { maxBuffer: COMPLETION_LIMIT }),
    );
}

/** Adds Node without its symbols, which saves 20 MB. Removes its package, except for the licence. */
function copyNode(): void {
  const from = join(stage, 'node_modules', `node-linux-${arch}`);
  const to = join(stage, 'bin', 'node');
  execFileSync(STRIP, ['-o', to, join(from, 'bin', 'node')]);
  chmodSync(to, 0o755);
}

/**
 * Lists every package in the bundle with the text of its licence, each text once. Runs before unused files
 * are removed.
 */
function licences(): string {
  const texts = new Map<string, string[]>();
  for (const folder of packageFolders(join(stage, 'node_modules'))) {
    const { name, version, license } = readPackage(folder);
    if (BUILD_ONLY.some((only) => name === only || name.startsWith(`${only}/`))) continue;
    const files = readdirSync(folder).filter(
      (file) => LICENCE.test(file) && statSync(join(folder, file)).isFile(),
    );
    const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
    const key = text === '' ? `${license ?? 'no licence named'} (no text in the package)` : text;
    texts.set(key, [...(texts.get(key) ?? []), `${name} ${version} (${license ?? 'see below'})`]);
  }
  const parts = [...texts].map(([text, users]) => `${users.sort().join('\n')}\n\n${text}\n`);
  return `Third-party software in the stellwerk bundle, with its licences.\n\n${parts.sort().join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The directories of all packages below a node_modules directory, including nested ones. */
function packageFolders(modules: string): string[] {
  if (!existsSync(modules)) return [];
  const own = readdirSync(modules)
    .filter((entry) => !entry.startsWith('.'))
    .flatMap((entry) =>
      entry.startsWith('@')
        ? readdirSync(join(modules, entry)).map((sub) => join(modules, entry, sub))
        : [join(modules, entry)],
    );
  return own.flatMap((folder) => [folder, ...packageFolders(join(folder, 'node_modules'))]);
}

/** Removes files that no program loads on this architecture. */
function prune(modules: string): void {
  for (const only of [...BUILD_ONLY, ...BUNDLED_PACKAGES, '.bin', '.package-lock.json', `node-linux-${arch}`])
    rmSync(join(modules, only), { recursive: true, force: true });
  for (const folder of packageFolders(modules)) {
    const prebuilds = join(folder, 'prebuilds');
    for (const platform of existsSync(prebuilds) ? readdirSync(prebuilds) : [])
      for (const file of readdirSync(join(prebuilds, platform)))
        if (platform !== `linux-${arch}` || file.includes('musl')) rmSync(join(prebuilds, platform, file));
    const { bin = {} } = readPackage(folder);
    const programs = typeof bin === 'string' ? [bin] : Object.values(bin);
    for (const idle of [...IDLE_FOLDERS, ...programs])
      rmSync(join(folder, idle), { recursive: true, force: true });
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, file);
      if (IDLE_FILES.test(file) && !LICENCE.test(basename(file)))
        rmSync(path, { recursive: true, force: true });
      else if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) {
        if (file.endsWith('.node')) execFileSync(STRIP, ['--strip-unneeded', path]);
        chmodSync(path, 0o644);
      }
    }
  }
}

function pack(): void {
  const tarball = join(root, 'build', `${name}.tar.gz`);
  const options = [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    `--mtime=${MTIME}`,
    '--mode=u=rwX,go=rX',
  ];
  execFileSync('tar', [...options, '-I', 'gzip -6n', '-cf', tarball, '-C', work, name]);
  console.log(`bundle: build/${name}.tar.gz, ${(statSync(tarball).size / 1e6).toFixed(1)} MB`);
}

function readPackage(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageFile;
}
