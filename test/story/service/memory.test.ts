import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { callText, post } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, configDirectory } from '../../tools/gateway/gateway-fixture.js';
import { Program } from '../../tools/program.js';
import { until } from '../../tools/until.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const residentKib = (pid = 0) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

t.test('the memory of a flood of large calls is returned to the system', async (t) => {
  const directory = await configDirectory(t, SIMULATED_CONFIG);
  const file = join(PACKAGE_ROOT, 'dist/test/tools/gateway/paused-gateway.js');
  const program = new Program(process.execPath, [file, directory]);
  t.teardown(() => program.end('SIGKILL'));
  const [, port] = await program.waitFor(/port (\d+)/);
  const { pid } = program.process;
  const before = residentKib(pid);
  // Arrays of short texts: they fill the heap, not only buffers.
  const list = Array.from({ length: 100_000 }, (_, n) => [n, `text ${n}`]);
  const body = callText('GW_SetValues', [list]);
  for (let round = 0; round < 2; round++)
    await Promise.all(Array.from({ length: 12 }, () => post({ port: Number(port) }, body)));
  const after = residentKib(pid);
  t.ok(after > before * 1.5, `it grew: ${before} → ${after} KiB`);
  // Time passes only now: a check during the flood would release memory, and the next one comes late.
  program.process.kill('SIGUSR2');
  const most = before + (after - before) * 0.5;
  await until(`less than ${most} KiB`, () => residentKib(pid) < most);
  t.comment(`${before} → ${after} → ${residentKib(pid)} KiB`);
});
