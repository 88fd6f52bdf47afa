import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Accounts } from '../../../src/api/access/accounts.js';
import { Authenticator } from '../../../src/api/access/authenticator.js';
import { ManualClock } from '../../../src/base/clock.js';
import { HitLimits, OWNER, RecordedLog, ownerLine, startApi } from '../../tools/gateway/api-fixture.js';
import { hashPassword } from '../../../src/base/credentials/password-hash.js';
import { UNVERIFIED_PER_ADDRESS } from '../../../src/api/access/unverified-budget.js';
import { callText, post, exchangeRaw, resultOrStatus } from '../../tools/client/json-rpc.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { RawConnection, basicLine, rawPost } from '../../tools/client/raw-http.js';
import { RawWebSocket, closeOf, frameBytes, opcode } from '../../tools/client/raw-websocket.js';
import { until } from '../../tools/until.js';

t.test('a pipelined request with a wrong login is never answered as the owner', async (t) => {
  const fixture = await startApi(t);
  const said = (line: string) =>
    rawPost({ port: fixture.port, headers: [line], body: callText('Echo', ['inside']) });
  const right = said(ownerLine);
  const wrong = said(basicLine(OWNER.username, 'wrong'));
  for (const order of [
    [right, wrong],
    [wrong, right],
    [right, wrong, right, wrong],
  ]) {
    await using connection = await RawConnection.open(fixture.port);
    connection.write(Buffer.concat(order));
    for (const one of order)
      t.equal(resultOrStatus(await connection.response()), one === right ? 'inside' : 401, 'sent together');
    for (const one of [wrong, right, wrong]) {
      connection.write(one);
      t.equal(resultOrStatus(await connection.response()), one === right ? 'inside' : 401, 'sent alone');
    }
  }
});

