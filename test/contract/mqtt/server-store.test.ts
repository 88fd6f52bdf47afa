/** What an MQTT Server keeps over restarts, kills and damage, and within which limits. */
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import type { BrokerHandle, BrokerListener } from '../../../drivers/mqtt/server/program/broker-process.js';
import type { BrokerFigures, BrokerLimits } from '../../../drivers/mqtt/server/messages.js';
import { SessionDatabase } from '../../../drivers/mqtt/server/store/session-database.js';
import { ManualClock } from '../../../src/base/clock.js';
import { startLocalBroker } from '../../tools/broker/local-broker.js';
import { ServerFixture } from '../../tools/broker/server-fixture.js';
import { startTestServer, TEST_LIMITS } from '../../tools/broker/test-server.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

async function connected(t: Test, port: number, options: IClientOptions = {}): Promise<MqttClient> {
  const url = `mqtt://127.0.0.1:${port}`;
  const client = await connectAsync(url, { reconnectPeriod: 0, protocolVersion: 4, ...options });
  t.teardown(() => client.endAsync(true));
  client.on('error', () => undefined);
  return client;
}

function recorded(client: MqttClient): string[] {
  const heard: string[] = [];
  client.on('message', (topic, payload) => heard.push(`${topic}=${payload.toString()}`));
  return heard;
}

/** What is retained, by a new client. */
async function retained(t: Test, port: number, last: string): Promise<string[]> {
  const client = await connected(t, port);
  const heard: string[] = [];
  // Retained messages arrive in their order; the same message may arrive as a live one before them.
  client.on(
    'message',
    (topic, payload, { retain }) => retain && heard.push(`${topic}=${payload.toString()}`),
  );
  await client.publishAsync(last, 'end', { qos: 1, retain: true });
  await client.subscribeAsync('#', { qos: 1 });
  await until('all of them', () => heard.includes(`${last}=end`));
  const all = heard.filter((one) => one !== `${last}=end`).toSorted();
  await client.publishAsync(last, '', { qos: 1, retain: true });
  await client.endAsync();
  return all;
}

/** A session with QoS 2 that waits for `messages`, which another client publishes. */
async function fill(t: Test, port: number, count: number): Promise<void> {
  const session = await connected(t, port, { clientId: 'panel', clean: false });
  await session.subscribeAsync('queue/#', { qos: 2 });
  await session.endAsync();
  const device = await connected(t, port);
  await device.publishAsync('state/a', 'old', { qos: 1, retain: true });
  await device.publishAsync('state/a', 'new', { qos: 1, retain: true });
  await device.publishAsync('state/b', 'gone', { qos: 1, retain: true });
  await device.publishAsync('state/b', '', { qos: 1, retain: true });
  for (let n = 0; n < count; n++)
    await device.publishAsync('queue/x', String(n), { qos: n % 2 === 0 ? 1 : 2 });
  await device.endAsync();
}

t.test('a killed process loses nothing that was acknowledged, and writes little', async (t) => {
  const directory = await tempDirectory(t);
  await using fixture = await ServerFixture.start(directory);
  const { port } = fixture;
  await fill(t, port, 40);
  const database = join(directory, 'mqtt-server', String(fixture.server.id), 'sessions.db');
  const { mtimeMs } = statSync(database);
  for (let round = 0; round < 3; round++) await fixture.kill();
  t.equal(statSync(database).mtimeMs, mtimeMs, 'within the interval, nothing was written to the disk');
  t.strictSame(await retained(t, port, 'last'), ['state/a=new']);
  const messages = await sessionMessages(t, port, 40);
  const numbers = messages.map((text) => Number(text.split('=')[1]));
  const expected = Array.from({ length: 20 }, (_, n) => 2 * n);
  // The order is that of each quality of service [MQTT-4.6.0-6].
  t.strictSame(
    numbers.filter((n) => n % 2 === 0),
    expected,
  );
  t.strictSame(
    numbers.filter((n) => n % 2 === 1),
    expected.map((n) => n + 1),
  );
  await fixture.kill();
  t.strictSame(await sessionMessages(t, port, 0), [], 'each was delivered once');
});

/** The messages of the persistent session, in their order. */
async function sessionMessages(t: Test, port: number, count: number): Promise<string[]> {
  const { default: mqtt } = await import('mqtt');
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    clientId: 'panel',
    clean: false,
    reconnectPeriod: 0,
    protocolVersion: 4,
  });
  const heard = recorded(client);
  t.teardown(() => client.endAsync(true));
  await new Promise((resolve) => client.once('connect', resolve));
  await until('all messages', () => heard.length >= count);
  // What is sent after it would arrive before the reply.
  await client.publishAsync('queue/x', 'end', { qos: 1 });
  await until('the last one', () => heard.includes('queue/x=end'));
  await client.endAsync();
  return heard.filter((one) => one !== 'queue/x=end');
}

