import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { hashPassword } from '../../../src/base/credentials/password-hash.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import {
  BIN,
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { testCertificate } from '../../tools/test-certificate.js';
import { Program } from '../../tools/program.js';
import { addressOf, runCli } from '../../tools/gateway/run-cli.js';

/** A configuration with the gateway's address, and with `access` as its `remoteAccess`. */
async function configOf(fixture: GatewayFixture, access: string): Promise<string> {
  const file = join(fixture.directory, 'cli.yaml');
  await writeFile(file, `board: simulated\nremoteAccess: ${access}\napi: { port: ${fixture.port} }\n`);
  return file;
}

t.test('call switches and reads, and prints errors', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const config = await configOf(fixture, `{ username: ${OWNER.username}, password: ${OWNER.password} }`);
  const call = (...args: string[]) => runCli(['call', ...args], { env: { STELLWERK_CONFIG: config } });
  const done = { code: 0, stdout: 'true\n', stderr: '' };
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  t.strictSame(await call('GW_SimulateLine', 'BUTTON1', 'true'), done);
  t.strictSame(await call('RequestAction', 'ground_floor/hall_relay/STATE', 'true'), done);
  t.strictSame(await call('GetValue', 'ground_floor/hall_sense/STATE'), done, 'the relay is wired to it');
  t.strictSame(await call('SetValue', String(setpoint), '-5.5'), done);
  t.equal((await call('GetValueFormatted', `VariableID=${setpoint}`)).stdout, '"-5.5 °C"\n');
  t.match(JSON.parse((await call('SVC_GetObject', '0')).stdout), { ObjectID: 0 });
  const failed: [string[], RegExp][] = [
    [['GetValue', '1'], /^stellwerk call: Variable #1 does not exist\n$/],
    [['GetValue'], /^stellwerk call: Wrong parameter count for GetValue\(\): it takes VariableID\n$/],
    [
      ['GetValue', 'cellar/STATE'],
      /Nothing at the root has the ident or the name cellar; existing: .*ground_floor/,
    ],
    [
      ['GetValue', 'ground_floor/hall_rely/STATE'],
      /Nothing below ground_floor has .* hall_rely; existing: .*hall_relay.*; did you mean hall_relay\?/,
    ],
    [['GetValeu', '1'], /there is no function GetValeu; did you mean GetValue\?/],
    [['Nothing'], /there is no function Nothing; stellwerk call --help PART/],
  ];
  for (const [args, why] of failed) t.match(await call(...args), { code: 1, stdout: '', stderr: why });
});

t.test('the login comes from a URL, a configuration, a file or stdin', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const version = { code: 0, stdout: /^"\d+\.\d+"\n$/, stderr: '' };
  t.match(await runCli(['call', '--url', addressOf(fixture), 'SVC_GetKernelVersion']), version);
  const owner = `http://${encodeURIComponent(OWNER.username)}@127.0.0.1:${fixture.port}`;
  const file = join(fixture.directory, 'password');
  await writeFile(file, `${OWNER.password}\n`);
  t.match(await runCli(['call', '--url', owner, '--password-file', file, 'SVC_GetKernelVersion']), version);
  const hash = await hashPassword(OWNER.password);
  const config = await configOf(fixture, `{ username: ${OWNER.username}, passwordHash: '${hash}' }`);
  const hashed = ['call', '--config', config, 'SVC_GetKernelVersion'];
  t.match(await runCli(hashed), { code: 64, stderr: /has its hash.*--password-file/ });
  const input = `${OWNER.password}\n`;
  t.match(await runCli([...hashed, '--password-file', '-'], { input }), version);
  t.match(await runCli([...hashed, '--password-file', '-'], { input: 'wrong' }), {
    code: 1,
    stderr: /Credentials are missing or wrong.*--password-file/,
  });
  const open = ['call', '--url', `http://127.0.0.1:${fixture.port}`];
  t.strictSame(await runCli([...open, 'WFC_GetConfigurators']), { code: 0, stdout: '[]\n', stderr: '' });
  t.match(await runCli([...open, 'GetValue', '1']), { code: 1, stderr: /Credentials are missing/ });
});

t.test('over TLS a given certificate is trusted', async (t) => {
  const fixture = await startGateway(
    t,
    `${SIMULATED_CONFIG.replace('{ port: 0 }', '{ port: 0, tls: auto }')}`,
  );
  const url = addressOf(fixture).replace('http:', 'https:');
  const call = ['call', '--url', url, 'SVC_GetKernelVersion'];
  t.match(await runCli(call), { code: 69, stderr: /self-signed certificate.*--ca FILE/ });
  const ca = join(fixture.directory, 'data/tls/auto-cert.pem');
  t.match(await runCli([...call, '--ca', ca]), { code: 0, stderr: '' });
});

