import t from 'tap';
import { IO_FILES, IO_MODULES, MAY_IMPORT, PROGRAMS, TIMER_FILES, TYPES_ONLY } from './law.js';
import { codeOf, filesOf, importsOf, textOf } from './sources.js';

const sources = [...filesOf('src'), ...filesOf('drivers')].filter((file) => /\.tsx?$/.test(file));

/**
 * `src/kernel/tree.ts` → `kernel`; `src/main.ts` → `main.ts`; `drivers/gpio/backends/line.ts` → `drivers/*`.
 */
function directoryOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  return top === 'src' ? second : `${top}/*`;
}

/** The reason why `from` may not import `to`, or undefined. */
function broken(from: string, to: string, typeOnly: boolean): string | undefined {
  const [directory, target] = [directoryOf(from), directoryOf(to)];
  if (directory === 'composition') return undefined;
  if (directory === target) {
    const apart = directory === 'drivers/*' && from.split('/')[1] !== to.split('/')[1];
    return apart ? 'a driver may not import another one' : undefined;
  }
  const path = to.replace(/^src\//, '').replace(/\.ts$/, '');
  const allowed = MAY_IMPORT[directory]?.some((part) => path === part || path.startsWith(`${part}/`));
  if (allowed !== true) return `${directory} may not import ${target}`;
  const typesOnly = TYPES_ONLY[directory]?.includes(target) === true;
  return typesOnly && !typeOnly ? `${directory} may only import types of ${target}` : undefined;
}

t.test('every import is allowed', async (t) => {
  t.ok(sources.length > 20, 'there are sources to check');
  const faults: string[] = [];
  for (const file of sources) {
    if (directoryOf(file).endsWith('.ts') && directoryOf(file) !== 'main.ts')
      faults.push(`${file}: is in no directory of ARCHITECTURE.md`);
    for (const { text, file: to, typeOnly, bare } of importsOf(file)) {
      // The build collects the style sheets of pages.
      if (file.endsWith('.tsx') && text.endsWith('.css')) continue;
      if (bare) faults.push(`${file}: '${text}' is imported for its side effect`);
      if (to === undefined) continue;
      if (!sources.includes(to)) faults.push(`${file}: '${text}' is not a source file of src or drivers`);
      const reason = broken(file, to, typeOnly);
      if (reason !== undefined) faults.push(`${file}: '${text}': ${reason}`);
    }
  }
  t.strictSame(faults, []);
});

t.test('ARCHITECTURE.md lists the same import rules', async (t) => {
  const listed = new Map<string, string[]>();
  const block = /## Who may import whom\s+```\n([^]*?)```/.exec(textOf('ARCHITECTURE.md'))?.[1] ?? '';
  // A line describes one directory, or two separated by blanks: `base      → nothing      kernel → base`.
  for (const sentence of block.split(/\n| {2,}(?=[\w.]+ +→)/)) {
    const [directories = '', list = ''] = sentence.split('→');
    const parts = list
      .replace(/\([^)]*\)/g, '')
      .split(',')
      .map((part) => part.trim());
    for (const directory of directories.split(','))
      if (directory.trim() !== '')
        listed.set(directory.trim(), parts.filter((part) => part !== 'nothing').sort());
  }
  t.same(listed.get('composition'), ['everything']);
  listed.delete('composition');
  t.same(
    Object.fromEntries(listed),
    Object.fromEntries(
      Object.entries(MAY_IMPORT).map(([directory, parts]) => [directory, [...parts].sort()]),
    ),
  );
});

t.test('only the listed files reach outside the process', async (t) => {
  const touching = new Map<string, string[]>();
  for (const file of sources) {
    const io = importsOf(file).filter(({ text, typeOnly }) => !typeOnly && IO_MODULES.test(text));
    const native = /\bprocess\.dlopen\b|\bcreateRequire\b|\bgetBuiltinModule\b/.test(codeOf(file))
      ? ['an addon']
      : [];
    if (io.length + native.length > 0) touching.set(file, [...io.map(({ text }) => text), ...native]);
  }
  const unlisted = [...touching]
    .filter(([file]) => !IO_FILES.includes(file))
    .map(([file, what]) => `${file}: ${what.join(', ')}`);
  t.strictSame(unlisted, []);
  t.strictSame(
    IO_FILES.filter((file) => !touching.has(file)),
    [],
    'every listed file still needs to be listed',
  );
});

