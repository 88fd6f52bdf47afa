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
