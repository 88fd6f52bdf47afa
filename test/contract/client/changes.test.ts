import t, { type Test } from 'tap';
import type { WebSocket } from 'ws';
import { ManualClock } from '../../../src/base/clock.js';
import { Client, type Item, ServerError } from '../../../src/client/index.js';
import { FakeGateway } from '../../tools/client/fake-gateway.js';
import { reservePort } from '../../tools/reserve-port.js';
import { withinPatience, until } from '../../tools/until.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

const record = (counter: number, value: unknown = counter) => ({
  TimeStamp: counter,
  SenderID: 12345,
  Message: messageNumber.VM_UPDATE,
  Data: [value, true, 0, 5, 4, 3],
});
const frame = (counter: number) => JSON.stringify(record(counter));

/** A fake gateway that has sent the newest counter, and a client of it. */
async function openClient(t: Test, user = 'user%40x.org:s%C3%A4cret') {
  const fake = await FakeGateway.listen();
  t.teardown(() => fake[Symbol.asyncDispose]());
  fake.answerCalls({
    SVC_GetSnapshotChanges: [{ ...record(100), Message: 0 }],
    GetValue: (id: number) => id * 2,
  });
  const address = `http://${user}@127.0.0.1:${fake.port}/api/`;
  return { fake, address, client: new Client(address, { timeoutMs: 5_000 }) };
}

/** Reads `count` items; the stream stays open. */
async function take(stream: AsyncGenerator<Item, void, undefined>, count: number): Promise<Item[]> {
  const items: Item[] = [];
  while (items.length < count) {
    const next = await withinPatience('an item', stream.next());
    if (next.done) break;
    items.push(next.value);
  }
  return items;
}
const counters = (items: Item[]) =>
  items.map((item) => (item.kind === 'lost' ? -item.since : item.record.TimeStamp));

await t.test(
  'changes arrive in order, from the newest counter on, with credentials as the subprotocol',
  async (t) => {
    const { fake, client } = await openClient(t, 'u%C3%BC:p+%2F~%3F%3F');
    fake.onSocket = (socket) => [101, 102, 103].forEach((n) => socket.send(frame(n)));
    const items: Item[] = [];
    for await (const item of client.changes()) if (items.push(item) === 3) break;
    t.same(items[0], { kind: 'change', record: record(101) });
    t.same(counters(items), [101, 102, 103]);
    const protocol = encodeURIComponent(Buffer.from('uü:p+/~??').toString('base64'));
    t.same(fake.upgrades, [{ url: '/api/?since=100', protocol }]);
  },
);

await t.test(
  'after a disconnect changes continue from the counter, and the link state is reported',
  async (t) => {
    const { fake, address } = await openClient(t);
    const clock = new ManualClock();
    const links: string[] = [];
    fake.onSocket = (socket) => {
      const since = fake.upgrades.length * 10;
      socket.send(frame(since + 1));
      socket.send(frame(since + 2));
      socket.close(1013, 'too slow');
    };
    const changes = new Client(address, { timing: clock }).changes({
      since: 7,
      onLink: (gone) => links.push(gone === undefined ? 'up' : gone.message),
    });
    t.same(counters(await take(changes, 2)), [11, 12]);
    const third = changes.next();
    await until('the pause', () => links.length === 2);
    t.equal(fake.upgrades.length, 1, 'it waits before it reconnects');
    clock.advance(250);
    t.match(await withinPatience('the next change', third), { value: { record: { TimeStamp: 21 } } });
    t.same(
      fake.upgrades.map(({ url }) => url),
      ['/api/?since=7', '/api/?since=12'],
    );
    t.match(links, ['up', /1013, too slow/, 'up']);
    await changes.return();
    t.equal(clock.pendingTimers, 0, 'nothing is left running');
  },
);

