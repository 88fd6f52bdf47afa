import { readFile, writeFile } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { KEEPALIVE_IDLE_MS, QUEUE_LIMIT, STALL_TIMEOUT_MS } from '../../../drivers/socket/tcp-connection.js';
import { socketModules } from '../../../drivers/socket/index.js';
import { openTcpConnection, CONNECT_TIMEOUT_MS } from '../../../drivers/socket/tcp-client.js';
import { isPeerDead, RETRANSMIT_LIMIT, findDeadPeers } from '../../../drivers/socket/dead-peers.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { testCertificate } from '../../tools/test-certificate.js';
import { systemResolver } from '../../../src/device/toolkit/system-resolver.js';
import { ManualClock } from '../../../src/base/clock.js';
import { message } from '../../../src/kernel/messages.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { hasProgram } from '../../tools/program.js';
import { Random } from '../../tools/random.js';
import { withinPatience, until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { TcpPeer } from './tcp-peer.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

const MODULES = [...socketModules(), ...serialModules(new SimulatedPorts())];

const run = promisify(execFile);

const DEVICE = {
  Rules: [{ Pattern: '^T=(-?[0-9.]+)$', Ident: 'TEMPERATURE', Type: 'float' }],
  Commands: [{ Ident: 'LEVEL', Type: 'integer', Send: 'LEVEL {value}\\r\\n' }],
};

await t.test(
  'the Serial Device works over TCP, and commands issued while disconnected are never sent',
  async (t) => {
    await using far = await TcpPeer.start();
    await using fixture = new DeviceFixture(MODULES);
    const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: far.port });
    const device = await fixture.add('Serial Device', DEVICE, socket);
    await fixture.waitForLink(device, 'online');
    far.say('T=2');
    far.say('1.5\r\nnoise\n');
    await fixture.waitForValue(device, 'TEMPERATURE', 21.5);
    await fixture.devices.write(device.id, 'LEVEL', 7);
    await until('the command', () => far.received().toString() === 'LEVEL 7\r\n');

    await far.unplug();
    await fixture.waitForLink(socket, 'waiting');
    await fixture.waitForLink(device, 'waiting');
    await until('why', () => /no program listens there/.test(fixture.status(socket)));
    await t.rejects(fixture.devices.write(device.id, 'LEVEL', 8), { code: 'DEVICE_OFFLINE' });
    await t.rejects(fixture.call('CSCK_SendText', socket.id, 'x'), { code: 'DEVICE_OFFLINE' });
    t.equal(fixture.value(device, 'TEMPERATURE'), 21.5, 'the last value stays');
    await far.plug();
    await fixture.waitForLink(device, 'online');
    far.say('T=22\n');
    await fixture.waitForValue(device, 'TEMPERATURE', 22);
    t.equal(far.received().toString(), '', 'no failed command is sent later');
    t.same(fixture.devices.problems(socket.id), []);
  },
);

await t.test('all bytes arrive in both directions, in order; texts are Latin-1', async (t) => {
  await using far = await TcpPeer.start();
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('Client Socket', { Host: 'localhost', Port: far.port });
  await fixture.waitForLink(socket, 'online');
  const seen: Buffer[] = [];
  const offer = fixture.devices.openInstance(socket.id, MODULES[0] as (typeof MODULES)[number]).provided as {
    onData(listener: (bytes: Uint8Array) => void): void;
  };
  offer.onData((bytes) => seen.push(Buffer.from(bytes)));
  const text = new Random(7).bytes(200_000).toString('latin1');
  t.equal(await fixture.call('CSCK_SendText', socket.id, text), true);
  await until('all bytes out', () => far.received().length >= text.length);
  t.ok(far.received().equals(Buffer.from(text, 'latin1')), 'out');
  far.say(Buffer.from(text, 'latin1'));
  await until('all bytes in', () => Buffer.concat(seen).length >= text.length);
  t.ok(Buffer.concat(seen).equals(Buffer.from(text, 'latin1')), 'in');
  await t.rejects(fixture.call('CSCK_SendText', socket.id, '€'), { code: 'CANNOT_CONVERT' });
  const device = await fixture.add('Serial Device', {}, socket);
  await t.rejects(fixture.call('CSCK_SendText', device.id, 'x'), { code: 'WRONG_MODULE' });
});

