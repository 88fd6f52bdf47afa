import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import {
  RECENT_PEERS_LIMIT,
  DATAGRAM_LIMIT,
  DatagramSocket,
  QUEUE_LIMIT,
  SEND_TIMEOUT_MS,
} from '../../../drivers/socket/datagram-socket.js';
import { socketModules } from '../../../drivers/socket/index.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { ManualClock } from '../../../src/base/clock.js';
import { NameResolver } from '../../../src/device/toolkit/name-resolver.js';
import { reservePort } from '../../tools/reserve-port.js';
import { until } from '../../tools/until.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

const MODULES = [...socketModules(), ...serialModules(new SimulatedPorts())];

const DEVICE = {
  Rules: [{ Pattern: '^T=(-?[0-9.]+)$', Ident: 'TEMPERATURE', Type: 'float' }],
  Commands: [{ Ident: 'LEVEL', Type: 'integer', Send: 'LEVEL {value}\\n' }],
};

interface Far {
  readonly socket: Socket;
  readonly port: number;
  readonly heard: { readonly text: string; readonly port: number }[];
}

/** A peer that sends and receives datagrams on 127.0.0.1; closed with the test. */
async function far(t: Test): Promise<Far> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  const received: { text: string; port: number }[] = [];
  socket.on('message', (bytes, { port }) => received.push({ text: bytes.toString('latin1'), port }));
  return { socket, port: socket.address().port, heard: received };
}

await t.test('the Serial Device works over datagrams, and concurrent senders do not mix', async (t) => {
  const [one, two] = [await far(t), await far(t)];
  const BindPort = await reservePort();
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('UDP Socket', {
    Host: '127.0.0.1',
    Port: one.port,
    BindIP: '127.0.0.1',
    BindPort,
  });
  const device = await fixture.add('Serial Device', DEVICE, socket);
  await fixture.waitForLink(device, 'online');
  one.socket.send('T=2', BindPort, '127.0.0.1');
  two.socket.send('T=7\n', BindPort, '127.0.0.1');
  await fixture.waitForValue(device, 'TEMPERATURE', 7);
  one.socket.send('', BindPort, '127.0.0.1');
  one.socket.send('1.5\n', BindPort, '127.0.0.1');
  await fixture.waitForValue(device, 'TEMPERATURE', 21.5);
  await fixture.devices.write(device.id, 'LEVEL', 3);
  await until('the command', () => one.heard.length === 1);
  t.same(one.heard, [{ text: 'LEVEL 3\n', port: BindPort }]);
  t.equal(await fixture.call('USCK_SendText', socket.id, 'ÿ'), true);
  t.equal(await fixture.call('USCK_SendPacket', socket.id, 'two', '127.0.0.1', two.port), true);
  await until('both', () => one.heard.length === 2 && two.heard.length === 1);
  t.same([one.heard[1]?.text, two.heard[0]?.text], ['ÿ', 'two']);
});

await t.test('a datagram is a frame, if the device is configured so', async (t) => {
  const one = await far(t);
  const BindPort = await reservePort();
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('UDP Socket', { BindIP: '127.0.0.1', BindPort });
  const device = await fixture.add('Serial Device', { ...DEVICE, Framing: 'datagram' }, socket);
  await fixture.waitForLink(device, 'online');
  one.socket.send('T=21.5', BindPort, '127.0.0.1');
  await fixture.waitForValue(device, 'TEMPERATURE', 21.5);
  one.socket.send('T=x', BindPort, '127.0.0.1');
  one.socket.send('T=4', BindPort, '127.0.0.1');
  await fixture.waitForValue(device, 'TEMPERATURE', 4);
  t.same(fixture.devices.knownDevices(device.id), [
    { Frame: 'T=4', Matched: true },
    { Frame: 'T=x', Matched: false },
    { Frame: 'T=21.5', Matched: true },
  ]);
});

