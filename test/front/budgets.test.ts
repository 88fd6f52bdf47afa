import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ASSETS_DIRECTORY, programFiles } from '../../src/front/assets.js';

/** Limits of the first view of the front with the larger language, bytes. */
const FRONT = { br: 30_000, gz: 33_000 } as const;
/** Limit of the front with all that it may load, in both languages, bytes of Brotli. */
const FRONT_WITH_CHUNKS = 60_000;
/** Limit of the console before its first page, with the larger language, bytes of Brotli. */
const CONSOLE_SHELL = 60_000;
/**
 * Limits of the chunks that are loaded when they are needed, with everything that only they need: bytes of
 * Brotli. A new chunk gets a limit of about a quarter more than its size.
 */
const LAZY = {
  resident: {
    // With the parts of discovered devices, and of the values of meters and sensors.
    'de-variables': 2750,
    background: 500,
    device: 2000,
    'history-page': 4250,
    install: 500,
    inputs: 2000,
    items: 750,
    kiosk: 300,
    'messages-page': 1000,
    narrowing: 1000,
    notifications: 2500,
    overlay: 1000,
    'owner-view': 500,
    picture: 300,
    recall: 350,
    rejected: 1000,
    reload: 500,
    'roving-focus': 750,
    sheet: 5500,
    'sign-in': 1000,
    sparkline: 750,
    'wide-tile': 2500,
  },
  console: {
    // With the names of objects of the audit, and its texts.
    'archive-page': 35_500,
    // It keeps what is typed until the call succeeded.
    call: 1900,
    // The first page: owner, settings, network, restore; its inputs of targets are a chunk that it shares.
    claim: 8250,
    'code-editor': 160_000,
    'password-dialog': 1000,
    conflict: 1000,
    // Every module adds the texts of its properties.
    'de-gateway': 19_000,
    'de-sentences': 31_000,
    'events-page': 25_000,
    // It shares the settings of the configuration with the page of updates, and the texts of the system page.
    'fronts-page': 14_000,
    hardware: 10_000,
    'history-tab': 30_000,
    install: 500,
    'log-page': 15_000,
    overview: 8000,
    'record-dialogs': 40_000,
    palette: 2750,
    // It keeps what somebody else has saved.
    'scripts-page': 7250,
    // It keeps what somebody else has saved, and shares the inputs of the settings of instances.
    'settings-form': 8000,
    // With the tab for updates, and the chips that can be enabled.
    'system-page': 29_000,
    tree: 32_000,
    'updates-view': 12_000,
  },
} as const satisfies Record<'resident' | 'console', Readonly<Record<string, number>>>;

const content = (file: string) => readFileSync(join(ASSETS_DIRECTORY, file), 'utf8');
const size = (file: string, ending: 'br' | 'gz') =>
  statSync(join(ASSETS_DIRECTORY, `${file}.${ending}`)).size;
const sum = (files: Iterable<string>, ending: 'br' | 'gz' = 'br') =>
  [...files].reduce((total, file) => total + size(file, ending), 0);

/** A file with all that it imports, except what is loaded already. */
function withImports(file: string, loaded: ReadonlySet<string>, found = new Set<string>()): Set<string> {
  if (loaded.has(file) || found.has(file)) return found;
  found.add(file);
  for (const [, next = ''] of content(file).matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g))
    withImports(next, loaded, found);
  return found;
}

/** Files with all that they import, each once. */
function withAllImports(files: Iterable<string>, loaded: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  for (const file of files) withImports(file, loaded, found);
  return found;
}

/** The files that a program loads when they are needed. */
function lazyFiles(
  files: Iterable<string>,
  shell: ReadonlySet<string>,
  found = new Set<string>(),
): Set<string> {
  for (const file of files)
    for (const [, next = ''] of content(file).matchAll(/import\("\.\/([\w.-]+\.js)"\)/g)) {
      if (found.has(next)) continue;
      found.add(next);
      lazyFiles(withImports(next, shell), shell, found);
    }
  return found;
}

const nameOf = (file: string) => file.replace(/-\w+\.js$/, '');

for (const program of ['resident', 'console'] as const)
  t.test(`the files of the ${program} fit their budgets`, async (t) => {
    const { script, style, chunks } = await programFiles(program);
    const shell = new Set([script, ...chunks]);
    const lazy = [...lazyFiles(shell, shell)];
    const languages = lazy.filter((file) => ['de', 'en'].includes(nameOf(file)));
    const first = (ending: 'br' | 'gz') =>
      sum([...shell, style], ending) +
      Math.max(...languages.map((file) => sum(withImports(file, shell), ending)));
    if (program === 'console') t.ok(first('br') <= CONSOLE_SHELL, `shell: ${first('br')} bytes`);
    else
      for (const [ending, limit] of Object.entries(FRONT))
        t.ok(
          first(ending as 'br' | 'gz') <= limit,
          `first view, ${ending}: ${first(ending as 'br' | 'gz')} bytes`,
        );
    if (program === 'resident') {
      const all = sum([...shell, style, ...withAllImports(lazy, shell)]);
      t.ok(all <= FRONT_WITH_CHUNKS, `all of it in both languages: ${all} bytes`);
    }
    const limits: Readonly<Record<string, number>> = LAZY[program];
    const names = new Set(lazy.filter((file) => !languages.includes(file)).map(nameOf));
    t.strictSame([...names].sort(), Object.keys(limits).sort(), 'each chunk has a limit, by its name');
    for (const file of lazy) {
      if (languages.includes(file)) continue;
      const bytes = sum(withImports(file, shell));
      t.ok(bytes <= (limits[nameOf(file)] ?? 0), `${nameOf(file)}: ${bytes} bytes`);
    }
  });
