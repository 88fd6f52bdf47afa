import t, { type Test } from 'tap';
import type { WebSocket as ServerSocket } from 'ws';
import { ManualClock } from '../../../src/base/clock.js';
import { Link } from '../../../src/client/link.js';
import { FakeGateway } from '../../tools/client/fake-gateway.js';
import { until } from '../../tools/until.js';

/** A link to a gateway whose snapshots are sent by the test, and the content of what it received. */
async function followMessages(t: Test, timing?: ManualClock) {
  const fake = await FakeGateway.listen();
  t.teardown(() => fake[Symbol.asyncDispose]());
  const requested: ((timestamp: number) => void)[] = [];
  let server: ServerSocket | undefined;
  fake.onSocket = (socket) => {
    server = socket;
    socket.on('message', (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { id: string; method: string };
      const reply = (result: unknown) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
      if (method === 'WFC_GetSnapshot') requested.push((timestamp) => reply({ timestamp, objects: {} }));
      else reply([]);
    });
  };
  const heard: unknown[] = [];
  const link = new Link({
    url: `ws://127.0.0.1:${fake.port}/wfc/1/api/`,
    configurator: 1,
    ...(timing && { timing }),
    onSnapshot: ({ timestamp }) => void heard.push(timestamp),
    onChange: ({ Data }) => void heard.push(Data[0]),
    onState: () => undefined,
  });
  t.teardown(() => link.stop());
  const send = (TimeStamp: number, Message: number, text: string) =>
    server?.send(JSON.stringify({ TimeStamp, SenderID: 1, Message, Data: [text] }));
  const replyWith = async (timestamp: number) => {
    const reply = await until('the request of a snapshot', () => requested.shift());
    reply(timestamp);
  };
  const sendSnapshot = async (timestamp: number) => {
    await replyWith(timestamp);
    await until('it is live', () => link.state.kind === 'live' && heard.includes(timestamp));
  };
  return {
    fake,
    link,
    heard,
    send,
    replyWith,
    sendSnapshot,
    requested,
    cut: (code = 1000) => server?.close(code),
  };
}

t.test('messages to fronts that arrive before a snapshot are passed on, each once', async (t) => {
  const { link, heard, send, sendSnapshot, requested } = await followMessages(t);
  link.start();
  await sendSnapshot(100);
  send(101, 20101, 'before');
  await until('the first message', () => heard.includes('before'));
  link.refresh();
  await until('the request of a snapshot', () => requested.length > 0);
  send(101, 20101, 'before');
  send(102, 10603, 'in the snapshot');
  send(103, 20101, 'popup');
  send(103, 20101, 'popup');
  send(104, 20106, 'category');
  send(106, 10603, 'after');
  await sendSnapshot(105);
  t.strictSame(heard, [100, 'before', 105, 'popup', 'category', 'after']);
});

t.test('a snapshot that is required while the link is lost skips no message to fronts', async (t) => {
  const { fake, link, heard, send, sendSnapshot, requested, cut } = await followMessages(t);
  link.start();
  await sendSnapshot(100);
  send(101, 10603, 'value');
  await until('the value', () => heard.includes('value'));
  cut();
  await until('it is lost', () => link.state.kind === 'lost');
  link.refresh();
  await until('the request of a snapshot', () => requested.length > 0);
  t.match(fake.upgrades[1]?.url, /since=0&messages=101&/);
  // It is lost once more before the snapshot has arrived: both are still missing.
  requested.length = 0;
  cut();
  await until('the next request', () => requested.length > 0);
  t.match(fake.upgrades[2]?.url, /since=0&messages=101&/);
  send(102, 20101, 'popup');
  send(103, 10603, 'in the snapshot');
  await sendSnapshot(103);
  t.strictSame(heard, [100, 'value', 103, 'popup']);
});

t.test('a link that was too slow takes a snapshot and the messages to fronts that it missed', async (t) => {
  const { fake, link, heard, send, sendSnapshot, requested, cut } = await followMessages(t);
  link.start();
  await sendSnapshot(100);
  send(101, 20101, 'received');
  await until('the message', () => heard.includes('received'));
  cut(1013);
  await until('the request of a snapshot', () => requested.length > 0);
  t.match(fake.upgrades[1]?.url, /since=0&messages=101&/);
  send(105, 20101, 'missed');
  await sendSnapshot(110);
  send(111, 10603, 'after');
  await until('the change after it', () => heard.includes('after'));
  t.strictSame(heard, [100, 'received', 110, 'missed', 'after']);
});

t.test('the link follows a gateway whose counter began again', async (t) => {
  const { link, heard, send, sendSnapshot, cut } = await followMessages(t);
  link.start();
  await sendSnapshot(100);
  cut(1013);
  await until('it is lost', () => link.state.kind === 'lost');
  await sendSnapshot(5);
  send(6, 10603, 'after');
  await until('the change', () => heard.includes('after'));
  t.strictSame(heard, [100, 5, 'after']);
});

t.test('a snapshot that began before changes were lost is taken again', async (t) => {
  const { link, heard, send, replyWith, sendSnapshot, requested } = await followMessages(t);
  link.start();
  await sendSnapshot(100);
  send(101, 0, 'CHANGES_LOST');
  await until('the request of a snapshot', () => requested.length > 0);
  send(103, 20101, 'popup');
  send(104, 10603, 'in the second snapshot');
  send(105, 0, 'CHANGES_LOST');
  send(106, 10603, 'after');
  await replyWith(102);
  await sendSnapshot(105);
  t.strictSame(heard, [100, 102, 105, 'popup', 'after'], 'meanwhile the page shows the first one');
});

t.test('a link waits 60 s for a snapshot: the reply to a probe would arrive behind it', async (t) => {
  const clock = new ManualClock();
  const { link, sendSnapshot, requested } = await followMessages(t, clock);
  link.start();
  await until('the request of a snapshot', () => requested.length > 0);
  clock.advance(59_999);
  await sendSnapshot(100);
  link.refresh();
  await until('the second request', () => requested.length > 0);
  clock.advance(60_000);
  await until('it is lost', () => link.state.kind === 'lost');
});
