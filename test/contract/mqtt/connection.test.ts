import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { ConnectOptions } from '../../../drivers/mqtt/broker.js';
import { NetworkConnector } from '../../../drivers/mqtt/network-connection.js';
import { PACKET_LIMIT } from '../../../drivers/mqtt/packet-reader.js';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import { PUBLISH_DEADLINE_MS } from '../../../drivers/mqtt/subscription-router.js';
import { ManualClock } from '../../../src/base/clock.js';
import { isAbort } from '../../../src/base/fault.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { certificatesIn } from '../../tools/devices/signed-certificates.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { testCertificate } from '../../tools/test-certificate.js';
import { hasProgram } from '../../tools/program.js';
import { withinPatience, until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { aedesTestBroker, fakeTestBroker, mosquittoTestBroker, OPTIONS } from './brokers.js';
import { mqttContract } from './suite.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';
const skipTls = skip || (hasProgram('openssl') ? false : 'openssl is not installed (Debian package openssl)');
const run = promisify(execFile);

await mqttContract(t, 'simulated broker, MQTT 3.1.1', () => fakeTestBroker(4));
await mqttContract(t, 'simulated broker, MQTT 5', () => fakeTestBroker(5));
await mqttContract(t, 'aedes, MQTT 3.1.1', aedesTestBroker);
await t.test('mosquitto', { skip }, async (t) => {
  await mqttContract(t, 'MQTT 3.1.1', () => mosquittoTestBroker(4));
  await mqttContract(t, 'MQTT 5', () => mosquittoTestBroker(5));
});

async function connect(
  options: Partial<ConnectOptions>,
  signal = new AbortController().signal,
): Promise<void> {
  const listener = { onMessage: () => undefined, onLost: () => undefined };
  const connection = await new NetworkConnector().connect(
    { ...OPTIONS, url: '', version: 4, ...options },
    listener,
    signal,
  );
  await connection.close();
}

await t.test('mosquitto with users', { skip }, async (t) => {
  const directory = await tempDirectory(t);
  const file = join(directory, 'passwords');
  await run('mosquitto_passwd', ['-b', '-c', file, 'gateway', 'tulip'], {
    env: { PATH: '/usr/bin:/usr/sbin' },
  });
  const lines = ['allow_anonymous false', `password_file ${file}`];
  await using broker = await startMosquitto({ directory, lines });
  const url = `mqtt://127.0.0.1:${broker.port}`;
  for (const version of [4, 5] as const) {
    await connect({ url, version, userName: 'gateway', password: 'tulip' });
    await t.rejects(connect({ url, version, userName: 'gateway', password: 'rose' }), {
      code: 'DEVICE_OFFLINE',
      message: /rejected the user gateway; correct UserName and Password/,
    });
    await t.rejects(connect({ url, version }), { message: /requires a login/ });
  }
  await using fixture = new DeviceFixture(mqttModules());
  const client = await fixture.add('MQTT Client', { Url: url, UserName: 'gateway', Password: 'rose' });
  await until('the reason', () => /correct UserName/.test(fixture.status(client)));
  t.notMatch(fixture.status(client), /rose/, 'a password is not shown');
  t.equal(fixture.devices.property(client.id, 'Password'), '***');
  await fixture.change(client, { Password: 'tulip' });
  await fixture.waitForLink(client, 'online');
});

await t.test('mosquitto over TLS and WebSocket', { skip: skipTls }, async (t) => {
  const directory = await tempDirectory(t);
  const { at, certificate } = certificatesIn(directory);
  await certificate('ca', '/CN=Test authority', 'basicConstraints=critical,CA:TRUE');
  await certificate('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
  await certificate('client', '/CN=gateway', 'basicConstraints=CA:FALSE');
  const [secure, web] = [await reservePort(), await reservePort()];
  const tls = [`cafile ${at('ca.pem')}`, `certfile ${at('server.pem')}`, `keyfile ${at('server.key')}`];
  const lines = [
    `listener ${secure} 127.0.0.1`,
    ...tls,
    'require_certificate true',
    'use_identity_as_username true',
    `listener ${web} 127.0.0.1`,
    'protocol websockets',
  ];
  await using broker = await startMosquitto({ directory, lines });
  const url = `mqtts://localhost:${secure}`;
  const files = { caFile: at('ca.pem'), certificateFile: at('client.pem'), keyFile: at('client.key') };
  await connect({ url, ...files });
  await broker.program.waitFor(/u'gateway'/);
  await certificate('client', '/CN=renewed', 'basicConstraints=CA:FALSE');
  await connect({ url, ...files });
  await broker.program.waitFor(/u'renewed'/);
  await connect({ url: `ws://127.0.0.1:${web}` });
  const bare = { ...files, caFile: '' };
  await t.rejects(connect({ url, ...bare }), {
    code: 'DEVICE_CONFIGURATION',
    message: /set CaFile to/,
  });
  await t.rejects(connect({ url: `mqtts://127.0.0.1:${secure}`, ...files }), { message: /for another name/ });
  await t.rejects(
    connect({ url, caFile: files.caFile }),
    { code: 'DEVICE_OFFLINE' },
    'without a client certificate',
  );
  await t.rejects(connect({ url, ...files, caFile: '/nowhere' }), {
    message: /CaFile cannot be read: ENOENT/,
  });
  await t.rejects(connect({ url: `mqtts://127.0.0.1:${web}` }), { message: /does not use TLS/ });
});

/** A server that sends CONNACK, and then whatever a test requires; closed with the test. */
async function server(t: Test, reply: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const listening = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => reply(socket));
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    listening.close();
  });
  return `mqtt://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

const CONNACK = Buffer.from([0x20, 2, 0, 0]);

await t.test('every failure to connect is described in words', async (t) => {
  const port = await reservePort();
  await t.rejects(connect({ url: `mqtt://127.0.0.1:${port}` }), {
    code: 'DEVICE_OFFLINE',
    message: /no program listens/,
  });
  await t.rejects(connect({ url: 'mqtt://broker.invalid' }), { message: /unknown host name/ });
  const silent = await server(t, () => undefined);
  const given = new AbortController();
  const connecting = connect({ url: silent }, given.signal).catch((thrown: unknown) => thrown);
  given.abort();
  t.ok(isAbort(await withinPatience('cancelling', connecting)), 'cancelling during a silent handshake');
  const closing = await server(t, (socket) => socket.end());
  await t.rejects(connect({ url: closing }), { message: /closed the connection before it replied/ });
  const web = await server(t, (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await t.rejects(connect({ url: web }), { code: 'DEVICE_OFFLINE' }, 'not MQTT');
  for (const [code, version, words] of [
    [1, 4, /set ProtocolVersion to 5/],
    [2, 4, /rejected the ClientID stellwerk/],
    [5, 4, /set UserName and Password/],
    [3, 4, /currently unavailable/],
  ] as const) {
    const refusing = await server(t, (socket) => socket.end(Buffer.from([0x20, 2, 0, code])));
    await t.rejects(connect({ url: refusing, version }), { message: words });
  }
});

