import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { TIMEOUTS } from '../../../src/api/http/listener.js';
import { sendChunks } from '../../../src/api/http/response.js';
import { ChunkedResult } from '../../../src/base/json-chunks.js';
import { ownerLine, startApi } from '../../tools/gateway/api-fixture.js';
import {
  callText,
  errorCodeOf,
  resultOrCode,
  post,
  replyIn,
  exchangeRaw,
  resultOrStatus,
  type Reply,
} from '../../tools/client/json-rpc.js';
import { RawConnection, basicLine, rawPost } from '../../tools/client/raw-http.js';
import { until, withinPatience } from '../../tools/until.js';

t.test('a reply contains the result and the id with its type, and its text begins with {"', async (t) => {
  const fixture = await startApi(t);
  for (const id of ['1', '', 'h"\\', 0, 7, -1.5, null, 1e15]) {
    const { status, headers, body } = await post(fixture, callText('GetValue', [fixture.lamp.id], id));
    t.strictSame([status, headers['content-type']], [200, 'application/json']);
    t.ok(body.startsWith('{"jsonrpc":"2.0","id":'));
    t.strictSame(JSON.parse(body), { jsonrpc: '2.0', id, result: 0 });
  }
  t.strictSame(resultOrStatus(await post(fixture, callText('Echo', { Value: { a: [1, 'ü€😀'] } }))), {
    a: [1, 'ü€😀'],
  });
  t.equal(resultOrStatus(await post(fixture, callText('Late', undefined))), 'late');
  t.equal(
    replyIn(await post(fixture, callText('Echo', null))).result,
    null,
    'params: null means no parameters',
  );
});

t.test('Content-Type and query are ignored', async (t) => {
  const fixture = await startApi(t);
  const types = ['text/plain', "application/json; charset=utf-8'", 'application/x-www-form-urlencoded', ''];
  for (const type of types)
    t.equal((await post(fixture, callText('Echo', [1]), [ownerLine, `Content-Type: ${type}`])).status, 200);
  const body = callText('Echo', [1]);
  const query = rawPost({ port: fixture.port, path: '/api/?x=1', headers: [ownerLine], body });
  t.equal((await exchangeRaw(fixture, query)).status, 200);
});

t.test('an error has status 200 and a stable name, and never contains a stack trace', async (t) => {
  const fixture = await startApi(t);
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const cases: [string, number, string, unknown][] = [
    ['{"jsonrpc":"2.0",', -32_700, 'PARSE_ERROR', null],
    ['', -32_700, 'PARSE_ERROR', null],
    [`{"jsonrpc":"2.0","id":1,"method":"Echo","params":${deep}}`, -32_700, 'PARSE_ERROR', null],
    ['5', -32_600, 'INVALID_REQUEST', null],
    ['{"id":3,"method":"Echo"}', -32_600, 'INVALID_REQUEST', 3],
    ['{"jsonrpc":"2.0","id":{},"method":"Echo"}', -32_600, 'INVALID_REQUEST', null],
    ['{"jsonrpc":"2.0","id":1e999,"method":"Echo"}', -32_600, 'INVALID_REQUEST', null],
    ['{"jsonrpc":"2.0","id":1,"method":"Echo","params":"x"}', -32_600, 'INVALID_REQUEST', 1],
    [callText('Nothing', []), -32_601, 'METHOD_NOT_FOUND', '1'],
    [callText('GetValue', [1]), -32_603, 'NOT_OF_TYPE', '1'],
    [callText('Boom', []), -32_603, 'INTERNAL', '1'],
  ];
  for (const [body, code, name, id] of cases) {
    const response = await post(fixture, body);
    const reply = replyIn(response);
    t.strictSame(
      [response.status, reply.error?.code, reply.error?.data.code, reply.id],
      [200, code, name, id],
    );
    t.notOk(response.body.includes('secret'));
  }
  t.ok(
    fixture.log.lines.some((line) => line.startsWith('error') && line.includes('the secret of the stack')),
  );
  const latin = Buffer.from(
    rawPost({ port: fixture.port, headers: [ownerLine], body: callText('Echo', ['?']) }),
  );
  latin[latin.indexOf('?')] = 0xff;
  t.equal(errorCodeOf(await exchangeRaw(fixture, latin)), 'PARSE_ERROR', 'invalid UTF-8');
});

