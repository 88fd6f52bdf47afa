import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { WebSocketServer } from 'ws';
import type { BrokerConnection, QoS } from '../../../drivers/mqtt/broker.js';
import { NetworkConnector } from '../../../drivers/mqtt/network-connection.js';
import { Message } from '../../../drivers/mqtt/message.js';
import { PACKETS_PER_TURN } from '../../../drivers/mqtt/paced-stream.js';
import { EARLY_BYTE_LIMIT } from '../../../drivers/mqtt/early-messages.js';
import { SubscriptionRouter } from '../../../drivers/mqtt/subscription-router.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { liveBytesWithBuffers } from '../../tools/memory.js';
import { withinPatience, until } from '../../tools/until.js';
import { OPTIONS } from './brokers.js';

const MIB = 1024 * 1024;

/**
 * A connection to a broker whose bytes a test writes, and which grants every subscription as requested by
 * default.
 */
class HostileBroker implements AsyncDisposable {
  readonly messages: Message[] = [];
  readonly lost = Promise.withResolvers<Error>();
  connection!: BrokerConnection;
  #socket!: Socket;
  #end!: () => Promise<void>;

  static async open(t: Test, version: 4 | 5, connack = version === 5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]) {
    const arrived = Promise.withResolvers<Socket>();
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(Buffer.from(connack));
        arrived.resolve(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const broker = new HostileBroker();
    const brokers = new NetworkConnector();
    const listener = {
      onMessage: (message: Message) => void broker.messages.push(message),
      onLost: broker.lost.resolve,
    };
    const making = brokers.connect({ ...OPTIONS, url, version }, listener, new AbortController().signal);
    making.catch(broker.lost.resolve);
    const socket = (broker.#socket = await withinPatience('the connection', arrived.promise));
    const connection = await making.catch(() => undefined);
    if (connection !== undefined) broker.connection = connection;
    broker.#end = async () => {
      await connection?.close();
      t.equal(brokers.openCount, 0, 'no connection is left open');
      socket.destroy();
      server.close();
    };
    return broker;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end();
  }

  say(...parts: readonly (Buffer | readonly number[])[]): void {
    this.#socket.write(Buffer.concat(parts.map((part) => Buffer.from(part))));
  }

  /** Closes the broker's side, after what it has sent. */
  end(): void {
    this.#socket.end();
  }

  /** Replies to the next SUBSCRIBE with these codes. */
  grants(codes: readonly number[]): void {
    this.#socket.once('data', (packet) =>
      this.say([0x90, 2 + codes.length, packet[2] ?? 0, packet[3] ?? 0, ...codes]),
    );
  }

  /** Subscribes; the broker grants `granted`. */
  async subscribe(qos: QoS, granted: number = qos): Promise<void> {
    this.grants([granted]);
    await withinPatience('the subscription', this.connection.subscribe([{ filter: '#', qos, id: 1 }]));
  }

  /** Whether the client has closed its side. */
  async isGone(): Promise<boolean> {
    if (!this.#socket.closed) await new Promise((resolve) => this.#socket.once('close', resolve).resume());
    return true;
  }
}

/** A PUBLISH of MQTT 3.1.1 to the topic `x`. */
function publish(qos: QoS, id: number, { payload = Buffer.alloc(0), topic = Buffer.from('x') } = {}): Buffer {
  const rest = 2 + topic.length + (qos > 0 ? 2 : 0) + payload.length;
  const length: number[] = [];
  for (let left = rest; ; left >>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) break;
  }
  const identifier = qos > 0 ? [id >> 8, id & 255] : [];
  return Buffer.concat([
    Buffer.from([0x30 | (qos << 1), ...length, 0, topic.length]),
    topic,
    Buffer.from(identifier),
    payload,
  ]);
}

await t.test('a message above the granted QoS ends the connection', async (t) => {
  for (const [requests, granted, sent] of [
    [1, 1, 2],
    [2, 1, 2],
    [0, 0, 1],
    [1, 0x80, 1],
  ] as const) {
    await using broker = await HostileBroker.open(t, 4);
    await broker.subscribe(requests, granted);
    if (granted < 3) {
      broker.say(publish(granted as QoS, 1));
      await until('the allowed message', () => broker.messages.length === (granted < 2 ? 1 : 0));
    }
    broker.say(publish(sent, 2));
    t.match(await withinPatience('the end', broker.lost.promise), {
      message: new RegExp(`QoS ${sent}, which was not granted`),
    });
  }
});

