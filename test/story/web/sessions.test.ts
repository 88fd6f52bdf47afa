import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import t from 'tap';
import { OWNER, ownerLine } from '../../tools/gateway/api-fixture.js';
import { Browser } from '../../tools/client/browser.js';
import { callText, errorCodeOf, idOf, post, rpc } from '../../tools/client/json-rpc.js';
import { callOverWebSocket } from '../../tools/client/message-stream.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { RawWebSocket, closeOf, opcode } from '../../tools/client/raw-websocket.js';
import { SAMPLE_TREE, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';
import { until } from '../../tools/until.js';

const front = (password: string) =>
  `configurators: [{ title: Ground floor, ident: wf, base: ground_floor, password: ${password} }]\n`;
const YAML = SIMULATED_CONFIG + SAMPLE_TREE;
const ANNA = { password: 'tulip', device: 'Anna’s phone' };

/** The code and the reason with which a socket is closed; messages before are skipped. */
async function closing(socket: RawWebSocket): Promise<{ code: number; reason: string }> {
  for (;;) {
    const frame = await socket.frame();
    if (frame === undefined) return { code: 1006, reason: '' };
    if (frame.opcode === opcode.close) return closeOf(frame);
  }
}

/** The sessions, as the owner sees them. */
const sessionsOf = async (at: { port: number }) =>
  (await rpc(at, 'GW_GetSessions')) as { ID: string; Device: string; Connected: boolean }[];

t.test('a resident signs in once, and stays so across a restart of the gateway', async (t) => {
  const fixture = await startGateway(t, YAML + front('tulip'));
  const wf = await idOf(fixture, 'wf');
  const path = `/wfc/${wf}/session`;
  const phone = new Browser(fixture.port);
  t.equal((await phone.send(['GET', path])).status, 401);
  const begunMs = Date.now();
  const signedIn = await phone.send(['POST', path], { body: ANNA });
  t.equal(signedIn.status, 200, signedIn.body);
  const { validUntilMs } = JSON.parse(signedIn.body) as { validUntilMs: number };
  t.ok(validUntilMs >= begunMs + 399 * 86_400_000);
  const [[name, cookie]] = [...phone.cookies] as [[string, { value: string; attributes: string }]];
  t.equal(name, `stellwerk_${fixture.port}_${wf}`);
  t.equal(cookie.attributes, `Path=/wfc/${wf}/; Max-Age=34560000; HttpOnly; SameSite=Strict`);
  t.equal(signedIn.headers['cache-control'], 'no-store');
  t.match(JSON.parse((await phone.send(['GET', path])).body), { device: ANNA.device, open: false });
  await using socket = await phone.open(`/wfc/${wf}/api/`);
  t.equal(socket.response.status, 101);
  t.match(await callOverWebSocket(socket, 'WFC_GetSnapshot', [wf]), { objects: {} });
  t.match(await callOverWebSocket(socket, 'GetValue', [wf]), { data: { code: 'ACCESS_DENIED' } });
  const state = await idOf(fixture, 'ground_floor/hall_relay/STATE');
  await callOverWebSocket(socket, 'WFC_Execute', [wf, 0, state, true]);
  t.match(await rpc(fixture, 'GW_GetAudit', 1), [
    { Method: 'WFC_Execute', User: 'webfront', Device: ANNA.device, Success: true },
  ]);
  t.match(await sessionsOf(fixture), [
    { Kind: 'front', ConfiguratorID: wf, Device: ANNA.device, Address: '127.0.0.1', Connected: true },
  ]);
  const secret = cookie.value.split('.')[1] ?? '';
  const kept = await readFile(join(fixture.directory, 'data', 'sessions.json'), 'utf8');
  t.notMatch(kept + fixture.log.join(), new RegExp(`${secret}|tulip`), 'neither secret is written');
  t.match(kept, ANNA.device);
  await fixture.gateway.close();

  const again = await startGateway(t, undefined, { directory: fixture.directory });
  const later = new Browser(again.port);
  later.cookies.set(`stellwerk_${again.port}_${wf}`, cookie);
  await using open = await later.open(`/wfc/${wf}/api/?alive=1`);
  t.equal(open.response.status, 101, 'still signed in');
  t.match(open.response.headers['set-cookie'], cookie.value, 'and for as long again');
  t.match(await open.json(), { SenderID: 0, Message: 20403, Data: [Number] }, 'the gateway’s time');
  t.equal((await later.send(['DELETE', path])).status, 204);
  t.strictSame(await closing(open), { code: 4401, reason: 'SESSION_ENDED' });
  t.equal(later.cookies.size, 0);
  t.strictSame(await sessionsOf(again), []);
  later.cookies.set(`stellwerk_${again.port}_${wf}`, cookie);
  t.equal((await later.send(['GET', path])).status, 401);
});

t.test('another password, or the owner, ends a session and closes its sockets', async (t) => {
  const fixture = await startGateway(t, YAML + front('tulip'));
  const wf = await idOf(fixture, 'wf');
  const path = `/wfc/${wf}/session`;
  const [phone, tablet] = [new Browser(fixture.port), new Browser(fixture.port)];
  await phone.send(['POST', path], { body: ANNA });
  await tablet.send(['POST', path], { body: { password: 'tulip', device: 'Tablet\n\u202e in the hall' } });
  await using socket = await phone.open(`/wfc/${wf}/api/`);
  await using other = await tablet.open(`/wfc/${wf}/api/`);
  const all = await sessionsOf(fixture);
  t.strictSame(new Set(all.map(({ Device }) => Device)), new Set(['Tablet in the hall', ANNA.device]));
  const lost = all.find(({ Device }) => Device === ANNA.device);
  t.equal(await rpc(fixture, 'GW_EndSession', lost?.ID), true);
  t.equal((await closing(socket)).code, 4401);
  t.equal(await rpc(fixture, 'GW_EndSession', lost?.ID), false);
  t.match(await rpc(fixture, 'GW_GetAudit', 2), [
    { Method: 'GW_EndSession' },
    { Method: 'GW_EndSession', User: OWNER.username },
  ]);
  await using rejected = await phone.open(`/wfc/${wf}/api/`);
  t.strictSame(await closing(rejected), { code: 4401, reason: 'UNAUTHORIZED' });
  t.equal((await tablet.send(['GET', path])).status, 200, 'others stay');
  await fixture.configure(YAML + front('rose'));
  await rpc(fixture, 'GW_ReloadConfiguration');
  t.equal((await closing(other)).code, 4401);
  t.equal((await tablet.send(['GET', path])).status, 401);
  t.strictSame(await sessionsOf(fixture), []);
  t.equal((await tablet.send(['POST', path], { body: { password: 'tulip' } })).status, 401);
  t.equal((await tablet.send(['POST', path], { body: { password: 'rose' } })).status, 200);
});

t.test('the owner signs in to the console, and confirms what is dangerous', async (t) => {
  const fixture = await startGateway(t, YAML);
  const browser = new Browser(fixture.port);
  const login = { username: OWNER.username, password: OWNER.password };
  for (const wrong of [
    { ...login, password: 'x' },
    { ...login, username: 'x' },
    { password: OWNER.password },
    {},
  ])
    t.equal((await browser.send(['POST', '/console/session'], { body: wrong })).status, 401);
  const token = (await rpc(fixture, 'SVC_CreateTemporaryToken', 60)) as string;
  const byToken = { username: 'token', password: token };
  t.equal(
    (await browser.send(['POST', '/console/session'], { body: byToken })).status,
    401,
    'it ends with the token',
  );
  t.equal((await browser.send(['POST', '/console/session'], { body: login })).status, 200);
  const [[name, cookie]] = [...browser.cookies] as [[string, { value: string; attributes: string }]];
  t.equal(name, `stellwerk_${fixture.port}_console`);
  t.equal(cookie.attributes, 'Path=/; Max-Age=43200; HttpOnly; SameSite=Strict');
  await using socket = await browser.open('/api/');
  t.match(await callOverWebSocket(socket, 'SVC_GetKernelVersion', []), /\d/);
  t.match(await callOverWebSocket(socket, 'GW_GetSessions', []), [{ Kind: 'console', IsOwn: true }]);
  t.match(await rpc(fixture, 'GW_GetSessions'), [{ Kind: 'console', IsOwn: false }]);
  const required = { data: { code: 'CONFIRMATION_REQUIRED' } };
  t.match(await callOverWebSocket(socket, 'SVC_CreateTemporaryToken', [60]), required);
  t.match(await rpc(fixture, 'GW_GetAudit', 1), [{ Success: false, Error: 'CONFIRMATION_REQUIRED' }]);
  const confirm = ['POST', '/console/confirm'] as const;
  t.equal((await browser.send(confirm, { body: { password: 'x' } })).status, 401);
  t.match(await callOverWebSocket(socket, 'SVC_CreateTemporaryToken', [60]), required);
  t.equal((await browser.send(confirm, { body: { password: OWNER.password } })).status, 200);
  t.type(await callOverWebSocket(socket, 'SVC_CreateTemporaryToken', [60]), 'string');
  t.type(await rpc(fixture, 'SVC_CreateTemporaryToken', 60), 'string', 'programs need not');
  t.equal((await new Browser(fixture.port).send(confirm, { body: login })).status, 401, 'without a session');
  const call = callText('SVC_GetKernelVersion', []);
  const asPost = await browser.send(['POST', '/api/'], { body: call });
  t.equal(asPost.status, 401, 'no cookie opens the API over HTTP');
  t.equal(asPost.headers['www-authenticate'], undefined);
});

t.test('a wrong password counts once, is slowed down, and shows no dialog of the browser', async (t) => {
  const fixture = await startGateway(t, YAML + front('tulip'));
  const wf = await idOf(fixture, 'wf');
  const browser = new Browser(fixture.port);
  const guess = (n: number) =>
    browser.send(['POST', `/wfc/${wf}/session`], { body: { password: `guess ${n}` } });
  const flooded = async (n: number) => ((await guess(n)).status === 429 ? guess(n) : Promise.reject(n));
  const failures = () => fixture.log.filter((line) => line.includes('wrong user name or password'));
  for (let n = 0; n < 9; n++) {
    const rejected = await guess(n);
    t.strictSame([rejected.status, errorCodeOf(rejected)], [401, 'UNAUTHORIZED']);
    t.equal(rejected.headers['www-authenticate'], undefined);
  }
  t.equal(failures().length, 1, 'the first is logged');
  await using socket = await browser.open(`/wfc/${wf}/api/`, [basicLine('webfront', 'guess 9')]);
  t.equal(socket.response.status, 101);
  t.strictSame(await closing(socket), { code: 4401, reason: 'UNAUTHORIZED' });
  t.equal(failures().length, 2, 'and the tenth, which this was');
  const audited = {
    Role: 'unverified',
    Method: 'sign-in',
    Parameters: [`configurator ${wf}`],
    Success: false,
  };
  t.match(await rpc(fixture, 'GW_GetAudit', 10, 'unverified'), [
    { ...audited, Remote: '127.0.0.1', Count: 10 },
    { ...audited, Error: 'UNAUTHORIZED' },
  ]);
  // On a busy machine, the reply to one below the limit may be the first.
  const flood = await Promise.any(Array.from({ length: 40 }, (_, n) => flooded(100 + n)));
  t.match([errorCodeOf(flood), flood.headers['retry-after']], ['TOO_MANY_REQUESTS', /./]);
  await using waiting = await until('a socket that has to wait', async () => {
    const tried = await browser.open(`/wfc/${wf}/api/`, [basicLine('webfront', `guess ${Math.random()}`)]);
    const { code, reason } = await closing(tried);
    return code === 4429 && reason === '30' ? tried : undefined;
  });
  t.ok(waiting);
});

t.test('a page learns why its socket is rejected; programs get the status as before', async (t) => {
  const fixture = await startGateway(t, YAML + front('tulip'));
  const wf = await idOf(fixture, 'wf');
  const own = `Origin: http://127.0.0.1:${fixture.port}`;
  const cases: [string, readonly string[], number, number][] = [
    ['/api/', [own], 4401, 401],
    [`/wfc/${wf}/api/`, [own, basicLine('webfront', 'x')], 4401, 401],
    ['/api/', [own, 'Cookie: stellwerk_1_console=x'], 4401, 401],
    ['/api/', ['Origin: https://evil.example', ownerLine], 4403, 403],
    ['/api/', [own, 'Host: evil.example', ownerLine], 4403, 403],
    ['/wfc/99999/api/', [own, basicLine('webfront', 'tulip')], 4404, 401],
    ['/nothing', [own, ownerLine], 4404, 404],
  ];
  for (const [path, headers, code, status] of cases) {
    await using page = await RawWebSocket.open({ port: fixture.port, path, protocol: 'offered', headers });
    t.equal(page.response.status, 101, path);
    t.equal(page.response.headers['sec-websocket-protocol'], 'offered');
    t.equal((await closing(page)).code, code, path);
    const plain = headers.filter((line) => !line.startsWith('Origin'));
    if (plain.length === headers.length - 1 && code !== 4403) {
      await using program = await RawWebSocket.open({ port: fixture.port, path, headers: plain });
      t.equal(program.response.status, status, path);
      t.equal(program.response.headers['www-authenticate'], undefined);
    }
  }
});

t.test('only the gateway’s own pages act with a cookie', async (t) => {
  const yaml = `${YAML}${front('tulip')}`;
  const fixture = await startGateway(
    t,
    yaml.replace('port: 0', 'port: 0, allowedOrigins: ["https://panel.example"]'),
  );
  const wf = await idOf(fixture, 'wf');
  const path = `/wfc/${wf}/session`;
  const browser = new Browser(fixture.port);
  const own = `Origin: http://127.0.0.1:${fixture.port}`;
  await browser.send(['POST', path], { body: ANNA });
  const foreign = [
    ['Origin: https://evil.example'],
    ['Origin: https://panel.example'],
    ['Origin: null'],
    [own, 'Sec-Fetch-Site: cross-site'],
    [own, 'Sec-Fetch-Site: same-site'],
    ['Sec-Fetch-Site: none'],
    [],
  ];
  for (const headers of foreign) {
    for (const method of ['POST', 'DELETE']) {
      const rejected = await browser.send([method, path], { body: ANNA, headers });
      t.strictSame(
        [rejected.status, errorCodeOf(rejected)],
        [403, 'ORIGIN_REFUSED'],
        `${method} ${headers.join()}`,
      );
      t.equal(rejected.headers['set-cookie'], undefined);
    }
    const socket = { port: fixture.port, path: `/wfc/${wf}/api/` };
    await using rejected = await RawWebSocket.open({
      ...socket,
      headers: [...headers, ...browser.cookieHeaders(socket.path)],
    });
    t.ok(rejected.response.status >= 400 || (await closing(rejected)).code >= 4401, headers.join());
  }
  for (const headers of [['Sec-Fetch-Site: same-origin'], ['Sec-Fetch-Site: none'], [own], []])
    t.equal((await browser.send(['GET', path], { headers })).status, 200, headers.join());
  for (const headers of [['Sec-Fetch-Site: cross-site'], ['Origin: https://panel.example']])
    t.equal((await browser.send(['GET', path], { headers })).status, 401, headers.join());
  t.equal((await sessionsOf(fixture)).length, 1, 'it is still there');
});

t.test('a cookie opens what it was given for, and media of it', async (t) => {
  const yaml = `${YAML}configurators:
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip }
  - { title: Upper floor, ident: wf2, base: upper_floor, password: tulip }
  - { title: Open, ident: open, base: upper_floor, passwordRequired: false }
`;
  const fixture = await startGateway(t, yaml);
  const [wf, wf2] = [await idOf(fixture, 'wf'), await idOf(fixture, 'wf2')];
  const open = await idOf(fixture, 'open');
  const browser = new Browser(fixture.port);
  const forged = 'A'.repeat(22) + '.' + 'A'.repeat(43);
  browser.cookies.set(`stellwerk_${fixture.port}_${wf}`, { value: forged, attributes: `Path=/wfc/${wf}/` });
  await browser.send(['POST', `/wfc/${wf}/session`], { body: ANNA });
  const [[name, cookie]] = [...browser.cookies] as [[string, { value: string; attributes: string }]];
  t.not(cookie.value, forged, 'nobody chooses the value of another’s cookie');
  await browser.send(['POST', `/wfc/${wf}/session`], { body: ANNA });
  t.equal((await sessionsOf(fixture)).length, 1, 'who signs in again has one session');
  const { value = '' } = browser.cookies.get(name) ?? {};
  const with_ = (path: string, line: string) =>
    new Browser(fixture.port).send(['GET', path], { headers: [`Cookie: ${line}`] });
  t.equal((await with_(`/wfc/${wf}/session`, `a=b; ${name}=${value}; c`)).status, 200);
  const others = [
    `${name}=${value}; ${name}=${forged}`,
    `${name}="${value}"`,
    `x${name}=${value}`,
    `${name}=${value}x`,
    `${name.toUpperCase()}=${value}`,
    `stellwerk_${fixture.port}_${wf2}=${value}`,
    `${name} =${value}`,
    name,
    '',
  ];
  for (const line of others) t.equal((await with_(`/wfc/${wf}/session`, line)).status, 401, line);
  t.equal((await with_(`/wfc/${wf2}/session`, `stellwerk_${fixture.port}_${wf2}=${value}`)).status, 401);
  t.equal((await with_('/console/session', `stellwerk_${fixture.port}_console=${value}`)).status, 401);

  const media = (await rpc(fixture, 'SVC_CreateMedia', 1)) as number;
  await rpc(fixture, 'SVC_SetParent', media, await idOf(fixture, 'ground_floor'));
  await rpc(fixture, 'SVC_SetMediaFile', media, 'media/roof.svg', false);
  await rpc(fixture, 'SVC_SetMediaContent', media, Buffer.from('<svg/>').toString('base64'));
  const picture = `/wfc/${wf}/media/${media}`;
  t.strictSame([(await browser.send(['GET', picture])).body], ['<svg/>']);
  const rejected = await new Browser(fixture.port).send(['GET', picture], {
    headers: ['Sec-Fetch-Mode: no-cors'],
  });
  t.strictSame([rejected.status, rejected.headers['www-authenticate']], [401, undefined]);
  const page = await new Browser(fixture.port).send(['GET', picture], {
    headers: ['Sec-Fetch-Mode: navigate'],
  });
  t.match(page.headers['www-authenticate'], /^Basic /);

  t.match(JSON.parse((await browser.send(['GET', `/wfc/${open}/session`])).body), { open: true });
  t.equal(
    (await browser.send(['POST', `/wfc/${open}/session`], { body: {} })).headers['set-cookie'],
    undefined,
  );
  for (const path of [
    '/wfc/99999/session',
    '/wfc/0/session',
    '/wfc/x/session',
    '/wfc/1e4/session',
    '/console/x',
  ])
    t.equal((await browser.send(['POST', path], { body: ANNA })).status, 404, path);
});

t.test('with TLS the cookie is sent over TLS only', async (t) => {
  const yaml = `${YAML}${front('tulip')}webServers: [{ name: house, host: 127.0.0.1, port: 0, tls: auto, serve: front }]\n`;
  const fixture = await startGateway(t, yaml);
  const port = await until('the web server', () => fixture.gateway.port('house'));
  const path = `/wfc/${await idOf(fixture, 'wf')}/session`;
  const headers = { Origin: `https://localhost:${port}`, Host: `localhost:${port}` };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      { port, path, method: 'POST', headers, rejectUnauthorized: false, agent: false },
      resolve,
    );
    sent.once('error', reject).end(JSON.stringify(ANNA));
  });
  response.resume();
  t.equal(response.statusCode, 200);
  t.match(response.headers['set-cookie']?.[0], new RegExp(`^stellwerk_${port}_.*; SameSite=Strict; Secure$`));
});

