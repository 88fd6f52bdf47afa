/** How an MQTT Server delivers messages: their QoS, their identifiers, and what waits for a client. */
import { createConnection, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import t, { type Test } from 'tap';
import { connectAsync, type MqttClient } from 'mqtt';
import { GuardedStream } from '../../../drivers/mqtt/server/program/guarded-stream.js';
import { startLocalBroker } from '../../tools/broker/local-broker.js';
import { until } from '../../tools/until.js';

async function connected(t: Test, port: number): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, protocolVersion: 4 });
  t.teardown(() => client.endAsync(true));
  return client;
}

/** CONNECT of the client `hx` with its session. */
const CONNECT = Buffer.from([0x10, 14, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 0, 0, 0, 0, 2, 0x68, 0x78]);
/** SUBSCRIBE to `a` with QoS 1. */
const SUBSCRIBE = Buffer.from([0x82, 6, 0, 1, 0, 1, 0x61, 1]);

t.test('a message has at most the QoS of the subscriptions that match it', async (t) => {
  const { port } = await startLocalBroker(t, new Map());
  const [device, panel] = [await connected(t, port), await connected(t, port)];
  await device.publishAsync('zero/a', 'retained', { qos: 1, retain: true });
  const heard: string[] = [];
  panel.on('message', (topic, payload, { qos }) => heard.push(`${topic}=${payload.toString()} ${qos}`));
  await panel.subscribeAsync({ 'one/+': { qos: 1 }, 'two/+': { qos: 1 }, 'two/#': { qos: 2 } });
  await panel.subscribeAsync('zero/#', { qos: 0 });
  for (const topic of ['one/a', 'two/a'])
    for (const qos of [2, 1, 0] as const) await device.publishAsync(topic, String(qos), { qos });
  await until('all messages', () => heard.length === 7);
  t.strictSame(heard.toSorted(), [
    'one/a=0 0',
    'one/a=1 1',
    'one/a=2 1',
    'two/a=0 0',
    'two/a=1 1',
    'two/a=2 2',
    'zero/a=retained 0',
  ]);
});

/** The connection of a client that reads only when the test says so. */
class StalledSocket extends Duplex {
  text = '';
  #waiting: (() => void)[] = [];

  override _read(): void {
    // The test pushes what the client sends.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#waiting.push(() => {
      this.text += chunk.toString('latin1');
      done();
    });
  }

  readOn(): void {
    for (const read of this.#waiting.splice(0)) read();
  }
}

t.test('a client that gets what waited for it is not taken for a slow one', async (t) => {
  const { port, broker } = await startLocalBroker(t, new Map());
  const device = await connected(t, port);
  const subscriber = createConnection(port, '127.0.0.1');
  t.teardown(() => subscriber.destroy());
  const packets = packetsOf(subscriber);
  subscriber.write(Buffer.concat([CONNECT, SUBSCRIBE]));
  await until('the subscription', () => packets.length === 2);
  subscriber.destroy();
  await until('its end', () => broker.figures().clients === 1);
  const messages = Array.from({ length: 120 }, (_, n) => `<${n}>`);
  for (const message of messages) await device.publishAsync('a', message.padEnd(20_000, 'x'), { qos: 1 });
  const rejected: string[] = [];
  const socket = new StalledSocket();
  const stream = new GuardedStream(socket, 1000, (why) => rejected.push(why));
  t.teardown(() => socket.destroy());
  broker.handle(stream);
  socket.push(CONNECT);
  await until('the reply', () => {
    socket.readOn();
    return socket.text !== '';
  });
  await until('what waits for the client', () => stream.writableNeedDrain || stream.writableLength > 250_000);
  await device.publishAsync('a', '<now>', { qos: 1 });
  await until('all messages', () => {
    socket.readOn();
    return rejected.length > 0 || (socket.text.match(/<\w+>/g)?.length ?? 0) > 120;
  });
  t.strictSame(rejected, []);
  t.strictSame(socket.text.match(/<\w+>/g)?.toSorted(), [...messages, '<now>'].toSorted());
});

/** The short packets that arrive, from now on. */
function packetsOf(socket: Socket): Buffer[] {
  const packets: Buffer[] = [];
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = 0; rest.length > 1 && (end = 2 + (rest[1] ?? 0)) <= rest.length; rest = rest.subarray(end))
      packets.push(rest.subarray(0, end));
  });
  return packets;
}

t.test('a message gets no identifier of one that is not acknowledged', async (t) => {
  // Each connection of aedes begins with a random identifier.
  const { random } = Math;
  Math.random = () => 0.5;
  t.teardown(() => (Math.random = random));
  const { port, broker } = await startLocalBroker(t, new Map());
  const device = await connected(t, port);
  /** Connects, and returns the messages with their identifiers. */
  const join = async (...sent: Buffer[]) => {
    const socket = createConnection(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    const packets = packetsOf(socket);
    socket.write(Buffer.concat([CONNECT, ...sent]));
    await until('the replies', () => packets.length > sent.length);
    const messages = () =>
      packets
        .filter(([kind = 0]) => kind >> 4 === 3)
        .map((packet) => ({ id: packet.readUInt16BE(5), text: packet.toString('utf8', 7) }));
    const leave = async () => {
      socket.destroy();
      await until('its end', () => broker.figures().clients === 1);
    };
    return { socket, messages, leave };
  };
  const first = await join(SUBSCRIBE);
  await device.publishAsync('a', 'one', { qos: 1 });
  await until('a message', () => first.messages().length === 1);
  await first.leave();
  await device.publishAsync('a', 'two', { qos: 1 });
  const second = await join();
  await until('what waited', () => second.messages().length === 2);
  await device.publishAsync('a', 'three', { qos: 1 });
  await until('a new message', () => second.messages().length === 3);
  const ids = new Map(second.messages().map(({ id, text }) => [text, id]));
  t.equal(new Set(ids.values()).size, 3);
  const acknowledge = (text: string) => {
    const id = ids.get(text) ?? 0;
    second.socket.write(Buffer.from([0x40, 2, id >> 8, id & 255]));
  };
  acknowledge('two');
  acknowledge('three');
  await until('the acknowledgements', () => broker.figures().queued === 1);
  await second.leave();
  const third = await join();
  await until('what is not acknowledged', () => third.messages().length === 1);
  t.equal(third.messages()[0]?.text, 'one');
});