t.test('batches and notifications follow JSON-RPC 2.0 §6', async (t) => {
  const fixture = await startApi(t, { batchLimit: 5 });
  const one = (id: unknown) => callText('Echo', [id], id);
  const silent = '{"jsonrpc":"2.0","method":"Late"}';
  const mixed = await post(fixture, `[${one(1)},${silent},7,${callText('Late', [], 'l')},${one('x')}]`);
  t.ok(mixed.body.startsWith('[{"'));
  const replies = JSON.parse(mixed.body) as Reply[];
  const expected = [
    [1, 1],
    [null, 'INVALID_REQUEST'],
    ['l', 'late'],
    ['x', 'x'],
  ];
  t.strictSame(
    replies.map((reply) => [reply.id, resultOrCode(reply)]),
    expected,
  );
  t.equal(errorCodeOf(await post(fixture, '[]')), 'INVALID_REQUEST');
  t.equal(
    errorCodeOf(await post(fixture, `[${Array.from({ length: 6 }, (_, i) => one(i)).join()}]`)),
    'INVALID_REQUEST',
  );
  for (const body of [silent, `[${silent},${silent}]`, '{"jsonrpc":"2.0","method":"Nothing"}']) {
    const { status, body: reply } = await post(fixture, body);
    t.strictSame([status, reply], [204, '']);
  }
  const snapshots = await post(fixture, `[${callText('Snapshot', [], 1)},${one(2)}]`);
  t.match(JSON.parse(snapshots.body), [{ result: { [`ID${fixture.lamp.id}`]: Object } }, { result: 2 }]);
});

t.test(
  'an integer beyond the range of a number is rejected at its position, and changes nothing',
  async (t) => {
    const fixture = await startApi(t);
    const body = (params: string, id = '1') =>
      `{"jsonrpc":"2.0","id":${id},"method":"Echo","params":${params}}`;
    for (const numeral of ['9007199254740993', '-9007199254740993', '36893488147419103233', '1'.repeat(500)])
      for (const params of [`[${numeral}]`, `{"Value":[[1,${numeral}]]}`]) {
        const reply = replyIn(await post(fixture, body(params)));
        t.match(reply.error, { code: -32602, data: { code: 'INEXACT_NUMBER' } }, params.slice(0, 60));
      }
    t.equal(fixture.functions.calls.length, 0, 'nothing was called');
    for (const numeral of [
      '9007199254740992',
      '1e300',
      '0.1234567890123456789',
      '36893488147419103000',
      '"9007199254740993"',
    ])
      t.equal(resultOrStatus(await post(fixture, body(`[${numeral}]`))), JSON.parse(numeral), numeral);
    t.match(
      (await post(fixture, body('[1]', '1234567890123456789'))).body,
      /"id":1234567890123456789,/,
      'an id can be any JSON number',
    );
    const batch = await post(
      fixture,
      `[${body('[1.5]', '1')},${body('[9007199254740993]', '2')},${body('[3]', '3')}]`,
    );
    t.strictSame(
      (JSON.parse(batch.body) as Reply[]).map((reply) => resultOrCode(reply)),
      [1.5, 'INEXACT_NUMBER', 3],
    );
    const bare = await post(fixture, body('9007199254740993'));
    t.equal(errorCodeOf(bare), 'INVALID_REQUEST', 'a number is not a parameter list');
    const many = `[[${'1,'.repeat(20_000)}9007199254740993]]`;
    t.equal(
      errorCodeOf(await post(fixture, body(many))),
      'PARSE_ERROR',
      'rejected without a search among many functions',
    );
  },
);

