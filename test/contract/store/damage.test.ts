import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { listBackups } from '../../../src/store/backup.js';
import { putMeta } from '../../../src/store/checksums.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openFixture } from './open-store.js';

/** A directory with a database of one variable `kept`, and a backup of it from before `later` was created. */
async function withBackup(t: Parameters<typeof tempDirectory>[0]): Promise<string> {
  const directory = await tempDirectory(t);
  const { store, kernel } = await openFixture(directory);
  kernel.variables.create(1, { ident: 'kept', value: 5 });
  for (let i = 0; i < 200; i++) kernel.variables.create(3, { name: `Filler ${i}`, value: 'x'.repeat(100) });
  await store.committed();
  await store.backup();
  kernel.variables.create(1, { ident: 'later' });
  await store.close();
  return directory;
}

const path = (directory: string) => join(directory, 'stellwerk.db');

const damages: Record<string, (file: string) => void> = {
  'of zero length': (file) => truncateSync(file, 0),
  'cut in the middle': (file) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096),
  'with another header': (file) => overwrite(file, 0, 16),
  'with flipped bytes in its pages': (file) => {
    for (let at = 4096; at < statSync(file).size; at += 4096) overwrite(file, at, 64);
  },
  'that is some other file': (file) => writeFileSync(file, 'no database at all '.repeat(1000)),
};

function overwrite(file: string, at: number, length: number): void {
  const bytes = readFileSync(file);
  for (let i = at; i < at + length; i++) bytes[i] = (bytes[i] ?? 0) ^ 0x5a;
  writeFileSync(file, bytes);
}

/** Files of a database that was not put in place. */
const unfinished = (directory: string) =>
  readdirSync(directory).filter((name) => name.startsWith('stellwerk.db.new'));

t.test('what a crash has left of a repair is removed at the start', async (t) => {
  const directory = await withBackup(t);
  for (const left of ['stellwerk.db.new', 'stellwerk.db.new-journal'])
    writeFileSync(join(directory, left), 'half a database');
  const { store, kernel } = await openFixture(directory);
  t.ok(kernel.tree.root.children?.byIdent('later'));
  t.strictSame(unfinished(directory), []);
  await store.close();
});

t.test(
  'a database whose version is newer, but whose tables cannot be read, is damaged: it is repaired',
  async (t) => {
    const directory = await withBackup(t);
    const bytes = readFileSync(path(directory));
    bytes.writeUInt32BE(77, 60);
    bytes.write('WITHOUT RKWID', bytes.indexOf('WITHOUT ROWID'));
    writeFileSync(path(directory), bytes);
    const { store, kernel, findings } = await openFixture(directory);
    t.match(findings.get('database'), { state: 'warning', text: { code: 'DAMAGED_DATABASE_KEPT' } });
    t.match(kernel.tree.root.children?.byIdent('kept'), { data: { value: 5 } });
    t.ok(kernel.tree.root.children?.byIdent('later'), 'with what came after the backup');
    await store.close();
  },
);

for (const [what, damage] of Object.entries(damages)) {
  t.test(`a database ${what}: the newest backup is used, the file kept, and a warning logged`, async (t) => {
    const directory = await withBackup(t);
    damage(path(directory));
    const { store, kernel, findings } = await openFixture(directory);
    const { root } = kernel.tree;
    t.match(root.children?.byIdent('kept'), { data: { value: 5 } });
    t.equal(root.children?.byIdent('later'), undefined);
    t.match(findings.get('database'), { state: 'failed', text: /damaged.*backup-000001/s });
    t.equal(readdirSync(directory).filter((name) => /^stellwerk\.db\.damaged-.*Z$/.test(name)).length, 1);
    t.strictSame(unfinished(directory), [], 'nothing is left of the attempt to repair it');
    t.ok(
      kernel.changes.counter > 1_000_000,
      'the counter continues above all values that can have been issued',
    );
    await store.close();
    const again = await openFixture(directory);
    t.match(again.findings.get('database'), { state: 'warning', text: /damaged/ }, 'and is kept');
    await again.store.close();
  });

  t.test(`a database ${what} without a backup: it starts nevertheless, with a warning`, async (t) => {
    const directory = await withBackup(t);
    for (const backup of listBackups(directory)) writeFileSync(backup.path, 'damaged too');
    damage(path(directory));
    const { store, kernel, findings } = await openFixture(directory);
    t.match(findings.get('database'), { state: 'failed', text: /damaged/ });
    t.ok(readdirSync(directory).some((name) => /^stellwerk\.db\.damaged-.*Z$/.test(name)));
    kernel.variables.create(1, { ident: 'new' });
    await store.committed();
    await store.close();
    const again = await openFixture(directory);
    t.ok(again.kernel.tree.root.children?.byIdent('new'));
    await again.store.close();
  });
}

