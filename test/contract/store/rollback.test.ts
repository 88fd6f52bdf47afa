/** A database that a newer version has migrated, opened by the version before it, as after a rollback. */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { archiveShape } from '../../../src/archive/schema.js';
import { ManualClock } from '../../../src/base/clock.js';
import { migrate, openForReading, type DatabaseShape } from '../../../src/sqlite/connection.js';
import { beforeSchema, listBackups, makeBackup } from '../../../src/store/backup.js';
import { iterateRows } from '../../../src/store/checksums.js';
import { SCHEMA_VERSION, steps, storeShape } from '../../../src/store/schema.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openArchive } from '../archive/open-archive.js';
import { rebuildAsVersion1 } from './version-1.js';
import { furnish, openFixture, picture } from './open-store.js';

const path = (directory: string): string => join(directory, 'stellwerk.db');

/** A directory with objects of all kinds, as this version leaves it, and its tree. */
async function populated(t: Test): Promise<{ directory: string; tree: string[] }> {
  const directory = await tempDirectory(t);
  const { store, kernel } = await openFixture(directory);
  furnish(kernel);
  await store.committed();
  store.recordAudit({ at: 1, user: 'owner', remote: 'local', method: 'SetValue', params: [], ok: true });
  await store.close();
  return { directory, tree: await treeIn(directory) };
}

/** The tree that this version loads. */
async function treeIn(directory: string): Promise<string[]> {
  const { store, kernel } = await openFixture(directory);
  const tree = picture(kernel);
  await store.close();
  return tree;
}

/** The next version, with one more step; `oldest` is the oldest version that can use its databases. */
const nextVersion = (step: string, oldest: number): DatabaseShape => ({
  ...storeShape,
  steps: [...steps, step],
  ...(storeShape.oldestReader && { oldestReader: { ...storeShape.oldestReader, version: oldest } }),
});

/** What the next version does at its first start: a backup, and the migration; then it changes a value. */
function updateTo(shape: DatabaseShape, directory: string): void {
  using db = new DatabaseSync(path(directory));
  const reason = beforeSchema(SCHEMA_VERSION + 1);
  makeBackup({ db, files: {} }, { directory, reason, nowMs: Date.now() });
  migrate(db, shape);
}

const ADDS = 'CREATE TABLE extra (a); INSERT INTO extra VALUES (7)';
const CHANGES = `ALTER TABLE objects RENAME COLUMN data TO content;
  INSERT INTO last_values VALUES (59999, 1, 0, 0, 0)`;

t.test('a newer database with additional tables is used as it is, and keeps them', async (t) => {
  const { directory, tree } = await populated(t);
  const next = nextVersion(ADDS, SCHEMA_VERSION);
  updateTo(next, directory);

  const { store, kernel, findings } = await openFixture(directory);
  t.strictSame(picture(kernel), tree);
  t.match(findings.get('database'), { state: 'ok' });
  kernel.variables.create(1, { ident: 'later', value: 3 });
  await store.committed();
  await store.backup();
  await store.close();
  const [backup] = listBackups(directory);
  t.match((await treeIn(directory)).join('\n'), /"later"/);

  using db = openForReading(next, path(directory), 'integrity_check');
  t.match(db.prepare('SELECT a FROM extra').get(), { a: 7 }, 'for the newer version');
  using saved = openForReading(next, backup?.path ?? '', 'integrity_check');
  t.match(saved.prepare('SELECT a FROM extra').get(), { a: 7 }, 'in backups, too');
});

t.test('a damaged newer database with additional tables is repaired', async (t) => {
  const { directory, tree } = await populated(t);
  updateTo(nextVersion(ADDS, SCHEMA_VERSION), directory);
  const db = new DatabaseSync(path(directory));
  db.exec("UPDATE profiles SET sum = sum + 1 WHERE name = 'Watt.Mine'");
  db.close();
  t.strictSame(await treeIn(directory), tree);
  t.ok(readdirSync(directory).some((name) => name.startsWith('stellwerk.db.damaged-')));
});

