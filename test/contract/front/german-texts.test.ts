import type { TObject, TSchema } from '@sinclair/typebox';
import t from 'tap';
import { gestures } from '../../../drivers/gpio/inputs/gestures.js';
import { ManualClock } from '../../../src/base/clock.js';
import { createModuleList } from '../../../src/composition/module-list.js';
import { describeValue } from '../../../src/device/toolkit/meter-variables.js';
import { deGateway } from '../../../src/front/console/i18n/de-gateway.js';
import {
  gatewayVariable,
  loadGatewayTexts,
  propertyProblem,
  sentence,
  variableCaption,
} from '../../../src/front/console/i18n/gateway-texts.js';
import { deSentences } from '../../../src/front/console/i18n/de-sentences.js';
import { de } from '../../../src/front/web/i18n/de.js';
import { en } from '../../../src/front/web/i18n/en.js';
import { setLanguage } from '../../../src/front/web/i18n/i18n.js';
import { deVariable, deVariables } from '../../../src/front/web/i18n/de-variables.js';
import { faults } from '../../../src/base/fault.js';
import { Options } from '../../../src/functions/options.js';
import { gatewaySchema } from '../../../src/config/schema/gateway-schema.js';
import { jsonSchema } from '../../../src/config/schema/json-schema.js';
import { settingTexts } from '../../../src/config/schema/setting-texts.js';
import { statusVariables } from '../../../src/service/status-variables.js';
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

t.test('every setting has a German title and help, and no other has', async (t) => {
  t.strictSame(sorted(Object.keys(deGateway.settings)), sorted(Object.keys(settingTexts)));
  const schema = JSON.stringify(jsonSchema(modules.all()));
  for (const [path, [title]] of Object.entries(settingTexts))
    t.ok(schema.includes(`"title":${JSON.stringify(title)}`), `there is a setting ${path}`);
});

t.test('every word of a setting is in German, and no other is', async (t) => {
  const words = new Set<string>();
  const collect = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, value] of Object.entries(schema))
      if (key === 'const' && typeof value === 'string') words.add(value);
      else collect(value);
  };
  // Areas, the owner and the tree have forms of their own.
  const { tree: _tree, ...settings } = gatewaySchema.properties;
  collect(settings);
  t.strictSame(sorted(Object.keys(deGateway.settingWords)), [...words].sort());
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

t.test("every name of the gateway's own variables is in German, and no other is", async (t) => {
  const names = Object.values(statusVariables).map(({ name }) => name);
  t.strictSame(sorted(Object.keys(deGateway.gatewayVariables)), sorted(names));
});

t.test("every name of a module's variable is in German, and no other is", async (t) => {
  const files = ['drivers', 'src/device', 'src/modules']
    .flatMap(filesOf)
    .filter((file) => file.endsWith('.ts'));
  const declared = files.flatMap((file) =>
    Array.from(
      textOf(file).matchAll(/\b(?:ident(?:: [^,]+)?|part: '\w*'),\s*name: ['`]([^'`]+)['`]/g),
      ([, name = '']) => name,
    ),
  );
  // What devices that announce themselves are given names for.
  const announced = filesOf('drivers/mqtt/discovery')
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const isNative = file.includes('/native/');
      const names = isNative ? /\bname: '([^']+)'/g : /entity\.add\(\{\s*name: '([^']+)'/g;
      const found = Array.from(textOf(file).matchAll(names), ([, name = '']) => name);
      const modes = textOf(file).matchAll(/\['\w+', '[A-Z_]+', '([^']+)', [A-Z_]+\]/g);
      return [...found, ...Array.from(modes, ([, name = '']) => name)];
    });
  const [numbered, fixed] = [
    declared.filter((name) => name.includes('$')),
    declared.filter((name) => !name.includes('$')),
  ];
  t.strictSame(sorted(numbered), ['Counter ${letter}', 'Input ${pin}', 'Pin ${pin}']);
  const known = Object.keys(deVariables).filter((name) => !/^(?:Counter [AB]|Input [0-7])$/.test(name));
  t.strictSame(
    sorted(known),
    sorted([
      ...fixed,
      ...announced,
      ...gestures.map((gesture) => gesture.replace(/^./, (letter) => letter.toUpperCase())),
      ...Array.from(
        textOf('src/modules/location/location.ts').matchAll(/^  \['\w+', '([^']+)', '\w+'\],$/gm),
        ([, name = '']) => name,
      ),
    ]),
  );
});

t.test('every part of the name of a value of a meter is in German', async (t) => {
  const { name = '' } = describeValue('ENERGY_IN') ?? {};
  for (const suffix of ['L1', 'L12', 'T2', 'S3', 'U4', '5', 'MAX', 'MIN', 'ERR', 'L2_T1_MAX']) {
    const english = describeValue(`ENERGY_IN_${suffix}`)?.name ?? '';
    const part = english.slice(name.length);
    t.ok(english.startsWith(name) && part !== '', english);
    // Phases and tariffs have the same short names.
    const german = deVariable(english);
    t.ok(german.startsWith(deVariable(name)), german);
    t.notOk(/, (?:during|stored|unit|channel|m..imum)/.test(german), german);
  }
  t.equal(deVariable('Energy import, tariff of my own'), 'Energy import, tariff of my own');
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
      ...namesIn(/^    (\w+): \w+Check\(machine\b/gm, ['src/service/machine/diagnosis.ts']),
      ...namesIn(/sequence\.run\('([^']+)'/g).map((part) => `start: ${part}`),
    ]),
  );
});

