import t from 'tap';
import { Kernel } from '../../../src/kernel/kernel.js';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import { objectAt } from '../../../src/kernel/object-path.js';
import { variableType } from '../../../src/kernel/value.js';
import { FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';

const front = { role: 'webfront', user: 'webfront', remote: '127.0.0.1', configurator: 1 } as const;

function gateway() {
  const kernel = new Kernel({ counter: 1000, random: Math.random });
  const category = (name: string, ident = '', parent?: TreeObject) =>
    kernel.tree.create(objectType.category, {}, { name, ident, ...(parent && { parent }) });
  const floor = category('Ground floor', 'ground_floor');
  const hall = category('Hall', '', floor);
  const lamp = kernel.variables.create(variableType.boolean, { name: 'Lamp', ident: 'LAMP', parent: hall });
  return { kernel, category, floor, hall, lamp };
}

t.test('a path is resolved by idents and names, from the root down', async (t) => {
  const { kernel, lamp } = gateway();
  for (const path of [
    'ground_floor/Hall/LAMP',
    'Ground floor/Hall/Lamp',
    '/ground_floor/Hall/Lamp/',
    `ground_floor/Hall/${lamp.displayName}`,
  ])
    t.equal(objectAt(kernel.tree, path), lamp, path);
  t.equal(objectAt(kernel.tree, '/'), kernel.tree.root);
});

t.test('an unresolved path is reported with the existing names, and nothing is guessed', async (t) => {
  const { kernel, category, floor, hall } = gateway();
  const { tree } = kernel;
  t.throws(() => objectAt(tree, 'ground_flor/Hall'), {
    code: 'PATH_NOT_FOUND',
    message:
      'Nothing at the root has the ident or the name ground_flor; existing: ground_floor; did you mean ground_floor?',
  });
  t.throws(
    () => objectAt(tree, 'ground_floor/Hall/LAMP/x'),
    /below ground_floor\/Hall\/LAMP .* x; it has no children/,
  );
  const twin = category('Hall', '', floor);
  t.throws(() => objectAt(tree, 'ground_floor/Hall/LAMP'), {
    code: 'PATH_AMBIGUOUS',
    message: `The path ground_floor/Hall is ambiguous: it leads to #${hall.id} (Hall), #${twin.id} (Hall); use the ID`,
  });
  tree.set(twin, 'name', 'Cellar');
  tree.set(twin, 'ident', 'Hall');
  t.throws(() => objectAt(tree, 'ground_floor/Hall'), { code: 'PATH_AMBIGUOUS' }, 'an ident and a name');
});

t.test('the API accepts a path instead of an id, from the owner', async (t) => {
  await using fixture = new FunctionFixture();
  const { kernel, registry } = fixture;
  const parent = kernel.tree.create(objectType.category, {}, { name: 'Hall' });
  const text = kernel.variables.create(variableType.string, { name: 'Note', parent });
  await fixture.call('SetValue', 'Hall/Note', '/Hall/Note');
  t.equal(text.data.value, '/Hall/Note', 'a text stays a text');
  t.equal(await fixture.call('GetValue', 'Hall/Note'), '/Hall/Note');
  t.throws(() => registry.call('GetValue', { VariableID: 'Hall/Nota' }, owner), {
    code: 'PATH_NOT_FOUND',
    message: /did you mean Note\?$/,
  });
  t.throws(() => registry.call('GetValue', ['/Hall'], owner), {
    code: 'NOT_OF_TYPE',
    message: `Variable #${parent.id} does not exist: #${parent.id} is the category Hall`,
  });
  t.throws(
    () => registry.call('WFC_OpenCategory', ['Hall/Note', 1], front),
    { code: 'PARAMETER_TYPE' },
    'a web front does not learn what exists',
  );
});