t.test('GET /api/, /api, other paths and other methods have their status codes', async (t) => {
  const fixture = await startApi(t);
  const host = `Host: 127.0.0.1:${fixture.port}`;
  const get = await exchangeRaw(fixture, `GET /api/?configurator HTTP/1.1\r\n${host}\r\n\r\n`);
  t.strictSame([get.status, get.body], [200, '{"jsonrpc":"2.0","api":"stellwerk"}']);
  for (const path of ['/api', '/', '/api/x', '/apix', '/wfc/50001/api/', '/user/']) {
    const missing = await exchangeRaw(fixture, `GET ${path} HTTP/1.1\r\n${host}\r\n\r\n`);
    t.strictSame(
      [missing.status, errorCodeOf(missing), missing.headers['www-authenticate']],
      [404, 'NOT_FOUND', undefined],
      path,
    );
  }
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const rejected = await exchangeRaw(
      fixture,
      `${method} /api/ HTTP/1.1\r\n${host}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    t.strictSame([rejected.status, errorCodeOf(rejected)], [405, 'METHOD_NOT_ALLOWED']);
    t.equal(rejected.headers['allow'], 'GET, HEAD, POST, OPTIONS');
  }
  const body = callText('Echo', [1]);
  const old = `POST /api/ HTTP/1.0\r\n${ownerLine}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  t.equal((await exchangeRaw(fixture, old)).status, 200, 'HTTP/1.0 without Host');
});

t.test('a body above the limit is rejected early, and the client receives the reason', async (t) => {
  const fixture = await startApi(t, { bodyLimit: 100_000 });
  const start = `POST /api/ HTTP/1.1\r\nHost: localhost\r\n`;
  const text = (length: number) => `"${'x'.repeat(length)}"`;
  t.equal((await post(fixture, text(100_000))).status, 413);
  t.equal((await post(fixture, text(100_000), [])).status, 413, 'by its length alone');
  t.equal((await post(fixture, text(80_000), [])).status, 401, 'above the limit without credentials');
  t.equal((await post(fixture, callText('Echo', [text(90_000)]))).status, 200);
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const chunked = await exchangeRaw(
    fixture,
    `${start}${ownerLine}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(10)}`,
  );
  t.strictSame([chunked.status, errorCodeOf(chunked)], [413, 'BODY_TOO_LARGE']);
  const expect = await exchangeRaw(fixture, `${start}Expect: 100-continue\r\nContent-Length: 200000\r\n\r\n`);
  t.equal(expect.status, 413, 'before the body is sent');
});

t.test('the address of a caller stays known after the client has gone', async (t) => {
  const fixture = await startApi(t);
  // The first call verifies the credentials; the second one is let through without.
  await post(fixture, callText('Echo', [1]));
  const gone = await RawConnection.open(fixture.port);
  gone.write(rawPost({ port: fixture.port, headers: [ownerLine], body: callText('Wait', []) }));
  const { caller } = await until('the call has begun', () =>
    fixture.functions.calls.find(({ method }) => method === 'Wait'),
  );
  gone.socket.resetAndDestroy();
  await withinPatience('the end of the connection', gone.closed);
  // A complete call on another connection: the gateway has seen the reset by then.
  await post(fixture, callText('Echo', [1]));
  t.equal(caller.remote, '127.0.0.1');
  fixture.releaseWait();
});

t.test(
  'slow, malformed and incomplete requests are answered or closed, and affect no other client',
  async (t) => {
    const timeouts = { ...TIMEOUTS, headMs: 300, requestMs: 400, checkMs: 50 };
    const fixture = await startApi(t, {}, { timeouts });
    await using slow = await RawConnection.open(fixture.port);
    slow.write(`POST /api/ HTTP/1.1\r\nHost: localhost\r\n${ownerLine}\r\nContent-Length: 100\r\n\r\n{"json`);
    await using slowHead = await RawConnection.open(fixture.port);
    slowHead.write('POST /api/ HTTP/1.1\r\n');
    t.equal((await exchangeRaw(fixture, 'HELLO\r\n\r\n')).status, 400);
    t.equal(
      (await exchangeRaw(fixture, `GET /api/ HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`))
        .status,
      431,
    );
    const late = await slow.response();
    t.strictSame([late.status, errorCodeOf(late)], [408, 'BODY_TIMEOUT']);
    t.equal((await slowHead.response()).status, 408);
    await using half = await RawConnection.open(fixture.port);
    half.write(rawPost({ port: fixture.port, headers: [ownerLine], body: callText('Late', []) }));
    half.end();
    t.equal(replyIn(await half.response()).result, 'late', 'half closed, but answered');
    await withinPatience('the end of the connection', half.closed);
    await using gone = await RawConnection.open(fixture.port);
    gone.write(rawPost({ port: fixture.port, headers: [ownerLine], body: callText('Wait', []) }));
    gone.socket.destroy();
    fixture.releaseWait();
    t.equal((await post(fixture, callText('Echo', [1]))).status, 200);
  },
);

t.test('pipelined calls are answered in order', async (t) => {
  const fixture = await startApi(t);
  await using connection = await RawConnection.open(fixture.port);
  const bodies = [
    callText('Late', [], 0),
    ...Array.from({ length: 20 }, (_, i) => callText('Echo', [i], i + 1)),
  ];
  connection.write(
    bodies.map((body) => rawPost({ port: fixture.port, headers: [ownerLine], body })).join(''),
  );
  for (const [index] of bodies.entries()) t.equal(replyIn(await connection.response()).id, index);
});

t.test('a request to upgrade to another protocol is an ordinary call (h2c, as Java offers it)', async (t) => {
  const fixture = await startApi(t);
  const headers = [
    ownerLine,
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABk',
  ];
  t.equal(resultOrStatus(await post(fixture, callText('Echo', [5]), headers)), 5);
});

t.test(
  'a chunked response is created as fast as the client reads it, and cancelled when the client leaves',
  async (t) => {
    const fixture = await startApi(t);
    const { kernel, ground } = fixture;
    for (let n = 0; n < 3000; n++) kernel.variables.create(3, { parent: ground, value: 'x'.repeat(1000) });
    const complete = await post(fixture, callText('Snapshot', []));
    t.equal(complete.headers['transfer-encoding'], 'chunked');
    t.equal(Object.keys(replyIn(complete).result as object).length, kernel.tree.size);
    const closed = Promise.withResolvers<void>();
    let pieces = 0;
    const next = () => ((pieces += 1), `"${'x'.repeat(100_000)}"`);
    fixture.functions.add('Endless', () => new ChunkedResult({ next, close: () => closed.resolve() }));
    await using connection = await RawConnection.open(fixture.port);
    connection.socket.pause();
    connection.write(rawPost({ port: fixture.port, headers: [ownerLine], body: callText('Endless', []) }));
    t.equal((await post(fixture, callText('Echo', [1]))).status, 200, 'other clients are served meanwhile');
    connection.socket.destroy();
    await withinPatience('the chunks to end', closed.promise);
    t.ok(pieces < 300, `${pieces} chunks were created for a client that left`);
  },
);

t.test('chunks for a client that left between two of them are closed', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  await using connection = await RawConnection.open((server.address() as AddressInfo).port);
  connection.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  connection.socket.destroy();
  await once(response, 'close');
  let isClosed = false;
  const chunks = { next: () => '{', close: () => void (isClosed = true) };
  await withinPatience('the end of the reply', sendChunks(response, chunks, undefined));
  t.ok(isClosed);
});

t.test('when the gateway stops, calls in flight are answered, and then the port is closed', async (t) => {
  const fixture = await startApi(t);
  await using connection = await RawConnection.open(fixture.port);
  connection.write(rawPost({ port: fixture.port, headers: [ownerLine], body: callText('Late', []) }));
  t.equal(replyIn(await connection.response()).result, 'late');
  connection.write(rawPost({ port: fixture.port, headers: [ownerLine], body: callText('Wait', []) }));
  t.equal((await post(fixture, callText('Echo', [1]))).status, 200);
  const closing = fixture.api.close();
  fixture.releaseWait();
  t.equal(replyIn(await connection.response()).result, 'waited');
  await withinPatience('the end of the connection', Promise.all([closing, fixture.api.close()]));
  await t.rejects(RawConnection.open(fixture.port));
});

t.test('two gateways in one process are independent', async (t) => {
  const one = await startApi(t);
  const two = await startApi(t, { remoteAccess: { username: 'b', password: 'b' } });
  t.equal((await post(one, callText('Echo', [1]))).status, 200);
  t.equal((await post(two, callText('Echo', [1]))).status, 401);
  t.equal((await post(two, callText('Echo', [1]), [basicLine('b', 'b')])).status, 200);
});
