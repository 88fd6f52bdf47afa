import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import t from 'tap';
import {
  CONNECTIONS_LIMIT,
  CONNECTIONS_PER_ADDRESS,
  ConnectionTable,
} from '../../../src/api/http/connection-table.js';
import { Quotas } from '../../../src/api/access/quotas.js';
import type { Caller } from '../../../src/device/declare.js';
import { HitLimits } from '../../tools/gateway/api-fixture.js';

const RULES = { what: 'things', total: 10, fronts: 8, perFront: 6, perAddress: 4, whatToDo: '' };
const owner: Caller = { role: 'owner', user: 'owner', remote: '10.0.0.1' };
const front = (configurator: number, remote: string): Caller => ({
  role: 'webfront',
  user: 'webfront',
  remote,
  configurator,
});

t.test(
  'there are limits per address, per web front, and for all web fronts; the rest is the owner’s',
  async (t) => {
    const limits = new HitLimits();
    const shares = new Quotas(RULES, limits);
    const take = (caller: Caller, times: number) => Array.from({ length: times }, () => shares.take(caller));
    const [first] = take(front(1, '10.0.0.2'), 4);
    t.throws(() => shares.take(front(2, '10.0.0.2')), { code: 'BUSY' }, 'the address');
    take(front(1, '10.0.0.3'), 2);
    t.throws(() => shares.take(front(1, '10.0.0.4')), { code: 'BUSY' }, 'the web front');
    take(front(2, '10.0.0.4'), 2);
    t.throws(() => shares.take(front(3, '10.0.0.5')), { code: 'BUSY' }, 'all web fronts');
    take(owner, 2);
    t.throws(() => shares.take(owner), { code: 'BUSY' }, 'all');
    first?.();
    first?.();
    take(owner, 1);
    t.throws(() => shares.take(owner), { code: 'BUSY' }, 'released once');
    t.equal(limits.hits.size, 4);
  },
);

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }
  isOpen = true;
  destroy() {
    this.isOpen = false;
    this.emit('close');
  }
}

t.test('the connection that was idle longest is closed for a new one', async (t) => {
  const limits = new HitLimits();
  const connections = new ConnectionTable(limits);
  const made = (n: number) => new FakeSocket(`10.0.${n >> 7}.1`, n);
  const sockets = Array.from({ length: CONNECTIONS_LIMIT }, (_, n) => made(n));
  const add = (socket: FakeSocket) => connections.add(socket as unknown as Socket);
  for (const socket of sockets) add(socket);
  t.ok(sockets.every(({ isOpen }) => isOpen));
  connections.touch(sockets[0] as unknown as Socket);
  connections.release(sockets[1] as unknown as Socket);
  add(made(2000));
  add(made(2001));
  t.strictSame(
    sockets.slice(0, 4).map(({ isOpen }) => isOpen),
    [true, true, false, true],
  );
  t.equal(connections.size, CONNECTIONS_LIMIT);
  t.equal(limits.hits.get(`${CONNECTIONS_LIMIT} connections`), 1);
});

t.test('IPv4 clients of a dual-stack listener have separate limits', async (t) => {
  const limits = new HitLimits();
  const connections = new ConnectionTable(limits);
  for (let n = 0; n < CONNECTIONS_PER_ADDRESS; n++)
    connections.add(new FakeSocket('::ffff:10.0.0.1', n) as unknown as Socket);
  connections.add(new FakeSocket('::ffff:10.0.0.2', 0) as unknown as Socket);
  t.equal(connections.size, CONNECTIONS_PER_ADDRESS + 1);
  connections.add(new FakeSocket('::ffff:10.0.0.1', 999) as unknown as Socket);
  t.equal(connections.size, CONNECTIONS_PER_ADDRESS + 1, 'the longest idle one was closed');
});

t.test('a TLS connection counts once', async (t) => {
  const connections = new ConnectionTable(new HitLimits());
  const pairs = Array.from({ length: CONNECTIONS_PER_ADDRESS }, (_, n) => [
    new FakeSocket('10.0.0.1', n),
    new FakeSocket('10.0.0.1', n),
  ]);
  for (const [bare, tls] of pairs) {
    connections.add(bare as unknown as Socket);
    connections.secured(tls as unknown as Socket);
  }
  t.equal(connections.size, CONNECTIONS_PER_ADDRESS);
  for (const [bare, tls] of pairs) {
    tls?.destroy();
    bare?.destroy();
  }
  t.equal(connections.size, 0);
});