t.test('a clean stop writes the rest; repeated and delivered messages cost nothing', async (t) => {
  const directory = await tempDirectory(t);
  const port = await reservePort();
  let broker = await startTestServer(directory, port);
  await fill(t, port, 10);
  await broker.close();
  t.strictSame(keysIn(directory), ['queue 10', 'retained 1', 'session 1']);
  broker = await startTestServer(directory, port);
  const device = await connected(t, port);
  const panel = await connected(t, port, { clientId: 'panel', clean: true });
  await panel.subscribeAsync('queue/#', { qos: 1 });
  for (let n = 0; n < 50; n++) {
    await device.publishAsync('state/a', 'new', { qos: 1, retain: true });
    await device.publishAsync('queue/x', String(n), { qos: 1 });
  }
  await panel.endAsync();
  const wal = join(directory, 'sessions.db');
  const before = readFileSync(wal);
  await broker.close();
  t.strictSame(keysIn(directory), ['retained 1'], 'the client began without its session');
  t.ok(Math.abs(readFileSync(wal).length - before.length) <= 4096);
});

/** The number of records of each kind. */
function keysIn(directory: string): string[] {
  const { database, loaded } = SessionDatabase.open(join(directory, 'sessions.db'));
  database.close();
  const kinds: Record<string, string> = {
    r: 'retained',
    q: 'queue',
    s: 'session',
    w: 'will',
    p: 'received',
    i: 'incoming',
  };
  const counts = Map.groupBy(loaded.records, ([key]) => kinds[key[0] ?? ''] ?? key);
  return Array.from(counts, ([kind, all]) => `${kind} ${all.length}`).toSorted();
}

t.test('a damaged row is lost alone; a damaged database is moved aside', async (t) => {
  const directory = await tempDirectory(t);
  const port = await reservePort();
  const broker = await startTestServer(directory, port);
  await fill(t, port, 3);
  await broker.close();
  const path = join(directory, 'sessions.db');
  const bytes = readFileSync(path);
  const at = bytes.lastIndexOf('new');
  t.ok(at > 0);
  bytes.write('odd', at);
  writeFileSync(path, bytes);
  const lost: number[] = [];
  const listener: BrokerListener = {
    onMessage: (message) => message.is === 'damaged' && lost.push(message.records),
    onEnded: () => undefined,
  };
  await (await startTestServer(directory, port, { listener })).close();
  t.strictSame(lost, [1]);
  t.strictSame(keysIn(directory), ['queue 3', 'session 1']);
  writeFileSync(path, Buffer.alloc(8192, 7));
  const fresh = await startTestServer(directory, port, { listener });
  t.strictSame(lost, [1, -1]);
  t.strictSame(await retained(t, port, 'last'), []);
  await fresh.close();
  t.ok(statSync(`${path}.damaged`).size > 0);
});

