import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:https';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import t from 'tap';
import { WebSocket } from 'ws';
import { testCertificate } from '../../tools/test-certificate.js';
import { OWNER, ownerLine } from '../../tools/gateway/api-fixture.js';
import { callText, idOf, post, rpc, exchangeRaw, resultOrStatus } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  configDirectory,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { RawConnection, basicLine, rawPost } from '../../tools/client/raw-http.js';
import { RawWebSocket } from '../../tools/client/raw-websocket.js';
import { withinPatience, until } from '../../tools/until.js';

const GUEST = 'basicAuth: { username: guest, password: rose }';
const guest = basicLine('guest', 'rose');
const FRONT = `configurators: [{ title: Ground & floor, ident: wf, base: ground_floor, password: tulip }]\n`;

const server = (rest: string) => `webServers: [{ name: house, host: 127.0.0.1, port: 0, ${rest} }]\n`;

/** A GET to a web server, with exactly this request line. */
async function fetched(fixture: GatewayFixture, path: string, headers: readonly string[] = []) {
  const at = { port: fixture.gateway.port('house') ?? 0 };
  const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${at.port}`, ...headers];
  return exchangeRaw(at, `${lines.join('\r\n')}\r\n\r\n`);
}

t.test('with serve: front only the user directory is behind the server’s password', async (t) => {
  const yaml = SIMULATED_CONFIG + SAMPLE_TREE + FRONT + server(`serve: front, ${GUEST}`);
  const fixture = await startGateway(t, yaml);
  const user = join(fixture.directory, 'data', 'user');
  await writeFile(join(user, 'plan.txt'), 'the plan');
  const start = await fetched(fixture, '/');
  t.equal(start.status, 200);
  t.match(start.body, new RegExp(`href="/wfc/${await idOf(fixture, 'wf')}/"`));
  t.match(start.body, /Ground &#38; floor/);
  t.notMatch(start.body, /tulip|rose|swordfish/);
  t.equal((await fetched(fixture, `/wfc/${await idOf(fixture, 'wf')}/`)).status, 200);
  const rejected = await fetched(fixture, '/user/plan.txt');
  t.strictSame([rejected.status, rejected.headers['www-authenticate']?.startsWith('Basic')], [401, true]);
  t.equal(
    (await fetched(fixture, '/user/plan.txt', [ownerLine])).status,
    401,
    'the owner’s login is not the guest’s',
  );
  t.equal((await fetched(fixture, '/user/plan.txt', [guest])).body, 'the plan');
  const web = { port: fixture.gateway.port('house') ?? 0 };
  t.equal(
    resultOrStatus(await post(web, callText('GetValue', [await idOf(fixture, 'ground_floor/setpoint')]))),
    21.5,
  );
  t.equal(
    (await post(web, callText('SVC_GetKernelVersion', []), [guest])).status,
    401,
    'nor the guest’s the owner’s',
  );
  t.equal((await post(web, callText('WFC_GetConfigurators', []), [])).status, 200);
  await using socket = await RawWebSocket.open({ ...web, headers: [ownerLine] });
  t.equal(socket.response.status, 101, 'the API is on every web server');
});

t.test('with a directory, all its files are behind the password, and the API never is', async (t) => {
  const directory = await tempDirectory(t);
  const yaml = SIMULATED_CONFIG + SAMPLE_TREE + server(`serve: { directory: www }, ${GUEST}`);
  await mkdir(join(directory, 'www', 'sub'), { recursive: true });
  await writeFile(join(directory, 'www', 'index.html'), '<p>home');
  await writeFile(join(directory, 'www', 'sub', 'a.txt'), 'a');
  const fixture = await startGateway(t, yaml, { directory });
  const at = (path: string, ...headers: string[]) => fetched(fixture, path, headers);
  for (const path of ['/', '/index.html', '/sub/a.txt', '/nothing', '/user/'])
    t.equal((await at(path)).status, 401, path);
  t.strictSame([(await at('/', guest)).body, (await at('/sub/a.txt', guest)).body], ['<p>home', 'a']);
  t.equal((await at('/nothing', guest)).status, 404);
  t.equal((await at('/sub', guest)).headers['location'], '/sub/');
  t.equal((await at('/sub/', guest)).status, 404, 'a directory is not listed');
  const web = { port: fixture.gateway.port('house') ?? 0 };
  t.equal(
    resultOrStatus(await post(web, callText('GetValue', [await idOf(fixture, 'ground_floor/setpoint')]))),
    21.5,
  );
});

t.test('nothing outside the user directory is served, whatever the path or a link', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + FRONT + SAMPLE_TREE + server('serve: front'));
  const user = join(fixture.directory, 'data', 'user');
  await mkdir(join(user, 'sub'));
  await writeFile(join(user, 'in.txt'), 'inside');
  await writeFile(join(user, '.hidden'), 'hidden');
  await symlink('../in.txt', join(user, 'sub', 'link.txt'));
  await symlink(join(fixture.directory, 'gateway.yaml'), join(user, 'out.txt'));
  await symlink(fixture.directory, join(user, 'outside'));
  await symlink('/dev/zero', join(user, 'endless'));
  execFileSync('mkfifo', [join(user, 'pipe')]);
  for (const path of ['/user/in.txt', '/user/sub/link.txt', '/user/sub/%2e%2e/in.txt'])
    t.equal((await fetched(fixture, path)).body, 'inside', path);
  const outside = [
    '/user/out.txt',
    '/user/outside/gateway.yaml',
    '/user/endless',
    '/user/pipe',
    '/user/.hidden',
    '/user/../../gateway.yaml',
    '/user/..%2f..%2fgateway.yaml',
    '/user/%2e%2e/%2e%2e/gateway.yaml',
    '/user/sub/../../../gateway.yaml',
    '/user/..\\..\\gateway.yaml',
    '/user//etc/passwd',
    '/user/%00',
    '/user/in.txt%00.png',
    '/user/%c0%ae%c0%ae/gateway.yaml',
    '/user/%',
    '//etc/passwd',
    '/../data/stellwerk.db',
    '/data/stellwerk.db',
    `/user/${'x'.repeat(5000)}`,
    '/user/in.txt/x',
  ];
  for (const path of outside) {
    const { status, body } = await fetched(fixture, path);
    t.ok(status >= 400 && status < 500, `${path}: ${status}`);
    t.notMatch(body, /swordfish|root:|SQLite|hidden/, path);
  }
});

t.test('a browser from an autostart address is redirected to its web front', async (t) => {
  const front = FRONT.replace('password: tulip', 'password: tulip, autostart: ["127.0.0.2"]');
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + front + server('serve: front'));
  const port = fixture.gateway.port('house') ?? 0;
  const from = async (address: string) => {
    await using connection = await RawConnection.open(port, address);
    connection.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    return await connection.response();
  };
  const sent = await from('127.0.0.2');
  t.strictSame([sent.status, sent.headers['location']], [302, `/wfc/${await idOf(fixture, 'wf')}/`]);
  t.equal((await from('127.0.0.3')).status, 200);
});

t.test('page, file and call share one connection, each with its own rules', async (t) => {
  const fixture = await startGateway(
    t,
    SIMULATED_CONFIG + FRONT + SAMPLE_TREE + server(`serve: front, ${GUEST}`),
  );
  await writeFile(join(fixture.directory, 'data', 'user', 'a.txt'), '0123456789');
  const port = fixture.gateway.port('house') ?? 0;
  await using connection = await RawConnection.open(port);
  const said = async (text: string | Buffer) => {
    connection.write(text);
    const { status, body } = await connection.response();
    return [status, body.length > 60 ? '' : body];
  };
  const get = (path: string, ...headers: string[]) =>
    said([`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'));
  const calling = callText('GW_GetValues', [[]]);
  const reply = '{"jsonrpc":"2.0","id":"1","result":[]}';
  t.strictSame(await get('/'), [200, '']);
  t.strictSame(await said(rawPost({ port, headers: [ownerLine], body: calling })), [200, reply]);
  t.strictSame(await get('/user/a.txt', guest, 'Range: bytes=2-4'), [206, '234']);
  t.strictSame((await said(rawPost({ port, headers: [guest], body: calling })))[0], 401);
  t.strictSame(await said(rawPost({ port, path: '/user/a.txt', headers: [guest], body: 'x'.repeat(1e5) })), [
    404,
    'Not found\n',
  ]);
  t.strictSame(await said(rawPost({ port, headers: [ownerLine], body: calling })), [200, reply]);
});