t.test('a newer database that cannot be used is kept, and the copy from before is used', async (t) => {
  const { directory, tree } = await populated(t);
  const next = nextVersion(CHANGES, SCHEMA_VERSION + 1);
  updateTo(next, directory);

  const { store, kernel, findings } = await openFixture(directory);
  t.strictSame(picture(kernel), tree, 'as before the update');
  const [name = ''] = readdirSync(directory).filter((name) => name.startsWith('stellwerk.db.newer-'));
  const finding = findings.get('database');
  t.equal(finding?.state, 'warning');
  t.match(String(finding?.text), new RegExp(`${name}.*backup-000001-.*-before-schema-3\\.db`));
  t.match(String(finding?.whatToDo), 'stellwerk restore');
  t.match(finding?.text, { code: 'DATABASE_OF_NEWER_VERSION', parameters: [name, /^backup-000001-/] });
  t.ok(kernel.changes.counter > 1_000_000, 'the counter continues above all that the newer version issued');
  kernel.variables.create(1, { ident: 'afterwards' });
  await store.committed();
  await store.close();

  const again = await openFixture(directory);
  t.match(again.findings.get('database'), { state: 'warning', text: { code: 'NEWER_DATABASE_KEPT' } });
  t.ok(again.kernel.tree.root.children?.byIdent('afterwards'), 'from then on, it is the database');
  await again.store.close();

  t.notOk(existsSync(`${join(directory, name)}-wal`), 'without a log, so that it can be restored');
  const kept = openForReading(next, join(directory, name), 'integrity_check');
  t.ok(kept.prepare('SELECT content FROM objects').get(), 'the newer database is complete');
  kept.close();
  updateTo(next, directory);
  using updated = openForReading(next, path(directory), 'integrity_check');
  t.ok(updated.prepare("SELECT id FROM objects WHERE attributes LIKE '%afterwards%'").get(), 'updated again');
});

t.test('what a newer version has not yet moved from its log is kept, too', async (t) => {
  const { directory } = await populated(t);
  const next = nextVersion(CHANGES, SCHEMA_VERSION + 1);
  updateTo(next, directory);
  const newer = new DatabaseSync(path(directory));
  newer.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE late (a)');
  const copy = await tempDirectory(t);
  // As a power cut leaves it.
  for (const suffix of ['', '-wal']) copyFileSync(`${path(directory)}${suffix}`, `${path(copy)}${suffix}`);
  newer.close();
  mkdirSync(join(copy, 'backups'));
  for (const { path: from } of listBackups(directory))
    copyFileSync(from, join(copy, 'backups', basename(from)));
  await treeIn(copy);
  const [name = ''] = readdirSync(copy).filter((name) => name.startsWith('stellwerk.db.newer-'));
  using kept = openForReading(next, join(copy, name), 'integrity_check');
  t.ok(kept.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'late'").get());
});

t.test('the copy from before a migration outlives daily backups', async (t) => {
  const { directory } = await populated(t);
  const db = new DatabaseSync(path(directory));
  const make = (reason: string) => makeBackup({ db, files: {} }, { directory, reason, nowMs: 0, kept: 3 });
  const before = make(beforeSchema(SCHEMA_VERSION)).file;
  for (let day = 0; day < 5; day++) make('daily');
  db.close();
  const names = listBackups(directory).map(({ path }) => basename(path));
  t.equal(names.length, 4);
  t.equal(names.at(-1), before);
});

t.test('a database of the previous schema is migrated, and its copy is usable by that version', async (t) => {
  const { directory, tree } = await populated(t);
  const before = rebuildAsVersion1(directory);
  t.strictSame(await treeIn(directory), tree, 'migrated');
  const [copy] = listBackups(directory);
  t.match(copy?.path, /before-schema-2\.db$/);
  const shape = { id: storeShape.id, steps: steps.slice(0, 1) };
  using old = openForReading(shape, copy?.path ?? '', 'integrity_check');
  for (const [table, rows] of Object.entries(before))
    t.strictSame([...iterateRows(old, `SELECT * FROM ${table}`)], rows, table);
});

t.test('an archive of a newer version is kept, and recording continues', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock();
  const first = await openArchive(directory, clock);
  await first.archive.close();
  const next = { ...archiveShape, steps: [...archiveShape.steps, 'ALTER TABLE tail ADD COLUMN more'] };
  const newer = new DatabaseSync(join(directory, 'archive.db'));
  migrate(newer, next);
  newer.close();

  const { archive, kernel, variable, findings } = await openArchive(directory, clock);
  t.match(findings.get('archive file'), { state: 'warning', text: { code: 'NEWER_ARCHIVE_KEPT' } });
  kernel.variables.update(variable, 5, clock.nowMs());
  await archive.close();
  const [name = ''] = readdirSync(directory).filter((name) => name.startsWith('archive.db.newer-'));
  using kept = openForReading(next, join(directory, name), 'integrity_check');
  t.ok(kept.prepare("SELECT 1 FROM pragma_table_info('tail') WHERE name = 'more'").get());
  using own = openForReading(archiveShape, join(directory, 'archive.db'), 'integrity_check');
  t.match(own.prepare('SELECT count(*) AS rows FROM tail').get(), { rows: 1 });
});