t.test("with --config, a web server that replaces the API's listener is reached", async (t) => {
  const directory = await tempDirectory(t);
  const { certificate, key } = testCertificate('localhost');
  await writeFile(join(directory, 'cert.pem'), certificate);
  await writeFile(join(directory, 'key.pem'), key);
  const yamlOf = (host: string, port: number) =>
    `${SIMULATED_CONFIG.replace('port: 0', `port: ${port}`)}webServers:
  - { name: web, host: ${host}, port: ${port}, serve: front, tls: { certificate: cert.pem, key: key.pem } }\n`;
  const { gateway } = await startGateway(t, yamlOf('127.0.0.1', 0), { directory });
  const config = join(directory, 'replaced.yaml');
  await writeFile(config, yamlOf('0.0.0.0', gateway.port('web') ?? 0));
  for (const args of [
    ['call', 'SVC_GetKernelVersion'],
    ['health', '--alive'],
  ])
    t.match(await runCli([...args, '--config', config]), { code: 0, stderr: '' }, args.join(' '));
});

t.test('with an IPv6 address with a zone, a web server is called instead', async (t) => {
  const { gateway, directory } = await startGateway(
    t,
    `${SIMULATED_CONFIG}webServers: [{ name: web, host: 127.0.0.1, port: 0, serve: front }]\n`,
  );
  const config = join(directory, 'zone.yaml');
  const zoned = `api: { host: "fe80::1%none0", port: ${await reservePort()}, tls: auto }\n`;
  const call = async (more: string) => {
    await writeFile(config, `${SIMULATED_CONFIG.replace(/^api:.*\n/m, zoned)}${more}`);
    return runCli(['call', 'SVC_GetKernelVersion', '--config', config]);
  };
  const web = `webServers: [{ name: web, host: 127.0.0.1, port: ${gateway.port('web')}, serve: front }]\n`;
  t.match(await call(web), { code: 0, stderr: '' });
  t.match(await call(''), { code: 64, stderr: 'fe80::1%none0 has a zone' });
});

t.test('exit codes: 69 for an unreachable gateway, 78 for an invalid configuration', async (t) => {
  const directory = await tempDirectory(t);
  const url = `http://a:b@127.0.0.1:${await reservePort()}/`;
  for (const args of [
    ['call', '--url', url, 'GetValue', '1'],
    ['health', '--url', url],
    ['watch', '--url', url],
  ])
    t.match(
      await runCli(args),
      { code: 69, stdout: '', stderr: /ECONNREFUSED.*systemctl status/ },
      args.join(' '),
    );
  const config = join(directory, 'gateway.yaml');
  await writeFile(config, 'api: { port: x }\n');
  t.match(await runCli(['health', '--config', config]), {
    code: 78,
    stderr: /gateway\.yaml:1:14: api\.port: /,
  });
});

t.test('health prints a table; its exit code is 0 if all is well, otherwise 1', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const health = (...args: string[]) => runCli(['health', '--url', addressOf(fixture), ...args]);
  fixture.gateway.health.addCheck('clock', () => ({ state: 'ok', text: 'set', whatToDo: '' }));
  const well = await health();
  t.match(well, { code: 0, stderr: '' });
  t.match(well.stdout, /^ok {7}store +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\S/m);
  fixture.gateway.health.set('roof', { state: 'warning', text: 'it leaks', whatToDo: 'call a roofer' });
  const bad = await health();
  t.equal(bad.code, 1);
  t.match(bad.stdout, /^warning {2}roof .* it leaks\n +call a roofer$/m);
  fixture.gateway.health.set('roof', { state: 'warning', text: '2 things\none\u001b\nother', whatToDo: '' });
  t.match(
    (await health()).stdout,
    /^warning {2}roof .* 2 things\n +one\\x1b\n +other$/m,
    'one line per item',
  );
  const { code, stdout } = await health('--json');
  t.equal(code, 1);
  t.match(JSON.parse(stdout), { State: 'warning' });
});

t.test('a reader that closes the pipe is not an error', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const pipe = `"$0" "$@" | head -c 10; echo " \${PIPESTATUS[0]}"`;
  const program = new Program('bash', [
    '-c',
    pipe,
    BIN,
    'call',
    '--url',
    addressOf(fixture),
    'SVC_GetSnapshot',
  ]);
  await program.ended();
  t.equal(program.output, '{"options" 0\n');
});

t.test('a gateway continues when the reader of its log exits', async (t) => {
  const directory = await tempDirectory(t);
  await writeFile(join(directory, 'gateway.yaml'), SIMULATED_CONFIG + SAMPLE_TREE);
  const reader = '{ sed /listening/q; exec <&-; echo gone; }';
  const line = `exec "$0" serve --config ${directory}/gateway.yaml --data ${directory}/data > >(${reader})`;
  const program = new Program('bash', ['-c', line, BIN]);
  t.teardown(() => program.end('SIGKILL'));
  const [, port] = await program.waitFor(/"port":(\d+)[^]*gone/);
  const at = { port: Number(port) };
  for (let i = 0; i < 3; i++)
    t.match(await rpc(at, 'GW_ReloadConfiguration'), { Problems: [] }, 'which is logged');
  await program.end('SIGTERM');
  t.equal(await program.ended(), 0);
});