await t.test('unreleased QoS 2 messages are limited, and dropped with the connection', async (t) => {
  const payload = Buffer.alloc(200_000, 'x');
  const before = liveBytesWithBuffers();
  let most = 0;
  for (let round = 0; round < 2; round += 1) {
    await using broker = await HostileBroker.open(t, 4);
    await broker.subscribe(2);
    let isLost = false;
    void broker.lost.promise.then(() => (isLost = true));
    // More than a hundred megabytes in total.
    for (let id = 1; id < 600 && !isLost; id += 1) {
      broker.say(publish(2, id, { payload }));
      if (id % 20 === 0) most = Math.max(most, liveBytesWithBuffers() - before);
      await new Promise((resolve) => setImmediate(resolve));
    }
    t.match(await withinPatience('the end', broker.lost.promise), {
      message: /unreleased QoS 2 messages/,
    });
    t.ok(await broker.isGone());
  }
  await until('memory is released', () => liveBytesWithBuffers() - before < 8 * MIB);
  await using broker = await HostileBroker.open(t, 4);
  await broker.subscribe(2);
  for (let id = 1; id <= 20_000; id += 1) broker.say(publish(2, id));
  t.match(
    await withinPatience('the end', broker.lost.promise),
    { message: /unreleased QoS 2 messages/ },
    'many small ones',
  );
});

await t.test('a broker that releases its messages may continue indefinitely', async (t) => {
  await using broker = await HostileBroker.open(t, 4);
  await broker.subscribe(2);
  const payload = Buffer.alloc(MIB, 'x');
  for (let id = 1; id <= 50; id += 1) {
    broker.say(publish(2, id, { payload }), [0x62, 2, id >> 8, id & 255]);
    await until('the message', () => broker.messages.length === id);
    broker.messages.fill(undefined as never);
  }
});

await t.test('a packet that a broker must not send ends the connection', async (t) => {
  const cases: [string, Buffer | number[], RegExp][] = [
    ['PUBACK', [0x40, 2, 0, 1], /that was not sent/],
    ['PUBREC', [0x50, 2, 0, 1], /that was not sent/],
    ['PUBREL', [0x62, 2, 0, 1], /without its message/],
    ['PUBCOMP', [0x70, 2, 0, 1], /that was not sent/],
    ['SUBACK', [0x90, 3, 0, 1, 0], /that was not sent/],
    ['UNSUBACK', [0xb0, 2, 0, 1], /that was not sent/],
    ['PINGRESP', [0xd0, 0], /without a PINGREQ/],
    ['PINGREQ', [0xc0, 0], /type 12/],
    ['DISCONNECT of a server in MQTT 3.1.1', [0xe0, 0], /type 14/],
    ['a topic that is not UTF-8', publish(0, 0, { topic: Buffer.from([0xff]) }), /not UTF-8/],
    ['a surrogate', publish(0, 0, { topic: Buffer.from([0xed, 0xa0, 0x80]) }), /not UTF-8/],
    ['NUL', publish(0, 0, { topic: Buffer.from([0x61, 0]) }), /not UTF-8/],
    ['a wildcard', publish(0, 0, { topic: Buffer.from('a/+') }), /wildcards/],
    ['no topic', publish(0, 0, { topic: Buffer.alloc(0) }), /empty/],
    ['a topic longer than its packet', [0x30, 3, 0, 9, 0x61], /malformed/],
  ];
  for (const [what, bytes, words] of cases) {
    await using broker = await HostileBroker.open(t, 4);
    await broker.subscribe(1);
    broker.say(publish(0, 0), Buffer.from(bytes), publish(0, 0));
    t.match(
      await withinPatience('the end', broker.lost.promise),
      { code: 'DEVICE_OFFLINE', message: words },
      what,
    );
    t.equal(broker.messages.length, 1, 'packets before it are processed, packets after it are not');
  }
  await using early = await HostileBroker.open(t, 4, [0x30, 3, 0, 1, 0x78]);
  t.match(await withinPatience('the end', early.lost.promise), {
    message: /the first packet is not a CONNACK/,
  });
  await using many = await HostileBroker.open(t, 4);
  many.grants([1, 1]);
  const subscribing = many.connection.subscribe([{ filter: '#', qos: 1, id: 1 }]);
  await t.rejects(subscribing, { message: /wrong number of reason codes/ });
});

