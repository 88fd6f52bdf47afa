import { mkdir, readFile, rmdir, stat } from 'node:fs/promises';
import t, { type Test } from 'tap';
import type { ApiContext } from '../../../src/api/api-options.js';
import { isLoopback } from '../../../src/base/addresses.js';
import { ManualClock, systemClock } from '../../../src/base/clock.js';
import { systemResolver } from '../../../src/device/toolkit/system-resolver.js';
import { message } from '../../../src/kernel/messages.js';
import { postToPushService } from '../../../src/service/push-request.js';
import { exchangeRaw } from '../../tools/client/json-rpc.js';
import { PushReceiver, PushService } from '../../tools/client/push-service.js';
import { startApi, type ApiFixture } from '../../tools/gateway/api-fixture.js';
import { RawConnection } from '../../tools/client/raw-http.js';
import { until } from '../../tools/until.js';

const AREA = 50_001;

/** The part of the API that reaches a push service on loopback. */
function reaching(service: PushService): Pick<ApiContext, 'sendPush'> {
  const clock = systemClock();
  const test = { isAllowed: isLoopback, ca: service.ca };
  return { sendPush: (request) => postToPushService(request, { clock, names: systemResolver(clock), test }) };
}

/** A request of a page with its cookie. */
async function asked(port: number, [method, path]: readonly [string, string], more: Given = {}) {
  const body = more.body === undefined ? '' : JSON.stringify(more.body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Origin: ${more.origin ?? `http://127.0.0.1:${port}`}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(more.cookie === undefined ? [] : [`Cookie: ${more.cookie}`]),
  ];
  return exchangeRaw({ port }, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

interface Given {
  readonly cookie?: string;
  readonly origin?: string;
  readonly body?: object;
}

async function signIn({ port }: Pick<ApiFixture, 'port'>, device: string): Promise<string> {
  const body = { password: 'tulip', device };
  const { headers } = await asked(port, ['POST', `/wfc/${AREA}/session`], { body });
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** A browser that is signed in and subscribed. */
async function subscribed(fixture: Pick<ApiFixture, 'port'>, endpoint: string, language = 'en') {
  const receiver = new PushReceiver();
  const cookie = await signIn(fixture, 'Phone');
  const body = { endpoint, ...receiver.keys, language };
  const { status } = await asked(fixture.port, ['POST', `/wfc/${AREA}/push`], { cookie, body });
  return { receiver, cookie, status };
}

const popup = ({ kernel }: ApiFixture, ...data: unknown[]) =>
  kernel.changes.emit(AREA, message.WF_POPUP, data);

async function start(t: Test, parts: Partial<ApiContext> = {}) {
  const service = await PushService.start(t);
  return { service, fixture: await startApi(t, {}, { ...reaching(service), ...parts }) };
}

t.test('a message to the fronts reaches the browser that subscribed, and only it can read it', async (t) => {
  const { service, fixture } = await start(t);
  popup(fixture, 'Before', 'nobody has subscribed');
  const german = await subscribed(fixture, service.endpoint('/a'), 'de');
  t.equal(german.status, 204);
  const english = await subscribed(fixture, service.endpoint('/b'));
  fixture.kernel.changes.emit(50_002, message.WF_POPUP, ['Elsewhere', 'another area']);
  fixture.kernel.changes.emit(AREA, message.WF_RELOAD, []);
  fixture.kernel.changes.emit(AREA, message.WF_NOTIFICATION, ['', 'Text\u0007', '', 0, 'ring', 4711]);
  await until('both messages', () => service.received.length === 2);
  const at = (path: string) => service.received.find((one) => one.path === path);
  t.strictSame(german.receiver.read(at('/a')?.body ?? Buffer.of()), {
    title: 'Meldung',
    body: 'Text ',
    open: '#/object/4711',
  });
  t.match(english.receiver.read(at('/b')?.body ?? Buffer.of()), { title: 'Message' });
  t.throws(() => german.receiver.read(at('/b')?.body ?? Buffer.of()), 'not for the other browser');
  const { headers } = at('/a') ?? { headers: {} };
  t.match(headers, { ttl: /^\d+$/, 'content-encoding': 'aes128gcm', authorization: /^vapid t=.+, k=.+/ });
  popup(fixture, 'x'.repeat(1024), '"'.repeat(65_000));
  await until('the long message', () => service.received.length === 4);
  t.ok(service.received.every(({ body }) => body.length <= 4096));
});

t.test('a subscription needs a session and the own page, and ends with them', async (t) => {
  const { service, fixture } = await start(t);
  const { port } = fixture;
  const path = `/wfc/${AREA}/push`;
  const body = { endpoint: service.endpoint('/a'), ...new PushReceiver().keys };
  t.equal((await asked(port, ['GET', path])).status, 401);
  t.equal((await asked(port, ['POST', path], { body })).status, 401);
  t.equal((await asked(port, ['GET', '/wfc/1/push'])).status, 404);
  const cookie = await signIn(fixture, 'Phone');
  const origin = 'https://evil.example';
  t.equal((await asked(port, ['POST', path], { cookie, body, origin })).status, 403);
  for (const change of [{ endpoint: 'http://127.0.0.1/' }, { auth: 'x' }, { p256dh: 7 }])
    t.equal((await asked(port, ['POST', path], { cookie, body: { ...body, ...change } })).status, 400);
  t.match((await asked(port, ['GET', path], { cookie })).body, /"isSubscribed":false/);
  t.equal((await asked(port, ['POST', path], { cookie, body })).status, 204);
  t.match(
    (await asked(port, ['GET', path], { cookie })).body,
    /"publicKey":"B[\w-]{86}","isSubscribed":true/,
  );
  const [device] = fixture.api.pushDevices(AREA);
  t.match(device, { name: 'Phone', provider: 'WebPush' });
  for (const name of ['push.json', 'push-key.pem'])
    t.equal((await stat(`${fixture.directory}/${name}`)).mode & 0o777, 0o600, name);
  t.equal((await asked(port, ['DELETE', `/wfc/${AREA}/session`], { cookie })).status, 204);
  t.strictSame(fixture.api.pushDevices(AREA), [], 'signing out ends it');
  await until(
    'the file',
    async () => !(await readFile(`${fixture.directory}/push.json`, 'utf8')).includes('127'),
  );
  popup(fixture, 'Later', 'nobody');
  t.equal(service.received.length, 0);
});

t.test('a session that ends while the request arrives is not subscribed', async (t) => {
  const { service, fixture } = await start(t);
  const { port } = fixture;
  const cookie = await signIn(fixture, 'Phone');
  const body = JSON.stringify({ endpoint: service.endpoint('/a'), ...new PushReceiver().keys });
  const head = `POST /wfc/${AREA}/push HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n`;
  await using connection = await RawConnection.open(port);
  connection.write(
    `${head}Origin: http://127.0.0.1:${port}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 1)}`,
  );
  // The gateway looks up the session before it replies to a later request.
  t.equal((await asked(port, ['GET', `/wfc/${AREA}/push`], { cookie })).status, 200);
  t.equal((await asked(port, ['DELETE', `/wfc/${AREA}/session`], { cookie })).status, 204);
  connection.write(body.slice(1));
  t.equal((await connection.response()).status, 401);
  t.strictSame(fixture.api.pushDevices(AREA), []);
});

t.test('subscriptions survive a restart', async (t) => {
  const { service, fixture } = await start(t);
  const { receiver } = await subscribed(fixture, service.endpoint('/a'));
  await fixture.api.close();
  const again = await startApi(t, {}, { ...reaching(service), directory: fixture.directory });
  t.equal(again.api.pushDevices(AREA).length, 1);
  popup(again, 'Again', 'text');
  await until('the message', () => service.received.length === 1);
  t.match(receiver.read(service.received[0]?.body ?? Buffer.of()), { title: 'Again' });
});

t.test('a password that was changed while the gateway was off ends the subscriptions', async (t) => {
  const { service, fixture } = await start(t);
  await subscribed(fixture, service.endpoint('/a'));
  await fixture.api.close();
  const parts = { ...reaching(service), directory: fixture.directory };
  const changed = [...fixture.configurators.values()].map((one) => ({ ...one, password: 'petunia' }));
  const configurators = {
    get: (id: number) => changed.find((one) => one.id === id),
    all: () => changed,
  };
  const again = await startApi(t, {}, { ...parts, configurators });
  await until('the end of the subscription', () => again.api.pushDevices(AREA).length === 0);
  popup(again, 'Again', 'text');
  await again.api.close();
  t.equal(service.received.length, 0);
  t.notMatch(await readFile(`${fixture.directory}/push.json`, 'utf8'), '127.0.0.1', 'for good');
});

t.test('a key that could not be stored is created by a later request', async (t) => {
  const { fixture } = await start(t);
  const cookie = await signIn(fixture, 'Phone');
  const key = () => asked(fixture.port, ['GET', `/wfc/${AREA}/push`], { cookie });
  await mkdir(`${fixture.directory}/push-key.pem`);
  t.not((await key()).status, 200);
  await rmdir(`${fixture.directory}/push-key.pem`);
  t.equal((await key()).status, 200);
});

t.test('an ended subscription is removed, and a busy service is tried again a few times', async (t) => {
  const clock = new ManualClock(Date.now());
  const { service, fixture } = await start(t, { clock });
  await subscribed(fixture, service.endpoint('/a'));
  service.responses.push({ status: 503 }, { status: 429, headers: { 'Retry-After': '120' } });
  popup(fixture, 'Patience', 'text');
  await until('the first attempt', () => service.received.length === 1);
  const advanced = (ms: number, count: number) =>
    until(`attempt ${count}`, () => {
      if (service.received.length < count) clock.advance(ms);
      return service.received.length >= count;
    });
  await advanced(10_000, 2);
  await advanced(60_000, 3);
  service.responses.push({ status: 410 });
  popup(fixture, 'Gone', 'text');
  await until('the end of the subscription', () => fixture.api.pushDevices(AREA).length === 0);
  t.equal(service.received.length, 4);
});

t.test('a message that nobody accepts is discarded after three more attempts', async (t) => {
  const clock = new ManualClock(Date.now());
  let attempts = 0;
  const sendPush = () => {
    attempts += 1;
    return Promise.reject(new Error('no network'));
  };
  const { service, fixture } = await start(t, { clock, sendPush });
  await subscribed(fixture, service.endpoint('/a'));
  for (let index = 0; index < 20; index++) popup(fixture, 'Storm', 'text');
  await until('the first attempts', () => attempts === 16);
  const discarded = () => fixture.log.lines.filter((line) => line.includes('could not be delivered')).length;
  await until('the last attempts', () => {
    clock.advance(60_000);
    return discarded() === 16;
  });
  t.equal(attempts, 4 * 16);
});

t.test('the home network is not reached through an endpoint', async (t) => {
  const service = await PushService.start(t);
  const clock = systemClock();
  const send = (endpoint: string) =>
    postToPushService({ endpoint, headers: {}, body: Buffer.of() }, { clock, names: systemResolver(clock) });
  await t.rejects(send(service.endpoint('/a')), { code: 'URL_FAILED' }, 'another port');
  for (const host of ['127.0.0.1', '[::1]', 'localhost', '192.168.1.1', '0x7f000001', '[::ffff:10.0.0.1]'])
    await t.rejects(send(`https://${host}/`), { code: 'URL_FAILED' }, host);
  t.equal(service.received.length, 0);
});
