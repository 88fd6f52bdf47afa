/** Clients that misbehave, at the broker of an MQTT Server: others must not notice them. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { connectAsync, type MqttClient } from 'mqtt';
import type { BrokerFigures } from '../../../drivers/mqtt/server/messages.js';
import { PacketGate } from '../../../drivers/mqtt/server/program/packet-gate.js';
import { startTestServer, TEST_LIMITS } from '../../tools/broker/test-server.js';
import { reservePort } from '../../tools/reserve-port.js';
import { Random } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

/** A broker that fails the test if its process ends. */
async function started(t: Test, limits: Partial<typeof TEST_LIMITS> = {}) {
  const port = await reservePort();
  const state: { figures?: BrokerFigures; rejected: string[] } = { rejected: [] };
  const broker = await startTestServer(await tempDirectory(t), port, {
    limits: { ...TEST_LIMITS, ...limits },
    listener: {
      onMessage(message) {
        if (message.is === 'figures') state.figures = message.figures;
        if (message.is === 'rejected') state.rejected.push(message.what);
      },
      onEnded: (cause) => t.fail(String(cause)),
    },
  });
  t.teardown(() => broker.close());
  return { port, state, broker };
}

async function client(t: Test, port: number): Promise<MqttClient> {
  const joined = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0 });
  t.teardown(() => joined.endAsync(true));
  joined.on('error', () => undefined);
  return joined;
}

function raw(t: Test, port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  t.teardown(() => socket.destroy());
  return socket;
}

const nextMessage = (of: MqttClient): Promise<void> =>
  new Promise((resolve) => of.once('message', () => resolve()));

/** Whether messages still pass from one client to another. */
async function works(t: Test, port: number): Promise<void> {
  const [one, other] = [await client(t, port), await client(t, port)];
  await one.subscribeAsync('works', { qos: 1 });
  const heard = nextMessage(one);
  await other.publishAsync('works', 'yes', { qos: 1 });
  await heard;
  await Promise.all([one.endAsync(), other.endAsync()]);
}

const CONNECT = Buffer.from([0x10, 14, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 0, 0, 2, 0x68, 0x78]);

t.test('the gate follows packets in pieces of any size', async (t) => {
  const packets = Buffer.concat([
    CONNECT,
    Buffer.from([0xc0, 0]),
    Buffer.from([0x30, 0x83, 0x01]),
    Buffer.alloc(131),
  ]);
  for (let size = 1; size <= packets.length; size++) {
    const gate = new PacketGate(131);
    for (let at = 0; at < packets.length; at += size)
      t.equal(gate.check(packets.subarray(at, at + size)), undefined);
    t.equal(gate.packets, 3);
  }
  t.match(new PacketGate(130).check(packets), /131 bytes; the limit is 130/);
  t.match(new PacketGate(1000).check(Buffer.from([0x30])), /first packet is not CONNECT/);
  t.match(new PacketGate(1000).check(Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff])), /malformed/);
  t.match(new PacketGate(2 ** 28).check(Buffer.from([0x10, 0xff, 0xff, 0x7f])), /the limit is 65536/);
});

t.test('packets of any form and size', async (t) => {
  const { port, state } = await started(t, { packetBytes: 10_000 });
  const random = new Random(1);
  for (const bytes of [
    Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]),
    Buffer.from([0x30, 2, 0, 0]),
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.concat([CONNECT, CONNECT]),
    Buffer.concat([CONNECT, Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])]),
    Buffer.concat([CONNECT, Buffer.from([0x36, 5, 0, 1, 0x61, 0, 1])]),
    Buffer.concat([CONNECT, Buffer.from([0x82, 2, 0, 0])]),
  ]) {
    const socket = raw(t, port).resume();
    socket.write(bytes);
    await once(socket, 'close');
  }
  for (let n = 0; n < 300; n++) {
    const socket = raw(t, port).resume();
    const parts = Array.from({ length: 1 + random.below(5) }, () => {
      const body = random.bytes(random.below(40));
      return Buffer.concat([Buffer.from([random.below(256), body.length]), body]);
    });
    socket.end(Buffer.concat([...(n % 3 === 0 ? [] : [CONNECT]), ...parts]));
    if (n % 20 === 0) await once(socket, 'close');
  }
  await works(t, port);
  await until('rejections', () => (state.figures?.rejected ?? 0) > 2);
});