await t.test('the largest datagram is sent, one byte more is rejected', async (t) => {
  const one = await far(t);
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('UDP Socket', { Host: 'localhost', Port: one.port });
  await fixture.waitForLink(socket, 'online');
  await fixture.call('USCK_SendText', socket.id, 'x'.repeat(DATAGRAM_LIMIT));
  await until('it', () => one.heard.length === 1);
  t.equal(one.heard[0]?.text.length, DATAGRAM_LIMIT);
  await t.rejects(fixture.call('USCK_SendText', socket.id, 'x'.repeat(DATAGRAM_LIMIT + 1)), {
    code: 'TEXT_TOO_LONG',
    message: /A datagram is longer than 65507 bytes/,
  });
  await t.rejects(fixture.call('USCK_SendText', socket.id, '€'), { code: 'CANNOT_CONVERT' });
});

await t.test('errors of sending and listening say what to do', async (t) => {
  const one = await far(t);
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('UDP Socket', {});
  const status = (words: RegExp) =>
    until(`${words}, now ${fixture.status(socket)}`, () => words.test(fixture.status(socket)));
  await status(/set Host and Port to send to, or BindIP and BindPort to listen on/);
  await fixture.change(socket, { Host: '127.0.0.1' });
  await status(/Host and Port must be set together/);
  await fixture.change(socket, { Host: '', BindPort: one.port });
  await status(/BindIP is empty; set 127\.0\.0\.1/);
  await fixture.change(socket, { BindIP: '127.0.0.1' });
  await status(/another program uses this port/);
  await fixture.change(socket, { BindIP: '192.0.2.1' });
  await status(/no interface of this machine has this address/);
  await fixture.change(socket, { BindIP: '127.0.0.1', BindPort: await reservePort() });
  await fixture.waitForLink(socket, 'online');
  await t.rejects(fixture.call('USCK_SendText', socket.id, 'x'), {
    code: 'DEVICE_CONFIGURATION',
    message: /set them to send data/,
  });
  const packet = (address: string, port: number) =>
    fixture.call('USCK_SendPacket', socket.id, 'x', address, port);
  await t.rejects(packet('', 9), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(packet('127.0.0.1', 0), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(packet('127.0.0.1', 65_536), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(packet('host.invalid', 9), { code: 'DEVICE_OFFLINE', message: /unknown host name/ });
  await fixture.change(socket, { BindIP: '0.0.0.0' });
  await fixture.waitForLink(socket, 'online');
  await t.rejects(packet('255.255.255.255', 9), {
    code: 'DEVICE_CONFIGURATION',
    message: /set EnableBroadcast/,
  });
  await fixture.change(socket, { Open: false });
  await status(/switched off/);
  await t.rejects(packet('127.0.0.1', 9), { code: 'DEVICE_OFFLINE' });
});

await t.test('EnableReuseAddress allows two instances on the same port', async (t) => {
  await using fixture = new DeviceFixture(MODULES);
  const shared = { BindIP: '127.0.0.1', BindPort: await reservePort(), EnableReuseAddress: true };
  const [one, two] = [await fixture.add('UDP Socket', shared), await fixture.add('UDP Socket', shared)];
  await fixture.waitForLink(one, 'online');
  await fixture.waitForLink(two, 'online');
  await fixture.change(two, { EnableReuseAddress: false });
  await until('a rejection', () => /another program uses this port/.test(fixture.status(two)));
  t.equal(fixture.value(one, 'LINK'), 'online');
});

await t.test('EnableBroadcast allows sending to the broadcast address', async (t) => {
  await using fixture = new DeviceFixture(MODULES);
  const socket = await fixture.add('UDP Socket', {
    Host: '127.255.255.255',
    Port: 9,
    EnableBroadcast: false,
  });
  await fixture.waitForLink(socket, 'online');
  await t.rejects(fixture.call('USCK_SendText', socket.id, 'x'), {
    code: 'DEVICE_CONFIGURATION',
    message: /set EnableBroadcast/,
  });
  await fixture.change(socket, { EnableBroadcast: true });
  await fixture.waitForLink(socket, 'online');
  t.equal(await fixture.call('USCK_SendText', socket.id, 'x'), true);
});

/** A socket on a port that the kernel chose, with names resolved by the test, and the received datagrams. */
async function datagrams(t: Test, { broadcast = false } = {}) {
  const clock = new ManualClock();
  const lookups = new Map<string, PromiseWithResolvers<string>>();
  const received: string[] = [];
  const socket = await DatagramSocket.open(
    { address: '127.0.0.1', port: 0, host: '', broadcast, reuse: false },
    {
      clock,
      names: new NameResolver(clock, {
        local: async () => [],
        system: async (name) => {
          const lookup = Promise.withResolvers<string>();
          lookups.set(name, lookup);
          return [await lookup.promise];
        },
      }),
      onData: (bytes) => received.push(bytes.toString()),
      onLost: (cause) => t.fail(cause.message),
    },
  );
  t.teardown(() => socket.close());
  return { socket, clock, lookups, heard: received };
}

await t.test(
  'a datagram that waits for name resolution counts against the limit, and is sent in time or never',
  async (t) => {
    const one = await far(t);
    const { socket, clock, lookups } = await datagrams(t);
    const to = (address: string) => ({ address, port: one.port });
    const text = (length: number) => Buffer.alloc(length, 'x');

    const late = socket.send(Buffer.from('late'), to('slow.test'));
    clock.advance(SEND_TIMEOUT_MS);
    await t.rejects(late, { code: 'DEVICE_OFFLINE', message: /unreachable/ });
    const [first, second] = [
      socket.send(Buffer.from('1'), to('slow.test')),
      socket.send(Buffer.from('2'), to('slow.test')),
    ];
    await until('the lookup', () => lookups.size === 1);
    lookups.get('slow.test')?.resolve('127.0.0.1');
    await Promise.all([first, second]);
    await until('both', () => one.heard.length >= 2);
    t.same(
      one.heard.map((datagram) => datagram.text),
      ['1', '2'],
      'not the late one',
    );

    const waiting = [socket.send(text(1), to('0.test'))];
    const large = Math.floor(QUEUE_LIMIT / 5);
    for (let i = 0; i < 4; i++) waiting.push(socket.send(text(large), to('0.test')));
    await t.rejects(socket.send(text(large), to('127.0.0.1')), {
      message: /\d+ bytes are queued; send less/,
    });

    const outcomes = Promise.allSettled(waiting);
    await socket.close();
    for (const outcome of await outcomes)
      t.match(outcome, { reason: { code: 'DEVICE_OFFLINE', message: /socket was closed/ } });
    for (const { resolve } of lookups.values()) resolve('127.0.0.1');
    await until('no timer to stay', () => clock.pendingTimers === 0);
  },
);

await t.test('an ephemeral port only receives from recent destinations', async (t) => {
  const [one, two] = [await far(t), await far(t)];
  const stranger = createSocket('udp4').bind(0, '127.0.0.2');
  t.teardown(() => void stranger.close());
  const { socket, heard: received, lookups } = await datagrams(t);
  const { port } = socket;
  const say = (from: Socket, text: string) =>
    new Promise<void>((resolve) => from.send(text, port, '127.0.0.1', () => resolve()));
  const sending = socket.send(Buffer.from('?'), { address: 'device.test', port: one.port });
  await until('the lookup', () => lookups.has('device.test'));
  lookups.get('device.test')?.resolve('127.0.0.1');
  await sending;
  await say(stranger, 'stranger');
  await say(one.socket, 'answer');
  await say(two.socket, 'from another port of the device');
  await until('the replies', () => received.length >= 2);
  t.same(received, ['answer', 'from another port of the device']);

  for (let i = 0; i < RECENT_PEERS_LIMIT; i++)
    await socket.send(Buffer.from('?'), { address: `127.0.1.${i + 1}`, port: one.port });
  await say(one.socket, 'forgotten');
  await socket.send(Buffer.from('?'), { address: '127.0.0.2', port: one.port });
  await say(stranger, 'no longer a stranger');
  await until('it', () => received.length >= 3);
  t.same(received.slice(2), ['no longer a stranger']);
});

await t.test('replies to a broadcast are accepted from any address', async (t) => {
  const one = await far(t);
  const { socket, heard: received } = await datagrams(t, { broadcast: true });
  one.socket.send('here', socket.port, '127.0.0.1');
  await until('the reply', () => received.length === 1);
  t.same(received, ['here']);
});