t.test('node:http is imported in one place, and by the module loader', async (t) => {
  const importers = sources.filter((file) =>
    importsOf(file).some(({ text, typeOnly }) => text === 'node:http' && !typeOnly),
  );
  t.strictSame(importers, [], 'src/api/http/node-http.ts says why');
});

t.test('the kernel is synchronous and does not read the clock', async (t) => {
  const forbidden =
    /\basync\b|\bawait\b|\bPromise\b|\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bDate\.now\b|\bperformance\b|\bMath\.random\b/;
  const faults = sources
    .filter((file) => directoryOf(file) === 'kernel')
    .flatMap((file) => linesWith(file, forbidden));
  t.strictSame(faults, []);
});

t.test('time and timers come from the clock', async (t) => {
  const timer =
    /(?<![.\w])set(Timeout|Interval|Immediate)\b|\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b/;
  const users = new Map(
    sources.map((file) => [
      file,
      [
        ...linesWith(file, timer),
        ...importsOf(file).flatMap(({ text }) =>
          /^(node:)?timers\b/.test(text) ? [`${file}: '${text}'`] : [],
        ),
      ],
    ]),
  );
  const exceptions = Object.keys(TIMER_FILES);
  t.strictSame(
    [...users].filter(([file]) => !exceptions.includes(file)).flatMap(([, lines]) => lines),
    [],
  );
  t.strictSame(
    exceptions.filter((file) => !users.get(file)?.length),
    [],
    'every exception still applies',
  );
});

t.test('no module has mutable state, a default export, or a suppressed type error', async (t) => {
  const state = [
    /^(export\s+)?(let|var)\b/,
    // An empty collection at module level would be filled at run time.
    /^(export\s+)?const\s+\w+(:[^=]+)?\s*=\s*(new\s+(Map|Set|WeakMap|WeakSet|Array)(<.*>)?\(\)|\[\]|\{\})\s*;/,
  ];
  const forbidden = [
    /^export\s+default\b|\bas\s+default\b/,
    /\bas\s+any\b|:\s*any\b|<any>/,
    /^(export\s+)?(declare\s+)?(const\s+)?enum\b|^(export\s+)?namespace\b/,
  ];
  // A page is one program that is loaded once, so that its modules may have shared state.
  const modules = sources.filter((file) => !PROGRAMS.includes(file) && !/^src\/front\/\w+\//.test(file));
  const found = (files: readonly string[], patterns: readonly RegExp[]) =>
    files.flatMap((file) => patterns.flatMap((pattern) => linesWith(file, pattern)));
  t.strictSame(found(modules, state), []);
  t.strictSame(found(sources, forbidden), []);
  const importers = sources.flatMap((file) =>
    importsOf(file).filter(({ file: to }) => PROGRAMS.includes(to ?? '')),
  );
  t.strictSame(importers, [], 'a program is started, not imported');
  const silenced = [...sources, ...filesOf('test')].filter(
    (file) => file.endsWith('.ts') && /@ts-(ignore|nocheck)/.test(commentsOf(file)),
  );
  t.strictSame(silenced, []);
});

t.test('an ignored failure and a forced cast have a comment with the reason', async (t) => {
  const silent = /\.catch\(\(\) => (undefined|\{\})\)|\bas unknown as\b/;
  const comment = /\/\/|^\s*\*\/|\*\/$/;
  const faults = [...sources, ...filesOf('systemd').filter((file) => file.endsWith('.ts'))].flatMap(
    (file) => {
      const lines = textOf(file).split('\n');
      return lines.flatMap((line, at) =>
        silent.test(line) && !lines.slice(Math.max(0, at - 2), at + 1).some((near) => comment.test(near))
          ? [`${file}:${at + 1}: ${line.trim()}`]
          : [],
      );
    },
  );
  t.strictSame(faults, []);
});

/** The lines of a file's code (comments and texts blanked) that match the pattern, as `file:line: text`. */
function linesWith(file: string, pattern: RegExp): string[] {
  return codeOf(file)
    .split('\n')
    .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []));
}

function commentsOf(file: string): string {
  return (textOf(file).match(/\/\*[^]*?\*\/|\/\/[^\n]*/g) ?? []).join('\n');
}
