/** The module MQTT Server: users, topic permissions, TLS, limits and what is kept, with the process of the broker. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { mqttServerUser } from '../../../drivers/mqtt/server/mqtt-server-user.js';
import { hashPassword } from '../../../src/base/credentials/password-hash.js';
import { ManualClock } from '../../../src/base/clock.js';
import { ServerFixture } from '../../tools/broker/server-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { testCertificate } from '../../tools/test-certificate.js';
import { until, withinPatience } from '../../tools/until.js';

/** A client, closed with the test. */
async function connected(t: Test, url: string, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync(url, { reconnectPeriod: 0, protocolVersion: 4, ...options });
  t.teardown(() => client.endAsync(true));
  client.on('error', () => undefined);
  return client;
}

function recorded(client: MqttClient): string[] {
  const heard: string[] = [];
  client.on('message', (topic, payload, { retain }) =>
    heard.push(`${topic}=${payload.toString()}${retain ? ' (retained)' : ''}`),
  );
  return heard;
}

const USER = { UserName: 'one', Password: 'long enough', PasswordHash: '', Read: ['#'], Write: ['#'] };

const login = (name: string, more: IClientOptions = {}): IClientOptions => ({
  username: name,
  password: `secret of ${name}`,
  ...more,
});

t.test('without users, the server only listens on this machine', async (t) => {
  const clock = new ManualClock();
  await using fixture = await ServerFixture.create(await tempDirectory(t), { clock });
  const server = await fixture.add({ BindIP: '0.0.0.0' });
  await until('the reason', () =>
    /without users, the server only listens on 127\.0\.0\.1: create/.test(fixture.devices.status(server)),
  );
  t.match(fixture.devices.devices.problems(server.id)[0], { text: /without users/ });
  await t.rejects(connectAsync(fixture.url, { reconnectPeriod: 0 }), { code: 'ECONNREFUSED' });
  const user = await fixture.devices.add(
    'MQTT Server User',
    { UserName: 'plug', Password: 'secret of plug' },
    server,
  );
  // Once: the process starts in real time.
  clock.advance(31_000);
  await fixture.devices.waitForLink(user, 'online');
  await t.rejects(connected(t, fixture.url), { code: 4 }, 'without a login');
  await connected(t, fixture.url, login('plug'));
  await fixture.devices.waitForValue(user, 'CLIENTS', 1);
  await fixture.devices.devices.delete(user.id);
  clock.advance(10_000);
  await fixture.devices.waitForLink(server, 'waiting');
  await t.rejects(
    connectAsync(fixture.url, { reconnectPeriod: 0 }),
    { code: 'ECONNREFUSED' },
    'the last user is gone',
  );
});

t.test('users log in with a password or a hash, and change while the server runs', async (t) => {
  await using fixture = await ServerFixture.start(await tempDirectory(t));
  await connected(t, fixture.url, { clientId: 'guest' });
  const plain = await fixture.addUser('plug');
  const anonymous = await connectAsync(fixture.url, { reconnectPeriod: 0 }).catch(
    (thrown: unknown) => thrown,
  );
  t.match(anonymous, { code: 4 }, 'with the first user, everybody needs a login');
  await fixture.addUser('lamp', { Password: '', PasswordHash: await hashPassword('a long secret') });
  const lamp = await connected(t, fixture.url, { username: 'lamp', password: 'a long secret' });
  await t.rejects(connected(t, fixture.url, { username: 'lamp', password: 'wrong' }), { code: 4 });
  await t.rejects(connected(t, fixture.url, { username: 'nobody', password: '' }), { code: 4 });
  t.equal(fixture.devices.devices.property(plain.id, 'Password'), '***');
  const twin = await fixture.devices.add(
    'MQTT Server User',
    { UserName: 'plug', Password: 'another one' },
    fixture.server,
  );
  await until('the reason', () => /has another user plug/.test(fixture.devices.status(twin)));
  await fixture.devices.devices.delete(twin.id);
  const plug = await connected(t, fixture.url, login('plug'));
  const closed = new Promise<void>((resolve) => plug.once('close', () => resolve()));
  await fixture.devices.change(plain, { Password: 'a new secret' });
  await withinPatience('the end of the connection', closed);
  await t.rejects(connected(t, fixture.url, login('plug')), { code: 4 });
  await connected(t, fixture.url, { username: 'plug', password: 'a new secret' });
  t.ok(lamp.connected, 'other users stay connected');
  for (const [properties, words] of [
    [{ UserName: '' }, /UserName is empty/],
    [{ PasswordHash: 'x' }, /either Password or PasswordHash/],
    [{ Password: '', PasswordHash: 'x' }, /not a hash/],
    [{ Read: ['a/#/b'] as string[] }, /must be a complete level/],
  ] as const)
    t.match(String(mqttServerUser.check?.({ ...USER, ...properties })), words);
});

t.test('a client that logs in while its password is changed does not stay', async (t) => {
  await using fixture = await ServerFixture.start(await tempDirectory(t));
  const plug = await fixture.addUser('plug');
  await connected(t, fixture.url, login('plug'));
  const closed: Promise<unknown>[] = [];
  const attempts = Array.from({ length: 40 }, async () => {
    const client = await connectAsync(fixture.url, login('plug', { reconnectPeriod: 0 })).catch(
      () => undefined,
    );
    if (client !== undefined)
      closed.push(new Promise<void>((resolve) => client.once('close', () => resolve())));
  });
  await Promise.any(attempts);
  await fixture.devices.change(plug, { Password: 'a new secret' });
  await Promise.all(attempts);
  await withinPatience('the end of all connections', Promise.all(closed));
  t.ok(closed.length > 0, `${closed.length} had logged in`);
  await connected(t, fixture.url, { username: 'plug', password: 'a new secret' });
});

