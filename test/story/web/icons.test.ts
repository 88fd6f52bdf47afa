import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { OWNER, ownerLine } from '../../tools/gateway/api-fixture.js';
import { Browser } from '../../tools/client/browser.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { basicLine } from '../../tools/client/raw-http.js';

const YAML = `${SIMULATED_CONFIG}tree: [{ category: Ground floor, ident: ground }]
configurators:
  - { title: Ground floor, ident: wf, base: ground, password: tulip }
  - { title: Upper floor, ident: wf2, base: ground, password: rose }
  - { title: Open, ident: open, base: ground, passwordRequired: false }
`;
const LAMP = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

const fixture = await startGateway(t, YAML);
const [wf, wf2, open] = [await idOf(fixture, 'wf'), await idOf(fixture, 'wf2'), await idOf(fixture, 'open')];
const folder = join(fixture.directory, 'data', 'icons');
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'Stehlampe_ä.svg'), LAMP);
const get = (path: string, ...headers: string[]) =>
  new Browser(fixture.port).send(['GET', path], { headers });

await t.test('a web front serves the built-in icons and the owner’s to the users of its area', async (t) => {
  const tulip = basicLine('webfront', 'tulip');
  const bulb = await get(`/wfc/${wf}/icon/Bulb`, tulip);
  t.equal(bulb.status, 200);
  const utility = ((await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Utility Control')) as number[])[0];
  const content = String(await rpc(fixture, 'UC_GetIconContent', utility, 'Bulb'));
  t.equal(bulb.body, Buffer.from(content, 'base64').toString());
  t.strictSame(
    ['content-type', 'cache-control', 'x-content-type-options'].map((name) => bulb.headers[name]),
    ['image/svg+xml', 'private, max-age=300', 'nosniff'],
  );
  const lamp = await get(`/wfc/${wf}/icon/${encodeURIComponent('Stehlampe_ä')}`, tulip);
  t.strictSame([lamp.status, lamp.body], [200, LAMP]);
  t.match(
    lamp.headers['content-security-policy'],
    /^default-src 'none'.*; sandbox$/,
    'its script is blocked',
  );
  const same = await get(`/wfc/${wf}/icon/Bulb`, tulip, `If-None-Match: ${bulb.headers['etag'] ?? ''}`);
  t.strictSame([same.status, same.body], [304, '']);
  t.equal((await get(`/wfc/${open}/icon/Bulb`)).status, 200, 'an area without a password');

  const browser = new Browser(fixture.port);
  await browser.send(['POST', `/wfc/${wf}/session`], { body: { password: 'tulip' } });
  t.equal((await browser.send(['GET', `/wfc/${wf}/icon/Bulb`])).status, 200, 'with a session');
  t.equal((await browser.send(['GET', `/wfc/${wf2}/icon/Bulb`])).status, 401, 'for its own area only');
  t.equal((await browser.send(['GET', '/console/icon/Bulb'])).status, 401);
});

await t.test('the console gets icons with the owner’s session or login', async (t) => {
  const browser = new Browser(fixture.port);
  t.equal((await browser.send(['GET', '/console/icon/Bulb'])).status, 401);
  await browser.send(['POST', '/console/session'], { body: OWNER });
  t.match(await browser.send(['GET', '/console/icon/Bulb']), { status: 200, body: /^<svg / });
  t.equal((await get('/console/icon/Bulb', ownerLine)).status, 200);
  t.equal((await get('/console/icon/Bulb', basicLine('webfront', 'tulip'))).status, 401);
});

await t.test('who has no access learns nothing of which icons there are', async (t) => {
  for (const [path, line] of [
    [`/wfc/${wf}/icon/`, basicLine('webfront', 'rose')],
    [`/wfc/${wf}/icon/`, ownerLine],
    ['/wfc/99999/icon/', basicLine('webfront', 'tulip')],
    ['/console/icon/', basicLine('webfront', 'tulip')],
  ] as const)
    for (const name of ['Bulb', 'Nothing']) t.equal((await get(path + name, line)).status, 401, path + name);
});

await t.test('whatever is no icon is missing', async (t) => {
  await symlink(join(fixture.directory, 'data', 'stellwerk.db'), join(folder, 'linked.svg'));
  await writeFile(join(folder, 'long.svg'), 'x'.repeat(64 * 1024 + 1));
  await writeFile(join(folder, 'text.txt'), 'x');
  const names = [
    'Nothing',
    'linked',
    'long',
    'text',
    'text.txt',
    'bulb',
    'Bulb.svg',
    '',
    'Bulb/',
    'constructor',
  ];
  for (const name of [...names, '..%2f..%2fstellwerk.db', '%00', '%', `a${'b'.repeat(200)}`]) {
    const reply = await get(`/wfc/${wf}/icon/${name}`, basicLine('webfront', 'tulip'));
    t.ok([400, 404, 414].includes(reply.status), `${name}: ${reply.status}`);
    t.notMatch(reply.body, /SQLite|svg|stellwerk-/, name);
  }
});
