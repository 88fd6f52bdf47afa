import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';

/** The checkout's root, seen from dist/test/law/. */
export const ROOT = PACKAGE_ROOT;

/** Generated or downloaded files, and those outside the repository. */
const NOT_OURS = new Set([
  'node_modules',
  'dist',
  'build',
  'data',
  'coverage',
  '.git',
  '.work',
  '.tap',
  '.oxlint',
]);

/** One import of a source file: its target, and whether only types are imported. */
export interface Import {
  /** As written: `./clock.js`, `node:fs`. */
  readonly text: string;
  /** The source file in the tree, `src/base/clock.ts`; otherwise undefined. */
  readonly file: string | undefined;
  readonly typeOnly: boolean;
  /** `import 'x'`: only for its side effect. */
  readonly bare: boolean;
}

/** All files of the tree below `folder`, as paths from the root with `/`. */
export function filesOf(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (NOT_OURS.has(entry.name)) return [];
    if (entry.isDirectory()) return filesOf(path);
    return entry.isFile() ? [path] : [];
  });
}

export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** A source without comments and without the contents of strings and templates; line numbers are kept. */
export function codeOf(file: string): string {
  const token = /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  return textOf(file).replace(token, (match) =>
    match.startsWith('/')
      ? match.replace(/[^\n]/g, '')
      : match[0] + match.slice(1, -1).replace(/[^\n]/g, '') + match[0],
  );
}

/** The imports of a source file: static, dynamic, re-exports, and `import('x')` in types. */
export function importsOf(file: string): Import[] {
  const text = textOf(file).replace(/\/\*[^]*?\*\/|^\s*\/\/[^\n]*/gm, '');
  const found: Import[] = [];
  const statement = /^(?:import|export)\s+(type\s)?([^'";]*?\bfrom\s*)?'([^']+)'/gm;
  for (const [, type, from, target] of text.matchAll(statement)) {
    const names = from ?? '';
    const allTypes = /^\{(\s*type\s+\w+(\s+as\s+\w+)?\s*,?)+\}/.test(names.trim());
    found.push(
      imported(file, target ?? '', { typeOnly: type !== undefined || allTypes, bare: from === undefined }),
    );
  }
  // `typeof import('x')` and `import('x').Name` in a type are types; `await import('x')` is not.
  for (const [complete, before, target] of text.matchAll(/(typeof\s+)?\bimport\(\s*'([^']+)'/g)) {
    if (complete !== '')
      found.push(imported(file, target ?? '', { typeOnly: before !== undefined, bare: false }));
  }
  for (const [, target] of text.matchAll(/\b(?:require|createRequire\([^)]*\))\(\s*'([^']+)'/g)) {
    found.push(imported(file, target ?? '', { typeOnly: false, bare: false }));
  }
  return found;
}

function imported(
  from: string,
  text: string,
  { typeOnly, bare }: { typeOnly: boolean; bare: boolean },
): Import {
  if (!text.startsWith('.')) return { text, file: undefined, typeOnly, bare };
  const source = posix.join(dirname(from), text).replace(/\.js$/, '.ts');
  // Components of pages are in .tsx files.
  const file = existsSync(join(ROOT, source)) ? source : `${source}x`;
  return { text, file, typeOnly, bare };
}
