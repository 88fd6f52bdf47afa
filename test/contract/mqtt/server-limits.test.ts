/** How much an MQTT Server keeps: what its records cost in memory counts as well. */
import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { SessionDatabase } from '../../../drivers/mqtt/server/store/session-database.js';
import { startLocalBroker } from '../../tools/broker/local-broker.js';
import { ServerFixture } from '../../tools/broker/server-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

async function connected(t: Test, port: number, options: IClientOptions = {}): Promise<MqttClient> {
  const url = `mqtt://127.0.0.1:${port}`;
  const client = await connectAsync(url, { reconnectPeriod: 0, protocolVersion: 4, ...options });
  t.teardown(() => client.endAsync(true));
  return client;
}

const start = (t: Test, stored: Map<string, Uint8Array>, keptBytes: number) =>
  startLocalBroker(t, stored, { keptBytes });

const retainedIn = (stored: Map<string, Uint8Array>): string[] =>
  [...stored.keys()].filter((key) => key.startsWith('r'));

t.test('a small message costs more than its bytes', async (t) => {
  const stored = new Map<string, Uint8Array>();
  const former = await start(t, stored, 1_000_000);
  const device = await connected(t, former.port);
  for (let n = 10; n < 60; n++) await device.publishAsync(`r/${n}`, 'x', { qos: 1, retain: true });
  await until('all of them', () => former.broker.figures().retained === 50);
  await former.flush();
  t.equal(retainedIn(stored).length, 50);
  const next = await start(t, stored, 10_000);
  t.match(next.broker.figures(), { retained: 19, dropped: 31 }, 'the limit was lowered');
  await next.flush();
  t.equal(retainedIn(stored).length, 19);
  const other = await connected(t, next.port);
  await other.publishAsync('r/70', 'x', { qos: 1, retain: true });
  await until('the drop', () => next.broker.figures().dropped === 32);
  t.equal(next.broker.figures().retained, 19);
});

t.test('filters of sessions count, with their levels', async (t) => {
  const stored = new Map<string, Uint8Array>();
  const { port, flush } = await start(t, stored, 10_000);
  const panel = await connected(t, port, { clientId: 'panel', clean: false });
  const kept = async () => {
    await flush();
    const { subscriptions } = JSON.parse(Buffer.from(stored.get('spanel') ?? []).toString()) as {
      subscriptions: [string, number][];
    };
    return subscriptions.map(([filter]) => filter);
  };
  const [long, deep, another] = ['x'.repeat(3000), 'y/'.repeat(11), 'z/z'];
  await panel.subscribeAsync(long, { qos: 1 });
  await panel.subscribeAsync(deep, { qos: 1 });
  // A granted subscription that is not kept would be missing in the session, without a word to the client.
  await t.rejects(panel.subscribeAsync(another, { qos: 1 }), /Unspecified error/);
  t.strictSame(await kept(), [long, deep]);
  await panel.unsubscribeAsync(long);
  await panel.subscribeAsync(another, { qos: 1 });
  t.strictSame(await kept(), [deep, another]);
  const next = await start(t, new Map(stored), 1500);
  await next.flush();
  t.equal(next.broker.figures().dropped, 1, 'the limit was lowered');
});

t.test('the identifiers of QoS 2 of a session are bounded', async (t) => {
  const stored = new Map<string, Uint8Array>();
  const { port, flush, broker } = await start(t, stored, 1_000_000);
  const connect = Buffer.from([0x10, 14, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 0, 0, 0, 0, 2, 0x68, 0x78]);
  for (let round = 0; round < 3; round++) {
    const socket = createConnection(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    let received = 0;
    socket.on('data', ({ length }) => (received += length));
    socket.write(connect);
    await until('the reply', () => received === 4);
    for (let n = 1; n <= 100; n++) socket.write(Buffer.from([0x34, 6, 0, 1, 0x61, round, n, 0x78]));
    await until('all PUBREC', () => received === 4 * 101);
    socket.destroy();
    await until('its end', () => broker.figures().clients === 0);
  }
  await flush();
  const numbers = [...stored.keys()]
    .filter((key) => key.startsWith('i'))
    .map((key) => Number(key.split('\n')[1]));
  t.equal(numbers.length, 200);
  t.ok(
    numbers.every((number) => number > 256),
    'the oldest ones are forgotten',
  );
});

t.test('rows that are far above the limit are not even loaded', async (t) => {
  const path = join(await tempDirectory(t), 'sessions.db');
  const { database } = SessionDatabase.open(path);
  const rows = Array.from({ length: 100 }, (_, n) => [`r${n}`, Buffer.from('x')] as const);
  database.write([...rows, ['sa', Buffer.from('{}')]], []);
  database.close();
  const limited = SessionDatabase.open(path, 10_000);
  limited.database.close();
  const keys = limited.loaded.records.map(([key]) => key);
  t.equal(keys.length, 19);
  t.ok(keys.includes('sa'), 'sessions come first');
  const { database: last, loaded } = SessionDatabase.open(path);
  last.close();
  t.equal(loaded.records.length, 19, 'the others are removed');
});

t.test('the memory of the process suits the limit', async (t) => {
  await using fixture = await ServerFixture.start(await tempDirectory(t), { MaxKeptMiB: 64 });
  t.match(readFileSync(`/proc/${fixture.processId()}/cmdline`, 'utf8'), '--max-old-space-size=256');
});