await t.test('the debug output shows both directions', async () => {
  await using far = await TcpPeer.start();
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: far.port });
  await fixture.waitForLink(socket, 'online');
  const messages: string[] = [];
  fixture.kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (SenderID === socket.id && Message === message.KL_DEBUG) messages.push(JSON.stringify(Data));
  });
  fixture.debug.enable(socket.id, 60);
  far.say('in');
  await until(`received, of ${messages.join(' ')}`, () =>
    messages.some((one) => /received.*696e/i.test(one)),
  );
  await fixture.call('CSCK_SendText', socket.id, 'out');
  await until(`sent, of ${messages.join(' ')}`, () => messages.some((one) => /sent.*6f7574/i.test(one)));
});

await t.test(
  'a device that stops reading: sending fails at a limit, and the data is discarded',
  async (t) => {
    const clock = new ManualClock();
    await using far = await TcpPeer.start();
    await using fixture = new DeviceFixture(MODULES, clock);
    const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: far.port });
    await fixture.waitForLink(socket, 'online');
    await far.connected();
    far.deaf();
    const text = 'x'.repeat(QUEUE_LIMIT / 2);
    const send = () => fixture.call('CSCK_SendText', socket.id, text);
    await t.rejects(fixture.call('CSCK_SendText', socket.id, 'x'.repeat(QUEUE_LIMIT + 1)), {
      code: 'TEXT_TOO_LONG',
    });
    // The kernel buffers some megabytes.
    const sends: Promise<unknown>[] = [];
    const rejected = await until('a rejection', async () => {
      const sending = send();
      sends.push(sending.catch((thrown: unknown) => thrown));
      return Promise.race([
        sending.then(
          () => undefined,
          (thrown: unknown) => thrown as Error,
        ),
        new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined))),
      ]);
    });
    t.match(rejected, { code: 'DEVICE_OFFLINE', message: /is too slow: \d+ bytes are queued/ });
    t.equal(fixture.value(socket, 'LINK'), 'online', 'it may recover');
    clock.advance(STALL_TIMEOUT_MS);
    await fixture.waitForLink(socket, 'waiting');
    t.match(fixture.status(socket), /has stopped reading/);
    const outcomes = await withinPatience('all sends to end', Promise.all(sends));
    const failed = outcomes.filter((one) => one instanceof Error);
    t.ok(failed.length >= 2, 'those that waited failed');
    for (const one of failed) t.match(one, { code: 'DEVICE_OFFLINE' });
    await fixture.waitForReconnect(socket, clock);
    await until('a second connection', () => far.connections >= 2);
  },
);

await t.test('errors of connecting are described in words', async (t) => {
  const clock = new ManualClock();
  await using fixture = new DeviceFixture(MODULES, clock);
  const status = (words: RegExp, socket: Parameters<DeviceFixture['status']>[0]) =>
    until(`${words}, now ${fixture.status(socket)}`, () => words.test(fixture.status(socket)));
  const socket = await fixture.add('Client Socket', {});
  t.match(fixture.status(socket), /Host and Port are required/);
  await fixture.change(socket, { Host: '127.0.0.1', Port: await reservePort() });
  await status(/no program listens there/, socket);
  await fixture.change(socket, { Host: 'converter.invalid' });
  await status(/unknown host name/, socket);
  await fixture.change(socket, { Host: '::1' });
  await status(/\[::1\]:\d+: \w+/, socket);
  await fixture.change(socket, { Open: false });
  t.equal(fixture.value(socket, 'LINK'), 'closed');
  t.match(fixture.status(socket), /switched off/);
  await fixture.change(socket, { CaFile: '/nowhere', Open: true });
  t.match(fixture.status(socket), /CaFile only applies with UseSSL/);

  // A queue of connections that is never accepted: when it is full, the kernel does not reply any more.
  const full = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 });
  t.teardown(() => full.close());
  await until('it to listen', () => full.listening);
  await fixture.change(socket, {
    Host: '127.0.0.1',
    Port: (full.address() as AddressInfo).port,
    CaFile: '',
    UseSSL: true,
  });
  // It accepts the connection but sends no TLS handshake.
  await until(
    'an attempt',
    () => new Promise((resolve) => full.getConnections((_error, count) => resolve(count))),
  );
  clock.advance(CONNECT_TIMEOUT_MS);
  await status(/unreachable/, socket);
});

