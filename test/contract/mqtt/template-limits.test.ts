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
