import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ownerLine } from '../../tools/gateway/api-fixture.js';
import { idOf, rpc, exchangeRaw } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { basicLine } from '../../tools/client/raw-http.js';

const YAML = `${SIMULATED_CONFIG}tree:
  - { category: Ground floor, ident: ground, children: [{ variable: Lamp, ident: lamp, type: boolean }] }
  - { category: Upper floor, ident: upper }
configurators:
  - { title: Ground floor, ident: wf, base: ground, password: tulip }
  - { title: Upper floor, ident: wf2, base: upper, password: rose }
  - { title: Ground floor too, ident: open, base: ground, passwordRequired: false }
webServers: [{ name: house, host: 127.0.0.1, port: 0, serve: front, basicAuth: { username: guest, password: rose } }]
`;
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const tulip = basicLine('webfront', 'tulip');

/** A GET to the web server, with exactly this request line. */
async function fetched(fixture: GatewayFixture, path: string, headers: readonly string[] = [tulip]) {
  const at = { port: fixture.gateway.port('house') ?? 0 };
  const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${at.port}`, ...headers];
  return exchangeRaw(at, `${lines.join('\r\n')}\r\n\r\n`);
}

/** Creates a media object below a category; a file if its name is given. */
async function medium(
  fixture: GatewayFixture,
  [type, parent]: readonly [number, string],
  file?: string,
): Promise<number> {
  const id = (await rpc(fixture, 'SVC_CreateMedia', type)) as number;
  await rpc(fixture, 'SVC_SetParent', id, await idOf(fixture, parent));
  if (file !== undefined) await rpc(fixture, 'SVC_SetMediaFile', id, file, false);
  return id;
}

/** As {@link medium}, with an image in it. */
async function withContent(
  fixture: GatewayFixture,
  place: readonly [number, string],
  file?: string,
): Promise<number> {
  const id = await medium(fixture, place, file);
  const content = Buffer.from(PICTURE).toString('base64');
  t.equal(await rpc(fixture, 'SVC_SetMediaContent', id, content), true);
  return id;
}

const fixture = await startGateway(t, YAML);
const [wf, wf2, open] = [await idOf(fixture, 'wf'), await idOf(fixture, 'wf2'), await idOf(fixture, 'open')];

await t.test('a web front serves the media of its area to users with its password', async (t) => {
  const roof = await withContent(fixture, [1, 'ground'], 'media/the roof, 100+1.svg');
  const path = `/wfc/${wf}/media/${roof}`;
  const shown = await fetched(fixture, path);
  t.strictSame([shown.status, shown.body], [200, PICTURE]);
  t.strictSame(
    ['content-type', 'x-content-type-options', 'cache-control'].map((name) => shown.headers[name]),
    ['image/svg+xml', 'nosniff', 'no-cache'],
  );
  t.match(shown.headers['content-security-policy'], /script-src 'none'/, 'scripts in it are blocked');
  t.strictSame((await fetched(fixture, path, [tulip, 'Range: bytes=1-3'])).body, 'svg', 'also partially');
  const same = await fetched(fixture, path, [tulip, `If-None-Match: ${shown.headers['etag'] ?? ''}`]);
  t.strictSame([same.status, same.body], [304, '']);
  for (const wrong of [[], [basicLine('webfront', 'rose')], [basicLine('guest', 'rose')], [ownerLine]]) {
    const rejected = await fetched(fixture, path, wrong);
    t.equal(rejected.status, 401, wrong.join());
    t.match(rejected.headers['www-authenticate'], /^Basic /);
  }
  t.equal((await fetched(fixture, `/wfc/${open}/media/${roof}`, [])).body, PICTURE, 'no password');
  t.equal((await fetched(fixture, `/wfc/${wf2}/media/${roof}`)).status, 401, 'with another front’s password');
  t.equal(
    (await fetched(fixture, `/wfc/${roof}/media/${roof}`)).status,
    401,
    'of an object that is no web front',
  );
  const page = await rpc(fixture, 'SVC_GetMediaContent', roof);
  t.equal(page, Buffer.from(PICTURE).toString('base64'), 'the owner reads it over the API');
});

await t.test('a link adds its target to the area', async (t) => {
  const sound = await withContent(fixture, [2, 'upper'], 'user/bell.mp3');
  const path = `/wfc/${wf}/media/${sound}`;
  t.equal((await fetched(fixture, path)).status, 404);
  const link = (await rpc(fixture, 'SVC_CreateLink')) as number;
  await rpc(fixture, 'SVC_SetParent', link, await idOf(fixture, 'ground'));
  await rpc(fixture, 'SVC_SetLinkTargetID', link, sound);
  const shown = await fetched(fixture, path);
  t.strictSame([shown.status, shown.headers['content-type'], shown.body], [200, 'audio/mpeg', PICTURE]);
  await rpc(fixture, 'SVC_DeleteLink', link);
  t.equal((await fetched(fixture, path)).status, 404);
});

await t.test('everything else is answered as missing', async (t) => {
  const data = join(fixture.directory, 'data');
  const outside = await withContent(fixture, [1, 'upper'], 'media/secret.svg');
  const linked = await medium(fixture, [1, 'ground'], 'media/linked.svg');
  await symlink(join(data, 'stellwerk.db'), join(data, 'media', 'linked.svg'));
  const gone = await medium(fixture, [5, 'ground'], 'media/gone.pdf');
  const bare = await medium(fixture, [1, 'ground']);
  const stream = await medium(fixture, [3, 'ground'], 'rtsp://viewer:pass@camera/main');
  const chart = await withContent(fixture, [4, 'ground']);
  const dashboard = await withContent(fixture, [0, 'ground']);
  await writeFile(join(data, 'media', 'plain.svg'), PICTURE);
  const missing = await fetched(fixture, `/wfc/${wf}/media/99999`);
  t.strictSame([missing.status, missing.body], [404, 'Not found\n']);
  const others = [
    outside,
    linked,
    gone,
    bare,
    stream,
    chart,
    dashboard,
    wf,
    0,
    await idOf(fixture, 'ground/lamp'),
  ];
  const invalidIds = [
    'plain.svg',
    '..%2fplain.svg',
    '-1',
    '1e4',
    `0${outside}`,
    '9'.repeat(90),
    '%00',
    '',
    `${outside}/`,
  ];
  for (const media of [...others.map(String), ...invalidIds]) {
    const { status, body } = await fetched(fixture, `/wfc/${wf}/media/${media}`);
    t.strictSame([status, body], [missing.status, missing.body], media);
  }
});
