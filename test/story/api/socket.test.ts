import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { OWNER, ownerLine, startApi } from '../../tools/gateway/api-fixture.js';
import { callText, post, resultOrStatus } from '../../tools/client/json-rpc.js';
import { callOverWebSocket, openWebSocket } from '../../tools/client/message-stream.js';
import { RawConnection, basicLine, rawPost } from '../../tools/client/raw-http.js';
import { RawWebSocket, closeOf, frameBytes, opcode } from '../../tools/client/raw-websocket.js';
import { withinPatience } from '../../tools/until.js';

const base64 = (username: string, password: string) =>
  Buffer.from(`${username}:${password}`).toString('base64');
/** Credentials with "/", "+" and "=" in their Base64 form. */
const ODD = { username: 'a', password: '>>>???ÿ~' };

t.test('every form of credentials and path is accepted, and the subprotocol is echoed exactly', async (t) => {
  const fixture = await startApi(t, { remoteAccess: ODD });
  const plain = base64(ODD.username, ODD.password);
  t.match(plain, /\/.*=$/);
  const owner = [plain, plain.replace(/=+$/, ''), encodeURIComponent(plain), plain.replaceAll('=', '%3D')];
  for (const protocol of owner) {
    await using socket = await RawWebSocket.open({ port: fixture.port, protocol });
    t.strictSame(
      [socket.response.status, socket.response.headers['sec-websocket-protocol']],
      [101, protocol],
    );
  }
  const tulip = base64('webfront', 'tulip');
  for (const path of ['/api/wfc/50001', '/api/wfc/50001/', '/wfc/50001/api/']) {
    for (const protocol of [tulip, tulip.replace(/=+$/, ''), encodeURIComponent(tulip)]) {
      await using socket = await RawWebSocket.open({ port: fixture.port, path, protocol });
      t.strictSame(
        [socket.response.status, socket.response.headers['sec-websocket-protocol']],
        [101, protocol],
      );
    }
  }
  await using both = await RawWebSocket.open({ port: fixture.port, protocol: `chat, ${plain}` });
  t.equal(
    both.response.headers['sec-websocket-protocol'],
    plain,
    'of several subprotocols, the one with the credentials',
  );
  const header = [basicLine(ODD.username, ODD.password)];
  await using byHeader = await RawWebSocket.open({ port: fixture.port, headers: header, protocol: 'chat' });
  t.strictSame(
    [byHeader.response.status, byHeader.response.headers['sec-websocket-protocol']],
    [101, 'chat'],
  );
  await using bare = await RawWebSocket.open({ port: fixture.port, headers: header });
  t.strictSame([bare.response.status, bare.response.headers['sec-websocket-protocol']], [101, undefined]);
  await using free = await RawWebSocket.open({ port: fixture.port, path: '/wfc/50002/api/' });
  t.equal(free.response.status, 101, 'a configurator without a password');
});

t.test('a rejected client gets the reason before the upgrade, with all headers', async (t) => {
  const fixture = await startApi(t);
  const rejected: [number, string, string, string[]][] = [
    [401, 'UNAUTHORIZED', '/api/', []],
    [401, 'UNAUTHORIZED', '/api/', [`Sec-WebSocket-Protocol: ${base64(OWNER.username, 'x')}`]],
    [401, 'UNAUTHORIZED', '/api/', [`Sec-WebSocket-Protocol: ${base64('webfront', 'tulip')}`]],
    [401, 'UNAUTHORIZED', '/wfc/50001/api/', [`Sec-WebSocket-Protocol: ${base64('webfront', 'x')}`]],
    [401, 'UNAUTHORIZED', '/wfc/50001/api/', [ownerLine]],
    [401, 'UNAUTHORIZED', '/wfc/50009/api/', [`Sec-WebSocket-Protocol: ${base64('webfront', 'tulip')}`]],
    [404, 'NOT_FOUND', '/api', [ownerLine]],
    [404, 'NOT_FOUND', '/wfc/50001/api', [ownerLine]],
    [404, 'NOT_FOUND', '/', [ownerLine]],
    [403, 'HOST_REFUSED', '/api/', [ownerLine, 'Host: evil.example']],
  ];
  for (const [status, code, path, headers] of rejected) {
    await using socket = await openWebSocket(fixture, path, headers);
    t.equal(socket.response.status, status, `${path} ${headers.join()}`);
    t.match(JSON.parse(socket.response.body), {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_000, data: { code } },
    });
  }
  await using again = await openWebSocket(fixture, '/api/', []);
  t.equal(again.response.headers['www-authenticate'], undefined, 'a browser would show a dialog');
});

t.test('calls over the WebSocket are answered on it; other messages are ignored', async (t) => {
  const fixture = await startApi(t);
  await using socket = await openWebSocket(fixture);
  t.equal(await callOverWebSocket(socket, 'GetValue', [fixture.lamp.id]), 0);
  for (const text of [
    '',
    'hello',
    '{jsonrpc: …WFC_GetConfigurators…}',
    '7',
    'null',
    '{"method":"Echo"}',
    '"x"',
  ])
    socket.send(text);
  socket.connection.write(frameBytes(opcode.binary, '{"jsonrpc":"2.0","id":1,"method":"Echo"}'));
  t.match(await callOverWebSocket(socket, 'Nothing', []), { code: -32_601 });
  t.equal(await callOverWebSocket(socket, 'Late', []), 'late');
  socket.send('[{"jsonrpc":"2.0","id":1,"method":"Echo","params":[1]},{"jsonrpc":"2.0","method":"Echo"}]');
  t.strictSame(await socket.json(), [{ jsonrpc: '2.0', id: 1, result: 1 }]);
  t.ok(`ID${fixture.lamp.id}` in ((await callOverWebSocket(socket, 'Snapshot', [])) as object));
  const deep = `{"jsonrpc":"2.0","id":1,"method":"Echo","params":${'['.repeat(9000)}${']'.repeat(9000)}}`;
  socket.send(deep);
  t.equal(await callOverWebSocket(socket, 'Echo', ['still open']), 'still open');
  await using webfront = await openWebSocket(fixture, '/wfc/50001/api/', [basicLine('webfront', 'tulip')]);
  t.equal(await callOverWebSocket(webfront, 'WFC_Area', [50_001]), 50_001);
  t.match(await callOverWebSocket(webfront, 'WFC_Area', [50_002]), { data: { code: 'ACCESS_DENIED' } });
  t.match(await callOverWebSocket(webfront, 'GetValue', [fixture.lamp.id]), {
    data: { code: 'ACCESS_DENIED' },
  });
});

