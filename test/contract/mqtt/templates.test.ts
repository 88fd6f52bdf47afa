/** The language of templates: what eleven projects publish, and what hostile payloads contain. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { TEXT_METHODS } from '../../../drivers/mqtt/templates/functions.js';
import { Template, makeEnvironment, payloadVariables } from '../../../drivers/mqtt/templates/template.js';
import { fromJson, TemplateError, type Value } from '../../../drivers/mqtt/templates/value.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

interface Cases {
  payloads: { value?: unknown; isJson?: boolean; variables?: Record<string, unknown> }[];
  /** Each output belongs to a payload; null is an error. */
  templates: { template: string; outputs: [payload: number, output: string | null][] }[];
}

const fixture = (name: string): string[] =>
  readFileSync(join(PACKAGE_ROOT, 'test/fixtures/mqtt', name), 'utf8')
    .trimEnd()
    .split('\n');

const [payloadLine = '', templateLine = ''] = fixture('template-cases.jsonl');
const cases = { payloads: JSON.parse(payloadLine), templates: JSON.parse(templateLine) } as Cases;
const environment = makeEnvironment({
  nowMs: () => Date.parse('2026-11-22T12:00:00Z'),
  offsetMinutes: () => 0,
});

function render(text: string, { value, variables = {} }: Cases['payloads'][number]): string | null {
  const given = new Map<string, Value>();
  for (const [name, one] of Object.entries(variables)) given.set(name, fromJson(JSON.stringify(one)));
  if (value !== undefined && typeof value !== 'string') given.set('value', fromJson(JSON.stringify(value)));
  try {
    const template = new Template(text, environment);
    return typeof value === 'string'
      ? template.render(new Map([...payloadVariables(value), ...given]))
      : template.render(given);
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    return null;
  }
}

t.test('templates of eleven projects have the outputs of Home Assistant', async (t) => {
  let count = 0;
  for (const { template, outputs } of cases.templates)
    for (const [payload, output] of outputs) {
      count += 1;
      t.equal(render(template, cases.payloads[payload] ?? {}), output, `${template} with payload ${payload}`);
    }
  t.equal(count, 857);
});

t.test('expressions have the outputs of Jinja', async (t) => {
  const [value = '', ...lines] = fixture('jinja-cases.jsonl');
  for (const line of lines) {
    const [template, output] = JSON.parse(line) as [string, string | null];
    const found = render(template, { value });
    t.equal(found === null ? null : found.trim(), output, template);
  }
  t.ok(lines.length > 1000);
});