t.test('what is wrong with properties is in German', async (t) => {
  const examples = {
    'line GPIO4 is used by Lamp (#10001); choose another':
      'Die Leitung GPIO4 wird von Lamp (#10001) verwendet; wählen Sie eine andere',
    'PWM channel PWM1 is used by Lamp (#10001); choose another':
      'Der PWM-Kanal PWM1 wird von Lamp (#10001) verwendet; wählen Sie einen anderen',
    'port 502 is used by Meter (#10001); choose another':
      'Der Port 502 wird von Meter (#10001) verwendet; wählen Sie einen anderen',
    'LED1 is used by Lamp (#10001); choose another':
      'LED1 wird von Lamp (#10001) verwendet; wählen Sie etwas anderes',
    'hall relay is not an ident path; use the form ground_floor/hall_relay':
      '„hall relay“ ist kein Pfad aus Idents; verwenden Sie die Form ground_floor/hall_relay',
    'there is no object at attic/fan yet': 'Unter attic/fan gibt es noch kein Objekt',
    'there is no boolean variable or switch at attic; choose an output':
      'Unter attic gibt es weder eine boolesche Variable noch einen Schalter; wählen Sie einen Ausgang',
    'attic/fan has no action; choose an output': 'attic/fan hat keine Aktion; wählen Sie einen Ausgang',
    'it must be connected to an instance of Serial Port or Client Socket':
      'Sie braucht eine Verbindung zu Serial Port oder Client Socket',
    'it must be connected to an instance of MQTT Client': 'Sie braucht eine Verbindung zu MQTT Client',
    'Lamp cannot be connected to Meter': 'Lamp kann nicht mit Meter verbunden werden',
  };
  for (const [english, german] of Object.entries(examples)) {
    const known = deGateway.problems.find(([pattern]) => pattern.test(english));
    t.equal(known && english.replace(...known), german);
  }
  t.equal(Object.keys(examples).length, deGateway.problems.length);
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
    temperature: 'Temperatur',
    humidity: 'Luftfeuchtigkeit',
    pressure: 'Luftdruck',
    light: 'Helligkeit',
    distance: 'Abstand',
    gas: 'Gaskonzentration',
    acceleration: 'Beschleunigung',
    voltage: 'Spannung',
    current: 'Strom',
    power: 'Leistung',
    energy: 'Energie',
    resistance: 'Widerstand',
    'Simulated board': 'Simuliertes Board',
    'Any Linux machine': 'Beliebiger Linux-Rechner',
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

t.test('every sentence of the gateway is in German, and no other is', async (t) => {
  const files = [...filesOf('src'), ...filesOf('drivers')].filter((file) => file.endsWith('.ts'));
  const templates = files.flatMap((file) =>
    Array.from(textOf(file).matchAll(/\bcoded`([A-Z0-9_]+): /g), ([, code = '']) => code),
  );
  const schema = textOf('src/device/toolkit/schema-text.ts').matchAll(/'(SCHEMA_\w+)'/g);
  const codes = [
    ...templates,
    ...Object.keys(faults),
    ...Array.from(schema, ([, code = '']) => code),
    'TEXT',
  ];
  t.ok(templates.length > 500, 'the sentences were found');
  t.strictSame(sorted(Object.keys(deSentences)), sorted(codes));
});

t.test('a sentence names properties that exist, each as the form does', async (t) => {
  const idents = new Set(all.map(({ path }) => path.replace(/^.*\./, '')));
  const named = Object.values(deSentences).flatMap((text) =>
    Array.from(text.matchAll(/\{(\D\w*)\}/g), ([, ident = '']) => ident),
  );
  t.ok(named.length > 100, 'they were found');
  t.strictSame(
    named.filter((ident) => !idents.has(ident)),
    [],
  );

  t.teardown(() => setLanguage('en'));
  await setLanguage('de');
  await loadGatewayTexts('de');
  const problemOf = (Code: string, Parameters: string[] = []) =>
    propertyProblem({ Text: '', CodedText: { Code, Parameters, Text: '' } }, 'Serial Device');
  t.equal(problemOf('HEADER_LONGER_THAN_FRAMELENGTH'), '„Kopf“ ist länger als „Telegrammlänge“');
  t.equal(problemOf('SCALE_OF_0', ['FLOW']), 'FLOW: „Faktor“ darf nicht 0 sein', 'a column of a list');
  t.equal(problemOf('SENTENCES', ['Delimiter']), '„Trennzeichen“', 'a property that is a parameter');
  for (const translate of [
    gatewayVariable,
    variableCaption,
    (text: string) => problemOf('SENTENCES', [text]),
  ])
    t.equal(translate('constructor'), 'constructor', 'the name that a user or a device gave');
  t.equal(
    sentence({ Code: 'HEADER_LONGER_THAN_FRAMELENGTH', Parameters: [], Text: '' }),
    'Header ist länger als FrameLength',
    'where there is no form',
  );
});

t.test("what residents read about a rejected command is found by the gateway's own codes", async (t) => {
  for (const { errors } of [de, en]) {
    const { OTHER, ...byCode } = errors;
    t.ok(OTHER);
    t.strictSame(
      Object.keys(byCode).filter((code) => !(code in faults)),
      [],
    );
    for (const code of ['DEVICE_OFFLINE', 'DEVICE_REFUSED', 'TIMED_OUT', 'RULE_FORBIDS', 'BUSY'])
      t.ok(byCode[code], code);
  }
});
