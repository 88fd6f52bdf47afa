/**
 * The container image of `make container`, run by podman as the user of the test, without a network of its own
 * (`make lab-container`). With root's podman this is not rootless; the gateway's user is 851 in both cases. A
 * pseudo-terminal is the serial port that is passed in.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, open, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { packageVersion } from '../../../src/service/system.js';
import { openPtyPair } from '../../tools/devices/pty.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

/** The port of the sample configuration, in the container's own network. */
const PAGE = 'http://127.0.0.1:3777/';
const image = `stellwerk:${packageVersion()}`;
/** Options of the machine, for example `--runtime runc --cgroup-manager cgroupfs`. */
const options = (process.env['PODMAN_OPTIONS'] ?? '').split(' ').filter(Boolean);
const run = promisify(execFile);
const podman = async (...args: string[]) =>
  (await run('podman', [...options, ...args], { cwd: '/' })).stdout.trim();

t.test('the gateway runs in a container, without root and devices', async (t) => {
  const container = await podman('run', '--detach', '--network', 'none', image);
  t.teardown(() => podman('rm', '--force', container));
  const fetchPage = `fetch('${PAGE}', { headers: { Accept: 'text/html' } }).then(async (reply) => console.log(reply.status, await reply.text()))`;
  const page = await until('the page', () =>
    podman('exec', container, '/opt/stellwerk/bin/node', '-e', fetchPage).catch(() => undefined),
  );
  t.match(page, /^200 <!doctype html>/i);
  await podman('exec', container, 'stellwerk', 'health', '--alive');
  t.equal(await podman('exec', container, '/usr/bin/id', '-u'), '851');
  await podman('stop', container);
  t.equal(await podman('inspect', '--format', '{{.State.ExitCode}}', container), '0', 'a clean end');
});

const skip =
  process.getuid?.() === 0
    ? 'run it without root: podman then passes the node itself, and not another one with the same number'
    : false;

t.test('a configuration and a serial port are passed in', { skip }, async (t) => {
  const directory = await tempDirectory(t);
  await using wire = await openPtyPair(directory);
  const node = await readlink(wire.near);
  await chmod(node, 0o666);
  const configuration = join(directory, 'config');
  await mkdir(configuration);
  await writeFile(
    join(configuration, 'gateway.yaml'),
    `board: simulated
api: { local: open }
tree:
  - { instance: Adapter, ident: adapter, module: Serial Port, properties: { Open: true, Port: /dev/ttyUSB0 } }
  - instance: Meter
    ident: meter
    module: Serial Device
    connection: adapter
    properties: { Rules: [{ Ident: VALUE, Type: integer, Pattern: "^v=([0-9]+)$" }] }
`,
  );
  await chmod(directory, 0o755);
  const given = [`--volume=${configuration}:/etc/stellwerk`, `--device=${node}:/dev/ttyUSB0`];
  const container = await podman('run', '--detach', '--network', 'none', ...given, image);
  t.teardown(() => podman('rm', '--force', container));
  const valueOf = (path: string) =>
    podman('exec', container, 'stellwerk', 'call', 'GetValue', path).catch(() => undefined);
  await until('the port', async () => (await valueOf('adapter/LINK'))?.includes('online'), 120_000);
  const far = await open(wire.far, 'r+');
  t.teardown(() => far.close());
  await far.write('v=42\n');
  await until('the value', async () => (await valueOf('meter/VALUE')) !== '0');
  t.equal(await valueOf('meter/VALUE'), '42');
});