await t.test('a misbehaving broker loses its connection without affecting the gateway', async (t) => {
  const lost = async (reply: Buffer): Promise<Error> => {
    const url = await server(t, (socket) => {
      socket.write(CONNACK);
      socket.write(reply);
    });
    const { promise, resolve } = Promise.withResolvers<Error>();
    const brokers = new NetworkConnector();
    const connecting = brokers.connect(
      { ...OPTIONS, url, version: 4 },
      { onMessage: () => undefined, onLost: resolve },
      new AbortController().signal,
    );
    // It may arrive before we know that we are connected.
    connecting.catch(resolve);
    const cause = await withinPatience('the loss', promise);
    await connecting.then((connection) => connection.close()).catch(() => undefined);
    t.equal(brokers.openCount, 0);
    return cause;
  };
  const length = PACKET_LIMIT + 1;
  const sizes = [length & 0x7f, (length >> 7) & 0x7f, (length >> 14) & 0x7f].map((seven) => seven | 0x80);
  const large = Buffer.from([0x30, ...sizes, length >> 21]);
  t.match(await lost(large), { message: /exceeded the packet size limit/ });
  t.match(await lost(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0xff])), { code: 'DEVICE_OFFLINE' });
  t.match(await lost(Buffer.from([0xf0, 0])), { code: 'DEVICE_OFFLINE' });
  t.match(await lost(Buffer.from([0x36, 5, 0, 1, 0x61, 0, 1])), { code: 'DEVICE_OFFLINE' }, 'QoS 3');
  t.match(await lost(CONNACK), { code: 'DEVICE_OFFLINE' }, 'a second CONNACK');
});

type Scheme = 'mqtt' | 'mqtts' | 'ws' | 'wss';

