import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { SAMPLE_TREE, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';

const YAML = SIMULATED_CONFIG + SAMPLE_TREE;

interface Backup {
  readonly Name: string;
  readonly Note: string;
  readonly Reason: string;
  readonly Size: number;
  readonly IsRestoredAtStart: boolean;
}

type Fixture = Awaited<ReturnType<typeof startGateway>>;
const make = async (fixture: Fixture, note: string) => (await rpc(fixture, 'GW_MakeBackup', note)) as Backup;
const list = async (fixture: Fixture) => (await rpc(fixture, 'GW_GetBackups')) as Backup[];
/** Those made by calls; the first day's backup may be there as well. */
const notes = async (fixture: Fixture) =>
  (await list(fixture)).filter(({ Reason }) => Reason === 'manual').map(({ Note }) => Note);

t.test('backups are made with a note, listed and deleted', async (t) => {
  const fixture = await startGateway(t, YAML);
  const one = await make(fixture, 'before the attic');
  t.match(one, { Name: /^backup-\d+-.*-manual\.db$/, Note: 'before the attic', IsRestoredAtStart: false });
  await make(fixture, 'after it');
  t.strictSame(await notes(fixture), ['after it', 'before the attic']);
  const file = await readFile(join(fixture.directory, 'data', 'backups', one.Name));
  t.equal(file.length, one.Size);
  t.equal(await rpc(fixture, 'GW_DeleteBackup', one.Name), true);
  t.strictSame(await notes(fixture), ['after it']);
  for (const name of [one.Name, '../stellwerk.db', 'stellwerk.db', ''])
    t.equal(await rpc(fixture, 'GW_DeleteBackup', name), 'FILE_MISSING', name);
  t.equal(await rpc(fixture, 'GW_MakeBackup', 'x'.repeat(201)), 'TEXT_TOO_LONG');
});

t.test('a backup is restored at the next start, with its configuration', async (t) => {
  const fixture = await startGateway(t, YAML);
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  await rpc(fixture, 'SetValue', setpoint, 18);
  const { Name } = await make(fixture, 'good');
  await rpc(fixture, 'SetValue', setpoint, 5);
  const cellar = `${YAML}  - { category: Cellar, ident: cellar }\n`;
  await fixture.configure(cellar);
  await rpc(fixture, 'GW_ReloadConfiguration');
  const file = join(fixture.directory, 'gateway.yaml');
  t.match(await rpc(fixture, 'GW_RestoreBackup', Name), {
    Name,
    Effects: [/next start/, /./, file, /archive/],
  });
  t.match(
    (await list(fixture)).filter(({ IsRestoredAtStart }) => IsRestoredAtStart),
    [{ Name }],
  );
  t.equal(await valueAt(fixture, 'ground_floor/setpoint'), 5, 'not yet');
  await rpc(fixture, 'GW_RestoreBackup', '');
  t.notOk((await list(fixture)).some(({ IsRestoredAtStart }) => IsRestoredAtStart));
  await rpc(fixture, 'GW_RestoreBackup', Name);
  await fixture.gateway.close();

  const again = await startGateway(t, undefined, { directory: fixture.directory });
  t.equal(await valueAt(again, 'ground_floor/setpoint'), 18);
  t.equal(await readFile(file, 'utf8'), YAML);
  t.equal(await rpc(again, 'SVC_GetObjectIDByIdent', 'cellar', 0), 'IDENT_NOT_FOUND');
  t.match(JSON.stringify(await rpc(again, 'GW_GetHealth')), `${Name} was restored at the start`);
  await rpc(again, 'SetValue', setpoint, 7);
  await again.gateway.close();
  const third = await startGateway(t, undefined, { directory: fixture.directory });
  t.equal(await valueAt(third, 'ground_floor/setpoint'), 7, 'it is restored once');
});

t.test('a damaged backup, or one with an invalid configuration, is not restored', async (t) => {
  const fixture = await startGateway(t, YAML);
  const { Name } = await make(fixture, '');
  const path = join(fixture.directory, 'data', 'backups', Name);
  const content = await readFile(path);
  await writeFile(path, content.subarray(0, content.length / 2));
  t.equal(await rpc(fixture, 'GW_RestoreBackup', Name), 'STORE_UNUSABLE');
  await fixture.configure('nothing: 1\n');
  const invalid = await make(fixture, 'invalid');
  t.equal(await rpc(fixture, 'GW_RestoreBackup', invalid.Name), 'CONFIGURATION_INVALID');
  t.notOk((await list(fixture)).some(({ IsRestoredAtStart }) => IsRestoredAtStart));
});

t.test(
  'a backup is downloaded, and uploaded to another gateway, with the password of the owner',
  async (t) => {
    const [fixture, other] = [await startGateway(t, YAML), await startGateway(t, YAML)];
    const { Name } = await make(fixture, 'good');
    const url = (port: number, name: string) => `http://127.0.0.1:${port}/console/backup/${name}`;
    const login = (password: string) => ({
      Authorization: `Basic ${Buffer.from(`${OWNER.username}:${password}`).toString('base64')}`,
    });
    const headers = login(OWNER.password);
    t.equal((await fetch(url(fixture.port, Name))).status, 401);
    t.equal((await fetch(url(fixture.port, Name), { headers: login('wrong') })).status, 401);
    const token = String(await rpc(fixture, 'SVC_CreateTemporaryToken', 60));
    t.equal((await fetch(`${url(fixture.port, Name)}?token=${token}`)).status, 401, 'a token is not enough');
    t.equal((await fetch(url(fixture.port, 'backup-999999-x.db'), { headers })).status, 404);
    t.equal((await fetch(url(fixture.port, '..%2fstellwerk.db'), { headers })).status, 404);
    const download = await fetch(url(fixture.port, Name), { headers });
    t.match(download.headers.get('content-disposition'), Name);
    const body = new Uint8Array(await download.arrayBuffer());
    const put = (name: string, content: Uint8Array<ArrayBuffer>, more: object = headers) =>
      fetch(url(other.port, name), { method: 'PUT', headers: { ...more }, body: content });
    t.equal((await put(Name, body, {})).status, 401);
    const damaged = await put('damaged.db', body.slice(0, body.length / 2));
    t.match([damaged.status, await damaged.text()], [400, /damaged.db is not a valid backup/]);
    t.equal((await put('note.txt', body)).status, 400);
    t.match(
      await rejectedTooLarge(other.port, headers.Authorization),
      /400 .*a backup has at most 536870912 bytes/s,
    );
    const stored = await put(Name, body);
    t.equal(stored.status, 200);
    const uploaded = { Name: `upload-${Name}`, Reason: 'uploaded', Note: 'good', Size: body.length };
    t.match(await stored.json(), uploaded);
    t.equal((await put(Name, body)).status, 400, 'it exists already');
    t.match(
      (await list(other)).filter(({ Reason }) => Reason === 'uploaded'),
      [uploaded],
    );
    t.match(await rpc(other, 'GW_RestoreBackup', `upload-${Name}`), { Name: `upload-${Name}` });
  },
);

/** Announces an upload of 600 MiB and sends only its beginning; returns the reply. */
async function rejectedTooLarge(port: number, authorization: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `PUT /console/backup/large.db HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\n` +
      `Content-Length: ${600 * 1024 * 1024}\r\n\r\nSQLite format 3`,
  );
  return text(socket);
}
