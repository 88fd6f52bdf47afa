/**
 * Builds dist/program/front from src/front: `node dist/systemd/build-front.js` (run by `make build`). File
 * names contain a hash of the content, so that browsers may cache them. Each file has a `.br` and a `.gz`
 * version, because browsers accept Brotli only over TLS and on loopback. manifest.json lists the files of
 * each page, the declarations of all functions for editors of scripts, and the schema of gateway.yaml.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';
import { systemClock } from '../src/base/clock.js';
import { schemaText } from '../src/cli/commands/schema.js';
import { createModuleList } from '../src/composition/module-list.js';
import { declaredFunctions } from '../src/functions/declared-functions.js';
import { scriptDeclarations } from '../src/functions/reflection/script-declarations.js';
import { packageVersion } from '../src/service/system.js';
import { bundleOptions } from './esbuild-options.js';

/** The programs, one per page. */
const PROGRAMS = ['resident', 'console'];
/** Chrome and WebView 87, Safari 15.4, Firefox 98. */
const TARGET = ['chrome87', 'safari15.4', 'firefox98'];
const COMPRESSED = /\.(?:js|css|svg|json|webmanifest)$/;

/**
 * Makes each lazy module of a program depend on all that its page loads first. Otherwise esbuild makes a
 * chunk for each group of modules that the same lazy modules use, and small files compress badly.
 */
const oneFirstChunk: Plugin = {
  name: 'one-first-chunk',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^\./ }, async ({ kind, path, importer, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const { path: file, errors } = await resolve(path, { kind: 'import-statement', importer, resolveDir });
      return { path: file, errors, pluginData: { isLazy: true } };
    });
    onLoad({ filter: /\/src\/front\/(?:resident|console)\/.*\.tsx?$/ }, ({ path, pluginData }) => {
      if ((pluginData as { isLazy?: boolean } | undefined)?.isLazy !== true) return undefined;
      const [program = ''] = /^.*\/src\/front\/\w+\//.exec(path) ?? [];
      const contents = `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(`${program}main.tsx`)};\n`;
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

const root = join(import.meta.dirname, '..', '..');
const target = join(root, 'dist', 'program', 'front');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

interface PageFiles {
  script: string;
  style: string;
  /** Chunks that the script imports statically: a page preloads them. */
  chunks: string[];
  /** All files of the program, also those that it loads later. */
  all: string[];
}

type Outputs = Metafile['outputs'];

const types = await writeTypes();
const schema = writeHashed('gateway', 'schema.json', await schemaText());
const manifest: Record<string, PageFiles | string> = { types, schema };
const written = new Set<string>();
// Each program by itself: chunks that both use would split the first view into more and smaller files.
for (const program of PROGRAMS) {
  const outputs = await buildProgram(program);
  const all = Object.entries(outputs);
  const [script, entry] = all.find(([, { entryPoint }]) => entryPoint === mainOf(program)) ?? [];
  if (script === undefined || entry === undefined) throw new Error(`esbuild made no ${program}`);
  const kept: string[] = [];
  for (const [path] of all) {
    // All styles are in the page's; those of lazy modules repeat it.
    if (path.endsWith('.css') && path !== entry.cssBundle) rmSync(join(root, path));
    else {
      written.add(path);
      kept.push(basename(path));
    }
  }
  const style = entry.cssBundle === undefined ? '' : basename(entry.cssBundle);
  manifest[program] = { script: basename(script), style, chunks: staticImports(outputs, script), all: kept };
}
for (const program of PROGRAMS) await buildWorker(program);
writeFileSync(join(target, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const files = readdirSync(join(root, 'src', 'front', 'static'));
for (const name of files) copyFileSync(join(root, 'src', 'front', 'static', name), join(target, name));
for (const name of files) if (COMPRESSED.test(name)) compress(join(target, name));
for (const path of written) if (COMPRESSED.test(path)) compress(join(root, path));
const bytes = [...written].reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
console.log(`front: ${written.size} files, ${Math.round(bytes / 1024)} KiB`);

function mainOf(program: string): string {
  return `src/front/${program}/main.tsx`;
}

async function buildProgram(program: string): Promise<Outputs> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [{ in: mainOf(program), out: program }],
    outdir: target,
    ...bundleOptions,
    splitting: true,
    minify: true,
    platform: 'browser',
    target: TARGET,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    metafile: true,
    plugins: [oneFirstChunk],
    // The package's own entry reads streams of Node.
    alias: { 'csv-parse': 'csv-parse/browser/esm' },
    tsconfig: join(root, 'src', 'front', 'tsconfig.json'),
  });
  return metafile.outputs;
}

/**
 * Builds the service worker of a program, with the names of the files that it keeps: those of the first view
 * and the texts, and all of the residents' front, which is small. It is not hashed: browsers look for a newer
 * one at the same address.
 */
async function buildWorker(program: string): Promise<void> {
  const { script, style, chunks, all } = manifest[program] as PageFiles;
  const texts = all.filter((name) => /^(?:de|en)-/.test(name));
  const kept = program === 'resident' ? all : [...new Set([script, style, ...chunks, ...texts])];
  const text = readFileSync(join(root, 'src/front/worker/main.ts'));
  const version = createHash('sha256').update(text).update(kept.join()).digest('hex').slice(0, 16);
  await build({
    absWorkingDir: root,
    entryPoints: ['src/front/worker/main.ts'],
    outfile: join(target, `worker-${program}.js`),
    ...bundleOptions,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: TARGET,
    define: { FILES: JSON.stringify(kept), VERSION: JSON.stringify(version) },
    tsconfig: join(root, 'src', 'front', 'worker', 'tsconfig.json'),
  });
}

/** Writes the declarations for the editor of scripts, as `stellwerk types` prints them; returns the name. */
async function writeTypes(): Promise<string> {
  const clock = systemClock();
  const declared = declaredFunctions(await createModuleList(clock)({ board: 'simulated' }), clock);
  const text = scriptDeclarations(declared, packageVersion());
  return writeHashed('functions', 'd.ts', text);
}

/** Writes a file with the hash of its content in its name, which it returns. */
function writeHashed(name: string, ending: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
  const file = `${name}-${hash}.${ending}`;
  writeFileSync(join(target, file), text);
  compress(join(target, file));
  return file;
}

/** All chunks that are loaded before the program runs, those of chunks included. */
function staticImports(outputs: Outputs, entry: string): string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    for (const { path: to, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !found.has(to)) {
        found.add(to);
        visit(to);
      }
  };
  visit(entry);
  return [...found].map((path) => basename(path));
}

function compress(file: string): void {
  const content = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
  // Smaller blocks have codes that fit their content better.
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9, memLevel: 6 }));
}
