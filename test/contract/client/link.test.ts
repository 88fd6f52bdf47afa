import t, { type Test } from 'tap';
import type { WebSocket as ServerSocket } from 'ws';
import { ManualClock } from '../../../src/base/clock.js';
import { Link, type LinkState } from '../../../src/client/link.js';
import { RpcError } from '../../../src/client/errors.js';
import { FakeGateway } from '../../tools/client/fake-gateway.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { TcpProxy } from '../../tools/client/tcp-proxy.js';
import { startArea } from '../../tools/front/sample-area.js';
import { reservePort } from '../../tools/reserve-port.js';
import { until } from '../../tools/until.js';

interface Heard {
  readonly states: LinkState[];
  readonly values: unknown[];
  /** Titles. */
  readonly popups: unknown[];
  snapshots: number;
}

/** A link to a port, and what it reported of VM_UPDATE and WF_POPUP. */
function follow(t: Test, url: string, timing?: ManualClock) {
  const configurator = Number(/wfc\/(\d+)/.exec(url)?.[1]);
  const heard: Heard = { states: [], values: [], popups: [], snapshots: 0 };
  const link = new Link({
    url,
    configurator,
    ...(timing && { timing }),
    onSnapshot: () => (heard.snapshots += 1),
    onChange: ({ Message, Data }) => {
      if (Message === 10603) heard.values.push(Data[0]);
      if (Message === 20101) heard.popups.push(Data[0]);
    },
    onState: (state) => void heard.states.push(state),
  });
  t.teardown(() => link.stop());
  link.start();
  return { link, heard };
}

const kinds = ({ states }: Heard) => states.map(({ kind }) => kind);

t.test('changes go on without a gap after a cut', async (t) => {
  const fixture = await startArea(t);
  await using proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  const setpoint = await fixture.id('area/ground/setpoint');
  const configurator = Number(fixture.front.split('/').at(-2));
  const { link, heard } = follow(t, `ws://127.0.0.1:${proxy.port}/wfc/${configurator}/api/`);
  await until('it is live', () => link.state.kind === 'live');
  await rpc(fixture, 'SetValue', setpoint, 18);
  await until('the first value', () => heard.values.includes(18));
  proxy.freeze();
  proxy.cut();
  await until('it is lost', () => link.state.kind === 'lost');
  for (const value of [19, 20]) await rpc(fixture, 'SetValue', setpoint, value);
  proxy.thaw();
  proxy.cut();
  await until('the last value', () => heard.values.includes(20));
  t.strictSame(heard.values, [18, 19, 20]);
  t.equal(heard.snapshots, 1, 'the changes were enough');
  await until('it is live again', () => link.state.kind === 'live');
});

t.test('after a restart there is a new snapshot', async (t) => {
  const fixture = await startArea(t);
  await using proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  const configurator = Number(fixture.front.split('/').at(-2));
  const { link, heard } = follow(t, `ws://127.0.0.1:${proxy.port}/wfc/${configurator}/api/`);
  await until('it is live', () => link.state.kind === 'live');
  await fixture.gateway.close();
  await until('it is lost', () => link.state.kind === 'lost');
  const next = await startArea(t, { directory: fixture.directory });
  proxy.redirect(next.gateway.port('web') ?? 0);
  await until('a second snapshot', () => heard.snapshots === 2);
  await until('it is live again', () => link.state.kind === 'live');
  await rpc(next, 'SetValue', await next.id('area/ground/setpoint'), 25);
  await until('a change', () => heard.values.includes(25));
});

t.test('a change that a call causes arrives before its reply; a rejection has its code', async (t) => {
  const fixture = await startArea(t);
  const configurator = Number(fixture.front.split('/').at(-2));
  const url = `${fixture.front.replace('http', 'ws')}api/`;
  const { link, heard } = follow(t, url);
  await until('it is live', () => link.state.kind === 'live');
  const relay = await fixture.id('area/ground/hall_relay/STATE');
  await link.call('WFC_Execute', [configurator, 0, relay, true]);
  t.strictSame(heard.values, [true]);
  await t.rejects(link.call('WFC_Execute', [configurator, 0, 1, true]), RpcError);
});

t.test('an area that is missing is refused, and nothing is tried again', async (t) => {
  const fixture = await startArea(t);
  const { link, heard } = follow(t, `${new URL(fixture.front).origin.replace('http', 'ws')}/wfc/99999/api/`);
  await until('it is refused or lost', () => link.state.kind === 'rejected' || link.state.kind === 'lost');
  t.notOk(kinds(heard).includes('live'));
});

