/**
 * Makes dist/program/lib from the compiled sources: `node dist/systemd/build-program.js` (by `make build`).
 * It is what bin/stellwerk runs: some chunks in place of several hundred modules, which start in two thirds
 * of the time and hold 4 MB less. What is loaded when first needed stays so, in chunks of its own. The
 * packages that others need too are not taken in: a program would have them twice.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLED_PACKAGES, nodeBuildOptions } from './esbuild-options.js';

/**
 * The programs: the gateway, and those that it starts. Each is found by its name, in the directory of the
 * program that starts it.
 */
const PROGRAMS = [
  'src/main.js',
  'src/store/worker.js',
  'src/archive/archive-worker.js',
  'src/script/child.js',
];

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
// As deep as the compiled sources stand: what they find by their own place is where it was.
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
  // The text of a program stays in memory while it runs: this is 1.5 MB of it. A trace still names the
  // functions.
  minifyWhitespace: true,
});

for (const file of Object.keys(metafile.outputs)) {
  for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(
    /new URL\(["'](?:\.\/)?([\w-]+\.js)["'], import\.meta\.url\)/g,
  ))
    if (!existsSync(join(target, name)))
      throw new Error(
        `${name} is started by its name, but is not a program: list it in systemd/build-program.ts`,
      );
}