t.test('queues, kept bytes and sessions are bounded', async (t) => {
  let figures: BrokerFigures | undefined;
  const listener: BrokerListener = {
    onMessage: (message) => message.is === 'figures' && (figures = message.figures),
    onEnded: () => undefined,
  };
  const start = async (limits: Partial<BrokerLimits>): Promise<{ broker: BrokerHandle; port: number }> => {
    const port = await reservePort();
    const all = { ...TEST_LIMITS, ...limits };
    return { port, broker: await startTestServer(await tempDirectory(t), port, { listener, limits: all }) };
  };
  await t.test('messages for one session', async (t) => {
    const { broker, port } = await start({ queued: 5 });
    await fill(t, port, 12);
    await until('what was dropped', () => figures?.dropped === 7);
    t.equal(figures?.queued, 5);
    const messages = await sessionMessages(t, port, 5);
    t.strictSame(
      messages.toSorted(),
      [0, 1, 2, 3, 4].map((n) => `queue/x=${n}`),
    );
    await broker.close();
  });
  await t.test('everything that is kept', async (t) => {
    const { broker, port } = await start({ keptBytes: 12_000 });
    const device = await connected(t, port);
    for (let n = 0; n < 5; n++)
      await device.publishAsync(`big/${n}`, 'x'.repeat(3000), { qos: 1, retain: true });
    await until('what was dropped', () => figures?.dropped === 2);
    t.equal(figures?.retained, 3);
    await device.publishAsync('big/0', '', { qos: 1, retain: true });
    await device.publishAsync('big/9', 'x'.repeat(3000), { qos: 1, retain: true });
    t.equal((await retained(t, port, 'last')).filter((one) => one.startsWith('big/9')).length, 1);
    await broker.close();
  });
  await t.test('an outdated message is not retained', async (t) => {
    const { broker, port } = await start({ keptBytes: 2000 });
    const device = await connected(t, port);
    const retain = (topic: string, payload: string) =>
      device.publishAsync(topic, payload, { qos: 1, retain: true });
    await retain('s', 'ON');
    // What is left, to the byte: a record costs 512 bytes in addition to its topic and payload.
    await retain('big', 'x'.repeat(2000 - 512 - 'sON'.length - 512 - 'big'.length));
    await retain('s', 'OFF');
    await until('what was dropped', () => figures?.dropped === 1);
    await retain('big', '');
    t.strictSame(await retained(t, port, 'last'), []);
    await broker.close();
  });
  await t.test('sessions', async (t) => {
    const { broker, port } = await start({ clients: 2 });
    for (let n = 0; n < 4; n++) {
      const client = await connected(t, port, { clientId: `s${n}`, clean: false });
      await client.subscribeAsync('a', { qos: 1 });
      await client.endAsync();
    }
    await t.rejects(connected(t, port, { clientId: 's9', clean: false }), { code: 3 });
    await connected(t, port, { clientId: 's9' });
    await broker.close();
  });
});

const DAY_MS = 86_400_000;

t.test('a session is kept for its days from when its client was connected', async (t) => {
  const clock = new ManualClock(Date.UTC(2026, 0, 2));
  const stored = new Map<string, Uint8Array>();
  const killed = await startLocalBroker(t, stored, { clock });
  const panel = await connected(t, killed.port, { clientId: 'panel', clean: false });
  await panel.subscribeAsync('queue/#', { qos: 1 });
  clock.advance(10 * DAY_MS);
  await killed.flush();
  const next = await startLocalBroker(t, new Map(stored), { clock });
  const device = await connected(t, next.port);
  await device.publishAsync('queue/x', '1', { qos: 1 });
  t.equal(next.broker.figures().queued, 1, 'it was connected all the time');
  clock.advance(6 * DAY_MS);
  t.equal(next.broker.figures().queued, 1);
  clock.advance(2 * DAY_MS);
  t.equal(next.broker.figures().queued, 0);
});

/** CONNECT of the client `hx` with its session, and PUBLISH of QoS 2 with the identifier 5 to the topic `a`. */
const CONNECT = Buffer.from([0x10, 14, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 0, 0, 0, 0, 2, 0x68, 0x78]);
const publish = (payload: string) =>
  Buffer.concat([Buffer.from([0x34, 6, 0, 1, 0x61, 0, 5]), Buffer.from(payload)]);

t.test('the identifiers of QoS 2 of a client expire with its session', async (t) => {
  const clock = new ManualClock(Date.UTC(2026, 0, 2));
  const { port, broker } = await startLocalBroker(t, new Map(), { clock });
  const panel = await connected(t, port);
  await panel.subscribeAsync('a');
  const heard = recorded(panel);
  /** A client that loses its connection before it can send PUBREL. */
  const interrupted = async (payload: string) => {
    const socket = createConnection(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    for (const packet of [CONNECT, publish(payload)]) {
      socket.write(packet);
      await once(socket, 'data');
    }
    socket.destroy();
    await until('its end', () => broker.figures().clients === 1);
  };
  await interrupted('1');
  await until('the first message', () => heard.length === 1);
  clock.advance(6 * DAY_MS);
  await interrupted('2');
  clock.advance(8 * DAY_MS);
  await interrupted('3');
  await until('another message', () => heard.length === 2);
  t.strictSame(heard, ['a=1', 'a=3'], 'the second one was a repetition');
});

t.test('a message of QoS 2 that is repeated and never released is noted once', async (t) => {
  const stored = new Map<string, Uint8Array>();
  const { port, flush } = await startLocalBroker(t, stored);
  const socket = createConnection(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  for (const packet of [CONNECT, ...Array.from({ length: 5 }, () => publish('1'))]) {
    socket.write(packet);
    await once(socket, 'data');
  }
  await flush();
  t.strictSame(
    [...stored.keys()].filter((key) => /^[ip]/.test(key)),
    ['ihx\n5'],
    'no message waits to be passed on',
  );
});