t.test('names that JavaScript objects have, deep topics and control characters', async (t) => {
  const { port } = await started(t);
  for (const clientId of ['__proto__', 'constructor', 'toString']) {
    const one = await connectAsync(`mqtt://127.0.0.1:${port}`, {
      clientId,
      clean: false,
      reconnectPeriod: 0,
    });
    await one.subscribeAsync(['__proto__', 'constructor/#'], { qos: 1 });
    const heard = nextMessage(one);
    await one.publishAsync('__proto__', 'x', { qos: 1, retain: true });
    await heard;
    await one.endAsync();
  }
  await t.rejects(connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: 'a\nb', reconnectPeriod: 0 }), {
    code: 2,
  });
  await t.rejects(
    connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: 'x'.repeat(300), reconnectPeriod: 0 }),
    { code: 2 },
  );
  const deep = await client(t, port);
  const closed = new Promise<void>((resolve) => deep.once('close', () => resolve()));
  deep.publish('a/'.repeat(200), 'x');
  await closed;
  await works(t, port);
});

t.test('more connections and subscriptions than allowed', async (t) => {
  const { port, state } = await started(t, { clients: 5, subscriptions: 3 });
  const silent = Array.from({ length: 100 }, () => raw(t, port));
  await until('the oldest are closed', () => silent.filter(({ destroyed }) => destroyed).length >= 36);
  await works(t, port);
  for (const socket of silent) socket.destroy();
  const clients = await Promise.all(Array.from({ length: 5 }, () => client(t, port)));
  const [first] = clients;
  if (first === undefined) return;
  await first.subscribeAsync(['a', 'b', 'c']);
  await t.rejects(first.subscribeAsync('d'));
  await first.unsubscribeAsync('a');
  await first.subscribeAsync('d');
  const sixth = raw(t, port).resume();
  sixth.write(CONNECT);
  await once(sixth, 'close');
  t.ok(clients.every(({ connected }) => connected));
  await until('the figures', () => state.figures?.clients === 5);
});

t.test('a client that subscribes to everything and reads nothing delays nobody', async (t) => {
  const { port, state } = await started(t);
  const sloth = raw(t, port);
  sloth.pause();
  // SUBSCRIBE to # with QoS 0.
  sloth.write(Buffer.concat([CONNECT, Buffer.from([0x82, 6, 0, 1, 0, 1, 0x23, 0])]));
  const [reader, writer] = [await client(t, port), await client(t, port)];
  let received = 0;
  reader.on('message', () => (received += 1));
  await reader.subscribeAsync('flood', { qos: 1 });
  const payload = Buffer.alloc(20_000, 120);
  for (let n = 0; n < 600; n++) await writer.publishAsync('flood', payload, { qos: 1 });
  await until('all of them', () => received === 600);
  await until('what was dropped', () => (state.figures?.dropped ?? 0) > 0 || state.rejected.length > 0);
});

t.test('a will, unacknowledged messages and half of QoS 2 leave nothing behind', async (t) => {
  const { port, state } = await started(t);
  for (let n = 0; n < 30; n++) {
    const socket = raw(t, port).resume();
    // PUBLISH with QoS 2 that is never released.
    socket.write(Buffer.concat([CONNECT, Buffer.from([0x34, 6, 0, 1, 0x61, 0, 1 + n, 0x78])]));
    await once(socket, 'data');
    socket.destroy();
  }
  await works(t, port);
  await until('nobody is left', () => state.figures?.clients === 0);
  t.match(state.figures, { retained: 0, queued: 0 });
});