await t.test('lost changes are reported, and the stream continues', async (t) => {
  const { fake, client } = await openClient(t);
  fake.onSocket = (socket) => {
    socket.send('{"TimeStamp":50,"SenderID":0,"Message":0,"Data":["CHANGES_LOST"]}');
    socket.send('{"TimeStamp":50,"SenderID":0,"Message":0,"Data":[]}');
    socket.send(frame(51));
  };
  const changes = client.changes({ since: 99_999 });
  t.same(await take(changes, 2), [
    { kind: 'lost', since: 50 },
    { kind: 'change', record: record(51) },
  ]);
  await changes.return();
});

await t.test('changes of one configurator come from its own path', async (t) => {
  const { fake, address } = await openClient(t, 'webfront:tulip');
  fake.answerCalls({ WFC_GetSnapshotChanges: (id: number) => [{ ...record(id), Message: 0 }] });
  fake.onSocket = (socket) => socket.send(frame(1));
  const changes = new Client(address, { configurator: 33 }).changes();
  await take(changes, 1);
  t.equal(fake.upgrades[0]?.url, '/wfc/33/api/?since=33');
  await changes.return();
});

await t.test('filtered changes request the filter, and fail if the gateway rejects it', async (t) => {
  const { fake, client } = await openClient(t);
  let refuse = false;
  fake.onSocket = (socket: WebSocket) =>
    socket.on('message', (data: Buffer) => {
      const { id, method, params } = JSON.parse(data.toString()) as {
        id: string;
        method: string;
        params: unknown;
      };
      t.same([method, params], ['GW_Subscribe', [[5], []]]);
      const error = { code: -32603, message: 'Access denied', data: { code: 'ACCESS_DENIED' } };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...(refuse ? { error } : { result: true }) }));
      socket.send(frame(3));
    });
  const changes = client.changes({ since: 1, ids: [5] });
  t.same(counters(await take(changes, 1)), [3]);
  await changes.return();
  refuse = true;
  await t.rejects(client.changes({ since: 1, ids: [5] }).next(), {
    name: 'RpcError',
    reason: 'ACCESS_DENIED',
  });
});

await t.test(
  'wrong credentials end the stream with an RpcError; an unreachable gateway is retried',
  async (t) => {
    const { fake, address } = await openClient(t);
    fake.acceptsUpgrades = false;
    const error = {
      code: -32000,
      message: 'Credentials are missing or wrong',
      data: { code: 'UNAUTHORIZED' },
    };
    const healthy = fake.answer;
    fake.answer = () => ({ status: 401, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) });
    await t.rejects(new Client(address).changes({ since: 1 }).next(), {
      name: 'RpcError',
      reason: 'UNAUTHORIZED',
    });
    await t.rejects(new Client(address).changes().next(), { name: 'RpcError', reason: 'UNAUTHORIZED' });

    fake.answer = () => ({ status: 503, body: 'starting' });
    const clock = new ManualClock();
    const gone: unknown[] = [];
    const changes = new Client(address, { timing: clock }).changes({
      since: 1,
      onLink: (why) => gone.push(why),
    });
    const first = changes.next();
    for (const attempt of [1, 2, 3]) {
      await until('a failed attempt', () => gone.length === attempt);
      t.type(gone.at(-1), ServerError);
      clock.advance(250 * 2 ** (attempt - 1) - 1);
      t.equal(clock.pendingTimers, 1, 'the pause doubles');
      clock.advance(1);
    }
    await until('a fourth attempt', () => gone.length === 4);
    Object.assign(fake, {
      acceptsUpgrades: true,
      answer: healthy,
      onSocket: (socket: WebSocket) => socket.send(frame(2)),
    });
    clock.advance(2_000);
    t.match(await withinPatience('a change', first), { value: { record: { TimeStamp: 2 } } });
    await changes.return();
  },
);