await t.test('MQTT 5: invalid properties', async (t) => {
  const connack = (...properties: number[]) => [
    0x20,
    3 + properties.length,
    0,
    0,
    properties.length,
    ...properties,
  ];
  for (const [what, properties, words] of [
    ['Receive Maximum 0', [0x21, 0, 0], /is 0/],
    ['Maximum Packet Size 0', [0x27, 0, 0, 0, 0], /is 0/],
    ['Receive Maximum twice', [0x21, 0, 1, 0x21, 0, 1], /repeated/],
    ['an unknown one', [0x7f, 0], /malformed/],
    ['one that is cut off', [0x21, 0], /malformed/],
    ['a flag of 2', [0x25, 2], /neither 0 nor 1/],
    ['a text that is not UTF-8', [0x1f, 0, 1, 0xff], /not UTF-8/],
  ] as const) {
    await using broker = await HostileBroker.open(t, 5, connack(...properties));
    t.match(await withinPatience('the end', broker.lost.promise), { message: words }, what);
  }
  await using sound = await HostileBroker.open(
    t,
    5,
    connack(0x26, 0, 1, 0x61, 0, 1, 0x62, 0x26, 0, 1, 0x61, 0, 1, 0x62, 0x21, 0, 5),
  );
  // A message with an expiry interval twice.
  sound.say([0x30, 14, 0, 1, 0x78, 10, 0x02, 0, 0, 0, 1, 0x02, 0, 0, 0, 1]);
  t.match(await withinPatience('the end', sound.lost.promise), { message: /repeated/ });
});

await t.test('MQTT 5: a DISCONNECT ends the connection, even if the socket stays open', async (t) => {
  await using broker = await HostileBroker.open(t, 5);
  broker.say([0xe0, 1, 0x8b], [0x30, 4, 0, 1, 0x78, 0]);
  t.match(await withinPatience('the end', broker.lost.promise), {
    code: 'DEVICE_OFFLINE',
    message: /ended the connection/,
  });
  t.ok(await broker.isGone(), 'and the socket is closed');
  t.equal(broker.messages.length, 0, 'nothing behind it is processed');
});

await t.test('a burst of tiny packets is handled in small parts', async (t) => {
  await using broker = await HostileBroker.open(t, 4);
  await broker.subscribe(1);
  const count = 20_000;
  let [most, turnsAt, isCounting] = [0, 0, true];
  const turn = () => {
    most = Math.max(most, broker.messages.length - turnsAt);
    turnsAt = broker.messages.length;
    if (isCounting) setImmediate(turn);
  };
  setImmediate(turn);
  broker.say(...Array.from({ length: count }, (_, n) => publish(n % 2 === 0 ? 0 : 1, n + 1)));
  await until('all of them', () => broker.messages.length === count);
  isCounting = false;
  t.ok(most <= PACKETS_PER_TURN, `${most} in one iteration of the event loop`);
});

/** The router of a persistent session, without a connection. */
function sessionRouter(): SubscriptionRouter {
  const host = {
    id: 1,
    clock: new ManualClock(),
    log: silentLog,
    signal: new AbortController().signal,
    debug: () => undefined,
    reportLost: () => undefined,
    countMessage: () => undefined,
  };
  return new SubscriptionRouter(host, {
    hasSession: true,
    openSecondaryConnection: () => Promise.reject(new Error('no other connection')),
  });
}

await t.test('messages that arrive before their subscribers are queued up to a limit in bytes', (t) => {
  const topics = sessionRouter();
  const part = EARLY_BYTE_LIMIT / 4;
  for (let n = 0; n < 10; n++)
    topics.onMessage(new Message(`big/${n}`, Buffer.alloc(part), { retain: false }));
  topics.onMessage(new Message('small', Buffer.from('1'), { retain: false }));
  const received: string[] = [];
  topics.subscribe({ id: 2 }, { filter: '#', qos: 0 }, ({ topic }) => void received.push(topic));
  t.same(received, ['big/0', 'big/1', 'big/2', 'small']);
  t.end();
});

