import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { messageOf } from '../../../src/base/fault.js';
import { CONTENT_LIMIT } from '../../../src/service/fetch.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { until } from '../../tools/until.js';

/** An HTTP server of the test; returns its URL. */
async function serving(t: Test, handler: RequestListener): Promise<string> {
  const server = createServer();
  server.on('request', handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('a URL is requested with the given options', async (t) => {
  await using fixture = new FunctionFixture();
  const received: Record<string, unknown>[] = [];
  const other = await serving(t, (request, response) => {
    received.push({ ...request.headers, url: request.url });
    response.end('elsewhere');
  });
  const url = await serving(t, (request, response) => {
    received.push({ ...request.headers, url: request.url });
    const replies: Record<string, () => unknown> = {
      '/': () => response.end('ä and more'),
      '/latin': () => response.end(Buffer.from([0xe4, 0xff])),
      '/moved': () => response.writeHead(302, { Location: '/' }).end(),
      '/away': () => response.writeHead(307, { Location: `${other}/there` }).end(),
      '/round': () => response.writeHead(301, { Location: '/round' }).end(),
      '/file': () => response.writeHead(301, { Location: 'file:///etc/passwd' }).end(),
      '/error': () => response.writeHead(503).end('secret of the server'),
      '/large': () => response.end(Buffer.alloc(CONTENT_LIMIT + 1, 97)),
      '/full': () => response.end(Buffer.alloc(CONTENT_LIMIT, 97)),
      '/cut': () => {
        response.writeHead(200, { 'Content-Length': '100' }).write('half');
        setImmediate(() => response.destroy());
      },
    };
    replies[request.url ?? '']?.();
  });
  const get = (path: string, options: unknown = {}) =>
    fixture.call('Sys_GetURLContentEx', url + path, options);
  t.equal(await fixture.call('Sys_GetURLContent', `${url}/`), 'ä and more');
  t.equal(await get('/latin', []), '\u00e4\u00ff', 'one character a byte');
  t.equal(await get('/moved'), 'ä and more');
  const login = { AuthUser: 'anna', AuthPass: 's:e', Headers: ['X-Extra:  yes ', 'Accept: a, b'] };
  await get('/', login);
  t.match(received.at(-1), {
    authorization: `Basic ${Buffer.from('anna:s:e').toString('base64')}`,
    'x-extra': 'yes',
    accept: 'a, b',
    connection: 'close',
  });
  t.equal(await get('/away', login), 'elsewhere');
  t.match(received.at(-1), { url: '/there', authorization: undefined, 'x-extra': undefined });
  t.equal(((await get('/full')) as string).length, CONTENT_LIMIT);
  await t.rejects(get('/large'), { code: 'TEXT_TOO_LONG' });
  await t.rejects(get('/round'), { code: 'URL_FAILED', message: /more than 10 times/ });
  await t.rejects(get('/file'), { code: 'URL_FAILED', message: /file: is neither/ });
  await t.rejects(get('/error'), { code: 'URL_FAILED', message: /returned 503 Service Unavailable$/ });
  await t.rejects(get('/cut'), { code: 'URL_FAILED' });
  const silent = get('/silent', { Timeout: 5000 });
  await until('the silent server is called', () => received.at(-1)?.['url'] === '/silent');
  fixture.clock.advance(5000);
  await t.rejects(silent, { code: 'TIMED_OUT' });
  t.equal(fixture.clock.pendingTimers, 0);
});

t.test('method and body of a request are not sent to another host on a redirect', async (t) => {
  await using fixture = new FunctionFixture();
  const received: Record<string, unknown>[] = [];
  const listener =
    (away: string): RequestListener =>
    async (request, response) => {
      const { method, url = '', headers } = request;
      const body = await textOf(request);
      received.push({ ...headers, method, url, body });
      const [, code = '200', where = '/'] = /^\/(\d+)(\/\w+)/.exec(url) ?? [];
      response.writeHead(Number(code), { Location: where === '/away' ? away : where }).end('done');
    };
  const other = await serving(t, listener('/'));
  const url = await serving(t, listener(`${other}/there`));
  const send = (path: string, options: unknown) => fixture.call('Sys_GetURLContentEx', url + path, options);
  const Headers = ['Authorization: Bearer t0ken', 'Content-Type: application/json'];
  t.equal(await send('/', { Method: 'PUT', Body: '{"ä":1}', Headers }), 'done');
  t.match(received.at(-1), {
    method: 'PUT',
    body: '{"ä":1}',
    'content-type': 'application/json',
    'content-length': '8',
    authorization: 'Bearer t0ken',
  });
  await send('/', { Body: 'plain' });
  t.match(received.at(-1), { method: 'POST', body: 'plain', 'content-type': 'text/plain; charset=utf-8' });
  await send('/', { Method: 'DELETE' });
  t.match(received.at(-1), { method: 'DELETE', body: '', 'content-type': undefined });
  t.equal(await send('/', { Method: 'HEAD' }), '');
  for (const code of [301, 302, 303]) {
    await send(`/${code}/next`, { Body: '1', Headers });
    t.match(received.at(-1), { method: 'GET', url: '/next', body: '', 'content-type': undefined }, `${code}`);
    t.match(received.at(-1), { authorization: 'Bearer t0ken' }, 'on the same host');
  }
  for (const code of [307, 308]) {
    await send(`/${code}/next`, { Method: 'PATCH', Body: '1', Headers });
    t.match(received.at(-1), { method: 'PATCH', url: '/next', body: '1' }, `${code}`);
    const before = received.length;
    const failed = (await send(`/${code}/away`, { Body: '1', Headers }).catch(messageOf)) as string;
    t.match(failed, /redirects to another host, to which the body is not sent/);
    t.notMatch(failed, /away|t0ken/);
    t.equal(received.length, before + 1, 'the other host is not called');
  }
  await send('/302/away', { Body: '1', Headers, AuthUser: 'a', AuthPass: 'b' });
  t.match(received.at(-1), { url: '/there', method: 'GET', body: '', authorization: undefined });
  const token = await send('/404/bot123456:s3cret', { Body: '1' }).catch(messageOf);
  t.match(token, /returned 404 Not Found$/);
  t.strictSame(
    fixture.audit.filter(({ method }) => method.startsWith('Sys_')),
    [],
    'no URL in the audit',
  );
});

t.test('invalid URLs and options are rejected', async (t) => {
  await using fixture = new FunctionFixture();
  for (const url of ['', 'nothing', 'file:///etc/passwd', 'ftp://host/', 'http://', 'javascript:1'])
    await t.rejects(fixture.call('Sys_GetURLContent', url), { code: 'URL_FAILED' }, url);
  const secret = 'http://anna:s3cret@127.0.0.1:1/';
  const failed = await fixture.call('Sys_GetURLContent', secret).catch(messageOf);
  t.match(failed, /^The URL cannot be read: .*ECONNREFUSED/);
  t.notMatch(failed, /s3cret/);
  for (const [options, code] of [
    [[1], 'PARAMETER_TYPE'],
    [{ Unknown: 1 }, 'PARAMETER_UNKNOWN'],
    [{ constructor: 1 }, 'PARAMETER_UNKNOWN'],
    [{ Timeout: 0 }, 'PARAMETER_BOUNDS'],
    [{ Timeout: 1e9 }, 'PARAMETER_BOUNDS'],
    [{ Timeout: '5' }, 'PARAMETER_TYPE'],
    [{ Headers: 'A: b' }, 'PARAMETER_TYPE'],
    [{ Headers: ['no colon'] }, 'PARAMETER_TYPE'],
    [{ Headers: ['A: b\r\nC: d'] }, 'PARAMETER_TYPE'],
    [{ VerifyPeer: 'no' }, 'PARAMETER_TYPE'],
    [{ Method: 'TRACE' }, 'PARAMETER_TYPE'],
    [{ Method: 'GET', Body: '' }, 'PARAMETER_TYPE'],
    [{ Body: { a: 1 } }, 'PARAMETER_TYPE'],
    [{ Body: 'x'.repeat(1024 * 1024 + 1) }, 'TEXT_TOO_LONG'],
    [{ Body: '1', Headers: ['content-LENGTH: 0'] }, 'PARAMETER_TYPE'],
    [{ Body: '1', Headers: ['Transfer-Encoding: chunked'] }, 'PARAMETER_TYPE'],
  ] as const)
    await t.rejects(
      fixture.call('Sys_GetURLContentEx', 'http://127.0.0.1:1/', options),
      { code },
      JSON.stringify(options),
    );
});
