/**
 * The container image of `make container`, run by podman as the user of the test, without devices and without a
 * network of its own (`make lab-container`). With root's podman this is not rootless; the gateway's user is 851
 * in both cases.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { packageVersion } from '../../../src/service/system.js';
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
