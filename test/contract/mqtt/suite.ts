import type { Test } from 'tap';
import { isAbort } from '../../../src/base/fault.js';
import type { BrokerConnection, ConnectionListener, ConnectOptions } from '../../../drivers/mqtt/broker.js';
import type { Message } from '../../../drivers/mqtt/message.js';
import { withinPatience, until } from '../../tools/until.js';
import { OPTIONS, type TestBroker } from './brokers.js';

class RecordingListener implements ConnectionListener {
  readonly messages: Message[] = [];
  readonly gone = Promise.withResolvers<Error>();
  losses = 0;

  onMessage(message: Message): void {
    this.messages.push(message);
  }

  onLost(cause: Error): void {
    this.losses += 1;
    this.gone.resolve(cause);
  }

  get heard(): string[] {
    return this.messages.map(
      ({ topic, text, isRetained: retained }) => `${topic}=${text}${retained ? ' (kept)' : ''}`,
    );
  }
}

const LEVELS = [0, 1, 2] as const;

/** Topics that are easily misinterpreted. */
const ODD = ['1', '0', 'resubscribe', '__proto__', 'a b', '/', '//', 'ä/€/😀', `long/${'x'.repeat(5000)}`];

/** The contract of a connection to a broker; `make` creates one for each test. */
export async function mqttContract(t: Test, name: string, make: () => Promise<TestBroker>): Promise<void> {
  const on = (what: string, run: (t: Test, testBroker: TestBroker) => Promise<void>) =>
    t.test(`${name}: ${what}`, async (t) => {
      await using testBroker = await make();
      await run(t, testBroker);
      t.equal(testBroker.brokers.openCount, 0, 'no connection was left open');
    });
  const join = async (
    testBroker: TestBroker,
    options: Partial<ConnectOptions> = {},
  ): Promise<{ connection: BrokerConnection; listener: RecordingListener }> => {
    const listener = new RecordingListener();
    const all = { ...OPTIONS, url: testBroker.url, version: testBroker.version, ...options };
    return {
      connection: await testBroker.brokers.connect(all, listener, new AbortController().signal),
      listener,
    };
  };
  const plain = { qos: 1, retain: false } as const;

  await on('messages are published and received', async (t, testBroker) => {
    const { connection, listener } = await join(testBroker);
    t.same(await connection.subscribe([{ filter: 'in/+', qos: 1, id: 7 }]), [true]);
    const bytes = Buffer.from([0, 255, 128, 10]);
    await testBroker.publish('in/bytes', bytes);
    await testBroker.publish('elsewhere', 'no');
    await testBroker.publish('in/text', 'yes');
    await until('both', () => listener.messages.length === 2);
    t.ok(listener.messages[0]?.payload.equals(bytes), 'bytes are unchanged');
    t.equal(listener.messages[0]?.text, undefined, 'not UTF-8');
    t.equal(listener.messages[1]?.text, 'yes');
    t.same(listener.messages[0]?.subscriptionIds, testBroker.version === 5 ? [7] : undefined);
    for (const qos of LEVELS)
      await connection.publish(`out/${qos}`, Buffer.from('x'), { qos, retain: false });
    await until(
      'three',
      () => testBroker.heard().filter(({ topic }) => topic.startsWith('out/')).length === 3,
    );
    await connection.close();
  });

  await on('each subscription delivers the retained messages', async (t, testBroker) => {
    await testBroker.publish('state/a', '1', true);
    await testBroker.publish('state/b', '2', true);
    const { connection, listener } = await join(testBroker);
    await connection.subscribe([
      { filter: 'state/a', qos: 0, id: 1 },
      { filter: 'state/b', qos: 1, id: 2 },
    ]);
    await until('both', () => listener.messages.length === 2);
    t.same(listener.heard.toSorted(), ['state/a=1 (kept)', 'state/b=2 (kept)']);
    await connection.subscribe([{ filter: 'state/a', qos: 0, id: 1 }]);
    await until('repeated for one', () => listener.messages.length === 3);
    await testBroker.publish('state/a', 'now', true);
    await until('the new message', () => listener.heard.includes('state/a=now'));
    await connection.publish('state/c', Buffer.from('ours'), { qos: 1, retain: true });
    const other = await join(testBroker, { clientId: 'other' });
    await other.connection.subscribe([{ filter: 'state/c', qos: 0, id: 1 }]);
    await until('ours', () => other.listener.heard.includes('state/c=ours (kept)'));
    await other.connection.close();
    await connection.close();
  });

  await on('many filters, some of them unusual, are kept apart', async (t, testBroker) => {
    const { connection, listener } = await join(testBroker);
    const commands = [...ODD, ...Array.from({ length: 30 }, (_, n) => `many/${n}`)].map((filter, index) => ({
      filter,
      qos: index % 2 === 0 ? (0 as const) : (1 as const),
      id: index + 1,
    }));
    t.same(await connection.subscribe(commands), Array(commands.length).fill(true));
    for (const { filter } of commands) await testBroker.publish(filter, 'x');
    await until('each once', () => listener.messages.length >= commands.length);
    t.same(
      listener.messages.map(({ topic }) => topic),
      commands.map(({ filter }) => filter),
    );
    if (testBroker.version === 5)
      t.ok(listener.messages.every(({ subscriptionIds: subscriptions }, n) => subscriptions?.[0] === n + 1));
    await connection.unsubscribe(['1', 'many/0']);
    for (const topic of ['1', 'many/0', 'many/1']) await testBroker.publish(topic, 'y');
    await until('the last', () => listener.heard.includes('many/1=y'));
    t.notOk(listener.heard.some((text) => text === '1=y' || text === 'many/0=y'));
    await connection.close();
  });

  await on('many parallel publishes all arrive', async (t, testBroker) => {
    const { connection } = await join(testBroker);
    const all = Array.from({ length: 300 }, (_, n) =>
      connection.publish('burst', Buffer.from(String(n)), { qos: LEVELS[n % 3] ?? 0, retain: false }),
    );
    await withinPatience('all acknowledged', Promise.all(all));
    const arrived = () => testBroker.heard().filter(({ topic }) => topic === 'burst');
    await until('all received', () => arrived().length >= 300);
    t.equal(new Set(arrived().map(({ payload }) => payload)).size, 300);
    await connection.close();
  });

  await on(
    'a stopped broker is reported once, and reached again after its restart',
    async (t, testBroker) => {
      const { connection, listener } = await join(testBroker);
      await testBroker.publish('state', 'old', true);
      await testBroker.stop();
      t.match(await withinPatience('the loss', listener.gone.promise), { code: 'DEVICE_OFFLINE' });
      await t.rejects(connection.publish('x', Buffer.from('stale'), plain), { code: 'DEVICE_OFFLINE' });
      await t.rejects(connection.subscribe([{ filter: 'x', qos: 0, id: 1 }]), { code: 'DEVICE_OFFLINE' });
      await t.rejects(join(testBroker), { code: 'DEVICE_OFFLINE' }, 'while it is stopped');
      await connection.close();
      t.equal(listener.losses, 1);
      await testBroker.start();
      const again = await join(testBroker);
      await again.connection.subscribe([{ filter: 'state', qos: 0, id: 1 }]);
      await until('the retained state', () => again.listener.heard.includes('state=old (kept)'));
      await again.connection.publish('x', Buffer.from('fresh'), plain);
      await until('the new one', () => testBroker.heard().some(({ payload }) => payload === 'fresh'));
      t.notOk(
        testBroker.heard().some(({ payload }) => payload === 'stale'),
        'nothing was kept for later',
      );
      await again.connection.close();
    },
  );

  await on(
    'a publish in flight fails with the connection, and is not sent by the next one',
    async (t, testBroker) => {
      const { connection } = await join(testBroker, { cleanSession: false });
      testBroker.freeze();
      const outcomes = [1, 2].map((qos) =>
        connection.publish('late', Buffer.from('stale'), { qos: qos as 1 | 2, retain: false }).then(
          () => 'taken',
          (thrown: unknown) => thrown,
        ),
      );
      testBroker.cut();
      for (const outcome of await withinPatience('both', Promise.all(outcomes))) {
        t.match(outcome, { code: 'DEVICE_OFFLINE' });
      }
      await connection.close();
      testBroker.thaw();
      const again = await join(testBroker, { cleanSession: false });
      await again.connection.publish('late', Buffer.from('fresh'), plain);
      await until('the new one', () => testBroker.heard().some(({ topic }) => topic === 'late'));
      t.same(
        testBroker.heard().filter(({ topic }) => topic === 'late'),
        [{ topic: 'late', payload: 'fresh', retain: false }],
      );
      await again.connection.close();
    },
  );

  await on('a persistent session survives a disconnect', async (t, testBroker) => {
    const kept = { cleanSession: false };
    const first = await join(testBroker, kept);
    await first.connection.subscribe([{ filter: 'kept/+', qos: 1, id: 3 }]);
    testBroker.cut();
    await withinPatience('the loss', first.listener.gone.promise);
    await first.connection.close();
    await testBroker.publish('kept/a', '1');
    await testBroker.publish('kept/b', '2');
    const second = await join(testBroker, kept);
    await until('both', () => second.listener.messages.length === 2);
    t.same(second.listener.heard, ['kept/a=1', 'kept/b=2']);
    t.equal(
      second.listener.messages[0]?.subscriptionIds,
      undefined,
      'identifiers would belong to another connection',
    );
    await second.connection.close();
    const clean = await join(testBroker);
    await clean.connection.close();
  });

  await on('closing rejects requests in flight', async (t, testBroker) => {
    const { connection, listener } = await join(testBroker);
    await connection.subscribe([{ filter: 'in', qos: 0, id: 1 }]);
    testBroker.freeze();
    const outcome = connection.publish('x', Buffer.from('x'), plain).catch((thrown: unknown) => thrown);
    await Promise.all([connection.close(), connection.close()]);
    t.ok(isAbort(await withinPatience('the publish', outcome)), 'an AbortError');
    t.ok(isAbort(await connection.publish('x', Buffer.from('x'), plain).catch((thrown: unknown) => thrown)));
    testBroker.thaw();
    await testBroker.publish('in', 'too late');
    t.equal(listener.losses, 0, 'closing is not reported as a loss');
    t.same(listener.heard, []);
  });

  await on(
    'the will is published when the connection is lost, but not after a disconnect',
    async (t, testBroker) => {
      const will = { topic: 'will', payload: 'gone', qos: 1, retain: true } as const;
      const leaving = await join(testBroker, { will });
      await leaving.connection.close();
      const cut = await join(testBroker, { will: { ...will, payload: 'cut off' } });
      testBroker.cut();
      await withinPatience('the loss', cut.listener.gone.promise);
      await until('the will', () => testBroker.heard().some(({ topic }) => topic === 'will'));
      t.same(
        testBroker.heard().map(({ payload }) => payload),
        ['cut off'],
      );
      await cut.connection.close();
    },
  );

  await on(
    'another client with the same ID is distinguished from a network failure',
    async (t, testBroker) => {
      const first = await join(testBroker);
      const second = await join(testBroker);
      const cause = await withinPatience('the loss', first.listener.gone.promise);
      t.match(cause, { code: 'DEVICE_OFFLINE' });
      await first.connection.close();
      await second.connection.close();
    },
  );

  await on('connecting can be cancelled', async (t, testBroker) => {
    const given = new AbortController();
    given.abort();
    const options = { ...OPTIONS, url: testBroker.url, version: testBroker.version };
    t.ok(
      isAbort(
        await testBroker.brokers
          .connect(options, new RecordingListener(), given.signal)
          .catch((thrown: unknown) => thrown),
      ),
    );
  });
}
