import { inspect } from 'node:util';
import t, { type Test } from 'tap';
import { type AnyFunction, Client, RpcError, ServerError } from '../../../src/client/index.js';
import { FakeGateway } from '../../tools/client/fake-gateway.js';
import { reservePort } from '../../tools/reserve-port.js';
import { until } from '../../tools/until.js';

/** A fake gateway that has sent the newest counter, and a client of it. */
async function openClient(t: Test, user = 'user%40x.org:s%C3%A4cret') {
  const fake = await FakeGateway.listen();
  t.teardown(() => fake[Symbol.asyncDispose]());
  fake.answerCalls({
    GetValue: (id: number) => id * 2,
  });
  const address = `http://${user}@127.0.0.1:${fake.port}/api/`;
  return { fake, address, client: new Client(address, { timeoutMs: 5_000 }) };
}

await t.test('calls follow the interface, and return the result', async (t) => {
  const { fake, client } = await openClient(t);
  t.equal(await client.call('GetValue', 21), 42);
  const received = fake.requests[0];
  t.equal(received?.url, '/api/');
  t.same(JSON.parse(received?.body ?? ''), { jsonrpc: '2.0', id: '1', method: 'GetValue', params: [21] });
  t.match(received?.headers, { 'content-type': 'application/json' });
  t.equal(received?.headers.authorization, `Basic ${Buffer.from('user@x.org:säcret').toString('base64')}`);
  fake.answer = () => ({ body: '{"jsonrpc":"2.0","id":"2","result":6}' });
  t.equal(await client.request('GetValue', { VariableID: 3 }), 6);
  t.same(JSON.parse(fake.requests[1]?.body ?? ''), {
    jsonrpc: '2.0',
    id: '2',
    method: 'GetValue',
    params: { VariableID: 3 },
  });
});

await t.test('an error reply fails as RpcError, whatever the HTTP status', async (t) => {
  const { fake, client } = await openClient(t);
  const error = {
    code: -32000,
    message: 'Credentials are missing or wrong',
    data: { code: 'UNAUTHORIZED' },
  };
  fake.answer = () => ({ status: 401, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) });
  const failure = await client.call('GetValue', 1).catch((thrown: unknown) => thrown);
  t.type(failure, RpcError);
  t.match(failure, { ...error, name: 'RpcError', reason: 'UNAUTHORIZED', retry: false });
  fake.answer = () => ({
    body: '{"jsonrpc":"2.0","id":"2","error":{"code":-32603,"message":"no","data":{"code":"BUSY"}}}',
  });
  await t.rejects(client.call('GetValue', 1), { name: 'RpcError', code: -32603, retry: true });
});

await t.test('an invalid reply fails as ServerError', async (t) => {
  const { fake, client } = await openClient(t);
  const sick = {
    'a page of a proxy': { status: 502, body: '<html>Bad gateway</html>' },
    'JSON that is not JSON-RPC': { body: '{"result":1}' },
    'another call’s reply': { body: '{"jsonrpc":"2.0","id":"77","result":1}' },
    'a result with an error status': { status: 500, body: '{"jsonrpc":"2.0","id":"4","result":1}' },
    'an invalid error': { body: '{"jsonrpc":"2.0","id":"5","error":{"code":"x"}}' },
    'a truncated reply': { headers: { 'Content-Length': '99' }, body: '{"jsonrpc":"2.0"' },
    'a redirect': { status: 302, headers: { Location: '/elsewhere' }, body: '' },
    'a closed connection': 'cut',
    silence: 'silence',
  } as const;
  for (const [name, said] of Object.entries(sick)) {
    fake.answer = () => said;
    const failure = await client
      .request('GetValue', [1], { timeoutMs: said === 'silence' || name.includes('short') ? 100 : 5_000 })
      .catch((thrown: unknown) => thrown);
    t.type(failure, ServerError, name);
    t.notMatch(inspect(failure), /cret/);
    if (typeof said === 'object' && 'status' in said) t.equal((failure as ServerError).status, said.status);
  }
  await t.rejects(new Client(`http://u:secret@127.0.0.1:${await reservePort()}`).call('GetValue', 1), {
    name: 'ServerError',
    message: /cannot be reached: .*ECONNREFUSED/,
  });
});

await t.test('an aborted call is no failure', async (t) => {
  const { fake, client } = await openClient(t);
  fake.answer = () => 'silence';
  const stop = new AbortController();
  const call = client.request('GetValue', [1], { signal: stop.signal });
  await until('the request', () => fake.requests.length === 1);
  stop.abort();
  await t.rejects(call, { name: 'AbortError' });
});

await t.test('calls with values that JSON would turn into null are rejected', async (t) => {
  const { fake, client } = await openClient(t);
  for (const value of [NaN, Infinity, undefined as unknown as number]) {
    await t.rejects(client.call('SetValue', 1, value), { name: 'TypeError' });
  }
  t.equal(fake.requests.length, 0);
});

await t.test('neither an invalid address nor an inspected client shows its password', (t) => {
  for (const address of ['u:secret@host', 'ftp://u:secret@host/', 'http://u:secret@ho st/', '']) {
    try {
      t.fail(`accepted ${inspect(new Client(address))}`);
    } catch (thrown) {
      t.match(thrown, { name: 'TypeError' });
      t.notMatch(inspect(thrown), /secret/);
    }
  }
  const client = new Client('https://u:secret@host:8777/api/');
  t.notMatch(inspect(client, { showHidden: true, depth: 9 }) + JSON.stringify(client), /secret|dTpz/);
  t.end();
});

await t.test('a batch is one request, and each call has its own reply', async (t) => {
  const { fake, client } = await openClient(t);
  const reversed = fake.answer;
  fake.answer = (received) => {
    const said = reversed(received) as { body: string };
    return { body: JSON.stringify((JSON.parse(said.body) as unknown[]).reverse()) };
  };
  const [first, second, third] = await client.batch([
    ['GetValue', 1],
    ['GetValueFormatted', 5],
    ['GetValue', 2],
  ]);
  t.same(
    [first, third],
    [
      { ok: true, result: 2 },
      { ok: true, result: 4 },
    ],
  );
  t.match(second, { ok: false, error: { name: 'RpcError', code: -32601 } });
  t.same(await client.batch([]), []);
  t.equal(fake.requests.length, 1);
  fake.answer = () => ({
    body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too many"}}',
  });
  await t.rejects(client.batch([['GetValue', 1]]), { name: 'RpcError', code: -32600 });
  fake.answer = () => ({ body: '[]' });
  await t.rejects(client.batch([['GetValue', 1]]), { name: 'ServerError' });
});

await t.test('any function can be called without types', async (t) => {
  const { fake, address } = await openClient(t);
  fake.answerCalls({ IPS_Foo: 'bar' });
  t.equal(await new Client<AnyFunction>(address).call('IPS_Foo', 1, [2]), 'bar');
});
