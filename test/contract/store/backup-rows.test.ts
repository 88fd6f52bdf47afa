import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { listBackups } from '../../../src/store/backup.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openFixture } from './open-store.js';

t.test(
  'a backup with valid pages and a damaged row does not prevent the start without a database',
  async (t) => {
    const directory = await tempDirectory(t);
    const { store, kernel } = await openFixture(directory);
    kernel.variables.create(1, { ident: 'kept', value: 5 });
    store.setMeta('applied', '{"kept":{}}');
    await store.committed();
    await store.backup();
    await store.close();
    rmSync(join(directory, 'stellwerk.db'));
    for (const { path } of listBackups(directory)) {
      using db = new DatabaseSync(path);
      db.exec(`UPDATE meta SET value = replace(value, 'kept', 'kepu') WHERE name = 'applied'`);
    }
    const again = await openFixture(directory);
    t.match(again.kernel.tree.root.children?.byIdent('kept'), { data: { value: 5 } });
    t.equal(again.store.meta('applied'), undefined, 'the damaged row is omitted');
    t.match(again.findings.get('database'), { state: 'failed', text: /damaged.*applied/ });
    await again.store.close();
  },
);

t.test('files of an interrupted backup are deleted by the next one, and nothing else is', async (t) => {
  const directory = await tempDirectory(t);
  const { store } = await openFixture(directory);
  await store.backup();
  const folder = join(directory, 'backups');
  const before = readdirSync(folder);
  for (const left of ['backup-000007-2026-01-01T00-00-00Z-daily.db.new', 'mine.db.new'])
    for (const end of ['', '-journal']) writeFileSync(join(folder, `${left}${end}`), 'x');
  const { file } = await store.backup();
  t.strictSame(readdirSync(folder).sort(), [...before, file, 'mine.db.new', 'mine.db.new-journal'].sort());
  await store.close();
});

t.test('a cancelled backup leaves nothing, and the next one is made', async (t) => {
  const directory = await tempDirectory(t);
  const { store } = await openFixture(directory);
  await store.backup();
  const before = readdirSync(join(directory, 'backups'));
  const reported: number[][] = [];
  const report = (done: number, total: number) => void reported.push([done, total]);
  const signal = AbortSignal.abort();
  await t.rejects(store.backup('manual', '', { signal, report }), { code: 'CANCELLED' });
  t.strictSame(readdirSync(join(directory, 'backups')), before);
  await store.backup('manual', '', { signal: new AbortController().signal, report });
  t.strictSame(reported.at(-1), [3, 3]);
  t.equal(readdirSync(join(directory, 'backups')).length, before.length + 1);
  await store.close();
});