const seed = fuzzSeed();

t.test(
  `hostile bodies and cookies are rejected, and nothing else happens (${seedLabel(seed)})`,
  async (t) => {
    const fixture = await startGateway(t, YAML + front('tulip'));
    const wf = await idOf(fixture, 'wf');
    const path = `/wfc/${wf}/session`;
    const browser = new Browser(fixture.port);
    await browser.send(['POST', path], { body: ANNA });
    const [[name, { value }]] = [...browser.cookies] as [[string, { value: string; attributes: string }]];
    const bad: [string, number][] = [
      ['', 400],
      ['{', 400],
      ['[]', 400],
      ['null', 400],
      ['"tulip"', 400],
      ['{"password":1}', 400],
      ['{"password":"tulip","device":{}}', 400],
      ['{"__proto__":{"password":"tulip"}}', 401],
      ['\u0000', 400],
      [JSON.stringify({ password: 'x'.repeat(5000) }), 413],
      [`${'['.repeat(2000)}`, 400],
    ];
    const stranger = new Browser(fixture.port);
    for (const [body, status] of bad) {
      const { status: got, body: text } = await stranger.send(['POST', path], { body });
      t.equal(got, status, body.slice(0, 40));
      t.match(text, /^\{"jsonrpc":"2.0"/);
    }
    const random = new Random(seed);
    const letters = [...`;=,"\\ \t%${name}${value}`];
    for (let n = 0; n < 500; n++) {
      const changed = [...`${name}=${value}`];
      for (let edits = 1 + random.below(4); edits > 0; edits--)
        changed.splice(
          random.below(changed.length),
          random.below(2),
          letters[random.below(letters.length)] ?? '',
        );
      const line = changed.join('');
      if (line.split(';').some((pair) => pair.trim() === `${name}=${value}`)) continue;
      const { status } = await new Browser(fixture.port).send(['GET', path], {
        headers: [`Cookie: ${line}`],
      });
      t.equal(status, 401, line);
    }
    t.equal((await browser.send(['GET', path])).status, 200);
    t.equal((await post(fixture, callText('SVC_GetKernelVersion', []))).status, 200);
  },
);
