import t from 'tap';
import { OWNER, ownerLine, startApi } from '../../tools/gateway/api-fixture.js';
import { callText, errorCodeOf, post, resultOrStatus } from '../../tools/client/json-rpc.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { RawWebSocket, closeOf } from '../../tools/client/raw-websocket.js';

const echo = callText('Echo', ['in']);

t.test('with api.local: open only connections from this machine need no credentials', async (t) => {
  const webServers = [{ name: 'house', host: '0.0.0.0', port: 0, serve: 'front' }] as const;
  const fixture = await startApi(t, { local: 'open', webServers });
  for (const headers of [[], ['Authorization: null'], ['Host: localhost:3777'], ['Host: [::1]']])
    t.equal(resultOrStatus(await post(fixture, echo, headers)), 'in', headers.join());
  t.match(fixture.functions.calls.at(-1)?.caller, {
    role: 'owner',
    user: 'local client',
    remote: '127.0.0.1',
  });
  const rejected = [
    ['Host: 192.168.1.7'],
    ['Host: gateway.example'],
    ['Host: localhost', 'Origin: http://localhost'],
    ['X-Forwarded-For: 10.0.0.1'],
    ['Forwarded: for=10.0.0.1'],
    ['Via: 1.1 proxy'],
    ['X-Forwarded-Proto: https'],
    ['CF-Connecting-IP: 10.0.0.1'],
    [basicLine(OWNER.username, 'wrong')],
  ];
  for (const headers of rejected) {
    const { status } = await post(fixture, echo, headers);
    t.ok(status === 401 || status === 403, `${headers.join()}: ${status}`);
  }
  t.equal(
    (await post({ port: fixture.api.port('house') ?? 0 }, echo, [])).status,
    401,
    'bound to all addresses',
  );
  await using socket = await RawWebSocket.open({ port: fixture.port });
  t.equal(socket.response.status, 101);
  await using page = await RawWebSocket.open({
    port: fixture.port,
    headers: [`Origin: http://127.0.0.1:${fixture.port}`],
  });
  const rejection = await page.frame();
  t.equal(rejection && closeOf(rejection).code, 4401, 'a page');
  await fixture.api.reload({ ...fixture.options, local: undefined });
  const frame = await socket.frame();
  t.equal(frame && closeOf(frame).code, 1008, 'its session ends with the connection');
  t.equal(errorCodeOf(await post(fixture, echo, [])), 'UNAUTHORIZED');
  t.equal(resultOrStatus(await post(fixture, echo, [ownerLine])), 'in');
});

t.test('off by default', async (t) => {
  const fixture = await startApi(t);
  t.equal((await post(fixture, echo, [])).status, 401);
});