/** A gateway that answers the snapshot, and what it is asked otherwise is up to the test. */
async function startFake(t: Test, onProbe: (socket: ServerSocket, id: string) => void) {
  const fake = await FakeGateway.listen();
  t.teardown(() => fake[Symbol.asyncDispose]());
  fake.onSocket = (socket) =>
    socket.on('message', (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { id: string; method: string };
      if (method === 'WFC_GetSnapshot')
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { timestamp: 100, objects: {} } }));
      else onProbe(socket, id);
    });
  return fake;
}

t.test('a silent gateway is probed after 20 s, and lost 5 s later', async (t) => {
  const clock = new ManualClock();
  let probes = 0;
  const fake = await startFake(t, () => (probes += 1));
  const { link, heard } = follow(t, `ws://127.0.0.1:${fake.port}/wfc/1/api/`, clock);
  await until('it is live', () => link.state.kind === 'live');
  clock.advance(19_999);
  t.equal(probes, 0);
  clock.advance(1);
  await until('the probe', () => probes === 1);
  clock.advance(4999);
  t.equal(link.state.kind, 'live');
  clock.advance(1);
  await until('it is lost', () => link.state.kind === 'lost');
  t.strictSame(kinds(heard), ['connecting', 'live', 'lost']);
  t.strictSame(link.state, { kind: 'lost', sinceMs: clock.nowMs() - 25_000 }, 'as of the last frame');
  clock.advance(15_000);
  await until('the next attempt', () => fake.upgrades.length === 2);
  t.match(fake.upgrades[1]?.url, /since=100/);
});

t.test('a device that slept is not live before the gateway has replied', async (t) => {
  const clock = new ManualClock();
  const fake = await startFake(t, (socket, id) =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: [] })),
  );
  const url = `ws://127.0.0.1:${fake.port}/wfc/1/api/`;
  const wokenMs = clock.nowMs() + 8 * 3_600_000;
  let isAwake = false;
  // Its timers stand still, its clock does not.
  const timing = Object.assign(Object.create(clock) as ManualClock, {
    nowMs: () => (isAwake ? wokenMs : clock.nowMs()),
    after: (ms: number, callback: () => void) => clock.after(ms, callback),
    random: () => 0.5,
  });
  const { link, heard } = follow(t, url, timing);
  await until('it is live', () => link.state.kind === 'live');
  isAwake = true;
  link.touch();
  t.strictSame(link.state, { kind: 'lost', sinceMs: clock.nowMs() }, 'as of before it slept');
  await until('it is live again', () => link.state.kind === 'live');
  t.strictSame(kinds(heard), ['connecting', 'live', 'lost', 'live']);
  t.match(fake.upgrades[1]?.url, /since=100/);
});

t.test('the pauses between attempts are short for two minutes, and then grow to 15 s', async (t) => {
  const fake = await startFake(t, () => undefined);
  fake.onSocket = (socket) => socket.close();
  await pausesGrow(t, fake.port);
});

t.test('the pauses grow also while nothing listens at the port', async (t) => {
  await pausesGrow(t, await reservePort());
});