await t.test('TLS verifies authority and host name, or only one of them as configured', async (t) => {
  const directory = await tempDirectory(t);
  const { certificate, key } = testCertificate('localhost');
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, certificate);
  await using far = await TcpPeer.start({ cert: certificate, key });
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('Client Socket', { Host: 'localhost', Port: far.port, UseSSL: true });
  const status = (words: RegExp) =>
    until(`${words}, now ${fixture.status(socket)}`, () => words.test(fixture.status(socket)));
  await status(/not from a known authority; set CaFile to/);
  await fixture.change(socket, { CaFile: caFile });
  await fixture.waitForLink(socket, 'online');
  await fixture.call('CSCK_SendText', socket.id, 'secret');
  await until('it to arrive', () => far.received().toString() === 'secret');
  await fixture.change(socket, { Host: '127.0.0.1' });
  await status(/for another name; use that name in Host/);
  await fixture.change(socket, { VerifyHost: false });
  await fixture.waitForLink(socket, 'online');
  await fixture.change(socket, { CaFile: '', VerifyHost: true, VerifyPeer: false });
  await status(/for another name/);
  await fixture.change(socket, { Host: 'localhost' });
  await fixture.waitForLink(socket, 'online');
  await fixture.change(socket, { CaFile: '/nowhere/ca.pem' });
  await status(/CaFile cannot be read/);

  await using plain = await TcpPeer.start();
  await fixture.change(socket, { CaFile: '', Port: plain.port });
  await plain.connected();
  plain.say('SSH-2.0-device\r\n');
  await status(/the port does not use TLS/);
});

await t.test(
  'a device that requires a certificate gets the one of the files, renewed ones too',
  async (t) => {
    const directory = await tempDirectory(t);
    const [own, first, second] = [
      testCertificate('localhost'),
      testCertificate('one'),
      testCertificate('two'),
    ];
    const [CaFile, CertificateFile, KeyFile] = ['ca.pem', 'own.pem', 'own.key'].map((name) =>
      join(directory, name),
    ) as [string, string, string];
    await writeFile(CaFile, own.certificate);
    const presented: (string | undefined)[] = [];
    const server = createTlsServer(
      // The certificates of tests are for servers: their purpose is not checked.
      { cert: own.certificate, key: own.key, requestCert: true, rejectUnauthorized: false },
      (socket) => {
        presented.push(socket.getPeerX509Certificate()?.subject);
        socket.on('error', () => undefined);
        if (presented.length === 1) socket.destroy();
      },
    );
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const connections = new Set<Socket>();
    server.on('connection', (socket: Socket) => connections.add(socket));
    t.teardown(() => {
      for (const socket of connections) socket.destroy();
      server.close();
    });
    const { port: Port } = server.address() as AddressInfo;
    await using fixture = new DeviceFixture(MODULES);
    const socket = await fixture.add('Client Socket', {
      Host: 'localhost',
      Port,
      UseSSL: true,
      CaFile,
      Open: false,
    });
    await writeFile(CertificateFile, first.certificate);
    await writeFile(KeyFile, first.key);
    await fixture.change(socket, { CertificateFile, KeyFile });
    // While the first connection is being closed, the certificate is renewed.
    server.once('secureConnection', () => {
      writeFileSync(CertificateFile, second.certificate);
      writeFileSync(KeyFile, second.key);
    });
    await fixture.change(socket, { Open: true });
    await until('the second connection', () => presented.length === 2);
    t.strictSame(presented, ['CN=one', 'CN=two']);
    await fixture.waitForLink(socket, 'online');
  },
);

