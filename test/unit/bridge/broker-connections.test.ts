import t from 'tap';
import type {
  BrokerLink,
  BrokerListener,
  BrokerOptions,
  BrokerPort,
} from '../../../drivers/bridge/mqtt/broker-port.js';
import {
  BrokerConnections,
  type ConnectionHandler,
} from '../../../drivers/bridge/mqtt/broker-connections.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { until } from '../../tools/until.js';

t.test('the log has the first failure and other reasons, not each attempt', async (t) => {
  const clock = new ManualClock();
  const logged: unknown[] = [];
  const log = { ...silentLog, info: (fields: object) => void logged.push({ ...fields }) };
  // What each attempt meets: a reason, or a connection.
  const attempts = [
    'no route',
    'no route',
    'no route',
    'bad login',
    'bad login',
    undefined,
    'no route',
    'no route',
  ];
  let made = 0;
  let listener: BrokerListener | undefined;
  const link: BrokerLink = {
    subscribe: async () => [],
    publish: async () => undefined,
    close: async () => undefined,
  };
  const port: BrokerPort = {
    connect: async (_options, opened) => {
      const why = attempts[made++];
      if (why !== undefined) throw new Error(why);
      listener = opened;
      return link;
    },
  };
  const handler: ConnectionHandler = {
    optionsOf: () => ({}) as BrokerOptions, // the port ignores them
    onConnected: async () => undefined,
    onMessage: () => undefined,
    onClosed: () => undefined,
  };
  const connections = new BrokerConnections(port, handler, { clock, log, countMessage: () => undefined });
  connections.start();
  const after = (count: number) =>
    until(`attempt ${count}`, () => {
      clock.advance(60_000);
      return made >= count;
    });
  await after(6);
  await until('the connection', () => listener !== undefined);
  await until('the end of its opening', () => logged.length === 2);
  listener?.onLost(new Error('no route'));
  await after(8);
  t.strictSame(logged, [{ why: 'no route' }, { why: 'bad login' }, { why: 'no route' }]);
  await connections.close();
});

/** Connections that open immediately; `lose` ends the present one. */
function openAlways(onConnected: ConnectionHandler['onConnected'], subscribe: BrokerLink['subscribe']) {
  const clock = new ManualClock();
  const logged: unknown[] = [];
  const log = { ...silentLog, info: (fields: object) => void logged.push({ ...fields }) };
  const listeners: BrokerListener[] = [];
  const closed: string[] = [];
  const link: BrokerLink = { subscribe, publish: async () => undefined, close: async () => undefined };
  const port: BrokerPort = {
    connect: async (_options, listener) => {
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
    const count = closed.length + 1;
    await until('a connection', () => listeners.length === count);
    listeners.at(-1)?.onLost(new Error(why));
    await until('its end', () => closed.length === count);
  };
  return { clock, logged, closed, listeners, connections, lose };
}

t.test('only a connection that lasts ends a series of failures', async (t) => {
  const { clock, logged, listeners, connections, lose } = openAlways(
    async () => undefined,
    async () => [],
  );
  await lose('silent host');
  const reopen = (count: number, ms: number) =>
    until(`connection ${count}`, () => {
      if (listeners.length < count) clock.advance(ms);
      return listeners.length >= count;
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
  const { clock, closed, connections } = openAlways(
    async (opened) => void (await opened.subscribe([{ filter: 'a', qos: 1, id: 1 }])),
    () => {
      isAsked = true;
      return new Promise(() => undefined);
    },
  );
  await until('the subscription', () => isAsked);
  clock.advance(10_000);
  await until('the end of the connection', () => closed.length === 1);
  t.match(closed[0], /the acknowledgement of the broker/);
  await connections.close();
});
