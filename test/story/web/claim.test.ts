import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Browser } from '../../tools/client/browser.js';
import { callText, post } from '../../tools/client/json-rpc.js';
import { startGateway } from '../../tools/gateway/gateway-fixture.js';
import { basicLine } from '../../tools/client/raw-http.js';

/** A box after the installation: nobody is the owner. */
const YAML = `# as installed
board: simulated
api: { port: 0 }
`;
const CLAIM = '/console/claim';

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

t.test('each start has another code, and a gateway with an owner has none', async (t) => {
  const [one, other] = [await startGateway(t, YAML), await startGateway(t, YAML)];
  t.not(one.gateway.claimCode, other.gateway.claimCode);
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
