import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { testTarget } from '../../../src/backup/test-target.js';
import type { BackupTarget } from '../../../src/backup/targets/backup-target.js';
import { openTarget, type TargetSettings } from '../../../src/backup/targets/open-target.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { S3_KEYS, s3Server, webdavServer } from '../../tools/backup/file-servers.js';

/** Debian: openssh-sftp-server. */
const SFTP_SERVER = '/usr/lib/openssh/sftp-server';

const open = (settings: Omit<TargetSettings, 'name'>, signal = new AbortController().signal) =>
  openTarget({ name: 'target', ...settings }, signal, () => Date.now());

/** What every target must do. */
async function behavesAsTarget(t: Test, target: BackupTarget): Promise<void> {
  const content = randomBytes(300_000);
  t.ok(await testTarget(target));
  t.strictSame(await target.list('connection-test'), [], 'a test leaves nothing');
  t.strictSame(await target.list('a/chunks'), [], 'a folder that is missing is empty');
  t.equal(await target.get('a/chunks/none.sealed'), undefined);
  await target.delete('a/chunks/none.sealed');
  await target.put('a/chunks/one.sealed', content);
  t.ok((await target.get('a/chunks/one.sealed'))?.equals(content));
  await target.put('a/chunks/one.sealed', Buffer.from('other'));
  t.equal((await target.get('a/chunks/one.sealed'))?.toString(), 'other', 'a file is replaced');
  await target.put('a/chunks/empty.sealed', Buffer.alloc(0));
  t.equal((await target.get('a/chunks/empty.sealed'))?.length, 0);
  for (const name of ['two', 'three', 'four', 'five']) await target.put(`a/chunks/${name}.sealed`, content);
  await target.put('a/indexes/index.sealed', content);
  const names = ['empty', 'five', 'four', 'one', 'three', 'two'].map((name) => `${name}.sealed`);
  t.strictSame([...(await target.list('a/chunks'))].sort(), names);
  await target.delete('a/chunks/two.sealed');
  t.equal(await target.get('a/chunks/two.sealed'), undefined);
  t.strictSame(await target.list('a/indexes'), ['index.sealed']);
}

t.test('a directory keeps backups', async (t) => {
  const path = await tempDirectory(t);
  await using target = await open({ path });
  await behavesAsTarget(t, target);
});

t.test('a stick that is not there is not replaced by its mount point', async (t) => {
  const path = join(await tempDirectory(t), 'stick');
  await using target = await open({ path });
  await t.rejects(target.put('a/b', Buffer.from('x')), {
    code: 'BACKUP_TARGET_FAILED',
    message: /ENOENT|no such/,
  });
  await t.rejects(target.list('a'), { code: 'BACKUP_TARGET_FAILED' });
  t.notOk(existsSync(path));
});

t.test('a WebDAV server keeps backups', async (t) => {
  const server = await webdavServer(t);
  const settings = { url: `${server.url}/dav`, username: 'me', password: 'päss' };
  await using target = await open({ webdav: settings });
  await behavesAsTarget(t, target);
  t.notOk(
    [...server.files.keys()].some((path) => path.endsWith('.new')),
    'no temporary file is left',
  );
  await using stranger = await open({ webdav: { ...settings, password: 'wrong' } });
  await t.rejects(stranger.list('a'), { code: 'BACKUP_TARGET_FAILED', message: /status 401/ });
  await using nowhere = await open({ webdav: { ...settings, url: `${server.url}/none` } });
  await t.rejects(nowhere.put('a/b', Buffer.from('x')), { message: /folder of the URL must exist/ });
  server.failWith = 507;
  await t.rejects(target.put('a/b', Buffer.from('x')), {
    code: 'BACKUP_TARGET_FAILED',
    message: /status 507/,
  });
});

t.test('a bucket keeps backups, and its requests are signed', async (t) => {
  const server = await s3Server(t);
  const settings = { ...S3_KEYS, endpoint: server.url, bucket: 'bucket', prefix: 'my box/1' };
  await using target = await open({ s3: settings });
  await behavesAsTarget(t, target);
  t.ok([...server.files.keys()].every((key) => key.startsWith('my box/1/a/')));
  await using stranger = await open({ s3: { ...settings, secretKey: 'wrong' } });
  await t.rejects(stranger.get('a'), {
    code: 'BACKUP_TARGET_FAILED',
    message: /403: SignatureDoesNotMatch: wrong signature/,
  });
  await using nowhere = await open({ s3: { ...settings, bucket: 'none' } });
  await t.rejects(nowhere.get('a'), { message: /NoSuchBucket/ }, 'a missing bucket is no missing file');
  server.failWith = 503;
  for (const act of [
    () => target.list('a'),
    () => target.get('a'),
    () => target.delete('a'),
    () => target.put('a', Buffer.alloc(1)),
  ] as readonly (() => Promise<unknown>)[])
    await t.rejects(act, { code: 'BACKUP_TARGET_FAILED', message: /status 503/ });
});

t.test('a server that cannot be reached is reported', async (t) => {
  await using webdav = await open({ webdav: { url: 'http://127.0.0.1:1/dav' } });
  await t.rejects(webdav.list('a'), {
    code: 'BACKUP_TARGET_FAILED',
    message: /127\.0\.0\.1:1: no program listens there/,
  });
});

t.test('a cancelled request ends', async (t) => {
  const server = await webdavServer(t);
  const controller = new AbortController();
  await using target = await open({ webdav: { url: server.url } }, controller.signal);
  controller.abort();
  await t.rejects(target.list('a'), { name: 'AbortError' });
});

const sftp = { host: 'nas', username: 'me', keyFile: '/none', hostKey: 'ssh-ed25519 AAAA' };

t.test(
  'a server with SFTP keeps backups',
  { skip: !existsSync(SFTP_SERVER) && `${SFTP_SERVER} is missing (openssh-sftp-server)` },
  async (t) => {
    const folder = join(await tempDirectory(t), 'backups');
    mkdirSync(folder);
    await using target = await open({ sftp: { ...sftp, folder, program: [SFTP_SERVER] } });
    await behavesAsTarget(t, target);
    t.strictSame(readdirSync(folder), ['a']);
    await using nowhere = await open({
      sftp: { ...sftp, folder: join(folder, 'x', 'y'), program: [SFTP_SERVER] },
    });
    await t.rejects(nowhere.put('a/b', Buffer.from('x')), {
      code: 'BACKUP_TARGET_FAILED',
      message: /nas: .*No such file/,
    });
  },
);

t.test('the messages of ssh say why there is no connection', async (t) => {
  const program = ['/bin/sh', '-c', 'echo "Permission denied (publickey)." >&2; exit 255'];
  await using target = await open({ sftp: { ...sftp, program } });
  await t.rejects(target.list('a'), { code: 'BACKUP_TARGET_FAILED', message: /nas: .*Permission denied/ });
  await using other = await open({
    sftp: { ...sftp, program: ['/bin/sh', '-c', 'echo Welcome to this box; sleep 9'] },
  });
  await t.rejects(other.list('a'), { code: 'BACKUP_TARGET_FAILED', message: /does not speak SFTP/ });
  await using missing = await open({ sftp: { ...sftp, program: ['/none/ssh'] } });
  await t.rejects(missing.list('a'), { code: 'BACKUP_TARGET_FAILED', message: /ENOENT/ });
});
