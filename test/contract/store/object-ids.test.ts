import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { silentLog } from '../../../src/base/log.js';
import { guardIds } from '../../../src/composition/id-guard.js';
import { FIRST_ID, IdPool, LAST_ID, skipIdsAfterBackup } from '../../../src/kernel/ids.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { objectType } from '../../../src/kernel/object.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

/** A tree with references to ids that no object has, with the archive and the files of its directory. */
async function treeWithReferences(t: Parameters<typeof tempDirectory>[0]) {
  const directory = await tempDirectory(t);
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const { tree } = kernel;
  const gone = (name: string) => {
    const object = tree.create(objectType.category, {}, { name });
    tree.delete(object);
    return object.id;
  };
  const target = gone('target of a link');
  tree.create(objectType.link, { targetId: target });
  const acting = gone('action of a variable');
  kernel.variables.create(0).data.customAction = acting;
  const property = gone('property of an instance');
  const instance = kernel.instances.create(
    { id: '{M}', name: 'M', kind: 3 },
    { VariableID: property },
    { nowMs: 0 },
  );
  const connected = gone('parent of an instance');
  instance.data.connectionId = connected;
  const recorded = gone('records');
  const applied = gone('what the configuration made');
  const file = gone('file of a script');
  await mkdir(join(directory, 'scripts'));
  await writeFile(join(directory, 'scripts', `${file}.js`), '');
  await writeFile(join(directory, 'archive.db'), '');
  const sources = {
    kernel,
    directory,
    archive: { get: async () => ({ recordedVariables: async () => [recorded] }) },
    store: { metaValues: () => [JSON.stringify({ hall: { id: applied } })] },
    log: silentLog,
  };
  const mentioned = [target, acting, property, connected, recorded, applied, file];
  return { kernel, sources, mentioned, free: gone('nothing') };
}

t.test('in a tree from before ids were counted, referenced ids are not assigned', async (t) => {
  const { kernel, sources, mentioned, free } = await treeWithReferences(t);
  const { tree } = kernel;
  const before = tree.size - 1;
  tree.ids.restore('5:0:unsure');
  await guardIds(sources);
  t.equal(tree.ids.isUnsure, true, 'and at the next start it is checked again');
  const given = new Set<number>();
  for (let n = 0; n < 50_000 - mentioned.length - before; n++) given.add(tree.ids.take());
  t.notOk(mentioned.some((id) => given.has(id)));
  t.ok(given.has(free));
  t.ok([...given].every((id) => tree.find(id) === undefined && id < 60_000));
});

t.test('an unreadable archive does not prevent finding other references', async (t) => {
  const { kernel, sources, mentioned } = await treeWithReferences(t);
  kernel.tree.ids.restore('5:0:unsure');
  const get = () => Promise.reject(new Error('no archive'));
  await guardIds({ ...sources, archive: { get } });
  const given = new Set(Array.from({ length: 49_900 }, () => kernel.tree.ids.take()));
  t.ok(mentioned.filter((id) => given.has(id)).length <= 1, 'except that of the records');
});

t.test('when all ids have been used, those without a reference are assigned again', async (t) => {
  const { kernel, sources, mentioned } = await treeWithReferences(t);
  const { ids } = kernel.tree;
  await guardIds(sources);
  t.equal(ids.isUnsure, false);
  ids.restore(`1:${950_000 - 3}`);
  // Assigned before the end is near, so that it can only be a reuse.
  const late = [ids.take(), ids.take(), ids.take()];
  t.equal(new Set(late).size, 3);
  await until('ids that were used', () => ids.left >= 10_000);
  const given = new Set<number>();
  for (let left = ids.left; left > 0; left--) given.add(ids.take());
  t.equal(given.size, 20_000);
  t.notOk(mentioned.some((id) => given.has(id)));
  t.ok([...given].every((id) => kernel.tree.find(id) === undefined));
});

t.test('ids: five digits first, then six, none twice, whatever is deleted', async (t) => {
  const { tree } = new Kernel({ counter: 0, random: Math.random });
  const ids: number[] = [];
  for (let i = 0; i < 51_000; i++) {
    const object = tree.create(0, {});
    ids.push(object.id);
    if (i % 2 === 0) tree.delete(object);
  }
  t.equal(new Set(ids).size, 51_000);
  const [five, six] = [ids.slice(0, 50_000), ids.slice(50_000)];
  t.strictSame([Math.min(...five), Math.max(...five)], [FIRST_ID, 59_999]);
  t.ok(Math.min(...six) >= 100_000 && Math.max(...six) <= LAST_ID);
});

t.test(
  'ids: the last free ones are assigned when no other is left, with a search for references in time',
  async (t) => {
    const taken = new Set<number>();
    const ranges = [
      { first: 10_000, count: 30 },
      { first: 100_000, count: 7 },
    ];
    const pool = () => new IdPool({ random: () => 0.3, isTaken: (id) => taken.has(id), ranges });
    let ids = pool();
    let low = 0;
    ids.onLow(() => low++);
    taken.add(10_007).add(100_003);
    ids.retire([10_012]);
    const given: number[] = [];
    for (let n = 0; n < 34; n++) {
      given.push(ids.take());
      // A restart in between.
      const { state } = ids;
      if (n % 5 === 0) {
        ids = pool();
        ids.restore(state);
        ids.retire([10_012]);
      }
    }
    t.equal(new Set(given).size, 34);
    t.notOk([10_007, 10_012, 100_003].some((id) => given.includes(id)));
    t.notSame(given.slice(0, 27), given.slice(0, 27).sort(), 'in an unpredictable order');
    t.equal(ids.left, 0);
    t.throws(() => ids.take(), { code: 'IDS_EXHAUSTED' });
    t.ok(low > 0);
    ids.refill([10_007, 10_020]);
    t.equal(ids.take(), 10_020, 'not those in use');
    t.throws(() => ids.take(), { code: 'IDS_EXHAUSTED' });
    t.equal([...ids.spent()].length, 35);
  },
);

t.test('ids: the state of a backup skips those assigned since; an unusable state is uncertain', async (t) => {
  const taken = new Set<number>();
  const pool = (state?: string) => {
    const ids = new IdPool({ random: () => 0.3, isTaken: (id) => taken.has(id) });
    ids.restore(state);
    return ids;
  };
  const first = pool('17:5');
  t.equal(first.isUnsure, false);
  const since = Array.from({ length: 1000 }, () => first.take());
  const after = pool(skipIdsAfterBackup('17:5'));
  t.notOk(since.includes(after.take()));
  t.equal(after.state, '17:1006');
  for (const state of [undefined, '', '17', 'x:1', '1:2:3', '99999999999:1', '1:-1']) {
    t.equal(pool(state).isUnsure, true, String(state));
    t.equal(pool(pool(state).state).isUnsure, true);
  }
});
