import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { FakeGateway } from '../../tools/client/fake-gateway.js';
import { reservePort } from '../../tools/reserve-port.js';
import { hasProgram } from '../../tools/program.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const script = join(PACKAGE_ROOT, 'test/contract/client/call.php');

async function php(address: string, calls: unknown[][] | string, options: object = {}) {
  const text = typeof calls === 'string' ? calls : JSON.stringify(calls);
  const args = [script, address, text, JSON.stringify(options)];
  const { stdout, stderr } = await promisify(execFile)('php', args, { timeout: 20_000 });
  return {
    said: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown[]>),
    dump: stderr,
  };
}

await t.test('the PHP client', { skip: hasProgram('php') ? false : 'php is not installed' }, async (t) => {
  const fake = await FakeGateway.listen();
  t.teardown(() => fake[Symbol.asyncDispose]());
  const host = `127.0.0.1:${fake.port}`;

  await t.test('calls follow the interface, with decoded credentials', async (t) => {
    fake.answerCalls({
      SetValue: true,
      GetValue: 21.0,
      SVC_GetKernelDir: '/var/lib/',
      WFC_GetConfigurators: [{ ID: 1 }],
    });
    const calls =
      '[["SetValue",12345,21.0],["GetValue",12345],["SVC_GetKernelDir"],["WFC_GetConfigurators"]]';
    const { said, dump } = await php(`http://user%40x.org:p%40%C3%A4%3A+w@${host}/api/`, calls);
    t.same(said, [{ result: true }, { result: 21 }, { result: '/var/lib/' }, { result: [{ ID: 1 }] }]);
    const [first, second] = fake.requests;
    t.equal(first?.url, '/api/');
    t.equal(first?.body, '{"jsonrpc":"2.0","id":"1","method":"SetValue","params":[12345,21.0]}');
    t.match(second?.body, '"id":"2"');
    t.equal(first?.headers['content-type'], 'application/json');
    const pair = Buffer.from(first?.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    t.equal(pair, 'user@x.org:p@ä:+w');
    t.notMatch(dump, /Authorization|p@/, 'a dump shows no password');
  });

  await t.test('a password may contain #, ? and /, percent-encoded or not', async (t) => {
    fake.answerCalls({ GetValue: 1 });
    for (const [password, meant] of [
      ['a#b?c/d', 'a#b?c/d'],
      ['a%23b%3Fc%2Fd', 'a#b?c/d'],
      ['a@b:c', 'a@b:c'],
      ['50%', '50%'],
    ] as const) {
      t.same(
        (await php(`http://user:${password}@${host}/api/`, [['GetValue', 1]])).said,
        [{ result: 1 }],
        password,
      );
      t.equal(fake.requests.at(-1)?.url, '/api/');
      const { authorization = '' } = fake.requests.at(-1)?.headers ?? {};
      t.equal(Buffer.from(authorization.slice('Basic '.length), 'base64').toString(), `user:${meant}`);
    }
  });

  await t.test(
    'an address without a path is the API’s, one without a user sends no credentials',
    async (t) => {
      fake.answerCalls({ GetValue: 1 });
      t.same((await php(`http://${host}`, [['GetValue', 1]])).said, [{ result: 1 }]);
      t.equal(fake.requests.at(-1)?.url, '/api/');
      t.equal(fake.requests.at(-1)?.headers.authorization, undefined);
    },
  );

  await t.test('a failed call is a JSONRPCException, whatever the HTTP status', async (t) => {
    const error = { code: -32603, message: 'Variable #1 does not exist', data: { code: 'NOT_OF_TYPE' } };
    const failure = {
      code: -32000,
      message: 'Credentials are missing or wrong',
      data: { code: 'UNAUTHORIZED' },
    };
    fake.answer = () => ({ body: JSON.stringify({ jsonrpc: '2.0', id: '1', error }) });
    t.same((await php(`http://${host}/api/`, [['GetValue', 1]])).said, [
      { rpc: [error.code, error.message, error.data] },
    ]);
    fake.answer = () => ({ status: 401, body: JSON.stringify({ jsonrpc: '2.0', id: null, error: failure }) });
    t.same((await php(`http://${host}/api/`, [['GetValue', 1]])).said, [
      { rpc: [failure.code, failure.message, failure.data] },
    ]);
  });

  await t.test('any other failure is a plain Exception with a text', async (t) => {
    const sick = {
      'a page of a proxy': { status: 502, body: '<html>Bad gateway</html>' },
      'JSON that is not JSON-RPC': { body: '[1,2]' },
      'another call’s reply': { body: '{"jsonrpc":"2.0","id":"77","result":1}' },
      'a result with an error status': { status: 500, body: '{"jsonrpc":"2.0","id":"1","result":1}' },
      'a truncated reply': { headers: { 'Content-Length': '99' }, body: '{"jsonrpc":"2.0"' },
      'a redirect': { status: 302, headers: { Location: `http://${host}/elsewhere` }, body: '' },
      'a closed connection': 'cut',
      silence: 'silence',
    } as const;
    for (const [name, said] of Object.entries(sick)) {
      fake.answer = () => said;
      const {
        said: [outcome],
      } = await php(`http://u:secret@${host}/api/`, [['GetValue', 1]], { timeout: 0.3 });
      t.match(outcome, { server: ['Exception', /\w/] }, name);
      t.notMatch(JSON.stringify(outcome), /secret/);
    }
  });

  await t.test('an unreachable gateway is a plain Exception', async (t) => {
    const { said } = await php(`http://u:secret@127.0.0.1:${await reservePort()}/api/`, [['GetValue', 1]]);
    t.match(said, [{ server: ['Exception', /cannot be reached: .*refused/] }]);
    t.notMatch(JSON.stringify(said), /secret/);
  });
});
