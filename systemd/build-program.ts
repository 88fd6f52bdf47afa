/**
 * Bundles the compiled sources into dist/program/lib: `node dist/systemd/build-program.js` (run by `make
 * build`). bin/stellwerk runs the result: some chunks instead of several hundred modules, which reduces the
 * start to two thirds of the time and the memory by 4 MB. Modules that are loaded on first use stay in
 * separate chunks. Packages that other packages need as well are not bundled, because they would be loaded
 * twice.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLED_PACKAGES, nodeBuildOptions } from './esbuild-options.js';

/**
 * The programs: the gateway, and those that it starts. Each is found by name in the directory of the program
 * that starts it.
 */
const PROGRAMS = [
  'src/main.js',
  'src/store/worker.js',
  'src/archive/archive-worker.js',
  'src/backup/backup-worker.js',
  'src/script/child.js',
  'drivers/mqtt/server/program/broker-program.js',
  'drivers/mqtt/server/store/session-worker.js',
  'src/cli/maintenance/maintenance-worker.js',
  'src/composition/export/export-worker.js',
];

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
// At the same depth as the compiled sources, so that paths relative to a module stay valid.
const target = join(dist, 'program', 'lib');

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Readonly<Record<string, string>>;
};
rmSync(target, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(PROGRAMS.map((file) => [basename(file, '.js'), join(dist, file)] as const)),
  outdir: target,
  ...nodeBuildOptions,
  splitting: true,
  external: Object.keys(dependencies).filter((name) => !BUNDLED_PACKAGES.includes(name)),
  metafile: true,
  // Node keeps the source of a program in memory; minifying saves 1.5 MB. Stack traces still name the
  // functions.
  minifyWhitespace: true,
});

for (const file of Object.keys(metafile.outputs)) {
  for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(
    /new URL\(["'](?:\.\/)?([\w-]+\.js)["'], import\.meta\.url\)/g,
  ))
    if (!existsSync(join(target, name)))
      throw new Error(
        `${name} is started by name, but is not a program: list it in systemd/build-program.ts`,
      );
}
