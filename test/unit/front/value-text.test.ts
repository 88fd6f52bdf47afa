import t from 'tap';
import { valueText } from '../../../src/front/resident/history/value-text.js';
import { setLanguage } from '../../../src/front/web/i18n/i18n.js';
import { TreeNode } from '../../../src/front/web/model.js';
import type { Value } from '../../../src/front/web/objects.js';

const variable = (type: number) =>
  new TreeNode(20001, 0, {
    position: 0,
    ident: '',
    hidden: false,
    disabled: false,
    type: 2,
    name: 'Pump',
    info: '',
    icon: '',
    parentID: 0,
    summary: '',
    data: { type },
  });
const formatter = { format: (_: TreeNode, value: Value) => `state ${value}` };
const changes = { Kind: 'step', AggregationSpan: 7 } as const;
const averages = { Kind: 'step', AggregationSpan: 5 } as const;

t.test('the averages of a state with too many changes are shown as numbers', async (t) => {
  await setLanguage('en');
  const texts = (type: number, dataset: typeof changes | typeof averages, values: readonly number[]) =>
    values.map(valueText(formatter, variable(type), dataset));
  t.strictSame(texts(0, changes, [0, 1]), ['state false', 'state true']);
  t.strictSame(texts(0, averages, [0, 0.25, 1]), ['0.0 %', '25.0 %', '100.0 %']);
  t.strictSame(texts(1, changes, [2]), ['state 2']);
  t.strictSame(texts(1, averages, [1.254]), ['1.25']);
  t.strictSame([3].map(valueText(formatter, undefined, changes)), ['3'], 'a variable that is not known');
});
