import t from 'tap';
import { CLOSE_LIMIT_MS, QUEUE_LIMIT, TcpConnection } from '../../../drivers/socket/tcp-connection.js';
import { openTcpConnection } from '../../../drivers/socket/tcp-client.js';
import { systemResolver } from '../../../src/device/toolkit/system-resolver.js';
import { ManualClock } from '../../../src/base/clock.js';
import { testCertificate } from '../../tools/test-certificate.js';
import { withinPatience, until } from '../../tools/until.js';
import { TcpPeer } from './tcp-peer.js';

for (const isSecure of [false, true])
  await t.test(`data sent before closing arrives soon or never${isSecure ? ', with TLS' : ''}`, async (t) => {
    const { certificate: cert, key } = testCertificate('localhost');
    await using far = await TcpPeer.start(isSecure ? { cert, key } : undefined);
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const files = { caFile: '', certificateFile: '', keyFile: '' };
    const tls = isSecure ? { ...files, verifyPeer: false, verifyHost: false } : undefined;
    const open = async (onLost = () => {}, onFinish = () => {}) => {
      const to = { host: 'localhost', port: far.port, tls };
      const socket = await openTcpConnection(to, { clock, signal, names: systemResolver(clock) });
      const nothing = () => undefined;
      socket.once('finish', onFinish);
      const connection = new TcpConnection({
        socket,
        name: 'it',
        clock,
        onData: nothing,
        onSent: nothing,
        onLost,
      });
      await far.connected();
      return connection;
    };
    /** More than the kernel of a peer that does not read accepts, and less than ours queues. */
    const sendMuch = async (connection: TcpConnection, last: string) => {
      far.deaf();
      for (let n = 0; n < 8; n++) await connection.send(Buffer.alloc(QUEUE_LIMIT / 2, 'x'));
      await connection.send(Buffer.from(last));
    };
    const readToEnd = async () => {
      for (const socket of far.sockets) socket.resume();
      await until('the end', () => far.sockets.length === 0);
      return far.received().toString('latin1');
    };

    const healthy = await open();
    await healthy.send(Buffer.from('relay 1'));
    await withinPatience('closing', Promise.all([healthy.close(), healthy.close()]));
    t.match(await readToEnd(), /relay 1$/, 'a peer that reads receives it');
    t.equal(clock.pendingTimers, 0, 'no timer is left');

    const ended = Promise.withResolvers<void>();
    const closed = await open(undefined, ended.resolve);
    await sendMuch(closed, 'relay 2');
    const closing = closed.close();
    // The kernel has queued the end of the stream too.
    await ended.promise;
    clock.advance(CLOSE_LIMIT_MS);
    await closing;
    t.notMatch(await readToEnd(), /relay 2/, 'after closing');

    const lost = Promise.withResolvers<void>();
    const aborted = await open(lost.resolve);
    await sendMuch(aborted, 'relay 3');
    aborted.abort(new Error('a failure'));
    await lost.promise;
    t.notMatch(await readToEnd(), /relay 3/, 'after a failure');
  });
