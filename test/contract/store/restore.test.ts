import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { locateConfig } from '../../../src/config/config-source.js';
import { createDatabase, migrate, versionOf } from '../../../src/sqlite/connection.js';
import { connect } from '../../../src/store/connection.js';
import { FOLDER_BUDGET } from '../../../src/store/backup.js';
import { backupDirectory, restoreBackup } from '../../../src/store/restore.js';
import { SCHEMA_VERSION, steps, storeShape } from '../../../src/store/schema.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openFixture, picture } from './open-store.js';

t.test('a backup is restored on an empty machine: tree, scripts, configuration', async (t) => {
  const directory = await tempDirectory(t);
  const config = join(await tempDirectory(t), 'gateway.yaml');
  const backup = join(await tempDirectory(t), 'backup.db');
  writeFileSync(config, 'board: generic\n');
  mkdirSync(join(directory, 'scripts'));
  writeFileSync(join(directory, 'scripts', '12345.js'), 'print("ä")\n');
  mkdirSync(join(directory, 'icons'));
  writeFileSync(join(directory, 'icons', 'Küche.svg'), '<svg/>');
  mkdirSync(join(directory, 'media', 'plans'), { recursive: true });
  writeFileSync(join(directory, 'media', 'plans', 'ground floor.json'), '{}');
  writeFileSync(join(directory, 'media', 'photo.png'), Buffer.alloc(FOLDER_BUDGET / 2));
  writeFileSync(join(directory, 'media', 'film.mp4'), Buffer.alloc(FOLDER_BUDGET / 2));
  symlinkSync(config, join(directory, 'media', 'link'));
  const first = await openFixture(directory);
  first.kernel.variables.create(2, { ident: 'v', value: 1.25 });
  await first.store.committed();
  const made = backupDirectory(directory, { to: backup, config });
  t.ok(made.bytes > FOLDER_BUDGET / 2, 'while the gateway runs');
  t.strictSame(made.leftOut.length, 1, 'photo and film together would exceed the limit');
  t.throws(() => backupDirectory(directory, { to: backup, config }), { code: 'STORE_UNUSABLE' });
  const before = picture(first.kernel);
  const { counter } = first.kernel.changes;
  await first.store.close();

  const blank = join(await tempDirectory(t), 'new', 'data');
  const newConfig = join(blank, '..', 'etc', 'gateway.yaml');
  const how = { backup, directory: blank, config: newConfig, replace: false, nowMs: Date.now() };
  restoreBackup(how);
  t.equal(readFileSync(newConfig, 'utf8'), 'board: generic\n');
  t.equal(readFileSync(join(blank, 'scripts', '12345.js'), 'utf8'), 'print("ä")\n');
  t.equal(readFileSync(join(blank, 'icons', 'Küche.svg'), 'utf8'), '<svg/>');
  t.equal(readFileSync(join(blank, 'media', 'plans', 'ground floor.json'), 'utf8'), '{}');
  const there = ['photo.png', 'film.mp4'].filter((name) => !made.leftOut.includes(`media/${name}`));
  t.strictSame(readdirSync(join(blank, 'media')).sort(), ['plans', ...there].sort());
  const second = await openFixture(blank);
  t.strictSame(picture(second.kernel), before);
  t.equal(second.findings.get('database')?.state, 'ok');
  t.ok(second.kernel.changes.counter > counter + 1_000_000, 'the counter continues far above');
  t.throws(
    () => restoreBackup({ ...how, replace: true }),
    { message: /in use/ },
    'not for a running gateway',
  );
  await second.store.close();

  t.throws(() => restoreBackup(how), { message: /--replace/ });
  const done = restoreBackup({ ...how, replace: true });
  t.equal(done.filter((line) => line.includes('kept as')).length, 5, 'the previous files are kept');
  t.strictSame(readdirSync(join(blank, 'scripts')), ['12345.js']);
});

