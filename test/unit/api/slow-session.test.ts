import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import t from 'tap';
import { WebSocketServer, type WebSocket } from 'ws';
import { Rpc } from '../../../src/api/rpc/rpc.js';
import { unfiltered } from '../../../src/api/socket/change-filter.js';
import { ChangeHub } from '../../../src/api/socket/change-hub.js';
import { Session } from '../../../src/api/socket/session.js';
import { ManualClock } from '../../../src/base/clock.js';
import { Change } from '../../../src/kernel/changes.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { FakeFunctions, HitLimits, RecordedLog } from '../../tools/gateway/api-fixture.js';
import { until } from '../../tools/until.js';

const PING_MS = 20_000;
const SILENCE_MS = 80_000;

/** The connection to a client that reads only when a test says so. */
class Connection extends Duplex {
  #done: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 64 * 1024 });
  }

  override _read(): void {
    // The client sends nothing.
  }

  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    this.#done = done;
  }

  /** Reads what has been written; false if there was not more than the buffer takes. */
  drain(): boolean {
    let isDrained = false;
    this.once('drain', () => (isDrained = true));
    while (this.#done !== undefined && !isDrained) {
      const done = this.#done;
      this.#done = undefined;
      done();
    }
    return isDrained;
  }
}

/** A session with a client that has nothing to read. */
async function idle(t: { teardown(end: () => void): void }) {
  const clock = new ManualClock();
  const hub = new ChangeHub({ kernel: new Kernel({ counter: 0, random: Math.random }), clock });
  t.teardown(() => hub.close());
  const log = new RecordedLog();
  const functions = new FakeFunctions();
  const rpc = new Rpc({ dispatcher: functions, log, limits: new HitLimits(), clock });
  const socket = new Connection();
  const headers = {
    upgrade: 'websocket',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'sec-websocket-version': '13',
  };
  // The library reads nothing else of it.
  const request = { method: 'GET', headers } as unknown as IncomingMessage;
  const webSocket = await new Promise<WebSocket>((resolve) =>
    new WebSocketServer({ noServer: true }).handleUpgrade(request, socket, Buffer.alloc(0), resolve),
  );
  const caller = { role: 'owner', user: 'owner', remote: '' } as const;
  const session = new Session({ webSocket, socket, hub, rpc, log, view: unfiltered, caller });
  hub.join(session, unfiltered, { since: 0, messages: 0 });
  return { clock, socket, session, functions, webSocket };
}

/** A session with a client that has to read 2 MB of changes. */
async function behind(t: { teardown(end: () => void): void }) {
  const { clock, socket, session } = await idle(t);
  const Data = ['x'.repeat(10_000)];
  session.replay(
    Array.from({ length: 200 }, (_, n) => new Change({ TimeStamp: n, SenderID: 1, Message: 1, Data })),
  );
  return { clock, socket, session };
}

t.test('a client that is behind but reads stays connected, until it no longer reads', async (t) => {
  const { clock, socket, session } = await behind(t);
  for (let n = 0; n < 15; n++) {
    t.ok(socket.drain(), 'it has read a part');
    t.ok(session.waiting.messages > 0, 'it is behind');
    clock.advance(PING_MS);
    t.notOk(socket.destroyed, `after ${n + 1} pings`);
  }
  clock.advance(SILENCE_MS);
  t.ok(socket.destroyed);
  await session.closed;
});

t.test('a client that reads nothing is disconnected', async (t) => {
  const { clock, socket, session } = await behind(t);
  clock.advance(SILENCE_MS - PING_MS);
  t.notOk(socket.destroyed);
  clock.advance(PING_MS);
  t.ok(socket.destroyed);
  await session.closed;
});

t.test('a client that waits for as many calls as it may stays connected', async (t) => {
  const { clock, socket, session, functions, webSocket } = await idle(t);
  const ends: (() => void)[] = [];
  functions.add('Wait', () => new Promise<void>((resolve) => ends.push(resolve)));
  for (let id = 0; id < 16; id++)
    webSocket.emit('message', Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'Wait' })), false);
  t.equal(session.waiting.calls, 16);
  t.ok(webSocket.isPaused);
  clock.advance(10 * SILENCE_MS);
  t.notOk(socket.destroyed, 'its pongs were not read');
  for (const end of ends) end();
  await until('the replies', () => session.waiting.calls === 0);
  t.notOk(webSocket.isPaused);
  clock.advance(SILENCE_MS + PING_MS);
  t.ok(socket.destroyed, 'it is silent');
  await session.closed;
});
