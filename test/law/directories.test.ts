import { basename, dirname } from 'node:path';
import t from 'tap';
import { ALONE } from '../runner/alone.js';
import { filesOf, importsOf } from './sources.js';

/** Limit of files in one directory, so that a listing stays readable. */
const MAX_FILES = 25;

const files = ['src', 'drivers', 'test', 'docs', 'systemd', 'board', 'box'].flatMap((directory) =>
  filesOf(directory),
);
const directories = Map.groupBy(files, dirname);

t.test('no directory has more than 25 files side by side', async (t) => {
  const crowded = [...directories].filter(([, inside]) => inside.length > MAX_FILES);
  t.strictSame(
    crowded.map(([directory, inside]) => `${directory}: ${inside.length} files`),
    [],
  );
});

t.test('no two files of a directory differ only by an ending', async (t) => {
  const alike: string[] = [];
  for (const [directory, inside] of directories) {
    // A test, its fixture and a C header share the name of the file that they belong to.
    const names = new Set(inside.map((file) => basename(file).replace(/\..*$/, '')));
    for (const [, same] of Map.groupBy(names, rootOf))
      if (same.length > 1) alike.push(`${directory}: ${same.join(', ')}`);
  }
  t.strictSame(alike, []);
});

t.test('there are no cycles of value imports', async (t) => {
  const imports = new Map(
    files
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => [
        file,
        importsOf(file).flatMap(({ file: to, typeOnly }) => (to === undefined || typeOnly ? [] : [to])),
      ]),
  );
  t.strictSame(cyclesIn(imports), []);
});

t.test(
  'unit tests are pure: they use nothing outside the process, and only fixtures that read',
  async (t) => {
    const outside = /^node:(fs|fs\/promises|net|http|https|tls|dgram|child_process|worker_threads|sqlite)$/;
    const impure = files
      .filter((file) => file.startsWith('test/unit/') && file.endsWith('.ts'))
      .flatMap((file) =>
        importsOf(file)
          .filter(
            ({ text, typeOnly }) => !typeOnly && (outside.test(text) || text.endsWith('/temp-directory.js')),
          )
          .map(({ text }) => `${file}: ${text}: such a test belongs to test/contract/`),
      );
    t.strictSame(impure, []);
  },
);

t.test('each file that needs a process of its own exists', async (t) => {
  t.strictSame(
    [...ALONE].filter((name) => !files.includes(`test/${name}.ts`)),
    [],
  );
});

/** The word without its grammatical ending: `line-keeper` and `line-keeping` have the same. */
function rootOf(name: string): string {
  return name.replace(/(?<=\w{3})(ies|ings?|ers?|ors?|eds?|als?|ions?|es|s|e|y)$/, '');
}

/** A cycle for each strongly connected component (Tarjan's algorithm), as `a → b → a`. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1 || graph.get(node)?.includes(node) === true)
      found.push([...component, node].join(' → '));
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}
