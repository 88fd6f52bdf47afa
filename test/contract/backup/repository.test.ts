import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { archiveShape } from '../../../src/archive/schema.js';
import { runBackupJob, type BackupJob, type BackupResults } from '../../../src/backup/backup-job.js';
import { RecoveryKey } from '../../../src/backup/recovery-key.js';
import { runInWorker } from '../../../src/backup/run-backup-job.js';
import { createDatabase } from '../../../src/sqlite/connection.js';
import { backupDirectory } from '../../../src/store/restore.js';
import { S3_KEYS, s3Server } from '../../tools/backup/file-servers.js';
import { openFixture, picture } from '../store/open-store.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const RETENTION = { days: 7, weeks: 4, months: 6 };
const START_MS = Date.UTC(2026, 5, 1, 3, 15);
const DAY_MS = 86_400_000;
const signal = new AbortController().signal;
const progress = { signal, report: async () => undefined };
const run = <J extends BackupJob>(job: J) => runBackupJob(job, progress) as Promise<BackupResults[J['kind']]>;

/** A gateway's data directory, a stick, and a key. */
async function makeFixture(t: Test) {
  const directory = await tempDirectory(t);
  const path = await tempDirectory(t);
  const { kernel, store } = await openFixture(directory);
  for (let i = 0; i < 50; i++) kernel.variables.create(2, { ident: `v${i}`, value: i / 4 });
  await store.committed();
  const before = picture(kernel);
  await store.close();
  mkdirSync(join(directory, 'tls'));
  writeFileSync(join(directory, 'tls', 'ca-key.pem'), 'PRIVATE KEY');
  writeFileSync(join(directory, 'push-key.pem'), 'PUSH');
  createDatabase(join(directory, 'archive.db'), archiveShape);
  using archive = new DatabaseSync(join(directory, 'archive.db'));
  record(archive, 0, 1000);
  const key = RecoveryKey.create();
  const common = { target: { name: 'stick', path }, key: key.toText(), nowMs: START_MS };
  const state = join(await tempDirectory(t), 'state.db');
  const config = join(await tempDirectory(t), 'gateway.yaml');
  writeFileSync(config, 'board: generic\n');
  backupDirectory(directory, { to: state, config });
  const upload = (nowMs: number) =>
    run({ kind: 'upload', ...common, nowMs, directory, state, version: '1.0.0', retention: RETENTION });
  return { directory, path, key, common, upload, before };
}

/** Adds rows to the archive, each with 10 records. */
function record(archive: DatabaseSync, from: number, count: number): void {
  archive.exec('BEGIN');
  const insert = archive.prepare('INSERT INTO chunks VALUES (?, ?, ?, ?, 10, 0, ?, ?, ?)');
  for (let i = from; i < from + count; i++)
    insert.run(
      i,
      2 * (i % 7),
      i,
      i + 1,
      i % 2 === 0 ? null : Buffer.from([i % 256]),
      Buffer.alloc(500, i),
      i,
    );
  archive.exec('COMMIT');
}

const sealedIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sealed'));
const isIndex = (file: string) => file.includes('indexes');

