import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { buildSnapshotEntries } from '../../../src/composition/snapshot-entries.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { SLICE_OBJECTS } from '../../../src/kernel/snapshot.js';

function kernelWith(variables: number): Kernel {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  for (let n = 0; n < variables; n++) kernel.variables.create(1, { name: `Variable ${n}` });
  return kernel;
}

const builtIn = ({ tree }: Kernel) =>
  [...tree.all()].filter((object) => object.snapshotEntry !== null).length;

t.test('entries are built ahead slice by slice, those of changed objects again', async (t) => {
  const kernel = kernelWith(3 * SLICE_OBJECTS - 1);
  const stop = buildSnapshotEntries(kernel.tree);
  t.equal(builtIn(kernel), SLICE_OBJECTS, 'the first slice');
  const [first] = kernel.tree.objectsOfType(2);
  if (first !== undefined) kernel.variables.update(first, 7, 0);
  t.equal(builtIn(kernel), SLICE_OBJECTS - 1, 'without the changed object');
  for (let turn = 0; turn < 4; turn++) await yieldToEventLoop();
  t.equal(builtIn(kernel), kernel.tree.size, 'all, in the second round');
  stop();
});

t.test('after stopping nothing more is built', async (t) => {
  const kernel = kernelWith(3 * SLICE_OBJECTS);
  buildSnapshotEntries(kernel.tree)();
  for (let turn = 0; turn < 4; turn++) await yieldToEventLoop();
  t.equal(builtIn(kernel), SLICE_OBJECTS);
});
