import type { TObject, TSchema } from '@sinclair/typebox';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { createModuleList } from '../../../src/composition/module-list.js';
import { deGateway } from '../../../src/front/console/i18n/de-gateway.js';
import { Options } from '../../../src/functions/options.js';
import { filesOf, textOf } from '../../law/sources.js';

const modules = await createModuleList(new ManualClock())({ board: 'simulated' });

/** The properties of an object, and the columns of its lists as `Topics.QoS`. */
function propertiesOf({ properties }: TObject, above = ''): [path: string, schema: TSchema][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const items = schema['items'] as TSchema | undefined;
    const columns = items?.['type'] === 'object' ? propertiesOf(items as TObject, `${name}.`) : [];
    return [[above + name, schema] as [string, TSchema], ...columns];
  });
}

const all = [...modules.all()].flatMap(({ name: module, properties }) =>
  propertiesOf(properties).map(([path, schema]) => ({ module, path, schema })),
);
const familyOf = (module: string) => deGateway.families.find((family) => module in family.modules);
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

t.test('every module has a German name and description, and no other has', async (t) => {
  const translated = deGateway.families.flatMap((family) => Object.entries(family.modules));
  t.strictSame(translated.map(([name]) => name).sort(), Array.from(modules.all(), ({ name }) => name).sort());
  for (const [name, [caption, description]] of translated) {
    t.not(caption, '', `${name} has a name`);
    t.match(description, /^[A-ZÄÖÜ].*\.$/, `${name} has a description`);
  }
});

t.test('every property has a German caption and help, and no other has', async (t) => {
  const used = new Set<string>();
  for (const { module, path } of all) {
    const family = familyOf(module);
    const key = [`${module}: ${path}`, path].find((one) => one in (family?.properties ?? {})) ?? '';
    const [caption = '', help = ''] = family?.properties[key] ?? [];
    used.add(`${deGateway.families.indexOf(family ?? deGateway.families[0]!)} ${key}`);
    t.match(caption, /^[A-ZÄÖÜ0].{1,29}$/, `${module} has a caption for ${path}`);
    t.match(help, path.includes('.') ? /^$/ : /^.{10,130}\.$/, `${module} explains ${path}`);
  }
  const known = deGateway.families.flatMap(({ properties }, at) =>
    Object.keys(properties).map((key) => `${at} ${key}`),
  );
  t.strictSame(sorted(known), sorted(used));
});

t.test('every heading of a form is in German, and no other is', async (t) => {
  const groups = all.flatMap(({ schema }) => (schema['group'] as string | undefined) || []);
  t.strictSame(sorted(Object.keys(deGateway.groups)), sorted(groups));
});

t.test('every word of an enumeration is in German, and no other is', async (t) => {
  const { choices } = deGateway;
  const used = all.flatMap(({ path, schema }) =>
    ((schema['enum'] as string[] | undefined) ?? [])
      .filter((word) => !/^\d+$/.test(word))
      .map((word) => (`${path}.${word}` in choices ? `${path}.${word}` : word)),
  );
  t.strictSame(sorted(Object.keys(choices)), sorted(used));
});

t.test('every option has a German description, and no other has', async (t) => {
  const options = new Options({ saved: {}, save: async () => undefined });
  t.strictSame(sorted(Object.keys(deGateway.options)), sorted(options.names()));
});

t.test('every health check has a German name, and no other has', async (t) => {
  const sources = filesOf('src').filter((file) => file.endsWith('.ts'));
  const namesIn = (pattern: RegExp, files = sources) =>
    files.flatMap((file) => Array.from(textOf(file).matchAll(pattern), ([, name = '']) => name));
  t.strictSame(
    sorted(Object.keys(deGateway.checks)),
    sorted([
      ...namesIn(/(?:checks|health)\.set\(\s*'([^']+)'/g),
      ...namesIn(/\.addCheck\('([^']+)'/g),
      ...namesIn(/^    (\w+): \w+Check\(machine\b/gm, ['src/service/diagnosis.ts']),
      ...namesIn(/sequence\.run\('([^']+)'/g).map((part) => `start: ${part}`),
    ]),
  );
});

t.test('what is known about found hardware is in German', async (t) => {
  const examples = {
    input: 'Eingang',
    output: 'Ausgang',
    'ID_SDA in the kernel': 'im Kernel ID_SDA',
    '54 lines': '54 Leitungen',
    '1 device': '1 Gerät',
    '3 devices': '3 Geräte',
    'on w1_bus_master1': 'an w1_bus_master1',
    'family 1f': 'Familie 1f',
    'on or off': 'ein oder aus',
    '255 steps': '255 Stufen',
    'driven by mmc0': 'gesteuert von mmc0',
    exported: 'exportiert',
    'another program or the kernel': 'anderes Programm oder Kernel',
  };
  for (const [english, german] of Object.entries(examples)) {
    const fitting = deGateway.about.filter(([pattern]) => pattern.test(english));
    t.strictSame(
      fitting.map((one) => english.replace(...one)),
      [german],
    );
  }
  t.equal(Object.keys(examples).length, deGateway.about.length);
});