t.test('a damaged file of the runtime directory is replaced, wherever its damage is', async (t) => {
  const [directory, runtimeDirectory] = [await tempDirectory(t), await tempDirectory(t)];
  const { store, kernel } = await openFixture(directory, { runtimeDirectory });
  for (let i = 0; i < 200; i++) kernel.variables.create(3, { ident: `value${i}`, value: 'x'.repeat(100) });
  await store.close();
  const file = join(runtimeDirectory, 'values.db');
  const db = new DatabaseSync(file);
  db.exec("UPDATE meta SET value = 'of another run'");
  const put = db.prepare("INSERT INTO last_values VALUES (?, 'x', 0, 0, 0)");
  for (let id = 1; id <= 500; id++) put.run(id);
  db.close();
  const sound = readFileSync(file);
  for (let at = 0; at < sound.length; at += 4096) {
    writeFileSync(file, sound);
    overwrite(file, at, 64);
    const again = await openFixture(directory, { runtimeDirectory });
    t.match(again.kernel.tree.root.children?.byIdent('value7'), { data: { value: 'x'.repeat(100) } });
    await again.store.close();
    const replaced = new DatabaseSync(file);
    t.same(replaced.prepare('PRAGMA integrity_check').all(), [{ integrity_check: 'ok' }], `page at ${at}`);
    replaced.close();
  }
});

t.test('a deleted database is restored from the backup, without the log that it left', async (t) => {
  const directory = await withBackup(t);
  const later = await openFixture(directory);
  later.kernel.variables.create(1, { ident: 'latest' });
  await later.store.committed();
  const log = readFileSync(`${path(directory)}-wal`);
  await later.store.close();
  writeFileSync(`${path(directory)}-wal`, log);
  renameSync(path(directory), join(directory, 'elsewhere'));
  const { store, kernel } = await openFixture(directory);
  t.ok(kernel.tree.root.children?.byIdent('kept'));
  t.notOk(kernel.tree.root.children?.byIdent('latest'));
  await store.close();
});

t.test('a newer database without a backup to start from is rejected and not changed', async (t) => {
  const directory = await withBackup(t);
  for (const backup of listBackups(directory)) rmSync(backup.path);
  const db = new DatabaseSync(path(directory));
  putMeta(db, 'schema', '99');
  putMeta(db, 'oldest_reader', '99');
  db.exec('PRAGMA user_version = 99');
  db.close();
  const before = readFileSync(path(directory));
  await t.rejects(openFixture(directory), {
    code: 'STORE_UNUSABLE',
    message: /written by a newer version of stellwerk/,
  });
  t.ok(before.equals(readFileSync(path(directory))));
  t.notOk(readdirSync(directory).some((name) => name.includes('damaged')));
});

t.test('a database that is missing next to an archive or scripts is reported', async (t) => {
  for (const name of ['archive.db', 'scripts/12345.js']) {
    const directory = await tempDirectory(t);
    mkdirSync(join(directory, 'scripts'));
    writeFileSync(join(directory, name), '');
    const { store, findings } = await openFixture(directory);
    t.match(findings.get('database'), {
      state: 'failed',
      text: /missing.*no intact backup/,
      whatToDo: /restore/,
    });
    await store.close();
  }
  const fresh = await openFixture(await tempDirectory(t));
  t.equal(fresh.findings.get('database')?.state, 'ok');
  await fresh.store.close();
});

t.test('a quarantined database is kept, whatever the clock says', async (t) => {
  const directory = await withBackup(t);
  const quarantined = () =>
    readdirSync(directory)
      .filter((name) => name.startsWith('stellwerk.db.damaged-'))
      .map((name) => readFileSync(join(directory, name), 'utf8').slice(0, 5));
  const quarantine = async (text: string) => {
    writeFileSync(path(directory), text.repeat(1000));
    const { store, findings } = await openFixture(directory);
    await store.close();
    return findings.get('database');
  };
  for (const text of ['first', 'other']) await quarantine(text);
  t.strictSame(quarantined().sort(), ['first', 'other'], 'both are of the same second');
  for (const day of ['01', '02', '03'])
    writeFileSync(join(directory, `stellwerk.db.damaged-2030-01-${day}T00-00-00Z`), `day ${day}`);
  t.match(await quarantine('third'), { state: 'failed', text: /damaged-2023-11-14T22-13-20Z-3/ });
  t.strictSame(quarantined().sort(), ['day 0', 'day 0', 'third'], 'the clock is behind');
});
