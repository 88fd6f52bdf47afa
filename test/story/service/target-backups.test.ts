import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { withSecrets } from '../../../src/composition/backup/target-settings.js';
import { runCli } from '../../tools/gateway/run-cli.js';
import { rpc, valueAt, idOf } from '../../tools/client/json-rpc.js';
import { SAMPLE_TREE, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { webdavServer } from '../../tools/backup/file-servers.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const targetsYaml = (stick: string, url: string) => `backup:
  targets:
    - { name: stick, path: ${stick} }
    - { name: nas, webdav: { url: ${url}/dav, username: me, password: "päss" } }
`;

interface Targets {
  readonly KeyID: string;
  readonly Targets: readonly { readonly Name: string; readonly LastName: string; readonly Problem: string }[];
}

t.test('a dead box is replaced: its encrypted backup is restored on a blank one', async (t) => {
  const stick = await tempDirectory(t);
  const server = await webdavServer(t);
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + targetsYaml(stick, server.url));
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  await rpc(fixture, 'SetValue', setpoint, 18);
  t.match(JSON.stringify(await rpc(fixture, 'GW_GetHealth')), /no recovery key/);
  t.equal(await rpc(fixture, 'GW_RunTargetBackup', 'stick'), 'NOT_SUPPORTED', 'without a key');
  const { Key, KeyID } = (await rpc(fixture, 'GW_CreateRecoveryKey')) as { Key: string; KeyID: string };
  for (const target of ['stick', 'nas']) {
    const made = (await rpc(fixture, 'GW_RunTargetBackup', target)) as { Name: string; StoredChunks: number };
    t.ok(made.StoredChunks > 0);
    t.match(await rpc(fixture, 'GW_GetTargetBackups', target), [{ Name: made.Name }]);
    t.match(await rpc(fixture, 'GW_VerifyTargetBackup', target), { Name: made.Name });
  }
  t.equal(await rpc(fixture, 'GW_RunTargetBackup', 'none'), 'NAME_NOT_FOUND');
  const listed = (await rpc(fixture, 'GW_GetBackupTargets')) as Targets;
  t.match(listed, {
    KeyID,
    Targets: [
      { Name: 'stick', Problem: '' },
      { Name: 'nas', Problem: '' },
    ],
  });
  t.notMatch(JSON.stringify(listed), /päss/, 'a password is in no reply');
  await fixture.gateway.close();

  const data = join(await tempDirectory(t), 'data');
  const keyFile = join(await tempDirectory(t), 'key');
  await writeFile(keyFile, `${Key.toLowerCase()}\n`);
  const config = join(data, '..', 'gateway.yaml');
  const restored = await runCli([
    'restore',
    '--target',
    stick,
    '--key-file',
    keyFile,
    '--data',
    data,
    '--config',
    config,
    'latest',
  ]);
  t.equal(restored.code, 0, restored.stderr);
  const box = await startGateway(t, undefined, { directory: join(data, '..') });
  t.equal(await valueAt(box, 'ground_floor/setpoint'), 18);
  t.equal(await idOf(box, 'ground_floor/setpoint'), setpoint, 'the ids are the same');
  t.match(await rpc(box, 'GW_GetBackupTargets'), { KeyID }, 'the new box continues with the same key');
});

t.test('a backup of a target is restored at the next start', async (t) => {
  const stick = await tempDirectory(t);
  const yaml = SIMULATED_CONFIG + SAMPLE_TREE + targetsYaml(stick, 'http://127.0.0.1:1');
  const fixture = await startGateway(t, yaml);
  await rpc(fixture, 'GW_CreateRecoveryKey');
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  await rpc(fixture, 'SetValue', setpoint, 18);
  await rpc(fixture, 'GW_RunTargetBackup', 'stick');
  await rpc(fixture, 'SetValue', setpoint, 5);
  const name = await rpc(fixture, 'GW_RestoreTargetBackup', 'stick');
  t.match(name, /^upload-target-\d{8}t\d{6}z\.db$/);
  const directory = join(fixture.directory, 'data');
  await rpc(fixture, 'GW_RestoreBackup', '');
  t.notOk(existsSync(join(directory, 'restore-files')), 'cancelled');
  await rpc(fixture, 'GW_RestoreTargetBackup', 'stick');
  await fixture.gateway.close();
  for (const left of ['restore.new', 'verify.new']) mkdirSync(join(directory, left));
  const again = await startGateway(t, undefined, { directory: fixture.directory });
  t.equal(await valueAt(again, 'ground_floor/setpoint'), 18);
  t.notOk(existsSync(join(directory, 'restore-files')));
  t.notOk(
    readdirSync(directory).some((file) => file.endsWith('.new')),
    'nothing is left',
  );
});

t.test('two restores that are requested together are done one after the other', async (t) => {
  const stick = await tempDirectory(t);
  const yaml = SIMULATED_CONFIG + SAMPLE_TREE + targetsYaml(stick, 'http://127.0.0.1:1');
  const fixture = await startGateway(t, yaml);
  const directory = join(fixture.directory, 'data');
  const own = ['one', 'two', 'three'].map((name) => join('tls', `${name}.pem`));
  mkdirSync(join(directory, 'tls'), { recursive: true });
  for (const file of own) await writeFile(join(directory, file), randomBytes(2_000_000));
  await rpc(fixture, 'GW_CreateRecoveryKey');
  await rpc(fixture, 'GW_RunTargetBackup', 'stick');
  const restore = () => rpc(fixture, 'GW_RestoreTargetBackup', 'stick');
  const files = () =>
    readdirSync(join(directory, 'restore-files'), { encoding: 'utf8', recursive: true }).sort();
  const name = await restore();
  const complete = files();
  for (const file of own) t.ok(complete.includes(file), file);
  t.same(await Promise.all([restore(), restore()]), [name, name]);
  t.same(files(), complete);
  for (const file of own)
    t.ok(
      (await readFile(join(directory, 'restore-files', file))).equals(await readFile(join(directory, file))),
    );
});

t.test('a target that fails is reported, and a damaged backup is found', async (t) => {
  const stick = await tempDirectory(t);
  const fixture = await startGateway(t, SIMULATED_CONFIG + targetsYaml(stick, 'http://127.0.0.1:1'));
  const { KeyID } = (await rpc(fixture, 'GW_CreateRecoveryKey')) as { KeyID: string };
  t.equal(await rpc(fixture, 'GW_RunTargetBackup', 'nas'), 'BACKUP_TARGET_FAILED');
  t.match(
    JSON.stringify(await rpc(fixture, 'GW_GetHealth')),
    /nas: 127\.0\.0\.1:1: no program listens there/,
  );
  await rpc(fixture, 'GW_RunTargetBackup', 'stick');
  rmSync(join(stick, KeyID, 'chunks'), { recursive: true });
  t.equal(await rpc(fixture, 'GW_VerifyTargetBackup', 'stick'), 'BACKUP_DAMAGED');
  t.match(JSON.stringify(await rpc(fixture, 'GW_GetHealth')), /stick: the chunk .* is missing/);
  await rpc(fixture, 'GW_RunTargetBackup', 'stick');
  t.match(await rpc(fixture, 'GW_VerifyTargetBackup', 'stick', ''), { Name: /z$/ });
});

t.test('a target is tested before it is stored, and its secrets are in no record', async (t) => {
  const stick = await tempDirectory(t);
  const server = await webdavServer(t);
  const fixture = await startGateway(t, SIMULATED_CONFIG + targetsYaml(stick, server.url));
  const test = (target: object) => rpc(fixture, 'GW_TestBackupTarget', target);
  t.equal(await test({ name: 'other', path: stick }), true, 'without a recovery key');
  t.strictSame(readdirSync(stick), [], 'nothing is left');
  t.equal(await test({ name: 'other', path: join(stick, 'none') }), 'BACKUP_TARGET_FAILED');
  const webdav = { url: `${server.url}/dav`, username: 'me', password: 'päss' };
  t.equal(await test({ name: 'new', webdav }), true);
  t.equal(server.files.size, 0, 'nothing is left');
  t.ok(server.requests.some((request) => request.startsWith('PUT /dav/connection-test-')));
  t.equal(await test({ name: 'nas', webdav: { ...webdav, password: '***' } }), true, 'the stored password');
  for (const password of ['***', 'wrong'])
    t.equal(await test({ name: 'new', webdav: { ...webdav, password } }), 'BACKUP_TARGET_FAILED', password);
  t.equal(
    await test({ name: 'new', webdav: { ...webdav, url: `${server.url}/none` } }),
    'BACKUP_TARGET_FAILED',
  );
  t.equal(await test({ name: 'new', webdav: { ...webdav, url: 'ftp://nas' } }), 'CONFIGURATION_INVALID');
  t.equal(await test({ name: 'new' }), 'CONFIGURATION_INVALID');
  const audit = JSON.stringify(await rpc(fixture, 'GW_GetAudit', 50, 'owner'));
  t.match(audit, /"GW_TestBackupTarget".*"new"/);
  t.notMatch(audit + JSON.stringify(await rpc(fixture, 'GW_GetLog', 0, 'debug', '', 1000)), /päss|wrong/);
  t.match(await rpc(fixture, 'GW_GetBackupTargets'), { Targets: [{ Name: 'stick' }, { Name: 'nas' }] });
});

t.test('the password of a server may be shorter than those of the gateway', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const change = async (Path: string, Value: unknown) => {
    const { Digest } = (await rpc(fixture, 'GW_GetSettings')) as { Digest: string };
    return rpc(fixture, 'GW_ChangeSettings', [{ Path, Value }], Digest);
  };
  const webdav = { url: 'http://127.0.0.1:1/dav', username: 'me', password: 'short' };
  t.match(await change('backup.targets', [{ name: 'nas', webdav }]), { Applied: ['name'] });
  t.match(await change('backup.targets[0].webdav.password', 'other'), { Applied: ['name'] });
  t.match(await change('backup.targets[0].webdav', { ...webdav, password: 'third' }), { Applied: ['name'] });
  t.equal(await change('remoteAccess.password', 'short'), 'PARAMETER_BOUNDS');
  t.match(await readFile(join(fixture.directory, 'gateway.yaml'), 'utf8'), 'password: third');
});

t.test('a target that is tested as it is shown has the stored secrets of its URL', (t) => {
  const stored = { name: 'nas', webdav: { url: 'https://me:tulip@nas.example/dav', password: 'lilac' } };
  const shown = { name: 'nas', webdav: { url: 'https://me:***@nas.example/dav', password: '***' } };
  t.strictSame(withSecrets(shown, stored), stored);
  const other = { name: 'nas', webdav: { url: 'https://me:***@other.example/dav' } };
  t.strictSame(withSecrets(other, stored), other, 'never with another host');
  t.end();
});
