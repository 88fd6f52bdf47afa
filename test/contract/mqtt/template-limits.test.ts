/** Templates whose cost is not in their own nodes: it is in the values and functions that they use. */
import t from 'tap';
import { Template, makeEnvironment, payloadVariables } from '../../../drivers/mqtt/templates/template.js';
import { TemplateError } from '../../../drivers/mqtt/templates/value.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

const environment = makeEnvironment({ nowMs: () => 0, offsetMinutes: () => 0 });

/** The output, or the error after `!`. */
function one(text: string, value = '{"a":[1,2,3],"b":"x"}'): string {
  try {
    return new Template(text, environment).render(payloadVariables(value));
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    return `!${thrown.message}`;
  }
}

t.test('a row of the filter batch is limited', async (t) => {
  t.equal(one('{{ [1] | batch(10001, 1) }}'), '!batch expects 1 to 10000');
  t.equal(one('{{ [1] | batch(0) }}'), '!batch expects 1 to 10000');
  t.equal(one('{{ [1, 2, 3] | batch(2, 0) }} {{ [1, 2, 3] | batch(2) }}'), '[[1, 2], [3, 0]] [[1, 2], [3]]');
  t.equal(one('{{ [1] | batch(2, none) }}'), '[[1]]', 'none fills nothing');
});

t.test('a number is not read from a long text', async (t) => {
  const digits = '1'.repeat(1001);
  t.equal(
    one(
      '{{ value | float("-") }} {{ value | int("-") }} {{ value | int("-", 16) }} {{ value is is_number }}',
      digits,
    ),
    '- - - False',
  );
  t.equal(one('{{ value_json }}', digits), 'inf', 'an integer of JSON');
  t.equal(one('{{ "1_0.2_5e1_"|float("-") }} {{ "1_0.2_5e1"|float }} {{ "1."|float }}'), '- 102.5 1.0');
  t.equal(
    one('{{ ".5"|float }} {{ "."|float("-") }} {{ "1__0"|float("-") }} {{ "-1e-2"|float }}'),
    '0.5 - - -0.01',
  );
  t.equal(one('{{ "a<b c=1>d</b><<i>e< f" | striptags }}'), 'ade< f');
});

/** Variables a and b that contain a list of 2 ** n leaves each, in n steps. */
const nested = (n: number): string =>
  `{% set a = [1] %}{% set b = [1] %}${'{% set a = [a, a] %}{% set b = [b, b] %}'.repeat(n)}`;

const STEPS = '!the template needs more than 50000 steps';

t.test('functions that visit nested values are limited by what they visit', async (t) => {
  for (const use of [
    '{{ a == b }}',
    '{{ a != b }}',
    '{{ a < b }}',
    '{{ a in [b] }}',
    '{{ [a].index(b) }}',
    '{{ [a].count(b) }}',
    '{{ [[a, 1], [b, 1]] | groupby(0) }}',
    '{{ [a, b] | sort }}',
    '{{ [a, b] | max }}',
    '{{ max(a, b) }}',
    '{{ [a] | contains(b) }}',
    '{{ a is eq b }}',
    '{{ [a] | select("eq", b) | list }}',
    '{{ a | flatten | length }}',
    '{{ a | to_json }}',
    '{{ a | tojson(2) }}',
    '{{ a }}',
    '{{ a | string | length }}',
    '{{ "" ~ a }}',
    '{{ "%s" % (a,) }}',
    '{{ "{}".format(a) }}',
    '{{ [a] | join }}',
    '{{ a | float }}',
  ])
    t.equal(one(nested(19) + use), STEPS, use);
  const tuples = '{% set a = (1,) %}' + '{% set a = (a, a) %}'.repeat(17);
  for (const use of ['{{ {a: 1} | length }}', '{{ {}.get(a) }}', '{{ [a] | unique | list | length }}'])
    t.equal(one(tuples + use), STEPS, use);
  const deep = '{% set a = ("x",) %}' + '{% set a = (a,) %}'.repeat(40);
  t.equal(one(`${deep}{{ {a: 1}[a] }}`), '1', 'the hash of a tuple does not double with each level');
  t.equal(one('{{ {("a", "b"): 1}.get(("ab", "")) }}{{ {(1, (2,)): 3}[(1.0, (2,))] }}'), 'None3');
  t.equal(one(`${nested(8)}{{ a == b }} {{ a | flatten | length }}`), 'True 256');
});

