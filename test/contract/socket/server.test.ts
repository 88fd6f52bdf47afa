import { writeFile } from 'node:fs/promises';
import { connect as connectTcp, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { connect as connectTls } from 'node:tls';
import { MIN_SILENT_MS } from '../../../drivers/socket/server-clients.js';
import { STALL_TIMEOUT_MS } from '../../../drivers/socket/tcp-connection.js';
import { socketModules } from '../../../drivers/socket/index.js';
import { listenTcp } from '../../../drivers/socket/tcp-server.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { testCertificate } from '../../tools/test-certificate.js';
import { type Clock, ManualClock, systemClock } from '../../../src/base/clock.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { systemResolver } from '../../../src/device/toolkit/system-resolver.js';
import { until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { TcpClient } from './tcp-client.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

const MODULES = [...socketModules(), ...serialModules(new SimulatedPorts())];

const DEVICE = {
  Rules: [{ Pattern: '^(?<NAME>\\w+)=(?<VALUE>[0-9.]+)$', Ident: 'VALUE', Type: 'float' }],
  Commands: [{ Ident: 'LEVEL', Type: 'integer', Send: 'LEVEL {value}\\n' }],
};

const noIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'))
  ? false
  : 'this machine has no IPv6';

interface Served {
  readonly port: number;
  readonly server: Instance;
  readonly device: Instance;
}

/** An open server socket with a Serial Device on it. */
async function serve(fixture: DeviceFixture, properties: Record<string, unknown> = {}): Promise<Served> {
  const port = await reservePort();
  const server = await fixture.add('Server Socket', { Port: port, ...properties });
  const device = await fixture.add('Serial Device', DEVICE, server);
  await fixture.waitForLink(device, 'online');
  return { port, server, device };
}

/** Waits until the server has this number of clients. */
const clients = (fixture: DeviceFixture, server: Instance, count: number) =>
  until(`${count} clients`, () => fixture.devices.knownDevices(server.id).length === count);

const status = (fixture: DeviceFixture, instance: Instance, words: RegExp) =>
  until(`${words}, now ${fixture.status(instance)}`, () => words.test(fixture.status(instance)));

await t.test('texts go to all clients, packets to one, and data of any client is received', async (t) => {
  await using fixture = new DeviceFixture(MODULES);
  const { port, server, device } = await serve(fixture);
  await t.rejects(fixture.call('SSCK_SendText', server.id, 'x'), {
    code: 'DEVICE_OFFLINE',
    message: /no client is connected/,
  });
  await t.rejects(
    fixture.devices.write(device.id, 'LEVEL', 1),
    { code: 'DEVICE_OFFLINE' },
    'a command without a client',
  );
  using one = await TcpClient.connect(port);
  using two = await TcpClient.connect(port);
  await clients(fixture, server, 2);
  one.say('a=1\n');
  await fixture.waitForValue(device, 'VALUE', 1);
  two.say('b=2\r\n');
  await fixture.waitForValue(device, 'VALUE', 2);
  t.equal(await fixture.call('SSCK_SendText', server.id, 'all\xff'), true);
  await Promise.all([one.hears('all\xff'), two.hears('all\xff')]);
  t.equal(await fixture.call('SSCK_SendPacket', server.id, '!', '127.0.0.1', two.port), true);
  await two.hears('all\xff!');
  t.equal(one.heard(), 'all\xff', 'not to the other');
  await fixture.devices.write(device.id, 'LEVEL', 3);
  await Promise.all([one.hears('all\xffLEVEL 3\n'), two.hears('all\xff!LEVEL 3\n')]);
  await t.rejects(fixture.call('SSCK_SendPacket', server.id, 'x', '127.0.0.2', two.port), {
    code: 'DEVICE_OFFLINE',
    message: /no client 127\.0\.0\.2:\d+ is connected/,
  });
  await t.rejects(fixture.call('SSCK_SendPacket', server.id, '€', '127.0.0.1', two.port), {
    code: 'CANNOT_CONVERT',
  });
  const known = fixture.devices.knownDevices(server.id);
  t.match(known, [
    { ClientIP: '127.0.0.1', ClientPort: one.port, BytesReceived: 4 },
    { ClientPort: two.port },
  ]);
  two.socket.end();
  await clients(fixture, server, 1);
  await t.rejects(fixture.call('SSCK_SendPacket', server.id, 'x', '127.0.0.1', two.port), {
    code: 'DEVICE_OFFLINE',
  });
  t.same(fixture.devices.problems(server.id), [], 'a client that leaves is no problem');
});

await t.test(
  'data of concurrent clients does not mix, and incomplete data is discarded when one leaves',
  async (t) => {
    await using fixture = new DeviceFixture(MODULES);
    const { port, server, device } = await serve(fixture);
    using one = await TcpClient.connect(port);
    using two = await TcpClient.connect(port);
    await clients(fixture, server, 2);
    const received = () =>
      fixture.devices
        .knownDevices(server.id)
        .map((client) => (client as { BytesReceived: number }).BytesReceived);
    one.say('a=1');
    await until('the beginning of a line', () => received()[0] === 3);
    two.say('b=7\n');
    await fixture.waitForValue(device, 'VALUE', 7);
    one.say('5\n');
    await fixture.waitForValue(device, 'VALUE', 15);
    two.say('b=9');
    await until('another beginning', () => received()[1] === 7);
    two.socket.end();
    await clients(fixture, server, 1);
    one.say('a=16\n');
    await fixture.waitForValue(device, 'VALUE', 16);
    t.same(
      fixture.devices.knownDevices(device.id).map((frame) => (frame as { Frame: string }).Frame),
      ['a=16', 'a=15', 'b=7'],
    );
  },
);

await t.test('it listens on 127.0.0.1 by default, and reports why it cannot listen', async (t) => {
  await using fixture = new DeviceFixture(MODULES);
  const server = await fixture.add('Server Socket', {});
  t.match(fixture.status(server), /Port is 0/);
  t.equal(fixture.devices.property(server.id, 'BindIP'), '127.0.0.1');
  const port = await reservePort();
  await fixture.change(server, { Port: port });
  await fixture.waitForLink(server, 'online');
  const other = createServer();
  t.teardown(() => other.close());
  // Another address of this machine is free: nothing of the test listens there.
  await new Promise<void>((resolve, reject) => {
    other.once('error', reject);
    other.listen({ host: '127.0.0.2', port }, resolve);
  });
  await fixture.change(server, { BindIP: '127.0.0.2' });
  await status(fixture, server, /127\.0\.0\.2:\d+: another program uses this port/);
  await fixture.change(server, { BindIP: '192.0.2.1' });
  await status(fixture, server, /no interface of this machine has this address/);
  await fixture.change(server, { BindIP: '' });
  await status(fixture, server, /BindIP is empty/);
  await fixture.change(server, { BindIP: '127.0.0.1', UseSSL: true });
  await status(fixture, server, /UseSSL, CertificateFile and KeyFile must be set together/);
  await fixture.change(server, { UseSSL: false, Open: false });
  await status(fixture, server, /switched off/);
  await t.rejects(TcpClient.connect(port), { code: 'ECONNREFUSED' });
});

await t.test('clients above Limit are rejected, and this is reported', async (t) => {
  await using fixture = new DeviceFixture(MODULES);
  const { port, server, device } = await serve(fixture, { Limit: 2 });
  using one = await TcpClient.connect(port);
  using two = await TcpClient.connect(port);
  await clients(fixture, server, 2);
  using three = await TcpClient.connect(port);
  await three.ends();
  await status(fixture, server, /2 clients are connected, the one at 127\.0\.0\.1 was rejected; raise Limit/);
  one.say('a=1\n');
  await fixture.waitForValue(device, 'VALUE', 1);
  two.socket.end();
  await clients(fixture, server, 1);
  using four = await TcpClient.connect(port);
  await clients(fixture, server, 2);
  four.say('a=4\n');
  await fixture.waitForValue(device, 'VALUE', 4);
  t.equal(one.isGone, false);
});

await t.test('silent clients are dropped for new ones', async (t) => {
  const clock = new ManualClock();
  await using fixture = new DeviceFixture(MODULES, clock);
  const { port, server, device } = await serve(fixture, { Limit: 3 });
  const other = (to: number) => connectTcp({ port: to, host: '127.0.0.1', localAddress: '127.0.0.2' });
  using meter = await TcpClient.connect(port, other);
  await clients(fixture, server, 1);
  using one = await TcpClient.connect(port);
  using two = await TcpClient.connect(port);
  await clients(fixture, server, 3);
  clock.advance(MIN_SILENT_MS - 1);
  using early = await TcpClient.connect(port);
  await early.ends();
  one.say('a=1\n');
  await fixture.waitForValue(device, 'VALUE', 1);
  clock.advance(1);
  using late = await TcpClient.connect(port);
  await two.ends();
  late.say('a=2\n');
  await fixture.waitForValue(device, 'VALUE', 2);
  t.equal(meter.isGone, false, 'of the address with most clients');
  t.equal(one.isGone, false, 'it has sent something');
  await status(fixture, server, /a client was dropped: .* was silent for longest/);
});

await t.test('a client that stops reading does not block the others, and is dropped', async (t) => {
  const clock = new ManualClock();
  await using fixture = new DeviceFixture(MODULES, clock);
  const { port, server, device } = await serve(fixture);
  using slow = await TcpClient.connect(port);
  using quick = await TcpClient.connect(port);
  await clients(fixture, server, 2);
  slow.socket.pause();
  const text = 'x'.repeat(100_000);
  let sent = 0;
  await until('the slow one to be behind', async () => {
    await fixture.call('SSCK_SendText', server.id, text);
    sent += text.length;
    return fixture.devices.knownDevices(server.id).length === 1;
  });
  await until('all of it at the fast one', () => quick.heard().length === sent);
  await status(fixture, server, /a client was dropped: .* is too slow: \d+ bytes are queued/);
  t.equal(quick.isGone, false);

  using deaf = await TcpClient.connect(port);
  await clients(fixture, server, 2);
  deaf.socket.pause();
  const sends: Promise<unknown>[] = [];
  await until('a rejected packet', async () => {
    const sending = fixture.call('SSCK_SendPacket', server.id, text, '127.0.0.1', deaf.port);
    const outcome = sending.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    sends.push(outcome);
    const turn = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
    return Promise.race([outcome, turn]);
  });
  t.equal(fixture.devices.knownDevices(server.id).length, 2, 'it may recover');
  clock.advance(STALL_TIMEOUT_MS);
  await clients(fixture, server, 1);
  const failed = (await Promise.all(sends)).filter((outcome) => outcome !== undefined);
  t.ok(failed.length >= 2, 'those that waited failed');
  for (const outcome of failed)
    t.match(outcome, { code: 'DEVICE_OFFLINE', message: /is too slow|has stopped reading/ });
  quick.say('a=5\n');
  await fixture.waitForValue(device, 'VALUE', 5);
});

await t.test('a silent client is dropped after IdleS', async (t) => {
  const clock = new ManualClock();
  await using fixture = new DeviceFixture(MODULES, clock);
  const { port, server, device } = await serve(fixture, { IdleS: 6 });
  using silent = await TcpClient.connect(port);
  using chatty = await TcpClient.connect(port);
  await clients(fixture, server, 2);
  clock.advance(4000);
  chatty.say('a=1\n');
  await fixture.waitForValue(device, 'VALUE', 1);
  clock.advance(3000);
  await silent.ends();
  await clients(fixture, server, 1);
  await status(fixture, server, /was silent for 6 s/);
  t.equal(chatty.isGone, false);
});

await t.test('TLS works, and closing releases everything', async (t) => {
  const directory = await tempDirectory(t);
  const at = (name: string) => join(directory, name);
  const { certificate, key } = testCertificate('localhost');
  await Promise.all([writeFile(at('c.pem'), certificate), writeFile(at('k.pem'), key)]);
  await using fixture = new DeviceFixture(MODULES);
  const tls = { UseSSL: true, CertificateFile: at('c.pem'), KeyFile: at('k.pem') };
  const { port, server, device } = await serve(fixture, tls);
  using guest = await TcpClient.connect(port, (to) =>
    connectTls({ port: to, host: '127.0.0.1', servername: 'localhost', ca: certificate }),
  );
  await clients(fixture, server, 1);
  guest.say('a=2\n');
  await fixture.waitForValue(device, 'VALUE', 2);
  await fixture.call('SSCK_SendText', server.id, 'hello');
  await guest.hears('hello');
  using plain = await TcpClient.connect(port);
  plain.say('GET / HTTP/1.1\r\n\r\n');
  await plain.ends();
  await status(fixture, server, /the TLS handshake of the client at 127\.0\.0\.1 failed/);
  using mute = await TcpClient.connect(port);
  await fixture.change(server, { KeyFile: at('c.pem') });
  await status(fixture, server, /CertificateFile and KeyFile do not work/);
  await Promise.all([guest.ends(), mute.ends()]);
  await fixture.change(server, { KeyFile: at('none.pem') });
  await status(fixture, server, /KeyFile cannot be read: ENOENT/);
});

await t.test('a renewed certificate is used for the next connections, and open ones stay', async (t) => {
  const directory = await tempDirectory(t);
  const [CertificateFile, KeyFile] = [join(directory, 'c.pem'), join(directory, 'k.pem')];
  const [first, second] = [testCertificate('localhost'), testCertificate('localhost')];
  await writeFile(CertificateFile, first.certificate);
  await writeFile(KeyFile, first.key);
  // Time passes for the renewal only: the connections are real.
  const real = systemClock();
  const everyMinute: (() => void)[] = [];
  const passMinute = () => everyMinute.forEach((callback) => callback());
  const clock: Clock = {
    ...real,
    every(ms, callback) {
      if (ms !== 60_000) return real.every(ms, callback);
      everyMinute.push(callback);
      return () => undefined;
    },
  };
  await using fixture = new DeviceFixture(MODULES, clock);
  const { port, server, device } = await serve(fixture, { UseSSL: true, CertificateFile, KeyFile });
  const trusting = (ca: string) =>
    TcpClient.connect(port, (to) => connectTls({ port: to, host: '127.0.0.1', servername: 'localhost', ca }));
  using guest = await trusting(first.certificate);
  await clients(fixture, server, 1);

  // Between the writes of both files, they do not fit.
  await writeFile(CertificateFile, second.certificate);
  passMinute();
  await status(fixture, server, /the renewed certificate cannot be used: CertificateFile and KeyFile/);
  using another = await trusting(first.certificate);
  await clients(fixture, server, 2);

  await writeFile(KeyFile, second.key);
  passMinute();
  await until('no problem', () => !/renewed/.test(fixture.status(server)));
  using later = await trusting(second.certificate);
  await clients(fixture, server, 3);
  for (const [value, client] of [guest, another, later].entries()) {
    client.say(`a=${value + 5}\n`);
    await fixture.waitForValue(device, 'VALUE', value + 5);
  }
});

await t.test(
  'IPv4 clients of a dual-stack socket are identified by their IPv4 addresses',
  { skip: noIPv6 },
  async (t) => {
    await using fixture = new DeviceFixture(MODULES);
    const { port, server } = await serve(fixture, { BindIP: '::' });
    using guest = await TcpClient.connect(port);
    await clients(fixture, server, 1);
    t.match(fixture.devices.knownDevices(server.id), [{ ClientIP: '127.0.0.1', ClientPort: guest.port }]);
    await fixture.call('SSCK_SendPacket', server.id, 'x', '::ffff:127.0.0.1', guest.port);
    await guest.hears('x');
  },
);

await t.test('handshakes that closing interrupts are not reported', async (t) => {
  const directory = await tempDirectory(t);
  const { certificate, key } = testCertificate('localhost');
  const [certificateFile, keyFile] = [join(directory, 'server.pem'), join(directory, 'server.key')];
  await writeFile(certificateFile, certificate);
  await writeFile(keyFile, key);
  const messages: string[] = [];
  const port = await reservePort();
  const server = await listenTcp(
    {
      address: '127.0.0.1',
      port,
      limit: 2,
      tls: { certificateFile, keyFile },
      names: systemResolver(new ManualClock()),
    },
    {
      onConnection: () => messages.push('joined'),
      makeRoom: () => false,
      onRejected: () => messages.push('refused'),
      onTlsError: (_from, why) => messages.push(why),
      onLost: () => messages.push('lost'),
    },
  );
  using wrong = await TcpClient.connect(port);
  wrong.say('not TLS\n');
  await until('a problem', () => messages.length === 1);
  using silent = await TcpClient.connect(port);
  // The server has handled it when a later one was answered.
  using later = await TcpClient.connect(port, (to) =>
    connectTls({ port: to, host: '127.0.0.1', ca: certificate, servername: 'localhost' }),
  );
  await until('the later one', () => messages.length === 2);
  await server.close();
  await Promise.all([silent.ends(), later.ends()]);
  await new Promise((resolve) => setImmediate(resolve));
  t.match(messages, [/./, 'joined']);
  t.equal(messages.length, 2);
});