/** More than the kernel of a peer that does not read accepts, and less than it queues on our side. */
const FILLER = 'x'.repeat(512 * 1024);

/** A broker that stops reading after CONNECT: as seen from the gateway, an unplugged cable. */
class StalledBroker {
  readonly url: string;
  readonly caFile: string;
  readonly #peer: Promise<Duplex>;

  private constructor(url: string, caFile: string, peer: Promise<Duplex>) {
    this.url = url;
    this.caFile = caFile;
    this.#peer = peer;
  }

  static async start(t: Test, scheme: Scheme): Promise<StalledBroker> {
    const caFile = join(await tempDirectory(t), 'ca.pem');
    const { certificate: cert, key } = testCertificate('localhost');
    await writeFile(caFile, cert);
    const { promise, resolve } = Promise.withResolvers<Duplex>();
    const accept = (peer: Duplex) =>
      peer.once('data', () => {
        peer.pause();
        peer.write(CONNACK);
        resolve(peer);
      });
    const make = {
      mqtt: () => createServer(accept),
      mqtts: () => createTlsServer({ cert, key }, accept),
      ws: () => createHttpServer(),
      wss: () => createHttpsServer({ cert, key }),
    };
    const server = make[scheme]();
    if (scheme === 'ws' || scheme === 'wss')
      new WebSocketServer({ server: server as ReturnType<typeof createHttpServer> }).on(
        'connection',
        (socket) => accept(createWebSocketStream(socket)),
      );
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    t.teardown(async () => {
      (await promise).destroy();
      server.close();
    });
    const url = `${scheme}://localhost:${(server.address() as AddressInfo).port}`;
    return new StalledBroker(url, scheme.endsWith('s') && scheme !== 'ws' ? caFile : '', promise);
  }

  /** Reads again until the connection ends, and returns what arrived since CONNECT. */
  async readToEnd(): Promise<string> {
    const peer = await this.#peer;
    const received: Buffer[] = [];
    peer.on('data', (bytes: Buffer) => received.push(bytes));
    peer.on('error', () => undefined); // ECONNRESET
    // A WebSocket stream ends without closing.
    const closed = new Promise<void>((resolve) => peer.once('end', resolve).once('close', resolve));
    peer.resume();
    await withinPatience('the end of the connection', closed);
    return Buffer.concat(received).toString('latin1');
  }
}

for (const scheme of ['mqtt', 'mqtts', 'ws', 'wss'] as const)
  await t.test(`${scheme}: a publish that failed is not delivered when the network returns`, async (t) => {
    const broker = await StalledBroker.start(t, scheme);
    const brokers = new NetworkConnector();
    const connection = await brokers.connect(
      { ...OPTIONS, url: broker.url, caFile: broker.caFile, version: 4 },
      { onMessage: () => undefined, onLost: () => undefined },
      new AbortController().signal,
    );
    for (const _ of [1, 2])
      await connection.publish('filler', Buffer.from(FILLER), { qos: 0, retain: false });
    const outcome = connection.publish('late/command', Buffer.from('ON'), { qos: 1, retain: false });
    const failure = t.rejects(outcome, { name: 'AbortError' });
    await connection.close();
    await failure;
    t.equal(brokers.openCount, 0);
    t.notMatch(await broker.readToEnd(), 'late/command');
  });

await t.test(
  'after the deadline of a command, neither it nor the offline message is delivered',
  async (t) => {
    const broker = await StalledBroker.start(t, 'mqtt');
    const clock = new ManualClock();
    await using fixture = new DeviceFixture(mqttModules(new NetworkConnector()), clock);
    const will = { WillTopic: 'gw/state', WillPayload: 'gone away', WillQoS: 0 };
    const client = await fixture.add('MQTT Client', { Url: broker.url, ...will });
    await fixture.waitForLink(client, 'online');
    const publish = (topic: string, payload: string, qos: number) =>
      fixture.call('GW_Publish', client.id, topic, payload, qos, false);
    for (const _ of [1, 2]) await publish('filler', FILLER, 0);
    const idle = clock.pendingTimers;
    const outcome = t.rejects(publish('late/command', 'ON', 1), { code: 'DEVICE_OFFLINE' });
    await until('the publish', () => clock.pendingTimers > idle);
    clock.advance(PUBLISH_DEADLINE_MS);
    await outcome;
    await fixture.waitForLink(client, 'waiting');
    const received = await broker.readToEnd();
    t.notMatch(received, 'late/command');
    t.notMatch(received, 'gone away');
  },
);
