/**
 * A gateway's worth of changes, as fast as they go, for tests that kill it: creates and renames variables, updates
 * values, and says on stdout what was acknowledged. Arguments: the data directory, the runtime directory or '-'.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.js';
import { openBench } from './bench.js';

const [directory = '', runtime = '-'] = process.argv.slice(2);
const { store, kernel } = await openBench(directory, {
  clock: systemClock(),
  ...(runtime !== '-' && { runtimeDirectory: runtime }),
});
const say = (line: object) => void writeSync(1, `${JSON.stringify(line)}\n`);
say({ counter: kernel.changes.counter });
for (let n = 0; ; n++) {
  const variable = kernel.variables.create(1, { name: `created ${n}`, value: n });
  await store.committed();
  say({ id: variable.id, name: variable.name, counter: kernel.changes.counter });
  const name = `renamed ${n}`;
  kernel.tree.set(variable, 'name', name);
  const removed = n % 3 === 2 ? kernel.tree.find(variable.id) : undefined;
  if (removed !== undefined) kernel.tree.delete(removed);
  await store.committed();
  say(
    removed === undefined
      ? { id: variable.id, name, counter: kernel.changes.counter }
      : { gone: variable.id, counter: kernel.changes.counter },
  );
}
