import t from 'tap';
import { OWNER, ownerLine, startApi } from '../../tools/gateway/api-fixture.js';
import {
  callText,
  errorCodeOf,
  resultOrCode,
  post,
  replyIn,
  exchangeRaw,
  resultOrStatus,
  type Reply,
} from '../../tools/client/json-rpc.js';
import { RawConnection, basicLine, rawPost, type RawResponse } from '../../tools/client/raw-http.js';

const wrongHeaders: [string, string[]][] = [
  ['none', []],
  ['null', ['Authorization: null']],
  ['wrong password', [basicLine(OWNER.username, 'x')]],
  ['empty password', [basicLine(OWNER.username, '')]],
  ['wrong name', [basicLine('someone', OWNER.password)]],
  ['no colon', [`Authorization: Basic ${btoa('nobody')}`]],
  ['another scheme', ['Authorization: Bearer x']],
];

t.test('without credentials, or with wrong ones, every call is answered with 401', async (t) => {
  for (const [name, headers] of wrongHeaders) {
    const fixture = await startApi(t);
    const mixed = `[${callText('WFC_GetConfigurators', [])},${callText('Echo', [])}]`;
    for (const body of [callText('GetValue', [fixture.lamp.id]), '{', '[]', mixed]) {
      const rejected = await post(fixture, body, headers);
      t.equal(rejected.status, 401, `${name} ${body}`);
      t.equal(rejected.headers['www-authenticate'], 'Basic realm="stellwerk", charset="UTF-8"');
      t.match(replyIn(rejected), { id: null, error: { code: -32_000, data: { code: 'UNAUTHORIZED' } } });
    }
    t.strictSame(fixture.functions.calls, [], 'nothing was called');
  }
});

t.test('WFC_GetConfigurators needs no credentials and checks none', async (t) => {
  const fixture = await startApi(t);
  for (const [name, headers] of wrongHeaders) {
    const open = await post(fixture, callText('WFC_GetConfigurators', []), headers);
    t.equal((resultOrStatus(open) as unknown[]).length, 2, name);
  }
  t.ok(fixture.functions.calls.every(({ caller }) => caller.role === 'anonymous'));
});

t.test('without a remote-access password there is no owner login', async (t) => {
  const fixture = await startApi(t, { remoteAccess: { username: OWNER.username } });
  t.equal((await post(fixture, callText('Echo', [1]))).status, 401);
  t.equal((await post(fixture, callText('Echo', [1]), [basicLine(OWNER.username, '')])).status, 401);
  t.equal((await post(fixture, callText('WFC_GetConfigurators', []))).status, 200);
});

t.test('credentials are UTF-8, or Latin-1 if they are not valid UTF-8', async (t) => {
  const fixture = await startApi(t, { remoteAccess: { username: 'müller', password: 'ßwort:mit' } });
  for (const coding of ['utf8', 'latin1'] as const) {
    const line = `Authorization: basic  ${Buffer.from('müller:ßwort:mit', coding).toString('base64')}  `;
    t.equal((await post(fixture, callText('Echo', [1]), [line])).status, 200, coding);
    const broken = `Authorization: Basic ${line.slice(-30, -10)}`;
    t.equal((await post(fixture, callText('Echo', [1]), [broken])).status, 401);
    const spaced = Buffer.from('müller:ßwort:mit', coding)
      .toString('base64')
      .replace(/(.{6})/g, '$1 \t');
    const within = `Authorization: Basic ${spaced}`;
    t.equal(
      (await post(fixture, callText('Echo', [1]), [within])).status,
      200,
      `${coding}, with white space`,
    );
  }
});

t.test(
  'a configurator’s credentials are accepted for calls with it as first parameter, in its area only',
  async (t) => {
    const fixture = await startApi(t);
    const tulip = [basicLine('webfront', 'tulip')];
    const cases: [string, readonly string[], unknown][] = [
      [callText('WFC_Area', [50_001]), tulip, 50_001],
      [callText('WFC_Area', { ConfiguratorID: 50_001 }), tulip, 50_001],
      [callText('WFC_Area', [50_001]), [basicLine('webfront', 'rose')], 401],
      [callText('WFC_Area', [50_001]), [], 401],
      [callText('WFC_Area', [50_009]), tulip, 401],
      [callText('WFC_Area', [50_002]), [], 50_002],
      [callText('WFC_Area', [50_002]), [basicLine('webfront', '')], 50_002],
      [callText('GetValue', [fixture.lamp.id]), tulip, 'ACCESS_DENIED'],
      [callText('GetValue', [fixture.lamp.id]), [basicLine('webfront', 'unchecked')], 'ACCESS_DENIED'],
      [callText('WFC_Area', []), [basicLine('webfront', 'unchecked')], 'ACCESS_DENIED'],
    ];
    for (const [body, headers, expected] of cases)
      t.equal(resultOrStatus(await post(fixture, body, headers)), expected, body);
    const parts = [callText('WFC_Area', [50_001]), callText('WFC_Area', [50_002]), callText('Echo', [])];
    const batch = await post(fixture, `[${parts.join()}]`, tulip);
    t.strictSame((JSON.parse(batch.body) as Reply[]).map(resultOrCode), [
      50_001,
      'ACCESS_DENIED',
      'ACCESS_DENIED',
    ]);
    t.ok(fixture.functions.calls.every(({ caller }) => caller.role === 'webfront'));
  },
);

