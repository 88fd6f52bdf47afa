import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { RecoveryKey } from '../../../src/backup/recovery-key.js';
import type { Gateway } from '../../../src/composition/gateway.js';
import { Browser } from '../../tools/client/browser.js';
import { callText, post } from '../../tools/client/json-rpc.js';
import { startGateway } from '../../tools/gateway/gateway-fixture.js';
import { basicLine, RawConnection } from '../../tools/client/raw-http.js';
import { until } from '../../tools/until.js';
import { tempDirectory } from '../../tools/temp-directory.js';

/** A box after the installation: nobody is the owner. */
const YAML = `# as installed
board: simulated
api: { port: 0 }
`;
const CLAIM = '/console/claim';

type Box = Awaited<ReturnType<typeof startGateway>>;

/** The head of an upload with the box's code. */
function uploadHead({ port, gateway }: Box, length: number): string {
  const origin = `http://127.0.0.1:${port}`;
  const head = [`PUT ${CLAIM}/backup HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Origin: ${origin}`];
  const lines = [...head, `Stellwerk-Claim: ${gateway.claimCode}`, `Content-Length: ${length}`];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The files of uploads that the box has. */
function uploadsOf({ directory }: Box): string[] {
  const folder = join(directory, 'data', 'backups');
  return (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith('upload'));
}

const findingsOf = ({ health }: Gateway): string => JSON.stringify(health.record());

t.test('the claim code sets the first password of the owner, once', async (t) => {
  const fixture = await startGateway(t, YAML);
  const code = fixture.gateway.claimCode ?? '';
  t.match(code, /^[A-HJKMNP-Z2-9]{8}$/);
  const file = join(fixture.directory, 'data', 'run', 'claim-code');
  t.equal(await readFile(file, 'utf8'), `${code}\n`);
  t.equal((await stat(file)).mode & 0o777, 0o600);
  const browser = new Browser(fixture.port);
  t.equal((await browser.send(['GET', CLAIM])).status, 204);
  const access = { username: 'anna', password: 'correct horse' };
  const claim = (body: object) => browser.send(['POST', CLAIM], { body });
  t.equal((await claim({ ...access, code: 'AAAAAAAA' })).status, 401);
  t.equal((await claim({ ...access, code, password: 'short' })).status, 400);
  t.equal((await claim({ ...access, code, username: 'an:na' })).status, 400);
  t.equal((await browser.send(['POST', CLAIM], { body: { ...access, code }, headers: [] })).status, 403);
  const grouped = `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase();
  const claimed = await claim({ ...access, code: grouped });
  t.equal(claimed.status, 204, claimed.body);
  t.equal(fixture.gateway.claimCode, undefined);
  t.equal((await claim({ ...access, code })).status, 404);
  t.equal((await browser.send(['GET', CLAIM])).status, 404);
  await t.rejects(stat(file), { code: 'ENOENT' });

  const login = basicLine(access.username, access.password);
  const audit = await post(fixture, callText('GW_GetAudit', []), [login]);
  t.match(JSON.parse(audit.body), {
    result: [{ Method: 'console/claim', User: 'anna', Remote: '127.0.0.1' }],
  });
  const text = await readFile(join(fixture.directory, 'gateway.yaml'), 'utf8');
  t.match(text, /# as installed[^]*remoteAccess:[^]*username: anna[^]*passwordHash: /);
  t.notMatch(fixture.log.join('') + text + audit.body, new RegExp(`${code}|${access.password}`));
});

t.test('each gateway has its own code until it has an owner', async (t) => {
  const [first, other] = [await startGateway(t, YAML), await startGateway(t, YAML)];
  const { directory } = first;
  const shown = first.gateway.claimCode;
  t.not(shown, other.gateway.claimCode);
  // The screen of the machine still shows it.
  await first.gateway.close();
  const again = await startGateway(t, undefined, { directory });
  t.equal(again.gateway.claimCode, shown);
  await again.gateway.close();
  await writeFile(join(directory, 'data', 'run', 'claim-code'), 'A\n');
  const one = await startGateway(t, undefined, { directory });
  t.match(one.gateway.claimCode, /^[A-HJKMNP-Z2-9]{8}$/);
  const browser = new Browser(one.port);
  await one.configure(`${YAML}remoteAccess: { username: anna, password: correct horse }\n`);
  await one.gateway.reload();
  const code = other.gateway.claimCode;
  t.equal((await browser.send(['POST', CLAIM], { body: { code } })).status, 404);
});

t.test('guessing the code is slowed down like guessing a password', async (t) => {
  const fixture = await startGateway(t, YAML);
  const browser = new Browser(fixture.port);
  for (let i = 0; i < 8; i++)
    t.equal((await browser.send(['POST', CLAIM], { body: { code: `WRONG${i}` } })).status, 401);
  t.match(fixture.log.join(''), /"account":"claim"|claim/);
});

t.test('the first page shows the network and sets name, language, place and time zone', async (t) => {
  const zones: (string | undefined)[] = [];
  const fixture = await startGateway(t, YAML, { setTimeZone: (zone) => void zones.push(zone) });
  const code = fixture.gateway.claimCode ?? '';
  const browser = new Browser(fixture.port);
  const send = (path: string, body: object) => browser.send(['POST', `${CLAIM}${path}`], { body });
  t.equal((await send('/facts', { code: 'AAAAAAAA' })).status, 401);
  const facts = JSON.parse((await send('/facts', { code })).body) as { addresses: unknown };
  t.match(facts, { settings: {}, hostName: hostname() });
  t.ok(Array.isArray(facts.addresses));
  const access = { code, username: 'anna', password: 'correct horse' };
  for (const [wrong, why] of [
    [{ hostname: '-a' }, /SETUP_NAME/],
    [{ hostname: 'a b' }, /SETUP_NAME/],
    [{ language: 'fr' }, /SETUP_LANGUAGE/],
    [{ timezone: 'Mars/Olympus' }, /SETUP_TIME_ZONE/],
    [{ latitude: '91', longitude: '0' }, /SETUP_NUMBER/],
    [{ latitude: '52' }, /SETUP_NUMBER/],
  ] as const) {
    const { status, body } = await send('', { ...access, ...wrong });
    t.equal(status, 400, body);
    t.match(body, why);
  }
  t.equal(fixture.gateway.claimCode, code, 'nothing was set');
  const place = { latitude: '48,21', longitude: '16.37' };
  const all = { hostname: 'haus-1', language: 'de', timezone: 'Asia/Tokyo', ...place };
  const claimed = await send('', { ...access, ...all });
  t.equal(claimed.status, 204, claimed.body);
  t.equal((await send('/facts', { code })).status, 404);
  t.same(zones, [undefined, 'Asia/Tokyo']);
  const login = basicLine(access.username, access.password);
  const ask = async (method: string, ...params: unknown[]) =>
    (JSON.parse((await post(fixture, callText(method, params), [login])).body) as { result: unknown }).result;
  const own = await ask('SVC_GetObjectIDByIdent', 'stellwerk', 0);
  const location = await ask('SVC_GetObjectIDByIdent', 'LC', own);
  t.equal(await ask('SVC_GetProperty', location, 'Latitude'), 48.21);
  const page = await browser.send(['GET', '/'], { headers: ['Accept: text/html', 'Accept-Language: en'] });
  t.match(page.body, /<html lang="de">[^]*<h1>haus-1</);
  await fixture.configure(`${YAML}timeZone: Mars/Olympus\n`);
  await fixture.gateway.reload();
  t.match(await findingsOf(fixture.gateway), /there is no time zone Mars\/Olympus/);
});

t.test('somebody with the code restores the backup of another box, with its owner', async (t) => {
  const stick = await tempDirectory(t);
  const yaml = `${YAML}remoteAccess: { username: anna, password: correct horse }
backup: { targets: [{ name: stick, path: ${stick} }] }
tree: [{ category: Cellar, ident: cellar }]
`;
  const old = await startGateway(t, yaml);
  const login = basicLine('anna', 'correct horse');
  const ask = async (method: string, ...params: unknown[]) =>
    (JSON.parse((await post(old, callText(method, params), [login])).body) as { result: unknown }).result;
  const { Key } = (await ask('GW_CreateRecoveryKey')) as { Key: string };
  await ask('GW_RunTargetBackup', 'stick');
  const cellar = await ask('SVC_GetObjectIDByIdent', 'cellar', 0);
  t.ok(cellar);
  await old.gateway.close();

  const box = await startGateway(t, YAML);
  const browser = new Browser(box.port);
  const restore = (body: object) => browser.send(['POST', `${CLAIM}/restore`], { body });
  const code = box.gateway.claimCode ?? '';
  const target = JSON.stringify({ path: stick });
  t.match(await restore({ code, key: 'X', target }), { body: /RECOVERY_KEY_WRONG/ });
  t.match(await restore({ code, key: Key, target: JSON.stringify({ path: `${stick}/none` }) }), {
    body: /BACKUP_TARGET_FAILED/,
  });
  const withFile = { webdav: { url: 'http://127.0.0.1:1', passwordFile: '/etc/passwd' } };
  for (const wrong of ['', '[]', '{}', JSON.stringify(withFile)])
    t.equal((await restore({ code, key: Key, target: wrong })).status, 400, wrong);
  t.equal(box.gateway.claimCode, code, 'nothing has changed');
  const other = await startGateway(t, YAML);
  const guess = { code: 'AAAAAAAA', key: Key, target };
  const guessed = await new Browser(other.port).send(['POST', `${CLAIM}/restore`], { body: guess });
  t.equal(guessed.status, 401);
  const done = await restore({ code, key: Key, target });
  t.equal(done.status, 204, done.body);
  await box.gateway.close();

  const again = await startGateway(t, undefined, { directory: box.directory });
  t.equal(again.gateway.claimCode, undefined, 'it has the owner of the other box');
  const reply = await post(again, callText('SVC_GetObjectIDByIdent', ['cellar', 0]), [login]);
  t.match(JSON.parse(reply.body), { result: cellar });
  t.notMatch(box.log.join('') + again.log.join(''), new RegExp(Key.slice(0, 15)), 'the key is in no log');
});

t.test('the file of a backup is uploaded with the code, and restored at the next start', async (t) => {
  const yaml = `${YAML}remoteAccess: { username: anna, password: correct horse }
tree: [{ category: Cellar, ident: cellar }]
`;
  const old = await startGateway(t, yaml);
  const login = basicLine('anna', 'correct horse');
  const made = JSON.parse((await post(old, callText('GW_MakeBackup', ['']), [login])).body) as {
    result: { Name: string };
  };
  const backup = await readFile(join(old.directory, 'data', 'backups', made.result.Name));
  await old.gateway.close();

  const box = await startGateway(t, YAML);
  const code = box.gateway.claimCode ?? '';
  const url = `http://127.0.0.1:${box.port}`;
  const put = (body: Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${url}${CLAIM}/backup`, {
      method: 'PUT',
      headers: { 'Stellwerk-Claim': code, 'Sec-Fetch-Site': 'same-origin', Origin: url, ...headers },
      body,
    });
  t.equal((await put(backup, { 'Stellwerk-Claim': 'AAAAAAAA' })).status, 401);
  t.equal((await put(backup, { Origin: 'http://evil.example' })).status, 403);
  const flipped = Buffer.from(backup);
  for (let at = 100; at < flipped.length; at += 512) flipped[at] = (flipped[at] ?? 0) ^ 0xff;
  for (const [what, wrong] of [
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('no backup')],
    ['a cut file', backup.subarray(0, backup.length / 2)],
    ['a damaged file', flipped],
  ] as const) {
    const rejected = await put(wrong);
    t.equal(rejected.status, 400, what);
    t.match(await rejected.text(), /NO_VALID_BACKUP/, what);
  }
  // Somebody pulls the plug of the network.
  const torn = connect(box.port, '127.0.0.1');
  torn.write(uploadHead(box, backup.length));
  torn.write(backup.subarray(0, 4096));
  await until('the upload has begun', () => uploadsOf(box).length > 0);
  torn.destroy();
  await until('it is removed', () => uploadsOf(box).length === 0);
  t.equal(box.gateway.claimCode, code, 'nothing has changed');
  t.notOk(existsSync(join(box.directory, 'data', 'restore-at-start')));
  const done = await put(backup);
  t.equal(done.status, 204, await done.text());
  await box.gateway.close();

  const again = await startGateway(t, undefined, { directory: box.directory });
  t.equal(again.gateway.claimCode, undefined, 'it has the owner of the other box');
  t.equal(
    (await fetch(`http://127.0.0.1:${again.port}${CLAIM}/backup`, { method: 'PUT' })).status >= 403,
    true,
  );
  const reply = await post(again, callText('SVC_GetObjectIDByIdent', ['cellar', 0]), [login]);
  t.match(JSON.parse(reply.body), { result: Number });
  t.notMatch(box.log.join(''), new RegExp(code), 'the code is in no log');
});

t.test('an upload that ends after the password was set is not restored', async (t) => {
  const old = await startGateway(t, `${YAML}remoteAccess: { username: anna, password: correct horse }`);
  const made = JSON.parse(
    (await post(old, callText('GW_MakeBackup', ['']), [basicLine('anna', 'correct horse')])).body,
  ) as { result: { Name: string } };
  const backup = await readFile(join(old.directory, 'data', 'backups', made.result.Name));
  const box = await startGateway(t, YAML);
  await using upload = await RawConnection.open(box.port);
  upload.write(uploadHead(box, backup.length));
  upload.write(backup.subarray(0, 4096));
  await until('the upload has begun', () => uploadsOf(box).length > 0);
  const access = { code: box.gateway.claimCode, username: 'berta', password: 'correct horse' };
  t.equal((await new Browser(box.port).send(['POST', CLAIM], { body: access })).status, 204);
  upload.write(backup.subarray(4096));
  t.match(await upload.response(), { status: 404 });
  t.notOk(existsSync(join(box.directory, 'data', 'restore-at-start')));
  t.strictSame(uploadsOf(box), []);
});

t.test('whoever sets the password cancels a restore that was chosen or is in progress', async (t) => {
  const box = await startGateway(t, YAML);
  const marker = join(box.directory, 'data', 'restore-at-start');
  await writeFile(marker, 'upload-first-page-1.db\n');
  const target = createServer();
  t.teardown(() => {
    target.closeAllConnections();
    target.close();
  });
  await once(target.listen(0, '127.0.0.1'), 'listening');
  const code = box.gateway.claimCode ?? '';
  const browser = new Browser(box.port);
  const webdav = { url: `http://127.0.0.1:${(target.address() as AddressInfo).port}/` };
  const key = RecoveryKey.create().toText();
  const asked = once(target, 'request');
  const body = { code, key, target: JSON.stringify({ webdav }) };
  const restoring = browser.send(['POST', `${CLAIM}/restore`], { body });
  await asked;
  const access = { code, username: 'anna', password: 'correct horse' };
  t.equal((await new Browser(box.port).send(['POST', CLAIM], { body: access })).status, 204);
  t.notOk(existsSync(marker));
  t.match(await restoring, { body: /CANCELLED/ });
});

t.test('until there is an owner, nothing but the claim replies', async (t) => {
  const fixture = await startGateway(t, YAML);
  const login = basicLine('owner', '');
  for (const method of ['SVC_GetSnapshot', 'GW_GetHealth', 'SVC_GetKernelVersion'])
    for (const lines of [[], [login], [basicLine('', '')]])
      t.notMatch(await post(fixture, callText(method, []), lines), { body: /"result"/ }, method);
  const browser = new Browser(fixture.port);
  for (const path of [
    '/console/session',
    '/console/backup/x',
    '/console/claim/facts',
    '/wfc/12345/session',
    '/wfc/12345/',
    '/user/x',
  ])
    t.ok((await browser.send(['GET', path])).status >= 401, path);
});