t.test('a restored configuration is not ignored because of one in the data directory', async (t) => {
  const directory = await tempDirectory(t);
  const [config, backup] = ['etc.yaml', 'backup.db'].map((name) => join(directory, name)) as [string, string];
  const data = join(directory, 'data');
  const overlay = join(data, 'gateway.yaml');
  writeFileSync(config, 'board: generic\n');
  await (await openFixture(data)).store.close();
  backupDirectory(data, { to: backup, config });
  rmSync(join(data, 'stellwerk.db'));
  rmSync(config);
  writeFileSync(overlay, 'board: simulated\n');
  const how = { backup, directory: data, config, replace: true, nowMs: 0 };
  t.throws(() => restoreBackup({ ...how, replace: false }), { message: /data\/gateway\.yaml.*--replace/ });
  const kept = 'gateway.yaml.replaced-1970-01-01T00-00-00Z';
  t.match(restoreBackup(how), [/stellwerk\.db from/, config, `${overlay} is kept as ${kept}`]);
  t.equal(readFileSync(locateConfig(config, data).file, 'utf8'), 'board: generic\n');
  t.equal(readFileSync(join(data, kept), 'utf8'), 'board: simulated\n');
  restoreBackup({ ...how, config: overlay });
  symlinkSync(data, join(directory, 'link'));
  restoreBackup({ ...how, config: join(directory, 'link', 'gateway.yaml') });
  t.ok(existsSync(overlay), 'one that was restored there stays');
  writeFileSync(overlay, 'board: simulated\n');
  restoreBackup({ ...how, config: undefined });
  t.equal(readFileSync(overlay, 'utf8'), 'board: simulated\n', 'without --config, it stays');
});

t.test('an invalid backup changes nothing', async (t) => {
  const directory = await tempDirectory(t);
  const backup = join(directory, 'backup.db');
  const target = join(directory, 'target');
  writeFileSync(backup, 'nothing');
  const how = { backup, directory: target, config: undefined, replace: true, nowMs: 0 };
  t.throws(() => restoreBackup(how), { code: 'STORE_UNUSABLE', message: /not an intact backup/ });
  for (const none of [join(directory, 'none'), directory])
    t.throws(() => restoreBackup({ ...how, backup: none }), { message: /does not exist or is not a file/ });
  t.notOk(existsSync(target));
});

t.test('a backup cannot write outside the data directory', async (t) => {
  const directory = await tempDirectory(t);
  const source = join(directory, 'source');
  const { store } = await openFixture(source);
  await store.close();
  const backup = join(directory, 'backup.db');
  backupDirectory(source, { to: backup, config: undefined });
  const db = new DatabaseSync(backup);
  for (const name of [
    '../evil',
    'scripts/../../evil',
    'scripts/..',
    '/evil',
    'stellwerk.db',
    'scripts/.hidden',
  ])
    db.prepare('INSERT INTO files VALUES (?, ?)').run(name, new Uint8Array([1]));
  db.close();
  const target = join(directory, 'target');
  restoreBackup({ backup, directory: target, config: undefined, replace: false, nowMs: 0 });
  t.strictSame(readdirSync(directory).sort(), ['backup.db', 'source', 'target']);
  t.strictSame(readdirSync(target).sort(), ['stellwerk.db', 'stellwerk.lock']);
});

t.test('a database of an older version is migrated, after a backup', async (t) => {
  const directory = await tempDirectory(t);
  // Version 0: marked as ours, and without content yet.
  const db = new DatabaseSync(join(directory, 'stellwerk.db'));
  db.exec(`PRAGMA application_id = ${storeShape.id}; CREATE TABLE old (a); INSERT INTO old VALUES (1)`);
  db.close();
  const { store, kernel } = await openFixture(directory);
  kernel.variables.create(1, {});
  await store.committed();
  await store.close();
  const backups = readdirSync(join(directory, 'backups'));
  t.match(backups, [/^backup-000001-.*-before-schema-2\.db$/]);
  const saved = new DatabaseSync(join(directory, 'backups', backups[0] ?? ''), { readOnly: true });
  t.match(saved.prepare('PRAGMA user_version').get(), { user_version: 0 });
  t.match(saved.prepare('SELECT a FROM old').get(), { a: 1 });
  saved.close();
});