t.test(
  'after ten failures logins are delayed, except with credentials that were verified before',
  async (t) => {
    const fixture = await startApi(t);
    const good = () => post(fixture, callText('Echo', [1]));
    const guess = (n: number) =>
      post(fixture, callText('Echo', [1]), [basicLine(OWNER.username, `guess ${n}`)]);
    t.equal((await good()).status, 200);
    const plain = await Promise.all(Array.from({ length: 10 }, (_, n) => guess(n)));
    t.ok(plain.every(({ status }) => status === 401));
    const order: string[] = [];
    const note = (name: string) => (response: RawResponse) => void order.push(`${name} ${response.status}`);
    await Promise.all([guess(11).then(note('guess')), good().then(note('good'))]);
    t.strictSame(order, ['good 200', 'guess 401']);
    const flood = await Promise.race(Array.from({ length: 40 }, (_, n) => guess(100 + n)));
    t.strictSame([flood.status, errorCodeOf(flood)], [429, 'TOO_MANY_REQUESTS']);
    t.ok(flood.headers['retry-after']);
    t.equal((await good()).status, 200);
    const messages = fixture.log.lines.filter((line) => line.includes('wrong user name or password'));
    t.equal(messages.length, 2, 'the first and the tenth');
    t.notOk(
      fixture.log.lines.some((line) => /guess|swordfish|Basic/.test(line)),
      'the log has no password',
    );
  },
);

t.test('only known hosts and origins are accepted', async (t) => {
  const fixture = await startApi(t, {
    allowedOrigins: ['https://panel.example', 'null'],
    allowedHosts: ['gateway.example'],
  });
  const from = (...headers: string[]) => post(fixture, callText('Echo', [1]), [ownerLine, ...headers]);
  for (const good of [
    'localhost:3777',
    '127.0.0.1',
    '[::1]:3777',
    '192.168.1.7',
    'gateway.example',
    'GATEWAY.example.',
  ])
    t.equal((await from(`Host: ${good}`)).status, 200, good);
  const bad = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'gateway.example@evil',
    '[::1',
    '',
  ];
  for (const host of bad) {
    const rejected = await from(`Host: ${host}`);
    t.strictSame([rejected.status, errorCodeOf(rejected)], [403, 'HOST_REFUSED'], host);
  }
  t.equal(
    (await from('Host: localhost:3777', 'Origin: https://localhost:3777')).status,
    200,
    'behind a TLS proxy',
  );
  const cross = await from('Host: localhost', 'Origin: http://localhost:8080');
  t.strictSame([cross.status, errorCodeOf(cross)], [403, 'ORIGIN_REFUSED']);
  const hint = 'add "http://localhost:8080" to api.allowedOrigins';
  t.ok(
    fixture.log.lines.some((line) => line.includes(hint)),
    'the log names the key',
  );
  const allowed = await from('Origin: https://panel.example');
  t.strictSame(
    [allowed.status, allowed.headers['access-control-allow-origin']],
    [200, 'https://panel.example'],
  );
  t.equal(allowed.headers['vary'], 'Origin');
  t.equal((await from()).headers['access-control-allow-origin'], undefined);
  const rejected = await post(fixture, callText('Echo', [1]), ['Origin: null']);
  t.strictSame([rejected.status, rejected.headers['access-control-allow-origin']], [401, 'null']);
  const preflight = (origin: string) =>
    exchangeRaw(
      fixture,
      `OPTIONS /api/ HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
    );
  const yes = await preflight('https://panel.example');
  t.strictSame(
    [yes.status, yes.headers['access-control-allow-headers']],
    [204, 'Authorization, Content-Type'],
  );
  t.equal((await preflight('https://evil.example')).status, 403);
});

t.test('a changed password applies immediately, to open connections too', async (t) => {
  const fixture = await startApi(t);
  await using connection = await RawConnection.open(fixture.port);
  const text = rawPost({ port: fixture.port, headers: [ownerLine], body: callText('Echo', [1]) });
  connection.write(text);
  t.equal((await connection.response()).status, 200);
  await fixture.api.reload({ ...fixture.options, remoteAccess: { ...OWNER, password: 'other' } });
  connection.write(text);
  t.equal((await connection.response()).status, 401);
});
