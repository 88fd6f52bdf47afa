import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { Client, RpcError, ServerError } from '../../../src/client/index.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { idOf, valueAt } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { reservePort } from '../../tools/reserve-port.js';
import { hasProgram } from '../../tools/program.js';
import { withinPatience } from '../../tools/until.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const sources = join(PACKAGE_ROOT, 'test/contract/client');
const without = (name: string) => (hasProgram(name) ? false : `${name} is not installed`);
/** User name and password as in a URL: `@` is `%40`. */
const LOGIN = `owner%40example.org:${OWNER.password}`;

async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { timeout: 20_000 });
  return stdout;
}

const curl = (...args: string[]) => run('curl', '-sS', '--noproxy', '*', ...args);
const body = (method: string, ...params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: '1', method, params });
const url = ({ port }: GatewayFixture, login = `${LOGIN}@`) => `http://${login}127.0.0.1:${port}/api/`;

t.test(
  'curl calls with a URL as users write it, over HTTP/1.0, 1.1 and with an offer of HTTP/2',
  { skip: without('curl') },
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
    const id = await idOf(fixture, 'ground_floor/setpoint');
    for (const version of ['--http1.0', '--http1.1', '--http2'])
      t.equal(
        await curl(version, '-d', body('GetValue', id), url(fixture)),
        '{"jsonrpc":"2.0","id":"1","result":21.5}',
      );
    const file = join(fixture.directory, 'call.json');
    await writeFile(file, body('SVC_SetInfo', id, 'x'.repeat(50_000)));
    const expects = ['-H', 'Expect: 100-continue', '-d', `@${file}`];
    t.match(await curl(...expects, url(fixture)), /"result":true/, 'a long body');
    t.match(
      await curl('-u', `${OWNER.username}:${OWNER.password}`, '-d', body('GetValue', id), url(fixture, '')),
      /21\.5/,
    );
    const wrong = await curl(
      '-w',
      ' %{http_code}',
      '-u',
      'me:x',
      '-d',
      body('GetValue', id),
      url(fixture, ''),
    );
    t.match(wrong, /"code":"UNAUTHORIZED".* 401$/);
    t.equal(await curl(url(fixture, '')), '{"jsonrpc":"2.0","api":"stellwerk"}');
  },
);

t.test('curl accepts a certificate of tls: auto', { skip: without('curl') }, async (t) => {
  const server = 'webServers: [{ name: house, host: 127.0.0.1, port: 0, serve: front, tls: auto }]\n';
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + server);
  const certificate = join(fixture.directory, 'data', 'tls', 'auto-cert.pem');
  const at = `https://${LOGIN}@localhost:${fixture.gateway.port('house')}/api/`;
  t.match(await curl('--cacert', certificate, '-d', body('SVC_GetKernelVersion'), at), /"result":"\d/);
  await t.rejects(curl('-d', body('SVC_GetKernelVersion'), at), /certificate/, 'not trusted by default');
});

t.test(
  'Python: urllib authenticates after a 401, sends a batch, and receives an error',
  { skip: without('python3') },
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
    const id = await idOf(fixture, 'ground_floor/setpoint');
    const python = async (password: string, requests: unknown[]) => {
      const args = [url(fixture, ''), OWNER.username, password, JSON.stringify(requests)];
      const said = await run('python3', join(sources, 'call.py'), ...args);
      return said
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    };
    const batch = {
      batch: [['SetValue', id, 18.5], ['GetValueFormatted', id], ['Nothing'], ['GetValue', 1]],
    };
    const [value, replies, failed] = await python(OWNER.password, [
      ['GetValue', id],
      batch,
      ['SetValue', id, 'warm'],
    ]);
    t.strictSame(value, { jsonrpc: '2.0', id: '1', result: 21.5 });
    t.match(replies, [
      { id: '0', result: true },
      { id: '1', result: '18.5 °C' },
      { id: '2', error: { code: -32_601, message: 'Method not found' } },
      { id: '3', error: { code: -32_603, data: { code: 'NOT_OF_TYPE' } } },
    ]);
    t.match(failed, { error: { code: -32_602, data: { code: 'CANNOT_CONVERT' } } });
    t.match(await python('wrong', [['GetValue', id]]), [{ status: 401, body: { error: { code: -32_000 } } }]);
  },
);

t.test('PHP: results, and the two kinds of exceptions', { skip: without('php') }, async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const id = await idOf(fixture, 'ground_floor/setpoint');
  const relay = await idOf(fixture, 'ground_floor/hall_relay');
  const php = async (address: string, ...calls: unknown[][]) =>
    (await run('php', join(sources, 'call.php'), address, JSON.stringify(calls)))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  const said = await php(
    url(fixture),
    ['SetValue', id, 19],
    ['GetValue', id],
    ['HW_WriteValueBoolean', relay, 'STATE', true],
    ['GetValue', 1],
  );
  t.match(said, [
    { result: true },
    { result: 19 },
    { result: true },
    { rpc: [-32_603, String, { code: 'NOT_OF_TYPE' }] },
  ]);
  t.equal(await valueAt(fixture, 'ground_floor/hall_sense/STATE'), true);
  t.match(await php(url(fixture, 'me:wrong@'), ['GetValue', id]), [{ rpc: [-32_000] }]);
  t.match(await php(`http://127.0.0.1:${await reservePort()}/api/`, ['GetValue', id]), [
    { server: ['Exception', String] },
  ]);
});

t.test('TypeScript: calls, changes since a counter, and the two kinds of errors', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const client = new Client(url(fixture));
  const id = await idOf(fixture, 'ground_floor/setpoint');
  t.equal(await client.call('GetValueFormatted', id), '21.5 °C');
  const { timestamp } = await client.call('SVC_GetSnapshot');
  await client.call('SetValue', id, 20);
  const changes = client.changes({ since: timestamp, ids: [id] })[Symbol.asyncIterator]();
  const first = await withinPatience('a change from before', changes.next());
  t.match(first.value, { kind: 'change', record: { SenderID: id, Data: [20, true, 21.5] } });
  await client.call('SetValue', id, 22);
  t.match((await withinPatience('a change', changes.next())).value, { record: { Data: [22, true, 20] } });
  await changes.return?.();
  await t.rejects(client.call('GetValue', 1), { name: 'RpcError', reason: 'NOT_OF_TYPE' });
  await t.rejects(new Client(url(fixture, '')).call('GetValue', id), RpcError);
  await fixture.gateway.close();
  await t.rejects(client.call('GetValue', id), ServerError);
});
