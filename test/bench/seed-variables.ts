import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { objectType } from '../../src/kernel/object.js';
import { variableType } from '../../src/kernel/value.js';
import { openFixture } from '../contract/store/open-store.js';

const PER_CATEGORY = 100;
/** Variables per commit, as if created by separate calls. */
const COMMITTED = 10_000;

/** Creates a data directory for a gateway with this number of variables, which have all optional members. */
export async function seed(directory: string, count: number): Promise<number[]> {
  const data = join(directory, 'data');
  mkdirSync(data, { recursive: true });
  const { store, kernel } = await openFixture(data);
  const ids: number[] = [];
  let parent = kernel.tree.root as ReturnType<typeof kernel.tree.get>;
  for (let i = 0; i < count; i++) {
    if (i % PER_CATEGORY === 0) {
      parent = kernel.tree.create(objectType.category, {}, { name: `Room ${i / PER_CATEGORY}` });
    }
    const variable = kernel.variables.create(variableType.float, {
      parent,
      name: `Temperature ${i}`,
      ident: `T${i}`,
      position: i % PER_CATEGORY,
      info: `sensor ${i} on the wall`,
      profile: '~Temperature',
    });
    kernel.variables.update(variable, 20 + (i % 100) / 10, 1_700_000_000_000);
    ids.push(variable.id);
    if (i % COMMITTED === COMMITTED - 1) await store.committed();
  }
  await store.committed();
  await store.close();
  return ids;
}
