import t from 'tap';
import type {
  BrokerLink,
  BrokerListener,
  BrokerOptions,
  BrokerPort,
} from '../../../drivers/bridge/mqtt/broker-port.js';
import {
  BrokerConnections,
  type BrokerConnection,
  type ConnectionHandler,
} from '../../../drivers/bridge/mqtt/broker-connections.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { Semaphore } from '../../../src/device/toolkit/semaphore.js';
import { until } from '../../tools/until.js';

interface Broker {
  /** Why the first attempts fail; undefined, and after them: a connection. */
  readonly failures?: readonly (string | undefined)[];
  readonly onConnected?: ConnectionHandler['onConnected'];
  readonly subscribe?: BrokerLink['subscribe'];
  readonly publish?: BrokerLink['publish'];
}

/** Connections to a broker; `lose` ends the present one. */
function open({
  failures = [],
  onConnected = async () => undefined,
  subscribe = async () => [],
  publish = async () => undefined,
}: Broker = {}) {
  const clock = new ManualClock();
  const logged: unknown[] = [];
  const log = { ...silentLog, info: (fields: object) => void logged.push({ ...fields }) };
  const listeners: BrokerListener[] = [];
  const closed: string[] = [];
  let attempts = 0;
  const link: BrokerLink = { subscribe, publish, close: async () => undefined };
  const port: BrokerPort = {
    connect: async (_options, listener) => {
      const why = failures[attempts++];
      if (why !== undefined) throw new Error(why);
      listeners.push(listener);
      return link;
    },
  };
  const handler: ConnectionHandler = {
    optionsOf: () => ({}) as BrokerOptions, // the port ignores them
    onConnected,
    onMessage: () => undefined,
    onClosed: (why) => void closed.push(String(why)),
  };
  const connections = new BrokerConnections(port, handler, { clock, log, countMessage: () => undefined });
  connections.start();
  const lose = async (why: string) => {
    await until('a connection', () => attempts === closed.length + 1 && listeners.length > 0);
    listeners.at(-1)?.onLost(new Error(why));
    await until('its end', () => closed.length === attempts);
  };
  return { clock, logged, closed, attempts: () => attempts, connections, lose };
}

t.test('the log has the first failure and other reasons, not each attempt', async (t) => {
  const failures = [
    'no route',
    'no route',
    'no route',
    'bad login',
    'bad login',
    undefined,
    'no route',
    'no route',
  ];
  const { clock, logged, attempts, connections, lose } = open({ failures });
  const after = (count: number) =>
    until(`attempt ${count}`, () => {
      clock.advance(60_000);
      return attempts() >= count;
    });
  await after(6);
  await lose('no route');
  await after(8);
  t.strictSame(logged, [{ why: 'no route' }, { why: 'bad login' }, { why: 'no route' }]);
  await connections.close();
});

t.test('only a connection that lasts ends a series of failures', async (t) => {
  const { clock, logged, attempts, connections, lose } = open();
  await lose('silent host');
  const reopen = (count: number, ms: number) =>
    until(`connection ${count}`, () => {
      if (attempts() < count) clock.advance(ms);
      return attempts() >= count;
    });
  await reopen(2, 60_000);
  await lose('silent host');
  t.strictSame(logged, [{ why: 'silent host' }], 'the second one lasted a moment');
  await reopen(3, 60_000);
  clock.advance(61_000);
  await lose('silent host');
  t.equal(logged.length, 2, 'the third one lasted');
  const lostNs = clock.monotonicNs();
  await reopen(4, 50);
  const pausedMs = Number(clock.monotonicNs() - lostNs) / 1e6;
  t.ok(pausedMs >= 250 && pausedMs <= 1000, `the shortest delay comes first: ${pausedMs} ms`);
  await connections.close();
});

t.test('a broker that does not reply to a subscription is left', async (t) => {
  let isAsked = false;
  const { clock, closed, connections } = open({
    onConnected: async (opened) => void (await opened.subscribe([{ filter: 'a', qos: 1, id: 1 }])),
    subscribe: () => {
      isAsked = true;
      return new Promise(() => undefined);
    },
  });
  await until('the subscription', () => isAsked);
  clock.advance(10_000);
  await until('the end of the connection', () => closed.length === 1);
  t.match(closed[0], /the acknowledgement of the broker/);
  await connections.close();
});

/** An open connection with the limit of the MQTT driver, whose broker acknowledges when the test says so. */
async function openSlow() {
  const published: string[] = [];
  const waiting: (() => void)[] = [];
  const inFlight = new Semaphore(20);
  const opened = Promise.withResolvers<BrokerConnection>();
  const { clock, closed, connections } = open({
    onConnected: async (connection) => opened.resolve(connection),
    publish: (topic) =>
      inFlight.run(() => {
        published.push(topic);
        return new Promise((resolve) => waiting.push(resolve));
      }),
  });
  const connection = await opened.promise;
  const acknowledge = () => waiting.splice(0).forEach((resolve) => resolve());
  return { clock, closed, connections, connection, published, acknowledge };
}

t.test('the time limit of a message begins when it is sent', async (t) => {
  const { clock, closed, connections, connection, published, acknowledge } = await openSlow();
  const topics = Array.from({ length: 100 }, (_, n) => `value/${n}`);
  const results = Promise.all(
    topics.map((topic) => connection.publish(topic, Buffer.alloc(0), { qos: 1, retain: true })),
  );
  for (let sent = 20; sent <= 100; sent += 20) {
    await until(`message ${sent}`, () => published.length === sent);
    clock.advance(9_000);
    acknowledge();
  }
  t.ok((await results).every((isAcknowledged) => isAcknowledged));
  t.strictSame(published, topics, 'in their order');
  t.strictSame(closed, []);
  await connections.close();
});

t.test('the last message does not wait for those that are not sent yet', async (t) => {
  const { connections, connection, published, acknowledge } = await openSlow();
  const results = Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      connection.publish(`value/${n}`, Buffer.alloc(0), { qos: 1, retain: true }),
    ),
  );
  const last = connection.publishLast('status', Buffer.alloc(0), { retain: true });
  await until('the messages in flight', () => published.length === 20);
  acknowledge();
  await until('the last one', () => published.includes('status'));
  acknowledge();
  t.equal(await last, true);
  t.equal((await results).filter((isAcknowledged) => isAcknowledged).length, 20);
  t.equal(published.length, 21);
  await connections.close();
});
