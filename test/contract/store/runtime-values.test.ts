import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { Database } from '../../../src/store/database.js';
import type { Batch, ValueRow } from '../../../src/store/worker-protocol.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const FIRST = 10_001;
const SECOND = 10_002;
const REMOVED = 10_003;
const noChanges: Batch = { objects: [], removed: [], profiles: [], meta: [], values: [], audit: [] };

const row = (id: number, value: number): ValueRow => [id, value, 1_700_000_000, 1_700_000_000];

/** A database with three objects and its runtime directory, and what a run that begins now has. */
async function openDatabase(t: Test) {
  const [directory, runtimeDirectory] = [await tempDirectory(t), await tempDirectory(t)];
  const database = new Database({ directory, runtimeDirectory, files: {} });
  t.teardown(() => database.close());
  database.open(0, 'first');
  database.commit({
    ...noChanges,
    objects: [FIRST, SECOND, REMOVED].map((id) => [id, 2, 0, '{}', '{}']),
    values: [row(FIRST, 1), row(SECOND, 1), row(REMOVED, 1)],
  });
  /** The stored values of a run after a crash now, after `change` of its runtime directory. */
  const afterCrash = async (change: (runtime: DatabaseSync) => void = () => undefined) => {
    const [data, runtime] = [await tempDirectory(t), await tempDirectory(t)];
    await cp(directory, data, { recursive: true });
    await cp(runtimeDirectory, runtime, { recursive: true });
    const left = new DatabaseSync(join(runtime, 'values.db'));
    change(left);
    left.close();
    const next = new Database({ directory: data, runtimeDirectory: runtime, files: {} });
    next.open(0, 'next');
    const rows = JSON.parse(next.rows(0).text) as [id: number, ...unknown[]][];
    next.close();
    return new Map(rows.map((columns) => [columns[0], columns[5]]));
  };
  return { database, runtimeFile: join(runtimeDirectory, 'values.db'), afterCrash };
}

t.test('a value that changes while a commit is staged survives a crash after the commit', async (t) => {
  const { database, afterCrash } = await openDatabase(t);
  database.keep([row(REMOVED, 2)], 1);
  database.stage([row(FIRST, 2)]);
  database.keep([row(FIRST, 3), row(SECOND, 3)], 2);
  database.commit({ ...noChanges, values: [row(REMOVED, 4)] });
  t.strictSame([...(await afterCrash()).values()], [3, 3, 4]);
});

t.test('a crash after a commit does not restore what the runtime directory had before it', async (t) => {
  const { database, runtimeFile, afterCrash } = await openDatabase(t);
  database.keep([row(FIRST, 2), row(SECOND, 2)], 1);
  const runtime = new DatabaseSync(runtimeFile);
  // What the commit removes from the runtime directory is what a crash before that leaves.
  runtime.exec(`CREATE TABLE removed AS SELECT * FROM last_values WHERE false;
    CREATE TRIGGER note BEFORE DELETE ON last_values
    BEGIN INSERT INTO removed VALUES (OLD.id, OLD.value, OLD.updated, OLD.changed, OLD.sum); END`);
  runtime.close();
  database.stage([row(FIRST, 3)]);
  database.commit({ ...noChanges, values: [row(SECOND, 3)] });
  const values = await afterCrash((left) => left.exec('INSERT INTO last_values SELECT * FROM removed'));
  t.strictSame([values.get(FIRST), values.get(SECOND)], [3, 3]);
});

t.test('a commit removes from the runtime directory what it has written and deleted', async (t) => {
  const { database, runtimeFile } = await openDatabase(t);
  database.keep([row(FIRST, 2), row(SECOND, 2), row(REMOVED, 2)], 1);
  database.commit({ ...noChanges, removed: [REMOVED], values: [row(FIRST, 2)] });
  using runtime = new DatabaseSync(runtimeFile, { readOnly: true });
  t.match(runtime.prepare('SELECT id FROM last_values').all(), [{ id: SECOND }]);
});
