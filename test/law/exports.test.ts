import t from 'tap';
import { codeOf, filesOf, importsOf, textOf } from './sources.js';

const files = ['src', 'drivers', 'systemd', 'test']
  .flatMap((folder) => filesOf(folder))
  .filter((file) => /\.tsx?$/.test(file));

/** The interface of the client package, which other programs import. */
const isPublic = (file: string): boolean =>
  file === 'src/client/index.ts' || file.startsWith('src/client/generated/');

t.test('every export is used by another file', async (t) => {
  const importers = new Map<string, Set<string>>();
  for (const file of files)
    for (const { file: to } of importsOf(file)) {
      if (to !== undefined) importers.set(to, (importers.get(to) ?? new Set()).add(file));
    }
  const unused = files
    .filter((file) => !file.startsWith('test/') && !isPublic(file))
    .flatMap((file) => {
      const users = [...(importers.get(file) ?? [])].map(textOf).join('\n');
      return exportsOf(file)
        .filter((name) => !new RegExp(`\\b${name}\\b`).test(users))
        .map((name) => `${file}: ${name}`);
    });
  t.strictSame(unused, []);
});

/** The names that a file exports. */
function exportsOf(file: string): string[] {
  const code = codeOf(file);
  const declared = code.matchAll(
    /^export (?:abstract )?(?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm,
  );
  const listed = [...code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').map((item) => item.trim().split(/\s+/).at(-1) ?? ''),
  );
  return [...Array.from(declared, ([, name = '']) => name), ...listed].filter((name) => name !== '');
}
