/**
 * Bundles the compiled sources into dist/program/lib: `node dist/systemd/build-program.js` (run by `make
 * build`). bin/stellwerk runs the result: few files instead of several hundred modules, which halves the
 * processor time of a start. Modules that are loaded on first use stay in files of their own. Packages that
 * other packages need as well are not bundled, because they would be loaded twice.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build, type BuildOptions, type BuildResult, type Plugin } from 'esbuild';
import { BUNDLED_PACKAGES, nodeBuildOptions } from './esbuild-options.js';

/** The command that runs the gateway. */
const GATEWAY = 'src/cli/commands/serve.js';
/** The command line without it, and the threads that do long work for both. */
const COMMAND_LINE = [
  'src/main.js',
  'src/cli/maintenance/maintenance-worker.js',
  'src/composition/export/export-worker.js',
];
/**
 * Threads and processes of the gateway. Each is found by its name in the directory of the program that starts
 * it.
 */
const CHILDREN = [
  'src/store/worker.js',
  'src/archive/archive-worker.js',
  'src/backup/backup-worker.js',
  'src/script/child.js',
  'drivers/mqtt/server/program/broker-program.js',
  'drivers/mqtt/server/store/session-worker.js',
];

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
// At the same depth as the compiled sources, so that paths relative to a module stay valid.
const target = join(dist, 'program', 'lib');

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Readonly<Record<string, string>>;
};
const options = {
  ...nodeBuildOptions,
  absWorkingDir: root,
  outdir: target,
  external: Object.keys(dependencies).filter((name) => !BUNDLED_PACKAGES.includes(name)),
  metafile: true,
  // Node keeps the source of a program in memory; minifying saves 1.5 MB. Stack traces still name the
  // functions.
  minifyWhitespace: true,
} as const satisfies BuildOptions;
const entries = (files: readonly string[]) =>
  Object.fromEntries(files.map((file) => [basename(file, '.js'), join(dist, file)]));

rmSync(target, { recursive: true, force: true });
const built = await Promise.all([
  buildGateway(),
  build({
    ...options,
    entryPoints: entries(COMMAND_LINE),
    splitting: true,
    plugins: [{ name: 'gateway', setup: leaveOut(GATEWAY) }],
  }),
  ...CHILDREN.map((file) => build({ ...options, entryPoints: entries([file]) })),
]);

/**
 * Everything that the gateway needs at each start becomes one file. esbuild puts modules into one file if the
 * same entry points reach them, and each module that is loaded on first use is an entry point. Therefore all
 * of these are made to import the gateway, which has been loaded before them anyway.
 */
async function buildGateway(): Promise<BuildResult<typeof options>> {
  const gateway = { ...options, entryPoints: entries([GATEWAY]), splitting: true };
  const { metafile } = await build({ ...gateway, write: false });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const loadedLater = new Set(
    imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => join(root, path)),
  );
  const setup: Plugin['setup'] = ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, ({ path }) =>
      loadedLater.has(path)
        ? { contents: `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(join(dist, GATEWAY))};` }
        : undefined,
    );
  const result = await build({ ...gateway, plugins: [{ name: 'one file for the start', setup }] });
  for (const { path } of result.metafile.outputs[relative(root, join(target, basename(GATEWAY)))]?.imports ??
    [])
    checkOneByte(path);
  return result;
}

/** A single character beyond ASCII doubles the memory of a source: 2 MB for the file of the start. */
function checkOneByte(file: string): void {
  // esbuild escapes such characters everywhere except in tagged templates.
  const [found] = /.{0,60}[^\0-\x7f].{0,20}/v.exec(readFileSync(join(root, file), 'utf8')) ?? [];
  if (found !== undefined) throw new Error(`write plain characters in this tagged template: ${found}`);
}

/** Keeps a module out of the bundle: imports refer to its own file, which is built next to it. */
function leaveOut(file: string): Plugin['setup'] {
  const name = basename(file);
  return ({ onResolve }) =>
    onResolve({ filter: new RegExp(`/${name.replace('.', '\\.')}$`) }, ({ importer, path }) =>
      join(dirname(importer), path) === join(dist, file) ? { path: `./${name}`, external: true } : undefined,
    );
}

for (const file of built.flatMap(({ metafile }) => Object.keys(metafile.outputs))) {
  for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(
    /new URL\(["'](?:\.\/)?([\w-]+\.js)["'], import\.meta\.url\)/g,
  ))
    if (!existsSync(join(target, name)))
      throw new Error(
        `${name} is started by name, but is not a program: list it in systemd/build-program.ts`,
      );
}