t.test('after an update a browser gets the new files of the program', async (t) => {
  const yaml = SIMULATED_CONFIG + SAMPLE_TREE + FRONT + server('serve: front');
  const fixture = await startGateway(t, yaml);
  await writeFile(join(fixture.directory, 'data', 'user', 'plan.txt'), 'the plan');
  const front = `/wfc/${await idOf(fixture, 'wf')}/`;
  for (const name of ['/client.js', `${front}worker.js`, '/console/worker.js', '/front/icon-192.png']) {
    const earlier = `If-Modified-Since: ${new Date().toUTCString()}`;
    const { status, headers } = await fetched(fixture, name, [earlier]);
    t.strictSame([status, headers['etag'], headers['last-modified']], [200, undefined, undefined], name);
  }
  const { body } = await fetched(fixture, front);
  const hashed = /\/front\/[\w-]+-[A-Z0-9]{8}\.js/.exec(body)?.[0] ?? 'a file with a hash';
  for (const name of [hashed, '/user/plan.txt']) {
    const { status, headers } = await fetched(fixture, name);
    const same = await fetched(fixture, name, [`If-None-Match: ${headers['etag'] ?? ''}`]);
    t.strictSame([status, same.status], [200, 304], name);
  }
});

/** The fingerprint of the presented certificate, and the response. */
async function overTls(
  port: number,
  path: string,
  more: RequestOptions = {},
): Promise<{ print: string; status?: number; names: string }> {
  const requests = request({
    port,
    path,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    agent: false,
    ...more,
  });
  return withinPatience(
    'a response over TLS',
    new Promise((resolve, reject) => {
      requests.on('error', reject).on('response', (response) => {
        const shown = (response.socket as TLSSocket).getPeerCertificate();
        response.resume();
        const status = response.statusCode;
        const names = shown.subjectaltname ?? '';
        resolve({ print: shown.fingerprint256, names, ...(status !== undefined && { status }) });
      });
      requests.end();
    }),
  );
}

