import t from 'tap';
import { CONNECTIONS_PER_ADDRESS } from '../../../src/api/http/connection-table.js';
import { SESSIONS } from '../../../src/api/socket/socket-api.js';
import { ownerLine, startApi, type ApiFixture } from '../../tools/gateway/api-fixture.js';
import { callText, resultOrCode, post, resultOrStatus, type Reply } from '../../tools/client/json-rpc.js';
import { RawConnection, rawPost } from '../../tools/client/raw-http.js';
import { RawWebSocket } from '../../tools/client/raw-websocket.js';
import { withinPatience, until } from '../../tools/until.js';

const OPEN_FRONT = '/wfc/50002/api/';

/** One call from a given local address. */
async function from(address: string, fixture: ApiFixture, body: string) {
  await using connection = await RawConnection.open(fixture.port, address);
  connection.write(rawPost({ port: fixture.port, headers: [ownerLine], body }));
  return resultOrStatus(await connection.response());
}

t.test('open web fronts leave sessions for other addresses and for the owner', async (t) => {
  const fixture = await startApi(t);
  const sockets: RawWebSocket[] = [];
  t.teardown(() => Promise.all(sockets.map((socket) => socket[Symbol.asyncDispose]())));
  const open = async (address: string, headers: readonly string[] = [], path = OPEN_FRONT) => {
    const socket = await RawWebSocket.open({ port: fixture.port, path, from: address, headers });
    sockets.push(socket);
    return socket.response.status;
  };
  for (let n = 0; n < SESSIONS.perAddress; n++) if ((await open('127.0.0.2')) !== 101) t.fail(`session ${n}`);
  t.equal(await open('127.0.0.2'), 503, 'the limit of one address');
  t.strictSame([...fixture.limits.hits.keys()], [`${SESSIONS.perAddress} sessions of fronts per address`]);
  t.equal(await open('127.0.0.3'), 101);
  t.equal(await open('127.0.0.2', [ownerLine], '/api/'), 101, 'the owner, at that address too');
  await sockets.shift()?.[Symbol.asyncDispose]();
  await until('the session is available again', async () => (await open('127.0.0.2')) === 101);
});

t.test('idle connections are closed for connections that send requests', async (t) => {
  const fixture = await startApi(t);
  const idle: RawConnection[] = [];
  t.teardown(() => Promise.all(idle.map((connection) => connection[Symbol.asyncDispose]())));
  await using owner = await RawConnection.open(fixture.port, '127.0.0.2');
  const ask = rawPost({ port: fixture.port, headers: [ownerLine], body: callText('Echo', [1]) });
  for (let n = 0; n < 2; n++) {
    owner.write(ask);
    t.equal(resultOrStatus(await owner.response()), 1);
  }
  for (let n = 0; n < CONNECTIONS_PER_ADDRESS; n++)
    idle.push(await RawConnection.open(fixture.port, '127.0.0.2'));
  t.equal(await from('127.0.0.2', fixture, callText('Echo', [2])), 2, 'a new one at the same address');
  t.equal(await from('127.0.0.3', fixture, callText('Echo', [3])), 3);
  await withinPatience('the first one was closed', idle[0]?.closed ?? Promise.reject(new Error('none')));
  t.strictSame([...fixture.limits.hits.keys()], [`${CONNECTIONS_PER_ADDRESS} connections per address`]);
  owner.write(ask);
  t.equal(resultOrStatus(await owner.response()), 1, 'the connection of the owner stays');
});

t.test('slow calls of a web front leave capacity for others, and its batches continue', async (t) => {
  const fixture = await startApi(t);
  let most = 0;
  let waiting = 0;
  const release = Promise.withResolvers<void>();
  fixture.functions.add(
    'WFC_Slow',
    async () => {
      most = Math.max(most, (waiting += 1));
      await release.promise;
      waiting -= 1;
      return 'slow';
    },
    'webfront',
  );
  const one = callText('WFC_Slow', [50_002]);
  const batch = `[${Array.from({ length: 100 }, () => one).join()}]`;
  const reply = post(fixture, batch, []);
  await until('the first of the batch are called', () => waiting > 0);
  t.equal(await from('127.0.0.1', fixture, callText('Late', [])), 'late');
  t.ok(most <= 16, 'at most 16 concurrent calls');
  release.resolve();
  const replies = (JSON.parse((await reply).body) as Reply[]).map(resultOrCode);
  t.strictSame(new Set(replies), new Set(['slow']));
  t.equal(replies.length, 100);
});