await t.test('a vanished device is detected by unacknowledged retransmissions', async (t) => {
  const row = (local: number, again: number, probes: number) => {
    const hex = (number: number, digits: number) => number.toString(16).toUpperCase().padStart(digits, '0');
    return `   0: 0100007F:${hex(local, 4)} 0100007F:0017 01 00000010:00000000 01:00000019 ${hex(again, 8)}  1000        ${probes} 123456 2 0000000000000000 20 4 30 10 -1\n`;
  };
  const ends = { localPort: 40_000, remotePort: 23 };
  t.equal(isPeerDead('', ends), false);
  t.equal(isPeerDead(row(40_000, 0, 0), ends), false);
  t.equal(isPeerDead(row(40_000, RETRANSMIT_LIMIT - 1, 0), ends), false);
  t.equal(isPeerDead(row(40_000, RETRANSMIT_LIMIT, 0), ends), true, 'data without an acknowledgement');
  t.equal(isPeerDead(row(40_000, 0, RETRANSMIT_LIMIT), ends), true, 'probes without a reply');
  t.equal(isPeerDead(row(40_001, RETRANSMIT_LIMIT, 0), ends), false, "another's");
  t.equal(isPeerDead(row(40_000, RETRANSMIT_LIMIT, 0) + row(40_000, 0, 0), ends), false, 'ambiguous');
  t.ok(KEEPALIVE_IDLE_MS <= 30_000, 'a silent peer is probed in time');

  await using far = await TcpPeer.start();
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('Client Socket', { Host: '127.0.0.1', Port: far.port });
  await fixture.waitForLink(socket, 'online');
  await far.connected();
  t.same(await findDeadPeers(far.sockets), [], 'the real table, of a peer that acknowledges');
  const table = await readFile('/proc/net/tcp', 'utf8');
  const [near] = far.sockets;
  const inVain = table.replaceAll(
    /^( *\d+: \S+ \S+ 01 \S+ \S+) \w{8}/gm,
    `$1 000000${RETRANSMIT_LIMIT.toString(16).padStart(2, '0')}`,
  );
  t.equal(
    near !== undefined && isPeerDead(inVain, near),
    true,
    'the real table, changed to a peer that does not',
  );
  const running = fixture.devices.openInstance(socket.id, MODULES[0] as (typeof MODULES)[number]);
  t.equal(await running.probe?.(), undefined);
});

const skipOpenssl = hasProgram('openssl') ? false : 'openssl is not installed (Debian package openssl)';

await t.test(
  'CaFile may be the device’s own certificate, issued by a vendor’s authority',
  { skip: skipOpenssl },
  async (t) => {
    const directory = await tempDirectory(t);
    const at = (name: string) => join(directory, name);
    const make = (name: string, subject: string, ...more: string[]) => {
      const key = [
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        at(`${name}.key`),
      ];
      return run('openssl', [
        'req',
        '-x509',
        ...key,
        '-days',
        '2',
        '-subj',
        subject,
        '-out',
        at(name),
        ...more,
      ]);
    };
    await make('vendor', '/CN=Vendor');
    await make('other', '/CN=Other');
    const signed = ['-CA', at('vendor'), '-CAkey', at('vendor.key')];
    await make('device', '/CN=Device', ...signed, '-addext', 'subjectAltName=DNS:localhost');
    const [cert, key] = [await readFile(at('device')), await readFile(at('device.key'))];
    await using far = await TcpPeer.start({ cert, key });
    await using fixture = new DeviceFixture(MODULES);
    const properties = { Host: 'localhost', Port: far.port, UseSSL: true };
    const socket = await fixture.add('Client Socket', { ...properties, CaFile: at('device') });
    await fixture.waitForLink(socket, 'online');
    await fixture.change(socket, { CaFile: at('other') });
    await until('a rejection', () => /not from a known authority/.test(fixture.status(socket)));
    await fixture.change(socket, { CaFile: at('vendor') });
    await fixture.waitForLink(socket, 'online');
  },
);

await t.test('closing before the socket exists prevents the connection', async (t) => {
  await using far = await TcpPeer.start();
  const stopped = AbortSignal.abort();
  const connecting = openTcpConnection(
    { host: '127.0.0.1', port: far.port, tls: undefined },
    { clock: new ManualClock(), signal: stopped, names: systemResolver(new ManualClock()) },
  );
  await t.rejects(connecting, { name: 'AbortError' });
  // A later connection is accepted later: if there were another, it would be counted by now.
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const names = systemResolver(clock);
  (
    await openTcpConnection({ host: '127.0.0.1', port: far.port, tls: undefined }, { clock, signal, names })
  ).destroy();
  await until('the later one', () => far.connections > 0);
  t.equal(far.connections, 1);
});
