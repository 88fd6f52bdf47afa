import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { removeDatabase } from '../../../src/sqlite/database-files.js';
import { DISK_BYTES, empty, fill, remount, smallDisk } from '../../tools/small-disk.js';
import { until } from '../../tools/until.js';
import { openFixture } from './open-store.js';

/** The tests; given a reason, they are skipped with it. */
export function diskTests(skip: string | false): void {
  t.test(
    'a full disk: the caller gets an error, work continues, and everything is written when there is space',
    { skip },
    async (t) => {
      const directory = await smallDisk(t);
      const clock = new ManualClock();
      const { store, kernel, findings } = await openFixture(directory, { clock });
      kernel.variables.create(1, { ident: 'first' });
      await store.committed();
      fill(directory);
      const failure = await until('a failed commit', async () => {
        kernel.variables.create(3, { info: 'x'.repeat(60_000) });
        return store.committed().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
      });
      t.match(failure, { code: 'STORE_FAILED', retry: true, message: /in memory/ });
      t.match(findings.get('store'), { state: 'failed', text: /full/, whatToDo: /free some space/ });
      const late = kernel.variables.create(1, { ident: 'late' });
      kernel.variables.update(late, 7, clock.nowMs());
      await t.rejects(store.committed(), { code: 'STORE_FAILED' });
      t.equal(late.data.value, 7, 'the tree continues to work');
      t.ok(Number(kernel.tree.size) > 3);

      empty(directory);
      clock.advance(60_000);
      await until('everything is written', () => findings.get('store')?.state === 'ok');
      const { size } = kernel.tree;
      await store.close();
      const again = await openFixture(directory);
      t.equal(again.kernel.tree.size, size);
      t.match(again.kernel.tree.root.children?.byIdent('late'), { data: { value: 7 } });
      await again.store.close();
    },
  );

  for (const [what, block, free] of [
    ['full', fill, empty],
    [
      'read-only',
      (directory: string) => remount(directory, 'ro'),
      (directory: string) => remount(directory, 'rw'),
    ],
  ] as const) {
    t.test(
      `a disk that is ${what} at the start: it starts, reports it, and writes when it can`,
      { skip },
      async (t) => {
        const directory = await smallDisk(t);
        const clock = new ManualClock();
        const first = await openFixture(directory, { clock });
        const kept = first.kernel.variables.create(1, { ident: 'kept', value: 3 });
        await first.store.close();
        const { counter } = first.kernel.changes;
        block(directory);
        const { store, kernel, findings } = await openFixture(directory, { clock });
        t.match(kernel.tree.get(kept.id), { data: { value: 3 } });
        t.match(findings.get('database'), { state: 'failed', text: /cannot be written to/ });
        kernel.variables.create(1, { ident: 'new' });
        await t.rejects(store.committed(), { code: 'STORE_FAILED' });
        t.equal(findings.get('store')?.state, 'failed');
        free(directory);
        clock.advance(60_000);
        await until('everything is written', () => findings.get('store')?.state === 'ok');
        t.match(findings.get('database'), { state: 'ok', text: /writable again/ });
        await store.close();
        const again = await openFixture(directory);
        t.ok(again.kernel.tree.root.children?.byIdent('kept'));
        t.ok(again.kernel.tree.root.children?.byIdent('new'));
        t.ok(again.kernel.changes.counter > counter);
        await again.store.close();
      },
    );
  }

  t.test(
    'a disk with space for a database but not for its log: it starts, and reports it',
    { skip },
    async (t) => {
      const directory = await smallDisk(t);
      writeFileSync(join(directory, 'filler'), Buffer.alloc(DISK_BYTES - 64 * 1024));
      const clock = new ManualClock();
      const { store, kernel, findings } = await openFixture(directory, { clock });
      t.match(findings.get('database'), { state: 'failed', text: /cannot be written to .*disk I\/O error/ });
      kernel.variables.create(1, { ident: 'new' });
      await t.rejects(store.committed(), { code: 'STORE_FAILED' });
      t.match(findings.get('store'), { state: 'failed', whatToDo: /the disk is full/ });
      rmSync(join(directory, 'filler'));
      clock.advance(60_000);
      await until('everything is written', () => findings.get('store')?.state === 'ok');
      await store.close();
      const again = await openFixture(directory);
      t.ok(again.kernel.tree.root.children?.byIdent('new'));
      await again.store.close();
    },
  );

  t.test('a lost database and no space for its backup: no empty one takes its place', { skip }, async (t) => {
    const directory = await smallDisk(t);
    const clock = new ManualClock();
    const first = await openFixture(directory, { clock });
    for (let n = 0; n < 1000; n++) first.kernel.variables.create(1, { ident: `kept_${n}` });
    const { size } = first.kernel.tree;
    await first.store.backup();
    await first.store.close();
    removeDatabase(join(directory, 'stellwerk.db'));
    // Enough for an empty database.
    writeFileSync(join(directory, 'reserve'), Buffer.alloc(100 * 1024));
    fill(directory);
    rmSync(join(directory, 'reserve'));
    const { store, kernel, findings } = await openFixture(directory, { clock });
    t.equal(kernel.tree.size, size);
    kernel.variables.create(1, { ident: 'new' });
    await t.rejects(store.committed(), { code: 'STORE_FAILED' });
    t.equal(findings.get('store')?.state, 'failed');
    empty(directory);
    clock.advance(60_000);
    await until('everything is written', () => findings.get('store')?.state === 'ok');
    await store.close();
    const again = await openFixture(directory);
    t.equal(again.kernel.tree.size, size + 1);
    t.ok(again.kernel.tree.root.children?.byIdent('new'));
    await again.store.close();
  });

  t.test('an empty read-only disk: it starts with an empty tree', { skip }, async (t) => {
    const directory = await smallDisk(t);
    remount(directory, 'ro');
    const { store, kernel, findings } = await openFixture(directory);
    t.equal(kernel.tree.size, 1);
    t.match(findings.get('database'), { state: 'failed', text: /has no database/ });
    await store.close();
  });
}
