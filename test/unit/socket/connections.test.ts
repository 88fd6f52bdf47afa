import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import t from 'tap';
import { ServerClients } from '../../../drivers/socket/server-clients.js';
import { TcpConnection, STALL_TIMEOUT_MS } from '../../../drivers/socket/tcp-connection.js';
import { ManualClock } from '../../../src/base/clock.js';
import { messageOf } from '../../../src/base/fault.js';
import { peerName } from '../../../src/device/byte-stream.js';

/** A socket whose data the test accepts. */
function slowSocket() {
  const takes: (() => void)[] = [];
  const duplex = new Duplex({
    read: () => undefined,
    write: (_bytes, _encoding, taken) => void takes.push(taken),
  });
  const socket = Object.assign(duplex, {
    remoteAddress: '192.0.2.5',
    remotePort: 4001,
    resetAndDestroy: () => duplex.destroy(),
  }) as unknown as Socket;
  return { socket, take: () => takes.shift()?.() };
}

t.test('a peer that stops reading is disconnected in time, however much is sent', async (t) => {
  const clock = new ManualClock();
  const { socket, take } = slowSocket();
  const lost: string[] = [];
  const connection = new TcpConnection({
    socket,
    name: 'it',
    clock,
    onData: () => undefined,
    onSent: () => undefined,
    onLost: (cause) => lost.push(messageOf(cause)),
  });
  const first = connection.send(Buffer.from('1'));
  clock.advance(STALL_TIMEOUT_MS - 1);
  const second = connection.send(Buffer.from('2'));
  take();
  await first;
  clock.advance(STALL_TIMEOUT_MS - 1);
  t.equal(socket.destroyed, false, 'some data was accepted');
  const third = connection.send(Buffer.from('3'));
  const ended = once(socket, 'close');
  clock.advance(1);
  t.equal(socket.destroyed, true, 'no data was accepted');
  await Promise.all([
    t.rejects(second, /has stopped reading/),
    t.rejects(third, /has stopped reading/),
    ended,
  ]);
  t.match(lost, [/has stopped reading/]);
  t.equal(clock.pendingTimers, 0, 'no timer is left');
});

t.test('a client that reconnects before its old connection has ended replaces it', async (t) => {
  const messages: string[] = [];
  const clients = new ServerClients({
    name: 'server',
    clock: new ManualClock(),
    onJoin: (who) => messages.push(`${peerName(who)} joined`),
    onData: () => undefined,
    onSent: (bytes) => messages.push(`${Buffer.from(bytes).toString()} sent`),
    onLeave: (who, why, dropped) => messages.push(`${peerName(who)} left: ${why} ${dropped}`),
  });
  const [older, newer] = [slowSocket(), slowSocket()];
  clients.add(older.socket);
  const ended = once(older.socket, 'close');
  clients.add(newer.socket);
  await ended;
  t.equal(clients.knownClients().length, 1);
  const sending = clients.sendTo(Buffer.from('x'), { address: '192.0.2.5', port: 4001 });
  newer.take();
  await sending;
  newer.socket.destroy();
  await once(newer.socket, 'close');
  t.match(messages, [
    '192.0.2.5:4001 joined',
    /^192\.0\.2\.5:4001 left: .*reconnected false$/,
    '192.0.2.5:4001 joined',
    'x sent',
    /^192\.0\.2\.5:4001 left: .*the peer closed the connection false$/,
  ]);
  t.same(clients.knownClients(), []);
});