t.test('calls are charged for all that they read and make', async (t) => {
  const long = 'a'.repeat(200_000);
  const loop = (body: string): string => `{% for i in range(1000) %}${body}{% endfor %}`;
  for (const text of [
    loop('{% set x = value.count("a") %}'),
    `{% set f = value.count %}${loop('{% set x = f("b") %}')}`,
    loop('{% set x = value[0] %}'),
    loop('{% set x = value[-1:] %}'),
    loop('{% set x = "b" in value %}'),
    loop('{% set x = value < value %}'),
    loop('{% set x = "x" | replace(old="y", new=value) %}'),
    loop('{% set x = {1: 2}[value] %}'),
    loop('{% for x in value %}{% break %}{% endfor %}'),
    '{{ ([value] * 700) | map("upper") | list | length }}',
    '{{ ([value] * 700) | select("search", "b") | list | length }}',
    '{{ ([value] * 700) | sort | length }}',
    '{{ ([value] * 700) | join | length }}',
    '{% macro m(x) %}{{ x | length }}{% endmacro %}' + loop('{{ value | apply(m) }}'),
    '{{ value | replace("a", value) | length }}',
    '{{ value.replace("", value) | length }}',
    '{{ value | regex_replace("a", value) | length }}',
    '{{ value | regex_replace("(a+)", "\\\\1" * 5000) | length }}',
    '{{ value | regex_findall("a(?:.*b)?") | length }}',
    '{{ value.join(range(10000)) | length }}',
    '{{ range(10000) | join(value) | length }}',
    '{{ ("a-" * 1000) | slugify(value[:4000]) | length }}',
    `{{ ("x\n" * 5000) | indent(value) | length }}`,
    '{{ ("%999d" * 2000 ~ "%999d" * 2000) % tuple(range(4000)) }}',
    '{{ ("%s" * 2000) % ((value,) * 2000) }}',
    '{{ ("{0}" * 2000).format(value) | length }}',
    loop('{% set x = range(10000) %}'),
    loop('{% set x = [1] * 10000 %}'),
    `{% set l = [1] * 5000 %}${loop('{% set x = l + l %}')}`,
    '{{ ([[1] * 5000] * 1000) | sum(start=[]) | length }}',
    '{% set l = range(1000) %}{% for a in l %}{% for b in l %}{% endfor %}{% endfor %}',
    `{% set l = range(10000) %}${loop('{% set x = -1 in l %}')}`,
    loop('{% set x = value | from_json(1) %}'),
    '{% set n = namespace(a=[1]) %}{% for i in range(800) %}{% set n.a = [n.a, 1, 1, 1, 1, 1, 1, 1] %}{% endfor %}{{ n.a | tojson(16) | length }}',
  ])
    t.equal(one(text, long), STEPS, text.slice(0, 80));
  t.equal(
    one('{{ ((1,) * 9000 + (1,) * 9000) | length }}'),
    '!the template makes a list of more than 10000 items',
  );
  t.equal(one('{{ value_json ** 4000 }}', '9'.repeat(999)), '!the integer is too large');
  t.equal(one('{{ 2 ** 4000 == 16 ** 1000 }} {{ (-1) ** 9999999 }} {{ 0 ** 0 }}'), 'True -1 1');
});

t.test('large values that devices publish are within the limits', async (t) => {
  const devices = Array.from({ length: 1000 }, (_, n) => ({ id: n, name: `device ${n}`, on: n % 2 === 0 }));
  const value = JSON.stringify({ devices, text: 'some text '.repeat(1000) });
  for (const [text, output] of [
    ['{{ value_json.devices | selectattr("on") | map(attribute="id") | list | length }}', '500'],
    ['{{ value_json.devices | sort(attribute="name", reverse=true) | map(attribute="id") | first }}', '999'],
    ['{{ (value | from_json).devices | length }} {{ value_json | to_json | length > 1000 }}', '1000 True'],
    ['{{ value_json.text | regex_replace("[^a-z]", "") | length }}', '8000'],
    ['{{ value_json.text | regex_findall("t[a-z]+") | length }}', '1000'],
    ['{{ value | regex_replace("[^0-9]", "") | length }}', '5780'],
    [`{{ ${Array.from({ length: 500 }, () => '"devices" in value').join(' and ')} }}`, 'True'],
    ['{{ value_json.text.split(" ") | unique | join("-") }}', 'some-text-'],
    [
      '{{ range(10000) | sort(reverse=true) | first }} {{ range(9000) | map("float") | sum }}',
      '9999 40495500.0',
    ],
  ] as const)
    t.equal(one(text, value), output, text);
});