await t.test('a reopened instance does not receive again what it has received', (t) => {
  const topics = sessionRouter();
  const publish = (topic: string) =>
    topics.onMessage(new Message(topic, Buffer.from('x'), { retain: false }));
  const subscribe = (owner: { id: number }, filter = 'a/+') => {
    const received: string[] = [];
    const subscription = topics.subscribe(
      owner,
      { filter, qos: 1 },
      ({ topic }) => void received.push(topic),
    );
    return { received, close: () => subscription.close() };
  };
  publish('a/early');
  const first = { id: 2 };
  const [open, alike] = [subscribe(first), subscribe(first)];
  publish('a/live');
  t.same(open.received, ['a/early', 'a/live']);
  t.same(alike.received, ['a/early', 'a/live'], 'each subscription of one opening receives it');
  t.same(subscribe(first).received, ['a/early', 'a/live'], 'and so does a later one');
  open.close();
  alike.close();
  publish('b/early');
  const second = { id: 2 };
  t.same(subscribe(second).received, []);
  t.same(subscribe(second, '#').received, ['b/early'], 'only what it has not received');
  t.same(subscribe({ id: 2 }, '#').received, [], 'and that only once');
  t.same(subscribe({ id: 3 }).received, ['a/early', 'a/live'], 'other instances receive it');
  t.end();
});

await t.test('a subscription may skip what the broker has queued', async (t) => {
  const topics = sessionRouter();
  const granted = Promise.withResolvers<boolean[]>();
  const done = () => Promise.resolve();
  topics.attach({ subscribe: () => granted.promise, unsubscribe: done, publish: done, close: done });
  const publish = (text: string) => topics.onMessage(new Message('a', Buffer.from(text), { retain: false }));
  const received: unknown[] = [];
  publish('early');
  const options = { filter: 'a', qos: 0, skipsQueued: true } as const;
  const { ready } = topics.subscribe({ id: 2 }, options, ({ text }) => void received.push(text));
  publish('before the reply of the broker');
  granted.resolve([true]);
  await ready;
  publish('live');
  t.same(received, ['live']);
});

await t.test('packets sent before the broker closed the connection are processed', async (t) => {
  await using broker = await HostileBroker.open(t, 5);
  const count = 20 * PACKETS_PER_TURN;
  broker.say(...Array.from({ length: count }, () => [0x30, 4, 0, 1, 0x78, 0]), [0xe0, 1, 142]);
  broker.end();
  t.match(await withinPatience('the end', broker.lost.promise), { message: /another client connected/ });
  t.equal(broker.messages.length, count);
  await using older = await HostileBroker.open(t, 4);
  await older.subscribe(1);
  // The acknowledgements are not read any more.
  older.say(...Array.from({ length: count }, (_, n) => publish(1, n + 1)));
  older.end();
  t.match(await withinPatience('the end', older.lost.promise), {
    message: /the broker closed the connection/,
  });
  t.equal(older.messages.length, count);
});

await t.test('a repeated PUBREL is acknowledged', async (t) => {
  await using broker = await HostileBroker.open(t, 4);
  await broker.subscribe(2);
  const release = [0x62, 2, 0, 7];
  // EMQX and VerneMQ repeat it if the reply is late, and send one for each repeated message.
  broker.say(publish(2, 7), publish(2, 7), release, release, publish(2, 8), release, [0x62, 2, 0, 8]);
  await until('both messages', () => broker.messages.length === 2);
  broker.say([0x62, 2, 0, 9]);
  t.match(await withinPatience('the end', broker.lost.promise), { message: /without its message/ });
  t.equal(broker.messages.length, 2, 'each once');
});

await t.test('a broker that closes a WebSocket is lost immediately', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  t.teardown(() => server.close());
  server.on('connection', (socket) =>
    socket.once('message', () => {
      socket.send(Buffer.from([0x20, 2, 0, 0]));
      socket.close();
    }),
  );
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mqtt`;
  const { promise, resolve } = Promise.withResolvers<Error>();
  const listener = { onMessage: () => undefined, onLost: resolve };
  const making = new NetworkConnector().connect(
    { ...OPTIONS, url, version: 4 },
    listener,
    new AbortController().signal,
  );
  making.catch(resolve);
  t.match(await withinPatience('the end', promise), { message: /the broker closed the connection/ });
});
