import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { ROOT, filesOf, textOf } from './sources.js';

const files = filesOf();
const texts = files.filter((file) => !/\.(png|jpg|webp|ico|woff2?|gz|node|wasm)$/.test(file));

/** Files of more than 400 lines, each with its reason. */
const LONG: Readonly<Record<string, string>> = {
  'docs/reference/gateway.schema.json': 'generated',
  'docs/use/grafana-dashboard.json': 'Grafana reads one file',
  'docs/reference/functions.md': 'one line per function, generated',
  'docs/reference/openrpc.json': 'one line per function, generated',
  'package-lock.json': 'written by npm',
  'src/client/generated/functions.ts': 'one line per function, generated from the command reference',
  'src/client/generated/records.ts': 'one line per field, generated from the command reference',
};

t.test('the lock file has versions and checksums, but no addresses', async (t) => {
  const lock = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { resolved?: string; optionalDependencies?: object }>;
  };
  const packages = Object.entries(lock.packages);
  t.ok(packages.length > 50, 'it lists packages');
  t.strictSame(
    packages.filter(([, { resolved }]) => resolved?.startsWith('http')).map(([name]) => name),
    [],
  );
  // npm omits entries that it could not look up, and `npm ci` then rejects the file.
  const optional = packages.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies));
  t.strictSame(
    optional.filter((name) => !packages.some(([at]) => at.endsWith(`node_modules/${name}`))),
    [],
    'every optional package has its entry',
  );
});

t.test('no file names a registry, a mirror, or a path of the machine where it was written', async (t) => {
  // Concatenated, so that this file does not contain the names itself.
  const hosts = [
    ['registry', 'npmjs'],
    ['registry', 'yarnpkg'],
    ['deb', 'debian'],
    ['security', 'debian'],
    ['proxy', 'golang'],
  ].map((part) => part.join('\\.'));
  const places = ['work', 'farm', 'home/[a-z]+', 'tmp/brief'].map(
    (place) => `(?<![\\w.$}~-])/${place}/[a-z.]`,
  );
  const forbidden = new RegExp([...hosts, ...places].join('|'));
  const found = texts.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) =>
        forbidden.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [],
      ),
  );
  t.strictSame(found, []);
});

t.test('every link in the documents has a target', async (t) => {
  const broken: string[] = [];
  let links = 0;
  for (const file of files.filter((name) => name.endsWith('.md'))) {
    const prose = textOf(file)
      .replace(/^```[^]*?^```/gm, '')
      .replace(/`[^`\n]*`/g, '');
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?|mailto|wss?):/.test(target)) continue;
      links += 1;
      const [path = '', anchor] = target.split('#');
      const to = path === '' ? file : join(dirname(file), path);
      if (!existsSync(join(ROOT, to))) broken.push(`${file}: ${target}`);
      else if (anchor !== undefined && to.endsWith('.md') && !anchorsOf(to).includes(anchor))
        broken.push(`${file}: ${target} (no such heading)`);
    }
  }
  t.strictSame(broken, []);
  t.comment(`${links} links followed`);
});

t.test('no file exceeds the limit of lines, unless it has a reason', async (t) => {
  const long = texts.filter(
    (file) =>
      /\.(ts|c|h|mjs|js|css|html|json|sh|md|yaml)$|Makefile$|\.ci\/run$/.test(file) &&
      textOf(file).split('\n').length > 401,
  );
  t.strictSame(
    long.filter((file) => LONG[file] === undefined),
    [],
  );
});

/** The anchors of a document's headings, as generated from their text. */
function anchorsOf(file: string): string[] {
  return [...textOf(file).matchAll(/^#+\s+(.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}
