import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import t from 'tap';
import { parse } from 'yaml';
import { systemClock } from '../../../src/base/clock.js';
import { schemaText } from '../../../src/cli/commands/schema.js';
import { parseConfig } from '../../../src/config/load.js';
import { gatewaySchema } from '../../../src/config/schema/gateway-schema.js';
import { createModuleList } from '../../../src/composition/module-list.js';
import { ROOT } from '../../law/sources.js';
import { FULL_CONFIG } from '../../tools/gateway/full-config.js';
import { SCHEMA_FILE } from '../../tools/generate/schema-path.js';

const text = await schemaText();
const validate = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(text) as object);
const problems = (value: unknown): string =>
  validate(value)
    ? ''
    : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message}`).join('; ');

/** All pages, including those in subdirectories, and the sample configuration. */
const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.(md|yaml)$/.test(name),
);

t.test('the shipped schema is up to date', async (t) => {
  t.equal(
    readFileSync(join(ROOT, SCHEMA_FILE), 'utf8'),
    text,
    'generate it with test/tools/generate/reference-files.ts',
  );
  t.match(JSON.parse(text), { $schema: 'http://json-schema.org/draft-07/schema#' });
  for (const name of ['docs/start/sample/gateway.yaml', 'systemd/gateway.yaml'])
    t.match(
      readFileSync(join(ROOT, name), 'utf8'),
      /^# yaml-language-server: \$schema=\S+gateway\.schema\.json\n/,
    );
});

t.test('every documented configuration is valid', async (t) => {
  let seen = 0;
  const known = Object.keys(gatewaySchema.properties);
  for (const page of pages) {
    const content = readFileSync(join(ROOT, 'docs', page), 'utf8');
    const blocks = page.endsWith('.yaml')
      ? [content]
      : Array.from(content.matchAll(/```yaml\n([^]*?)```/g), ([, one = '']) => one);
    for (const block of blocks) {
      const value = parse(block) as Record<string, unknown>;
      // Board files and lists of entries have their own pages.
      if (!Object.keys(value).every((key) => known.includes(key))) {
        t.match(page, /^hardware\/boards\.md$/, `${page}: ${Object.keys(value).join()}`);
        continue;
      }
      t.equal(problems(value), '', page);
      seen += 1;
    }
  }
  t.ok(seen >= 20, `${seen} blocks`);
  t.equal(problems(parse(FULL_CONFIG)), '');
});

t.test('what the schema rejects is invalid, and check rejects it too', async (t) => {
  const modules = createModuleList(systemClock());
  const wrong: (readonly [string, string])[] = [
    ['digits: 1', 'digits: 16'],
    ['type: float', 'type: real'],
    ['ident: lamp', 'ident: "la mp"'],
    ['        ident: lamp\n', ''],
    ['module: GPIO Output', 'module: GPIO Outptu'],
    ['Line: RELAY1', 'Lin: RELAY1'],
    ['Boot: inactive', 'Boot: sometimes'],
    ['archive: true', 'archive: 3'],
    ['to: hour', 'to: decade'],
    ['is: atLeast', 'is: least'],
    ['weekday: sunday', 'weekday: someday'],
    ['on: above', 'on: over'],
    ['limit: 3', 'limit: -3'],
    ['everyMin: 5', 'everyMin: 0'],
    ['type: image', 'type: picture'],
    ['children:', 'chidlren:'],
    ['StateTopic: plug/power', 'StateTopic: [plug]'],
    ['tree:', 'trees:'],
  ];
  for (const [from, to] of wrong) {
    const changed = FULL_CONFIG.replace(from, to);
    t.not(changed, FULL_CONFIG, from);
    t.not(problems(parse(changed)), '', to);
    await t.rejects(parseConfig('/x/gateway.yaml', `board: simulated\n${changed}`, modules), to);
  }
  t.equal(
    problems(parse(FULL_CONFIG.replace('module: GPIO Output', 'module: gpio output'))),
    '',
    'in any case',
  );
  const digits = {
    tree: [{ instance: '', ident: 'x', module: 'GPIO Input', properties: { DebounceUs: '5' } }],
  };
  t.equal(problems(digits), '', 'a text instead of a number, which check accepts');
});