t.test('a failed step leaves the previous version complete', async (t) => {
  const path = join(await tempDirectory(t), 'a.db');
  createDatabase(path, storeShape);
  const db = connect(path);
  const further = [
    ...steps,
    'CREATE TABLE one (a); INSERT INTO one VALUES (1)',
    'CREATE TABLE two (a); nonsense',
  ];
  t.throws(() => migrate(db, { ...storeShape, steps: further }), /syntax error/);
  t.equal(versionOf(db), SCHEMA_VERSION + 1);
  t.match(
    db.prepare("SELECT group_concat(name) AS names FROM sqlite_master WHERE name IN ('one', 'two')").get(),
    {
      names: 'one',
    },
  );
  migrate(db, { ...storeShape, steps: further.slice(0, -1) });
  t.equal(versionOf(db), SCHEMA_VERSION + 1, 'and no step is repeated');
  db.close();
});

t.test('loading 50,000 objects takes a small multiple of reading them', async (t) => {
  const directory = await tempDirectory(t);
  const first = await openFixture(directory);
  for (let i = 0; i < 49_900; i++) first.kernel.variables.create(2, { name: `Variable ${i}`, value: i / 8 });
  await first.store.close();
  const readBare = () => {
    const db = new DatabaseSync(join(directory, 'stellwerk.db'), { readOnly: true });
    const all = new Map<unknown, unknown>();
    for (const row of db.prepare('SELECT * FROM objects JOIN last_values USING (id)').all())
      all.set(row['id'], [
        JSON.parse(String(row['attributes'])),
        JSON.parse(String(row['data'])),
        row['value'],
      ]);
    db.close();
    return all.size;
  };
  const load = async () => {
    const { store, kernel } = await openFixture(directory);
    const { size } = kernel.tree;
    await store.close();
    return size;
  };
  // Of all threads: unlike the time that passes, it does not depend on other processes.
  const cpuUs = () => process.cpuUsage().user + process.cpuUsage().system;
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) {
    const started = cpuUs();
    t.equal(readBare(), 49_900);
    const between = cpuUs();
    t.equal(await load(), 49_901);
    ratios.push((cpuUs() - between) / (between - started));
  }
  const median = ratios.sort((a, b) => a - b)[1] ?? Infinity;
  t.comment(
    `${median.toFixed(1)} times the baseline, including the worker’s start and the check of the database`,
  );
  t.ok(median < 8);
});

t.test('what an interrupted restore has left does not damage the next one', async (t) => {
  const directory = await tempDirectory(t);
  const config = join(directory, 'gateway.yaml');
  const backup = join(await tempDirectory(t), 'backup.db');
  writeFileSync(config, 'board: generic\n');
  const first = await openFixture(directory);
  first.kernel.variables.create(2, { ident: 'v', value: 1.25 });
  await first.store.committed();
  backupDirectory(directory, { to: backup, config });
  const before = picture(first.kernel);
  for (let n = 0; n < 50; n++) first.kernel.variables.create(3, { name: 'x'.repeat(500) });
  await first.store.committed();
  const path = join(directory, 'stellwerk.db');
  const log = readFileSync(`${path}-wal`);
  await first.store.close();

  // The power was cut after the database was renamed, and before its log was.
  rmSync(path);
  writeFileSync(`${path}-wal`, log);
  writeFileSync(`${path}.new`, 'not complete');
  writeFileSync(`${path}.new-wal`, log);
  restoreBackup({ backup, directory, config, replace: true, nowMs: Date.now() });
  const second = await openFixture(directory);
  t.equal(second.findings.get('database')?.state, 'ok');
  t.strictSame(picture(second.kernel), before);
  await second.store.close();
});
