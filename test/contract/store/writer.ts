/**
 * Makes the changes of a gateway as fast as possible, for tests that kill it: creates and renames variables,
 * updates values, and prints on stdout what was acknowledged. Arguments: the data directory, the runtime
 * directory or '-'.
 */
import { systemClock } from '../../../src/base/clock.js';
import { printLine } from '../../tools/print-line.js';
import { openFixture } from './open-store.js';

const [directory = '', runtime = '-'] = process.argv.slice(2);
const { store, kernel } = await openFixture(directory, {
  clock: systemClock(),
  ...(runtime !== '-' && { runtimeDirectory: runtime }),
});
const say = (line: object): Promise<void> => printLine(JSON.stringify(line));
await say({ counter: kernel.changes.counter });
for (let n = 0; ; n++) {
  const variable = kernel.variables.create(1, { name: `created ${n}`, value: n });
  await store.committed();
  await say({ id: variable.id, name: variable.name, counter: kernel.changes.counter });
  const name = `renamed ${n}`;
  kernel.tree.set(variable, 'name', name);
  const removed = n % 3 === 2 ? kernel.tree.find(variable.id) : undefined;
  if (removed !== undefined) kernel.tree.delete(removed);
  await store.committed();
  await say(
    removed === undefined
      ? { id: variable.id, name, counter: kernel.changes.counter }
      : { gone: variable.id, counter: kernel.changes.counter },
  );
}