async function pausesGrow(t: Test, port: number): Promise<void> {
  const clock = new ManualClock();
  const pauses: number[] = [];
  const limits = [10_000, 20_000, 60_000];
  const timing = Object.assign(Object.create(clock) as ManualClock, {
    nowMs: () => clock.nowMs(),
    random: () => 1,
    // Pauses take no time; time limits never end.
    after: (ms: number, callback: () => void) => {
      if (limits.includes(ms)) return () => undefined;
      pauses.push(ms);
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  });
  follow(t, `ws://127.0.0.1:${port}/wfc/1/api/`, timing);
  await until('eight attempts', () => pauses.length >= 8);
  t.strictSame(pauses.slice(0, 5), [375, 750, 1500, 3000, 3000]);
  t.equal(Math.max(...pauses), 3000);
  clock.advance(120_000);
  await until('later attempts', () => pauses.includes(15_000));
  t.equal(Math.max(...pauses), 15_000);
}

t.test('CHANGES_LOST makes a new snapshot, and older changes are dropped', async (t) => {
  const clock = new ManualClock();
  const fake = await startFake(t, () => undefined);
  const { link, heard } = follow(t, `ws://127.0.0.1:${fake.port}/wfc/1/api/`, clock);
  let server: ServerSocket | undefined;
  const { onSocket } = fake;
  fake.onSocket = (socket, url) => {
    server = socket;
    onSocket(socket, url);
  };
  await until('it is live', () => link.state.kind === 'live');
  const send = (TimeStamp: number, Message: number, Data: unknown[]) =>
    server?.send(JSON.stringify({ TimeStamp, SenderID: 1, Message, Data }));
  send(100, 10603, ['old']);
  send(101, 10603, ['new']);
  send(101, 10603, ['new']);
  send(105, 0, ['CHANGES_LOST']);
  await until('a second snapshot', () => heard.snapshots === 2);
  t.strictSame(heard.values, ['new']);
  t.strictSame(kinds(heard).slice(0, 3), ['connecting', 'live', 'connecting']);
});

t.test('messages to fronts are received once if the area changed while the link was lost', async (t) => {
  const fixture = await startArea(t);
  await using proxy = await TcpProxy.start(fixture.gateway.port('web') ?? 0);
  const configurator = Number(fixture.front.split('/').at(-2));
  const url = `ws://127.0.0.1:${proxy.port}/wfc/${configurator}/api/`;
  const { link, heard } = follow(t, url);
  const sendPopup = (title: string) => rpc(fixture, 'WFC_SendPopup', configurator, title, '');
  await until('it is live', () => link.state.kind === 'live');
  await sendPopup('before');
  await until('the first popup', () => heard.popups.length === 1);
  proxy.freeze();
  proxy.cut();
  await until('it is lost', () => link.state.kind === 'lost');
  await sendPopup('meanwhile');
  await rpc(fixture, 'SVC_SetParent', await fixture.id('area/upper/bath'), await fixture.id('elsewhere'));
  proxy.thaw();
  proxy.cut();
  await until('a second snapshot', () => heard.snapshots === 2 && link.state.kind === 'live');
  await sendPopup('after');
  await until('the last popup', () => heard.popups.includes('after'));
  t.strictSame(heard.popups, ['before', 'meanwhile', 'after']);
});

t.test('a link that is rejected while it is lost is lost again with the next attempt', async (t) => {
  const fake = await startFake(t, (socket, id) =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: [] })),
  );
  const { onSocket } = fake;
  let server: ServerSocket | undefined;
  let isRejecting = false;
  fake.onSocket = (socket, url) => {
    server = socket;
    if (isRejecting) socket.close(4429, '7');
    else onSocket(socket, url);
  };
  const { link, heard } = follow(t, `ws://127.0.0.1:${fake.port}/wfc/1/api/`);
  const attempts = ['lost', 'rejected', 'lost', 'rejected', 'lost', 'live'];
  await until('it is live', () => link.state.kind === 'live');
  isRejecting = true;
  server?.close();
  for (const count of [1, 2]) {
    await until('it is rejected', () => kinds(heard).filter((kind) => kind === 'rejected').length === count);
    t.match(link.state, { code: 4429, waitS: 7 });
    isRejecting = count < 2;
    link.start();
  }
  await until('it is live again', () => link.state.kind === 'live');
  t.strictSame(kinds(heard), ['connecting', 'live', ...attempts]);
});

t.test('a call may take as long as the connection works', async (t) => {
  const clock = new ManualClock();
  let reply: (() => void) | undefined;
  let probes = 0;
  const fake = await startFake(t, (socket, id) => {
    const send = () => socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: 'done' }));
    // The call is the first one; the others are probes, each with a change after its reply.
    if (reply === undefined) return void (reply = send);
    send();
    socket.send(JSON.stringify({ TimeStamp: 100 + ++probes, SenderID: 1, Message: 10603, Data: [probes] }));
  });
  const { link, heard } = follow(t, `ws://127.0.0.1:${fake.port}/wfc/1/api/`, clock);
  await until('it is live', () => link.state.kind === 'live');
  const backup = link.call('GW_BackupToTarget', ['nas']);
  await until('the call', () => reply !== undefined);
  for (let n = 1; n <= 10; n++) {
    clock.advance(20_000);
    await until('the reply to a probe', () => heard.values.includes(n));
  }
  reply?.();
  t.equal(await backup, 'done');
  t.strictSame(kinds(heard), ['connecting', 'live']);
});