t.test('the page lists what templates can use', async (t) => {
  const page = readFileSync(join(PACKAGE_ROOT, 'docs/hardware/mqtt-discovery.md'), 'utf8');
  const row = (name: string): string[] =>
    [...(new RegExp(`^\\| ${name} \\| (.*) \\|$`, 'm').exec(page)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(
      ([, text = '']) => text,
    );
  t.strictSame(row('filters'), [...environment.filters.keys()].sort());
  t.strictSame(row('tests'), [...environment.tests.keys()].sort());
  t.strictSame(row('functions and constants'), [...environment.globals.keys()].sort());
  t.strictSame(row('methods of texts'), Object.keys(TEXT_METHODS).sort());
});

const one = (text: string, value = '{"a":[1,2,3],"b":"x"}'): string | null => render(text, { value });

t.test('integers and floats are those of the payload', async (t) => {
  t.equal(one('{{ value_json.x }}', '{"x":21}'), '21');
  t.equal(one('{{ value_json.x }}', '{"x":21.0}'), '21.0');
  t.equal(
    one('{{ value_json.x / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 10 }}', '{"x":4}'),
    '2.0 3 -4 2 1024',
  );
  t.equal(
    one('{{ 0.1 + 0.2 }} {{ value_json }} {{ 0.00001 }} {{ 1 / 3 }}', '1e16'),
    '0.30000000000000004 1e+16 1e-05 0.3333333333333333',
  );
  t.equal(
    one('{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }} {{ "21.55" | round(1) }}'),
    '2 4 2.67 21.6',
  );
  t.equal(one('{{ 0.125 | round(2) }} {{ 7 | round(1) }} {{ 1.01 | round(0, "ceil") }}'), '0.12 7.0 2');
});

t.test('filters and formats that Home Assistant and Jinja have in common', async (t) => {
  for (const [text, output] of [
    ['{{ 1e3 }} {{ 1.5e-3 }} {{ 0x1f }} {{ 1_000 }}', '1000.0 0.0015 31 1000'],
    ['{{ (1,) }} {{ 2 in (2,) }} {{ (1, 2,) }} {{ "%s" % (7,) }}', '(1,) True (1, 2) 7'],
    ['{{ "Hello World" | unique | join }}', 'Helo Wrd'],
    ['{{ [{"v": 2}, {"v": 3}] | sum(attribute="v") }} {{ ["b", "A"] | min }}', '5 A'],
    ['{{ "%+.1e|%-5d|%05.1f|%g" | format(1234.5, 7, 2.25, 0.0001) }}', '+1.2e+03|7    |002.2|0.0001'],
    [
      '{{ "{:>6}|{:<4}|{:^5}|{:,.2f}|{:+d}".format(1.5, "a", "b", 1234.5, 3) }}',
      '   1.5|a   |  b  |1,234.50|+3',
    ],
    ['{{ {"b": 1, "a": [1]} | tojson }}', '{"a": [1], "b": 1}'],
    ['{{ {"b": 1} | to_json(pretty_print=true) }}', '{\n  "b": 1\n}'],
    [
      '{{ [1, 2] | union([2, 3]) }} {{ [1, 2] | intersect([2, 3]) }} {{ [1, 2] | difference([2]) }}',
      '[1, 2, 3] [2] [1]',
    ],
    ['{{ [1, 2] | symmetric_difference([2, 3]) }} {{ [1, [2, [3]]] | flatten }}', '[1, 3] [1, 2, 3]'],
    [
      '{{ [1, [2, [3]]] | flatten(1) }} {{ {"a": 1} | combine({"b": 2}) }} {{ 1.5 | typeof }}',
      "[1, 2, [3]] {'a': 1, 'b': 2} float",
    ],
    [
      '{{ timedelta(hours=25, milliseconds=500) }} {{ timedelta(days=-1) }}',
      '1 day, 1:00:00.500000 -1 day, 0:00:00',
    ],
    ['{{ (now() - timedelta(minutes=5)) < now() }} {{ now() - now() == timedelta() }}', 'True True'],
    [
      '{{ (as_datetime(90) - as_datetime(0)).total_seconds() }} {{ as_datetime(0) + timedelta(1) }}',
      '90.0 1970-01-02 00:00:00+00:00',
    ],
    [
      '{{ as_timedelta("01:02:03").seconds }} {{ as_timedelta("02:03") }} {{ as_timedelta("2 days, 00:00:01").days }}',
      '3723 0:02:03 2',
    ],
    [
      '{{ timedelta(hours=2) / 2 }} {{ timedelta(hours=2) / timedelta(hours=1) }} {{ 3 * timedelta(1) }}',
      '1:00:00 2.0 3 days, 0:00:00',
    ],
    ['{{ 2048 | filesizeformat(true) }} {{ [1, 2, 3] | slice(2) | list }}', '2.0 KiB [[1, 2], [3]]'],
    ['{{ "a-b-c".rpartition("-") }} {{ "ab".center(5, "*") }}', "('a-b', '-', 'c') **ab*"],
  ] as const)
    t.equal(one(text), output, text);
  for (const text of [
    '{{ timedelta(10 ** 12) }}',
    '{{ timedelta(1) * 10 ** 300 }}',
    '{{ now() + timedelta(999999999) }}',
    '{{ "%c" % -1 }}',
    '{{ timedelta(1) + 1 }}',
    '{{ as_timedelta("x") }}',
    '{{ 0 ** -1 }}',
    '{{ "ab".index("c") }}',
    '{{ "ab".ljust(5, "xy") }}',
    '{{ "{:q}".format(1) }}',
  ])
    t.equal(one(text), null, text);
});

t.test('an integer has only digits of its base', async (t) => {
  // As in Jinja, a text that is no integer of the base is read as a float.
  t.equal(one('{{ "12zz" | int(-1, 16) }} {{ "12" | int(-1, 2) }} {{ "f8" | int(-1, 8) }}'), '-1 12 -1');
  t.equal(one('{{ "fF" | int(-1, 16) }} {{ "-0x1f" | int(-1, 16) }} {{ "0b11" | int(-1, 2) }}'), '255 -31 3');
  t.equal(
    one('{{ "0xa4c138dd32b1f0e7" | int(0, 16) }}'),
    '11871832615414788327',
    'the address of a Zigbee device',
  );
  t.equal(one('{{ "0o17" | int(-1, 8) }} {{ "+z" | int(-1, 36) }} {{ "0x" | int(-1, 16) }}'), '15 35 -1');
  t.equal(
    one('{{ "0x1F" | int(-1, 0) }} {{ "12" | int(-1, 0) }} {{ "1" | int(-1, 1) }} {{ "1-" | int(-1, 16) }}'),
    '31 12 1 -1',
  );
});

t.test('a large float with decimals has all its digits', async (t) => {
  t.equal(
    one(`{{ '%.1f' % 1e21 }} {{ "{:,.0f}".format(-1e21) }}`),
    '1000000000000000000000.0 -1,000,000,000,000,000,000,000',
  );
  t.equal(one(`{{ '%.50g' % 1e22 }} {{ '%.1g' % 2.5 }}`), '10000000000000000000000 2');
  t.equal(one(`{{ '%.2f' % 1.5e300 }}`)?.length, 304);
});

t.test('tests have arguments', async (t) => {
  t.equal(
    one('{{ 9 is divisibleby 3 }} {{ 9 is not divisibleby(2) }} {{ value_json.b is in ["x"] }}'),
    'True True True',
  );
  t.equal(one('{{ value is match("[{]") }} {{ value is not search("zz") and 1 is eq 1 }}'), 'True True');
});

t.test('nothing of the program can be reached', async (t) => {
  for (const text of [
    '{{ value.constructor }}',
    '{{ value_json.constructor }}{{ value_json.__proto__ }}{{ value_json["__proto__"] }}',
    '{{ value.__class__ }}{{ value_json.a.__class__ }}{{ value_json.a.length }}{{ dict.prototype }}',
    '{{ now.constructor }}{{ namespace().constructor }}{{ value_json.b.toString }}',
    '{{ now().toString }}{{ now().constructor }}{{ "constructor" | float("") }}',
  ])
    t.equal(one(text), '', text);
  t.equal(one('{{ value_json.__proto__ }}', '{"__proto__":{"x":1}}'), "{'x': 1}", 'a key like any other');
  for (const text of [
    '{{ value.constructor.constructor("return 1")() }}',
    '{{ process }}{{ process.env }}',
    '{{ require("fs") }}',
  ])
    t.equal(one(text), null, text);
});

t.test('a template that costs too much is stopped', async (t) => {
  const rows = '{% for i in range(10000) %}';
  for (const text of [
    `${rows}${rows}x{% endfor %}{% endfor %}`,
    `${rows}${'x'.repeat(100)}{% endfor %}`,
    '{{ "x" * 1000000 }}',
    '{{ 2 ** 1000000 }}{{ 10 ** 1000 ** 3 }}',
    '{{ range(10 ** 9) }}',
    `{% set ns = namespace(s="x") %}{% for i in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}`,
    `{% set ns = namespace(l=[1]) %}{% for i in range(100) %}{% set ns.l = ns.l + ns.l %}{% endfor %}`,
    `{% set ns = namespace(n=3) %}{% for i in range(100) %}{% set ns.n = ns.n * ns.n %}{% endfor %}`,
    '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
    '{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}',
    '{{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" | regex_match("(a*)*(?=b)c") }}',
    `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`,
    `{{ ${'['.repeat(5000)}${']'.repeat(5000)} }}`,
    `{{ ${'1 + '.repeat(3000)}1 }}${'x'.repeat(20_000)}`,
    '{% break %}',
    '{{ "%1000000000d" % 1 }}{{ "%d" % "x" }}',
    '{{ 1.5 | round(400) }}',
    '{{ now().strftime(missing) }}',
  ])
    t.equal(one(text), null, text.slice(0, 80));
  t.equal(one('{{ "x".rjust(10 ** 9) | length }}'), '1000', 'a width is limited');
});

t.test('text that is no template says what is wrong', async (t) => {
  for (const [text, why] of [
    ['{{ value', /end of input/],
    ['{% if value %}x', /ends too early/],
    ['{{ value | unknown }}', /No filter named 'unknown'/],
    ['{{ value is strange }}', /No test named 'strange'/],
    ['{% do x %}', /Unknown statement type: do/],
    ['{{ value_json.x.y }}', /'dict object' has no attribute 'x'/],
    ['{{ "abc" | int }}', /int got invalid input 'abc', but no default was specified/],
  ] as const)
    t.throws(
      () => new Template(text, environment).render(payloadVariables('{}')),
      { name: 'TemplateError', message: why },
      text,
    );
});
