/**
 * Makes the changes of a gateway as fast as possible, for tests that kill it: creates and renames variables,
 * updates values, and prints on stdout what was acknowledged. Arguments: the data directory, the runtime
 * directory or '-'.
 */
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.js';
import { openFixture } from './open-store.js';

const [directory = '', runtime = '-'] = process.argv.slice(2);
const { store, kernel } = await openFixture(directory, {
  clock: systemClock(),
  ...(runtime !== '-' && { runtimeDirectory: runtime }),
});
/** The reader may be slow; the next acknowledgement waits until this is printed. */
const say = async (line: object): Promise<void> => {
  for (;;)
    try {
      writeSync(1, `${JSON.stringify(line)}\n`);
      return;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') throw thrown;
      await turn();
    }
};
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