t.test('a backup is restored on a blank machine: tree, configuration, keys and records', async (t) => {
  const { path, common, upload, before, directory } = await makeFixture(t);
  const { name, storedChunks, chunks } = await upload(START_MS);
  t.equal(name, '20260601t031500z');
  t.equal(storedChunks, chunks);
  for (const file of sealedIn(path)) {
    const content = readFileSync(join(path, file)).toString('latin1');
    t.notMatch(content, /SQLite|generic|PRIVATE KEY/, 'nothing on the stick is readable');
  }
  t.same(await run({ kind: 'list', ...common }), [{ name, madeMs: START_MS }]);

  const blank = join(await tempDirectory(t), 'data');
  const config = join(await tempDirectory(t), 'gateway.yaml');
  const how = {
    kind: 'restore',
    ...common,
    name: 'latest',
    directory: blank,
    config,
    replace: false,
  } as const;
  await run(how);
  t.equal(readFileSync(config, 'utf8'), 'board: generic\n');
  t.equal(readFileSync(join(blank, 'tls', 'ca-key.pem'), 'utf8'), 'PRIVATE KEY');
  t.equal(readFileSync(join(blank, 'push-key.pem'), 'utf8'), 'PUSH');
  t.notOk(existsSync(join(blank, 'restore.new')));
  const rows = (of: string) => {
    using db = new DatabaseSync(join(of, 'archive.db'), { readOnly: true });
    return db.prepare('SELECT * FROM chunks ORDER BY number').all();
  };
  t.same(rows(blank), rows(directory));
  const second = await openFixture(blank);
  t.strictSame(picture(second.kernel), before);
  await second.store.close();

  await t.rejects(run(how), { message: /--replace/ }, 'an existing gateway is replaced only on request');
  await run({ ...how, replace: true });
  t.ok(
    readdirSync(blank).some((file) => file.startsWith('archive.db.replaced-')),
    'what was there is kept',
  );
});

t.test(
  'a backup stores only what is new, and old chunks go with the last backup that has them',
  async (t) => {
    const { path, common, upload, directory } = await makeFixture(t);
    const first = await upload(START_MS);
    const again = await upload(START_MS + 3_600_000);
    t.equal(again.storedChunks, 0, 'nothing has changed');
    t.same((await run({ kind: 'list', ...common })).length, 1, 'the newest of a day is kept');
    {
      using archive = new DatabaseSync(join(directory, 'archive.db'));
      record(archive, 1000, 64);
    }
    const next = await upload(START_MS + DAY_MS);
    t.ok(next.storedChunks > 0 && next.storedChunks <= 2, `${next.storedChunks} of ${first.chunks} chunks`);
    {
      using archive = new DatabaseSync(join(directory, 'archive.db'));
      archive.exec('DELETE FROM chunks WHERE number < 640');
    }
    const count = () => sealedIn(path).filter((file) => !isIndex(file)).length;
    const before = count();
    await upload(START_MS + 2 * DAY_MS);
    t.ok(count() >= before, 'older backups still have them');
    for (let day = 3; day < 10; day++) await upload(START_MS + day * DAY_MS);
    t.equal(count(), before - 11, 'ten of the rows that were deleted, and one that was not full at first');
    const scratch = join(directory, 'verify');
    t.match(await run({ kind: 'verify', ...common, name: 'latest', scratch }), { archiveRecords: 4240 });
  },
);

t.test('a backup is compared with what a restore makes of it', async (t) => {
  const { path, common, upload, directory, key } = await makeFixture(t);
  const { name } = await upload(START_MS);
  const scratch = join(directory, 'verify');
  const verify = () => run({ kind: 'verify', ...common, name: 'latest', scratch });
  t.match(await verify(), { name, values: 50, archiveRecords: 10_000 });
  t.notOk(existsSync(scratch), 'the scratch directory is removed');

  const chunks = sealedIn(path).filter((file) => !isIndex(file));
  const [one = '', other = ''] = chunks.map((file) => join(path, file));
  const content = readFileSync(one);
  copyFileSync(other, one);
  await t.rejects(verify(), { code: 'BACKUP_DAMAGED', message: /content of another/ });
  writeFileSync(one, content.subarray(0, -1));
  await t.rejects(verify(), { code: 'BACKUP_DAMAGED', message: /the chunk [0-9a-f]{64} is damaged/ });
  t.notOk(existsSync(one), 'a damaged chunk is deleted');
  await t.rejects(verify(), { code: 'BACKUP_DAMAGED', message: /is missing on the target/ });
  t.notOk(existsSync(scratch));
  const blank = join(await tempDirectory(t), 'data');
  const restore = {
    kind: 'restore',
    ...common,
    name,
    directory: blank,
    config: undefined,
    replace: false,
  } as const;
  await t.rejects(run(restore), { code: 'BACKUP_DAMAGED' });
  t.strictSame(readdirSync(blank), [], 'a damaged backup changes nothing');
  const folder = join(directory, 'restore.new');
  await t.rejects(run({ kind: 'fetch', ...common, name, folder }), { code: 'BACKUP_DAMAGED' });
  t.notOk(existsSync(folder), 'a fetch that fails leaves nothing');
  const repaired = await upload(START_MS + DAY_MS);
  t.equal(repaired.storedChunks, 1, 'the next backup stores what is missing');
  t.match(await verify(), { values: 50 });

  for (const file of [one, other]) writeFileSync(file, '');
  await t.rejects(verify(), { code: 'BACKUP_DAMAGED' });
  t.equal((await upload(START_MS + 2 * DAY_MS)).storedChunks, 2, 'the next backup replaces what is damaged');
  t.match(await verify(), { values: 50 });

  const indexes = join(path, key.id, 'indexes');
  copyFileSync(join(indexes, `${name}.sealed`), join(indexes, '20300101t000000z.sealed'));
  await t.rejects(verify(), { code: 'BACKUP_DAMAGED', message: /belongs to 20260601t031500z/ });
  const wrong = { ...common, key: RecoveryKey.create().toText() };
  await t.rejects(run({ kind: 'verify', ...wrong, name: 'latest', scratch }), {
    message: /no backup encrypted with the key/,
  });
  await t.rejects(run({ kind: 'list', ...common, key: 'x' }), { code: 'RECOVERY_KEY_WRONG' });
});