t.test('a protocol violation closes the connection with its code', async (t) => {
  const fixture = await startApi(t, { bodyLimit: 100_000 });
  const cases: [Buffer, number][] = [
    [frameBytes(opcode.text, 'x', { masked: false }), 1002],
    [frameBytes(opcode.text, 'x', { reserved: 4 }), 1002],
    [frameBytes(3, 'x'), 1002],
    [frameBytes(opcode.text, Buffer.from([0xff])), 1007],
    [frameBytes(opcode.text, 'x'.repeat(100_001)), 1009],
  ];
  for (const [bytes, code] of cases) {
    await using socket = await openWebSocket(fixture);
    socket.connection.write(bytes);
    const frame = await socket.frame();
    t.equal(frame && closeOf(frame).code, code);
  }
  await using hello = await openWebSocket(fixture);
  hello.connection.write(frameBytes(opcode.close, Buffer.from([3, 232])));
  t.equal((await hello.frame())?.opcode, opcode.close);
  fixture.set(fixture.lamp, 1);
  t.equal(await hello.frame(), undefined, 'nothing is sent after the close frame');
});

t.test('sessions end when their access ends, and when the gateway stops', async (t) => {
  const fixture = await startApi(t);
  await using owner = await openWebSocket(fixture);
  await using ground = await openWebSocket(fixture, '/wfc/50001/api/', [basicLine('webfront', 'tulip')]);
  await fixture.api.reload(fixture.options);
  t.equal(await callOverWebSocket(owner, 'Echo', [1]), 1, 'nothing has changed');
  fixture.configurators.set(50_001, { ...fixture.configurators.get(50_001)!, password: 'rose' });
  await fixture.api.reload(fixture.options);
  t.equal(closeOf((await ground.frame())!).code, 1008);
  t.equal(await callOverWebSocket(owner, 'Echo', [2]), 2);
  const closing = fixture.api.close();
  t.match(closeOf((await owner.frame())!), { code: 1001, reason: 'the gateway is stopping' });
  await withinPatience('the end of the session', closing);
});

t.test('a token that expires during an upgrade opens no session of longer duration', async (t) => {
  const clock = new ManualClock();
  const readNs = clock.monotonicNs;
  let readsLeft = Infinity;
  clock.monotonicNs = () => {
    const now = readNs();
    readsLeft -= 1;
    if (readsLeft === 0) clock.advance(1000);
    return now;
  };
  const fixture = await startApi(t, {}, { clock });
  const statuses = new Set<number>();
  // The second passes after the first, the second, … time that the gateway reads the clock.
  for (let reads = 1; reads <= 12; reads++) {
    const login = basicLine('token', fixture.api.createToken(1));
    readsLeft = reads;
    await using socket = await openWebSocket(fixture, '/api/', [login]);
    readsLeft = Infinity;
    statuses.add(socket.response.status);
    if (socket.response.status !== 101) continue;
    clock.advance(1000);
    const end = await withinPatience('the end of the session', socket.frame());
    t.match(end && closeOf(end), { code: 1008, reason: 'the token is no longer valid' });
  }
  t.strictSame([...statuses].sort(), [101, 401]);
});

t.test('an invalid upgrade request is rejected as RFC 6455 requires', async (t) => {
  const fixture = await startApi(t);
  await using connection = await RawConnection.open(fixture.port);
  const lines = [
    `Host: localhost`,
    ownerLine,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
  ];
  connection.write(`GET /api/ HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  t.equal((await connection.response()).status, 400, 'no key');
  await using other = await RawConnection.open(fixture.port);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'Echo', params: [1] });
  other.write(
    rawPost({ port: fixture.port, headers: [ownerLine, 'Upgrade: websocket', 'Connection: Upgrade'], body }),
  );
  t.equal((await other.response()).status, 405);
});

t.test('an error of a connection is handled at every moment of a rejected upgrade', async (t) => {
  const fixture = await startApi(t);
  const { promise: accepted, resolve } = Promise.withResolvers<Socket>();
  const take = (message: unknown) => resolve((message as { readonly socket: Socket }).socket);
  subscribe('net.server.socket', take);
  t.teardown(() => void unsubscribe('net.server.socket', take));
  await using connection = await RawConnection.open(fixture.port);
  const socket = await accepted;
  const listeners: number[] = [];
  socket.on('removeListener', (name) => {
    if (name === 'error') queueMicrotask(() => listeners.push(socket.listenerCount('error')));
  });
  const lines = [
    'Host: localhost',
    'Origin: http://x',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  connection.write(`GET /api/ HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  t.equal((await connection.response()).status, 101, 'a page sees the reason only after the upgrade');
  t.ok(listeners.length > 1, 'the server and the library take over from each other');
  t.notOk(listeners.includes(0), `listeners: ${listeners.join()}`);
  connection.socket.resetAndDestroy();
  t.equal(resultOrStatus(await post(fixture, callText('Echo', [1]))), 1);
});