await t.test('an aborted stream ends in every state', async (t) => {
  const { client, fake } = await openClient(t);
  await t.rejects(client.changes({ signal: AbortSignal.abort() }).next(), { name: 'AbortError' });
  const stop = new AbortController();
  const waiting = client.changes({ since: 1, signal: stop.signal }).next();
  await until('a socket', () => fake.upgrades.length === 1);
  stop.abort();
  await t.rejects(waiting, { name: 'AbortError' });

  const clock = new ManualClock();
  const pause = new AbortController();
  const links: unknown[] = [];
  const nobody = new Client(`http://127.0.0.1:${await reservePort()}/api/`, { timing: clock });
  const pausing = nobody.changes({ signal: pause.signal, onLink: (gone) => links.push(gone) }).next();
  await until('a failed attempt', () => links.length === 1);
  pause.abort();
  await t.rejects(pausing, { name: 'AbortError' });
  t.equal(clock.pendingTimers, 0);
});

await t.test('a silent gateway is pinged, and the connection closed if it does not reply', async (t) => {
  const { fake, address } = await openClient(t);
  const clock = new ManualClock();
  const questions: string[] = [];
  let replies = true;
  fake.onSocket = (socket) => {
    socket.send(frame(5));
    socket.on('message', (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { id: string; method: string };
      questions.push(method);
      if (replies)
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: [] }), () => socket.send(frame(6)));
    });
  };
  const gone: unknown[] = [];
  const changes = new Client(address, { timing: clock }).changes({
    since: 1,
    onLink: (why) => gone.push(why),
  });
  await take(changes, 1);
  clock.advance(30_000);
  t.same(counters(await take(changes, 1)), [6]);
  t.same(questions, ['WFC_GetConfigurators']);
  replies = false;
  const next = changes.next();
  clock.advance(30_000);
  await until('the second ping', () => questions.length === 2);
  clock.advance(10_000);
  await until('the end of the connection', () => gone.length === 2);
  t.match(gone[1], { name: 'ServerError', message: /does not respond/ });
  clock.advance(1_000);
  t.match(await withinPatience('a change over a new socket', next), { value: { record: { TimeStamp: 5 } } });
  await changes.return();
});

await t.test('an invalid frame closes the connection, which is reopened', async (t) => {
  const { fake, address } = await openClient(t);
  for (const text of [
    '',
    'x',
    '[]',
    '1',
    '{"TimeStamp":"1","SenderID":1,"Message":1,"Data":[]}',
    '{"TimeStamp":1}',
  ]) {
    const clock = new ManualClock();
    const gone: unknown[] = [];
    fake.onSocket = (socket) => socket.send(gone.length < 2 ? text : frame(9));
    const changes = new Client(address, { timing: clock }).changes({
      since: 1,
      onLink: (why) => gone.push(why),
    });
    const next = changes.next();
    await until('the end of the connection', () => gone.length === 2);
    t.match(gone[1], { name: 'ServerError', message: /frame/ }, JSON.stringify(text));
    clock.advance(1_000);
    t.match(await withinPatience('a change', next), { value: { record: { TimeStamp: 9 } } });
    await changes.return();
  }
});

await t.test('repeated messages are filtered, and 0 is from now on', async (t) => {
  const { fake, client } = await openClient(t);
  fake.onSocket = (socket) => {
    for (const Message of [1, 7]) socket.send(JSON.stringify({ ...record(100 + Message), Message }));
  };
  const changes = client.changes({ since: 0, messages: [7] });
  t.same(counters(await take(changes, 1)), [107]);
  t.equal(fake.upgrades[0]?.url, '/api/?since=100');
  await changes.return();
});

await t.test(
  'a reader that falls far behind loses nothing: the stream restarts from its counter',
  async (t) => {
    const { fake, client } = await openClient(t);
    const last = 140_000;
    let cut = 0;
    fake.onSocket = (socket, url) => {
      socket.on('close', () => cut++);
      for (let n = Number(new URL(url, 'http://x').searchParams.get('since')) + 1; n <= last; n++)
        socket.send(frame(n));
    };
    let expected = 2;
    for await (const item of client.changes({ since: 1 })) {
      if (expected === 2) await until('that too many changes wait', () => cut === 1);
      if (item.kind !== 'change' || item.record.TimeStamp !== expected || expected++ === last) break;
    }
    t.equal(expected, last + 1);
    t.ok(fake.upgrades.length > 1);
  },
);