async function putCertificate(directory: string, name: string): Promise<void> {
  const { certificate, key } = testCertificate(name);
  await writeFile(join(directory, 'cert.pem'), certificate);
  await writeFile(join(directory, 'key.pem'), key);
}

t.test('a certificate is read from its files, and replaced by a reload', async (t) => {
  const directory = await tempDirectory(t);
  await putCertificate(directory, 'one.example');
  const tls = 'serve: front, tls: { certificate: cert.pem, key: key.pem }';
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + server(tls), { directory });
  const port = fixture.gateway.port('house') ?? 0;
  const protocol = encodeURIComponent(Buffer.from(`${OWNER.username}:${OWNER.password}`).toString('base64'));
  const socket = new WebSocket(`wss://127.0.0.1:${port}/api/`, protocol, { rejectUnauthorized: false });
  t.teardown(() => socket.terminate());
  const frames: string[] = [];
  socket.on('message', (data: Buffer) => void frames.push(data.toString()));
  await withinPatience('the socket', new Promise((resolve) => socket.once('open', resolve)));
  t.match(await overTls(port, '/'), { status: 200, names: 'DNS:one.example' });
  const named = async (host: string) =>
    (await overTls(port, '/api/', { method: 'POST', headers: { host } })).status;
  const names = [await named(`one.example:${port}`), await named(hostname()), await named('two.example')];
  t.strictSame(names, [401, 401, 403], 'the certificate’s names and this machine’s are known hosts');

  await putCertificate(directory, 'two.example');
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { NeedsRestart: [], Problems: [] });
  t.match(await overTls(port, '/api/'), { status: 200, names: 'DNS:two.example' });
  t.equal(fixture.gateway.port('house'), port);
  const blind = await idOf(fixture, 'upper_floor/blind');
  await rpc(fixture, 'SetValue', blind, 4);
  await until('a frame on the earlier socket', () => frames.some((text) => text.includes(`${blind}`)));

  await writeFile(join(directory, 'cert.pem'), 'no certificate');
  await rpc(fixture, 'GW_ReloadConfiguration');
  t.match(await overTls(port, '/'), { names: 'DNS:two.example' }, 'an invalid one keeps the previous one');
  t.match(await rpc(fixture, 'GW_GetHealth'), { State: 'warning' });
});

t.test('tls: auto creates a certificate for this machine and keeps it', async (t) => {
  const yaml = SIMULATED_CONFIG + server('serve: front, tls: auto');
  const fixture = await startGateway(t, yaml);
  const first = await overTls(fixture.gateway.port('house') ?? 0, '/');
  t.match(first.names, /DNS:localhost/);
  await fixture.gateway.close();
  const again = await startGateway(t, yaml, { directory: fixture.directory });
  t.equal((await overTls(again.gateway.port('house') ?? 0, '/')).print, first.print);
});

t.test('tls: auto uses a certificate in memory if it cannot be stored', async (t) => {
  const directory = await configDirectory(
    t,
    SIMULATED_CONFIG.replace('{ port: 0 }', '{ port: 0, tls: auto }'),
  );
  await mkdir(join(directory, 'data'), { recursive: true });
  await writeFile(join(directory, 'data/tls'), 'no directory');
  const fixture = await startGateway(t, undefined, { directory });
  t.match((await overTls(fixture.port, '/api/')).names, /DNS:localhost/);
});

t.test('a web server uses the API’s port on another address, or on all addresses in its place', async (t) => {
  const hosts = (port: number, host: string) =>
    SIMULATED_CONFIG.replace('port: 0', `port: ${port}`) +
    `webServers: [{ name: house, host: ${host}, port: ${port}, serve: front, insecure: true }]\n`;
  const lan = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  const other = lan?.address ?? '127.0.0.2';
  const fixture = await startGateway(t, hosts(await reservePort(), other));
  const { port } = fixture;
  t.equal(fixture.gateway.port('house'), port);
  const start = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  t.equal((await exchangeRaw({ port }, start)).status, 404, 'the local port serves the API only');
  t.equal((await fetch(`http://${other}:${port}/`)).status, 200);

  await using socket = await RawWebSocket.open({ port, headers: [ownerLine] });
  await fixture.configure(hosts(port, '0.0.0.0'));
  t.match(
    await rpc({ port }, 'GW_ReloadConfiguration'),
    { Problems: [] },
    'answered although its listener is closed',
  );
  t.equal(fixture.gateway.port(), undefined);
  await withinPatience('the end of a socket on the removed address', socket.connection.closed);
  t.equal((await exchangeRaw({ port }, start)).status, 200, 'now the page is there too');
  t.match(await rpc({ port }, 'SVC_GetKernelVersion'), /\d/);
  t.match(await rpc({ port }, 'GW_GetHealth'), { Checks: [] });
});
