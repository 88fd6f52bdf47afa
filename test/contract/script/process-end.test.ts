import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { noHealthChecks } from '../../../src/base/health-check.js';
import { scriptLimits } from '../../../src/script/script-limits.js';
import { ScriptProcess } from '../../../src/script/script-process.js';
import { ROOT } from '../../law/sources.js';
import { liveBytesWithBuffers } from '../../tools/memory.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { withinPatience, until } from '../../tools/until.js';

/**
 * A process's state and the processor time that it has used (ticks); Z if it has ended but was not waited
 * for.
 */
function check(pid: number): { state: string; ticks: number } {
  try {
    const [, fields = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const [state = '', ...rest] = fields.split(' ');
    return { state, ticks: Number(rest[10]) };
  } catch {
    return { state: 'gone', ticks: 0 };
  }
}

t.test('a looping script ends with the gateway, even if that is killed', async (t) => {
  const program = join(ROOT, 'dist/test/tools/gateway/endless-script.js');
  const gateway = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => gateway.kill('SIGKILL'));
  const [said] = (await withinPatience('the script', once(gateway.stdout, 'data'))) as [Buffer];
  const pid = Number(said.toString());
  t.teardown(() => check(pid).state === 'gone' || process.kill(pid, 'SIGKILL'));
  const { ticks } = check(pid);
  await until('it to loop', () => check(pid).ticks > ticks + 10);
  const ended = once(gateway, 'exit');
  gateway.kill('SIGKILL');
  t.same(await withinPatience('the signal', ended), [null, 'SIGKILL']);
  const end = await until('the end of the script', () => {
    const { state } = check(pid);
    return ['Z', 'gone'].includes(state) && state;
  });
  t.match(end, /Z|gone/);
});

/** A script's process that runs a shell program instead of Node, as if a script had taken it over. */
async function takenOver(t: Test, program: string): Promise<ScriptProcess> {
  const file = join(await tempDirectory(t), 'program');
  await writeFile(file, `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  const { execPath } = process;
  process.execPath = file;
  try {
    const names = Promise.resolve([]);
    return new ScriptProcess({ names, clock: new ManualClock(), heapMiB: 64, checks: noHealthChecks });
  } finally {
    process.execPath = execPath;
  }
}

t.test('what a process writes that ignores its end is discarded', async (t) => {
  const MIB = 2 ** 20;
  const flood = `trap '' INT; for i in 0 1 2 3; do for j in 0 1 2 3 4 5 6 7; do printf '%${8 * MIB}s'; done; done >&3`;
  const before = liveBytesWithBuffers();
  const worker = await takenOver(t, flood);
  t.teardown(() => worker.close());
  const call = () => undefined;
  const include = () => Promise.reject(new Error('there is nothing to include'));
  const job = { is: 'run', file: 'flood.js', text: '', values: {}, call, include } as const;
  const result = await worker.run(job, scriptLimits, new AbortController().signal);
  t.match(result, { is: 'failed', message: /^the script sent more than \d+ bytes in one message$/ });
  const keptMiB = Math.round((liveBytesWithBuffers() - before) / MIB);
  t.ok(keptMiB < 32, `${keptMiB} of 256 MiB are kept`);
  t.notOk(worker.isUsable);
});
