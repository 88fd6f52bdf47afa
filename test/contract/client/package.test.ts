import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { ROOT, textOf } from '../../law/sources.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { addressOf } from '../../tools/gateway/run-cli.js';

const run = promisify(execFile);
/** Not by its name in `.bin`, which npm may give to `typescript-js`. */
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const NPM = ['--offline', '--no-audit', '--no-fund', '--silent'];

/** A project that has the packed client, as after `npm install FILE.tgz`. */
async function project(t: Parameters<typeof tempDirectory>[0]): Promise<string> {
  const directory = await tempDirectory(t);
  await run('npm', ['pack', ...NPM, '--pack-destination', directory, join(ROOT, 'dist/client')]);
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  await writeFile(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', ...NPM, `./stellwerk-client-${version}.tgz`], { cwd: directory });
  return directory;
}

t.test('the packed client', async (t) => {
  const directory = await project(t);
  await t.test('it is installed without dependencies, calls a gateway and follows its changes', async (t) => {
    const installed = JSON.parse(await readFile(join(directory, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, unknown>;
    };
    t.strictSame(
      Object.keys(installed.packages),
      ['', 'node_modules/stellwerk-client'],
      'it needs no other package',
    );
    const code = await readFile(join(directory, 'node_modules/stellwerk-client/client.js'), 'utf8');
    t.notMatch(code, /\bimport\b[^(\n]*from|\brequire\(|node:/, 'it imports nothing');
    const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
    await writeFile(
      join(directory, 'try.js'),
      `import { Client, RpcError } from 'stellwerk-client';
const gateway = new Client(process.argv[2]);
const { ObjectID: id } = await gateway.request('SVC_GetObject', ['ground_floor/setpoint']);
const changes = gateway.changes({ onLink: async (gone) => gone ?? (await gateway.call('SetValue', id, 30.5)) });
for await (const item of changes)
  if (item.kind === 'change' && item.record.SenderID === id) {
    console.log(item.record.Data[0], await gateway.call('GetValueFormatted', id));
    break;
  }
await gateway.call('GetValue', 1).catch((thrown) => console.log(thrown instanceof RpcError, thrown.reason));
`,
    );
    const { stdout } = await run(process.execPath, ['try.js', addressOf(fixture)], { cwd: directory });
    t.equal(stdout, '30.5 30.5 °C\ntrue NOT_OF_TYPE\n');
  });

  await t.test('its types work with a browser’s types and with Node’s', async (t) => {
    await writeFile(
      join(directory, 'typed.ts'),
      `import { Client, type ClientOptions, type Functions } from 'stellwerk-client';
const options: ClientOptions = { timeoutMs: 1000 };
const gateway = new Client('http://a:b@127.0.0.1:3777/api/', options);
export const text: Promise<string> = gateway.call('GetValueFormatted', 12345);
export const names: (keyof Functions)[] = ['SVC_GetSnapshot'];
// @ts-expect-error the id is a number
void gateway.call('GetValueFormatted', true);
// @ts-expect-error there is no such function
void gateway.call('GetValueFormated', 12345);
`,
    );
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', 'typed.ts'];
    const compile = (...args: string[]) =>
      run(process.execPath, [TSC, ...args, ...strict], { cwd: directory }).then(
        () => '',
        (thrown: { stdout?: string }) => thrown.stdout ?? String(thrown),
      );
    t.equal(await compile('--lib', 'es2024,dom', '--types', ''), '', 'in a browser');
    await mkdir(join(directory, 'node_modules/@types'));
    for (const name of ['@types/node', 'undici-types'])
      await symlink(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name));
    t.equal(await compile('--lib', 'es2024', '--types', 'node'), '', 'in Node');
  });
});

t.test('a web server serves the client to pages as one file', async (t) => {
  const servers = 'webServers:\n  - { name: house, host: 127.0.0.1, port: 0, serve: front }\n';
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + servers);
  const reply = await fetch(`http://127.0.0.1:${fixture.gateway.port('house')}/client.js`);
  t.match(reply.headers.get('content-type'), /^(text|application)\/javascript/);
  t.equal(await reply.text(), await readFile(join(ROOT, 'dist/client/client.js'), 'utf8'));
});