t.test('requests to a bucket have the time of the request, not that of the start of the job', async (t) => {
  const server = await s3Server(t);
  const target = { name: 'bucket', s3: { ...S3_KEYS, endpoint: server.url, bucket: 'bucket' } };
  const key = RecoveryKey.create().toText();
  const hourAgoMs = Date.now() - 3_600_000;
  t.same(await run({ kind: 'list', target, key, nowMs: hourAgoMs }), []);
});

t.test('a job in a thread reports its progress and failures, and can be cancelled', async (t) => {
  const { common, upload, directory } = await makeFixture(t);
  const { name } = await upload(START_MS);
  const reports: (readonly [number, number])[] = [];
  const report = (done: number, total: number) => void reports.push([done, total]);
  const job = { kind: 'verify', ...common, name, scratch: join(directory, 'verify') } as const;
  t.match(await runInWorker(job, { signal, report }), { name, values: 50 });
  t.ok(reports.length > 2 && reports.every(([done, total]) => done <= total));
  await t.rejects(runInWorker({ ...job, key: 'wrong' }, { signal, report }), { code: 'RECOVERY_KEY_WRONG' });
  const target = { name: 'none', path: join(directory, 'none') };
  await t.rejects(runInWorker({ ...job, target }, { signal, report }), { code: 'BACKUP_TARGET_FAILED' });
  const controller = new AbortController();
  const cancelled = runInWorker(job, { signal: controller.signal, report });
  controller.abort();
  await t.rejects(cancelled, { code: 'CANCELLED' });
  t.notOk(existsSync(join(directory, 'verify')));
});

t.test('a backup is kept although the clock is behind that of an earlier one', async (t) => {
  const { common, upload } = await makeFixture(t);
  const later = await upload(START_MS + 3_600_000);
  const { name, deletedBackups } = await upload(START_MS);
  t.equal(deletedBackups, 0);
  const names = (await run({ kind: 'list', ...common })).map((backup) => backup.name);
  t.strictSame(names, [later.name, name], 'the newest of the day, and the one that was just stored');
});

t.test('the change counter continues above all values since the backup was made', async (t) => {
  const { common, upload } = await makeFixture(t);
  await upload(START_MS);
  const directory = join(await tempDirectory(t), 'data');
  const nowMs = START_MS + 400 * DAY_MS;
  const how = { name: 'latest', directory, config: undefined, replace: false } as const;
  await run({ kind: 'restore', ...common, nowMs, ...how });
  const { store, kernel } = await openFixture(directory);
  // A thousand changes per second, wherever the backup was fetched.
  t.ok(kernel.changes.counter >= nowMs - START_MS, String(kernel.changes.counter));
  await store.close();
});
