/**
 * Builds the typed client as a single file without dependencies, for programs and browsers: `node
 * dist/systemd/build-client.js` (run by `make build`) writes the package dist/client with client.js, its
 * types and a README. The gateway serves client.js to pages; `make client` packs the directory.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from './esbuild-options.js';

const root = join(import.meta.dirname, '..', '..');
const compiled = join(root, 'dist', 'src');
const target = join(root, 'dist', 'client');
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  license: string;
};

rmSync(target, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [join(compiled, 'client', 'index.js')],
  outfile: join(target, 'client.js'),
  ...bundleOptions,
  platform: 'neutral',
  // Node 22, and browsers of the last three years.
  target: ['node22', 'es2022'],
  banner: { js: `/* stellwerk client ${version}, ${license} */` },
});
copyTypes(join(compiled, 'client', 'index.d.ts'), new Set());
for (const file of ['LICENSE']) cpSync(join(root, file), join(target, file));
cpSync(join(root, 'docs', 'use', 'clients', 'package.md'), join(target, 'README.md'));
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify(
    {
      name: 'stellwerk-client',
      version,
      description:
        'Typed client of the stellwerk gateway: its functions and its changes, in Node and in browsers.',
      license,
      type: 'module',
      exports: { '.': { types: './types/client/index.d.ts', default: './client.js' } },
      files: ['client.js', 'types'],
      sideEffects: false,
      engines: { node: '>=22' },
    },
    null,
    2,
  )}\n`,
);

/** A declaration file, and those that it imports. */
function copyTypes(file: string, done: Set<string>): void {
  if (done.has(file)) return;
  done.add(file);
  const to = join(target, 'types', relative(compiled, file));
  mkdirSync(dirname(to), { recursive: true });
  const text = readFileSync(file, 'utf8');
  writeFileSync(to, text);
  for (const [, imported = ''] of text.matchAll(/from '(\.[^']+)\.js'/g))
    copyTypes(join(dirname(file), `${imported}.d.ts`), done);
}