t.test('CORS headers follow the origin of the request that is answered', async (t) => {
  const fixture = await startApi(t, { allowedOrigins: ['https://panel.example'] });
  await using connection = await RawConnection.open(fixture.port);
  const said = (method: string, ...headers: string[]) =>
    rawPost({ port: fixture.port, headers: [ownerLine, ...headers], body: callText(method, []) });
  connection.write(said('Echo'));
  await connection.response();
  connection.write(
    Buffer.concat([said('Late', 'Origin: https://panel.example'), said('Echo'), said('Late')]),
  );
  const allowed = [];
  for (let n = 0; n < 3; n++)
    allowed.push((await connection.response()).headers['access-control-allow-origin']);
  t.strictSame(allowed, ['https://panel.example', undefined, undefined]);
  connection.write(said('Echo', 'Origin: https://panel.example'));
  await connection.response();
  connection.write(`PUT /api/ HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  t.equal((await connection.response()).headers['access-control-allow-origin'], undefined);
});

/** A request of which only the header section, or also the beginning of the body, is sent. */
const half = (line: string, length: number, beginning = '') =>
  `POST /api/ HTTP/1.1\r\nHost: localhost\r\n${line}\r\nContent-Length: ${length}\r\n\r\n${beginning}`;

t.test('without verified credentials at most 64 KiB of a body are read', async (t) => {
  const fixture = await startApi(t);
  const long = 1024 * 1024;
  const front = `{"jsonrpc":"2.0","id":1,"method":"WFC_Area","params":[50001,"${'x'.repeat(70_000)}`;
  const cases: [string, string, number][] = [
    [half(basicLine(OWNER.username, 'wrong'), long), 'a wrong owner login, rejected before its body', 401],
    [half('X: x', long), 'none', 401],
    [
      half(`${basicLine(OWNER.username, 'wrong')}\r\nExpect: 100-continue`, long),
      'a wrong owner login that waits for 100 Continue',
      401,
    ],
    [half(basicLine('webfront', 'anything'), long, front), 'a wrong web front login', 401],
    [
      half(basicLine('webfront', 'tulip'), long, 'x'.repeat(70_000)),
      'a web front call without its configurator',
      413,
    ],
  ];
  for (const [text, name, status] of cases) {
    await using connection = await RawConnection.open(fixture.port);
    connection.write(text);
    t.equal((await connection.response()).status, status, name);
  }
  const text = 'x'.repeat(200_000);
  const body = callText('WFC_Area', [50_001, text]);
  t.equal(
    resultOrStatus(await post(fixture, body, [basicLine('webfront', 'tulip')])),
    50_001,
    'a verified web front login',
  );
  t.equal(resultOrStatus(await post(fixture, callText('Echo', [text]), [ownerLine])), text);
  await using open = await RawWebSocket.open({ port: fixture.port, path: '/wfc/50002/api/' });
  open.connection.write(frameBytes(opcode.text, 'x'.repeat(100_000)));
  const frame = await open.frame();
  t.equal(frame && closeOf(frame).code, 1009, 'a WebSocket that needs no credentials');
});

t.test('pages, media and directories are served to known hosts only', async (t) => {
  const directory = await tempDirectory(t);
  await writeFile(join(directory, 'plan.txt'), 'the floor plan');
  const webServers = [
    { name: 'front', host: '127.0.0.1', port: 0, serve: 'front' },
    { name: 'files', host: '127.0.0.1', port: 0, serve: { directory } },
  ] as const;
  const fixture = await startApi(t, { webServers, allowedHosts: ['gateway.example'] });
  const get = (name: string, path: string, ...hosts: string[]) =>
    exchangeRaw(
      { port: fixture.api.port(name) ?? 0 },
      `GET ${path} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}\r\n`,
    );
  for (const [name, path] of [
    ['front', '/'],
    ['front', '/wfc/50002/'],
    ['front', '/wfc/50002/media/1'],
    ['front', '/user/x'],
    ['files', '/plan.txt'],
  ] as const) {
    t.equal((await get(name, path, 'evil.example')).status, 403, path);
    t.not((await get(name, path, 'gateway.example')).status, 403, path);
    t.equal((await get(name, path, 'gateway.example', 'evil.example')).status, 400, 'two Host headers');
  }
  t.equal((await get('api', '/api/', 'localhost', 'localhost')).status, 400);
  const two = [ownerLine, 'Host: localhost', 'host: evil.example'];
  await using socket = await RawWebSocket.open({ port: fixture.port, headers: two });
  t.equal(socket.response.status, 400, 'even before an upgrade');
});

t.test('pages reject requests with a body', async (t) => {
  const webServers = [{ name: 'house', host: '127.0.0.1', port: 0, serve: 'front' }] as const;
  const fixture = await startApi(t, { webServers });
  await using connection = await RawConnection.open(fixture.api.port('house') ?? 0);
  const head = 'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
  connection.write(`${head}Content-Length: 900000\r\n\r\n{`);
  t.equal((await connection.response()).status, 404, 'rejected before the body');
});

t.test('slow bodies without credentials share one budget, and other calls still get through', async (t) => {
  const fixture = await startApi(t);
  const slow: RawConnection[] = [];
  t.teardown(() => Promise.all(slow.map((connection) => connection[Symbol.asyncDispose]())));
  const open = async (from: string) => {
    const connection = await RawConnection.open(fixture.port, from);
    connection.write(half(basicLine('webfront', 'anything'), 60_000, '{"jsonrpc"'));
    slow.push(connection);
    return connection;
  };
  const first = await open('127.0.0.2');
  for (let n = 1; n < 40; n++) await open('127.0.0.2');
  t.equal((await first.response()).status, 503, 'the oldest one is dropped');
  t.strictSame([...fixture.limits.hits.keys()], [`${UNVERIFIED_PER_ADDRESS} unverified bytes per address`]);
  const from = async (address: string, line: string, body: string) => {
    await using connection = await RawConnection.open(fixture.port, address);
    connection.write(rawPost({ port: fixture.port, headers: [line], body }));
    return resultOrStatus(await connection.response());
  };
  const tulip = basicLine('webfront', 'tulip');
  t.equal(await from('127.0.0.2', tulip, callText('WFC_Area', [50_001])), 50_001, 'at the same address');
  t.equal(await from('127.0.0.2', ownerLine, callText('Echo', [1])), 1);
});

t.test(
  'a request that is dropped while its login is verified gets one response and makes no call',
  async (t) => {
    const remoteAccess = { username: OWNER.username, passwordHash: await hashPassword(OWNER.password) };
    const fixture = await startApi(t, { remoteAccess });
    const connections = await Promise.all(
      Array.from({ length: 80 }, () => RawConnection.open(fixture.port, '127.0.0.2')),
    );
    t.teardown(() => Promise.all(connections.map((connection) => connection[Symbol.asyncDispose]())));
    const [wrong, right, ...crowd] = connections;
    const body = callText('Echo', ['x'.repeat(200_000)]);
    wrong?.write(half(basicLine(OWNER.username, 'wrong'), 200_000));
    right?.write(rawPost({ port: fixture.port, headers: [ownerLine], body }));
    for (const slow of crowd) slow.write(half(basicLine('webfront', 'anything'), 60_000, '{"jsonrpc"'));
    t.equal((await wrong?.response())?.status, 401, 'verified, but not called');
    t.equal(
      resultOrStatus((await right?.response()) ?? { status: 0, headers: {}, body: '' }),
      'x'.repeat(200_000),
    );
  },
);

t.test('a correct login is neither rejected nor delayed by concurrent wrong ones', async (t) => {
  const [owner, front] = await Promise.all([hashPassword(OWNER.password), hashPassword('tulip')]);
  const remoteAccess = { username: OWNER.username, passwordHash: owner };
  const fixture = await startApi(t, { remoteAccess });
  const kept = fixture.configurators.get(50_001);
  if (kept !== undefined)
    fixture.configurators.set(50_001, { ...kept, password: undefined, passwordHash: front });
  const order: string[] = [];
  const area = callText('WFC_Area', [50_001]);
  const wrong = (n: number) =>
    n % 2 === 0
      ? post(fixture, area, [basicLine('webfront', `guess ${n}`)])
      : post(fixture, callText('Echo', [1]), [basicLine(OWNER.username, `guess ${n}`)]);
  for (let n = 0; n < 20; n++)
    t.equal((await wrong(n)).status, 401, 'the first ten of an account are not delayed');
  const crowd = Array.from({ length: 40 }, async (_, n) => {
    const { status } = await wrong(100 + n);
    order.push(`wrong ${status}`);
  });
  await Promise.all([
    post(fixture, area, [basicLine('webfront', 'tulip')]).then((one) =>
      order.push(`front ${String(resultOrStatus(one))}`),
    ),
    post(fixture, callText('Echo', ['in']), [ownerLine]).then((one) =>
      order.push(`owner ${String(resultOrStatus(one))}`),
    ),
  ]);
  t.ok(order.includes('front 50001') && order.includes('owner in'), order.join());
  t.ok(order.length < 42, 'before the other logins are finished');
  await fixture.api.close();
  await Promise.allSettled(crowd);
});

t.test('logins to fronts that do not exist delay no correct one, and do not fill the log', async (t) => {
  const [log, clock] = [new RecordedLog(), new ManualClock()];
  const access = new Authenticator(log, clock, new HitLimits());
  const accounts = new Accounts(OWNER, { get: () => undefined, all: () => [] });
  const from = (remote: string) => ({ remote, socket: {} });
  const mistyped = { username: OWNER.username, password: 'swordfihs' };
  t.equal(await access.verify(accounts.owner, mistyped, from('127.0.0.3')), false);
  const attempts: Promise<unknown>[] = [];
  const attempt = (n: number) => {
    const login = { username: 'webfront', password: 'x' };
    const account = accounts.configurator(60_000 + n);
    attempts.push(access.verify(account, login, from('127.0.0.2')).catch(() => undefined));
  };
  // From 100 failures on, at most one login is verified every 250 ms.
  for (let n = 1; n < 100; n++) {
    attempt(n);
    await until(`failure ${n}`, () => access.failed > n);
  }
  let isVerified = false;
  const correct = access.verify(accounts.owner, OWNER, from('127.0.0.3')).then(
    (isCorrect) => (isVerified = isCorrect),
    () => undefined,
  );
  for (let n = 100; n < 120; n++) attempt(n);
  clock.advance(250);
  await until('the next verification', () => isVerified || access.failed > 100);
  t.ok(isVerified, 'the correct login is verified next');
  const warnings = log.lines.filter((line) => line.includes('wrong user name or password'));
  t.equal(warnings.length, 3, 'the first of the owner; the 1st and 10th of nobody');
  access.close();
  await Promise.all([correct, ...attempts]);
});
