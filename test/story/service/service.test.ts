import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { callText, post, rpc, resultOrStatus } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  configDirectory,
  startGatewayProcess,
  spawnGateway,
} from '../../tools/gateway/gateway-fixture.js';
import { Program, hasProgram } from '../../tools/program.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { until } from '../../tools/until.js';

t.test('a signal to stop or reload during the start takes effect after the start', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const program = spawnGateway(t, directory);
  await program.waitFor(/a new database was created/);
  program.process.kill('SIGHUP');
  program.process.kill('SIGTERM');
  t.equal(await program.ended(), 0);
  t.match(program.output, /"msg":"stopped"/);
});

t.test('SIGHUP reloads the configuration; an invalid one is reported and changes nothing', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const served = await startGatewayProcess(t, directory);
  const configure = (yaml: string) => writeFile(join(directory, 'gateway.yaml'), yaml);
  const other = SIMULATED_CONFIG.replace(OWNER.password, 'another') + SAMPLE_TREE;
  await configure(`${other}treee: []\n`);
  served.program.process.kill('SIGHUP');
  await served.program.waitFor(/gateway\.yaml:\d+:1: treee: there is no such key; did you mean tree\?/);
  t.match(await rpc(served, 'SVC_GetKernelVersion'), /\d/);
  await configure(other);
  served.program.process.kill('SIGHUP');
  await served.program.waitFor(/configuration reloaded/);
  t.equal(await rpc(served, 'SVC_GetKernelVersion'), 401);
  const me = [basicLine(OWNER.username, 'another')];
  t.match(resultOrStatus(await post(served, callText('SVC_GetKernelVersion', []), me)), /\d/);
});

t.test('what prevents the start is reported by a text and by the exit code', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG);
  const running = await startGatewayProcess(t, directory);
  const second = spawnGateway(t, directory);
  t.equal(await second.ended(), 69);
  t.match(second.output, /in use by another gateway; stop that one first/);
  t.match(await rpc(running, 'SVC_GetKernelVersion'), /\d/, 'and does not affect the running gateway');

  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => taken.close());
  await until('a port', () => taken.listening);
  const { port } = taken.address() as { port: number };
  const noPort = spawnGateway(
    t,
    await configDirectory(t, SIMULATED_CONFIG.replace('port: 0', `port: ${port}`)),
  );
  t.equal(await noPort.ended(), 69);
  t.match(noPort.output, `127.0.0.1:${port} does not work: `);
  t.match(noPort.output, 'EADDRINUSE');

  const mistaken = spawnGateway(t, await configDirectory(t, `${SIMULATED_CONFIG}boad: x\n`));
  t.equal(await mistaken.ended(), 78);
  t.match(mistaken.output, /gateway\.yaml:4:1: boad: there is no such key; did you mean board\?/);

  const place = await configDirectory(t, SIMULATED_CONFIG);
  await writeFile(join(place, 'data'), 'a file');
  const noDirectory = spawnGateway(t, place);
  t.equal(await noDirectory.ended(), 69);
  t.match(noDirectory.output, join(place, 'data'));
});

t.test('it continues when the reader of its log exits', async (t) => {
  const served = await startGatewayProcess(t, await configDirectory(t, SIMULATED_CONFIG + SAMPLE_TREE));
  served.program.process.stdout?.destroy();
  for (let n = 0; n < 3; n++) t.match(await rpc(served, 'GW_ReloadConfiguration'), { Problems: [] });
  t.ok(served.program.isRunning);
  await served.program.end();
  t.equal(await served.program.ended(), 0);
});

t.test('its files are readable by its own user only', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const served = await startGatewayProcess(t, directory);
  t.match(await rpc(served, 'SVC_GetKernelVersion'), /\d/);
  await served.program.end();
  const open: string[] = [];
  for (const name of await readdir(join(directory, 'data'), { recursive: true }))
    if (((await stat(join(directory, 'data', name))).mode & 0o007) !== 0) open.push(name);
  t.strictSame(open, []);
});

const isRoot = process.getuid?.() === 0;
t.test(
  'a data directory of another user is reported with its path',
  { skip: isRoot ? false : 'changing users requires root' },
  async (t) => {
    const directory = await configDirectory(t, SIMULATED_CONFIG + SAMPLE_TREE);
    await mkdir(join(directory, 'data'));
    await chmod(directory, 0o755);
    await chmod(join(directory, 'gateway.yaml'), 0o644);
    await chown(join(directory, 'data'), 0, 0);
    await chmod(join(directory, 'data'), 0o755);
    const program = spawnGateway(t, directory, {
      wrapper: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
    });
    await program.waitFor(/cannot be written to .*; make the data directory writable/);
    t.match(program.output, join(directory, 'data'));
  },
);

t.test(
  'systemd is notified when it is ready, reloads and stops, and by its watchdog',
  { skip: hasProgram('socat') ? false : 'requires socat, which acts as systemd here' },
  async (t) => {
    const directory = await configDirectory(t, SIMULATED_CONFIG + SAMPLE_TREE);
    const socket = join(directory, 'notify');
    await using systemd = new Program('socat', ['-u', `UNIX-RECV:${socket}`, 'STDOUT']);
    await until('the notification socket', () => existsSync(socket));
    const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' };
    const { program } = await startGatewayProcess(t, directory, { env });
    await systemd.waitFor(/READY=1\nSTATUS=serving/);
    await systemd.waitFor(/WATCHDOG=1/);
    program.process.kill('SIGHUP');
    await systemd.waitFor(/RELOADING=1\nMONOTONIC_USEC=\d+[^]*READY=1/);
    t.notMatch(systemd.output, /STOPPING/);
    await program.end();
    await systemd.waitFor(/STOPPING=1/);
    t.equal(await program.ended(), 0);
  },
);