t.test('topic permissions apply to publishing, subscriptions, retained messages and wills', async (t) => {
  await using fixture = await ServerFixture.start(await tempDirectory(t));
  await fixture.addUser('plug', { Read: ['plug/set'], Write: ['plug/+'] });
  await fixture.addUser('all', { Read: ['#', '$SYS/#'] });
  const all = await connected(t, fixture.url, login('all'));
  const heard = recorded(all);
  await all.subscribeAsync('#', { qos: 1 });
  const plug = await connected(
    t,
    fixture.url,
    login('plug', { will: { topic: 'door/open', payload: Buffer.from('1'), qos: 1, retain: true } }),
  );
  const seen = recorded(plug);
  const [granted] = await plug.subscribeAsync(['#'], { qos: 1 });
  t.equal(granted?.qos, 1, 'a part of it is permitted');
  await t.rejects(plug.subscribeAsync('door/#'), 'nothing of it is');
  await plug.publishAsync('plug/state', 'on', { qos: 1, retain: true });
  await plug.publishAsync('door/open', '1', { qos: 1, retain: true });
  await plug.publishAsync('$SYS/broker/new/clients', 'all', { qos: 1 });
  await all.publishAsync('plug/set', 'off', { qos: 1, retain: true });
  await all.publishAsync('plug/state', 'off', { qos: 1 });
  await until('the command', () => seen.length > 0);
  plug.stream.destroy();
  await until('what the plug published', () => heard.length >= 3);
  await all.publishAsync('last', '', { qos: 1 });
  await until('the last', () => heard.includes('last='));
  t.strictSame(
    heard,
    ['plug/state=on', 'plug/set=off', 'plug/state=off', 'last='],
    'neither the door nor the will',
  );
  t.strictSame(seen, ['plug/set=off']);
  const again = await connected(t, fixture.url, login('plug'));
  const retained = recorded(again);
  await again.subscribeAsync('#', { qos: 1 });
  await all.publishAsync('plug/set', 'now', { qos: 1 });
  await until('the present one', () => retained.includes('plug/set=now'));
  t.strictSame(retained, ['plug/set=off (retained)', 'plug/set=now']);
});

t.test('a client identifier and its session belong to their user', async (t) => {
  await using fixture = await ServerFixture.start(await tempDirectory(t));
  await fixture.addUser('one');
  await fixture.addUser('two');
  const one = await connected(t, fixture.url, login('one', { clientId: 'panel', clean: false }));
  await t.rejects(connected(t, fixture.url, login('two', { clientId: 'panel' })), { code: 2 });
  await one.subscribeAsync('a', { qos: 1 });
  await one.endAsync();
  await t.rejects(connected(t, fixture.url, login('two', { clientId: 'panel', clean: false })), { code: 2 });
  await connected(t, fixture.url, login('one', { clientId: 'panel' }));
});

t.test('it speaks MQTT 3.1.1 and says so to clients of MQTT 5', async (t) => {
  await using fixture = await ServerFixture.start(await tempDirectory(t));
  await t.rejects(connected(t, fixture.url, { protocolVersion: 5 }), { message: /protocol version/i });
  await connected(t, fixture.url);
  const gateway = await fixture.devices.add('MQTT Client', { Url: fixture.url, ProtocolVersion: 5 });
  await until('the advice', () => /set ProtocolVersion to 4/.test(fixture.devices.status(gateway)));
  await fixture.devices.change(gateway, { ProtocolVersion: 4 });
  await fixture.devices.waitForLink(gateway, 'online');
});

t.test('TLS with the certificate of the own authority, or with files that may be renewed', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock();
  await using fixture = await ServerFixture.create(directory, { clock });
  await fixture.devices.waitForLink(await fixture.add({ UseSSL: true }), 'online');
  const { pem = '' } = fixture.authority.certificate ?? {};
  const url = `mqtts://localhost:${fixture.port}`;
  await connected(t, url, { ca: [pem] });
  await t.rejects(connected(t, url), { code: /SELF_SIGNED|UNABLE_TO/ });
  const plain = connectTcp(fixture.port, '127.0.0.1').resume();
  plain.write('without TLS');
  await once(plain, 'close');
  const [first, second] = [testCertificate('localhost'), testCertificate('localhost')];
  const files = { CertificateFile: join(directory, 'cert.pem'), KeyFile: join(directory, 'key.pem') };
  const write = async ({ certificate, key }: typeof first) => {
    await writeFile(files.CertificateFile, certificate);
    await writeFile(files.KeyFile, key);
  };
  await write(first);
  await fixture.devices.change(fixture.server, files);
  await fixture.devices.waitForLink(fixture.server, 'online');
  t.equal(await presented(fixture.port), fingerprintOf(first.certificate));
  const client = await connected(t, url, { ca: [first.certificate] });
  await write(second);
  clock.advance(60_000);
  await until(
    'the renewed certificate',
    async () => (await presented(fixture.port)) === fingerprintOf(second.certificate),
  );
  t.ok(client.connected, 'open connections stay');
});

const fingerprintOf = (cert: string): string => new X509Certificate(cert).fingerprint256;

/** The certificate that a server presents. */
function presented(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      { port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false },
      () => {
        resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
        socket.destroy();
      },
    );
    socket.once('error', reject);
  });
}

t.test('the clients of a user are counted, whatever its name is', async (t) => {
  await using fixture = await ServerFixture.start(await tempDirectory(t));
  for (const name of ['constructor', '__proto__']) {
    const user = await fixture.addUser(name);
    await connected(t, fixture.url, login(name));
    await fixture.devices.waitForValue(user, 'CLIENTS', 1);
    t.equal(fixture.devices.value(user, 'CLIENTS'), 1);
  }
});
