import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ManualClock, type Clock } from '../../../src/base/clock.js';
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
async function takenOver(
  t: Test,
  program: string,
  options: { readonly clock?: Clock; readonly proc?: string } = {},
): Promise<ScriptProcess> {
  const file = join(await tempDirectory(t), 'program');
  await writeFile(file, `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  const { execPath } = process;
  process.execPath = file;
  try {
    const names = Promise.resolve([]);
    const checks = noHealthChecks;
    return new ScriptProcess({ names, clock: new ManualClock(), heapMiB: 64, checks, ...options });
  } finally {
    process.execPath = execPath;
  }
}

/** A script that does nothing: its process has been taken over. */
const emptyJob = {
  is: 'run',
  file: 'empty.js',
  text: '',
  values: {},
  call: (): unknown => undefined,
  include: () => Promise.reject(new Error('there is nothing to include')),
} as const;
/** The processes that this one has started. */
const children = (): string[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
/** Reads the gateway's messages until the end. */
const READ_ALL = 'while read -r line <&3; do :; done';

t.test('what a process writes that ignores its end is discarded', async (t) => {
  const MIB = 2 ** 20;
  const flood = `trap '' INT; for i in 0 1 2 3; do for j in 0 1 2 3 4 5 6 7; do printf '%${8 * MIB}s'; done; done >&3`;
  const before = liveBytesWithBuffers();
  const worker = await takenOver(t, flood);
  t.teardown(() => worker.close());
  const result = await worker.run(emptyJob, scriptLimits, new AbortController().signal);
  t.match(result, { is: 'failed', message: /^the script sent more than \d+ bytes in one message$/ });
  // The chunk that was read last is released once its stream has been closed.
  await until('less than 32 of 256 MiB are kept', () => liveBytesWithBuffers() - before < 32 * MIB);
  t.notOk(worker.isUsable);
});

t.test('the resident memory does not depend on the size of a page', async (t) => {
  const MIB = 2 ** 20;
  const proc = await tempDirectory(t);
  const clock = new ManualClock();
  // Files of tests that ran before in this process may have left theirs.
  const before = children();
  const worker = await takenOver(t, READ_ALL, { clock, proc });
  t.teardown(() => worker.close());
  const [pid = ''] = children().filter((one) => !before.includes(one));
  await mkdir(join(proc, pid));
  // 100 MiB in pages of 16 KiB, as on a Raspberry Pi 5.
  await writeFile(join(proc, pid, 'statm'), '12800 6400 1024 8192 0 4096 0\n');
  const status = 'Name:\tnode\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\nRssAnon:\t   51200 kB\n';
  await writeFile(join(proc, pid, 'status'), status);
  const limits = { ...scriptLimits, residentMiB: 100 };
  const result = worker.run(emptyJob, limits, new AbortController().signal);
  await until('the run', () => clock.pendingTimers === 2);
  clock.advance(100);
  await until('the check of its memory', () => worker.peakBytes > 0);
  t.equal(worker.peakBytes, 100 * MIB);
  t.ok(worker.isUsable, 'the limit is not exceeded');
  await writeFile(join(proc, pid, 'status'), status.replace('102400', '102401'));
  clock.advance(100);
  t.match(await withinPatience('the end', result), {
    is: 'failed',
    message: 'the script used more than 100 MiB and was stopped',
  });
});

t.test('a call that waits for its rate is not executed after the script has been stopped', async (t) => {
  const request = `printf '{"is":"call","method":"Late","params":[]}\\n' >&3`;
  const clock = new ManualClock();
  const worker = await takenOver(t, `read -r functions <&3; read -r job <&3; ${request}; ${READ_ALL}`, {
    clock,
  });
  t.teardown(() => worker.close());
  const called: string[] = [];
  const job = { ...emptyJob, call: (method: string) => void called.push(method) };
  const stop = new AbortController();
  // One call every 10 s with a burst of 5 s: the first one waits for 5 s.
  const result = worker.run(job, { ...scriptLimits, callsPerS: 0.1 }, stop.signal);
  await until('the call', () => worker.isCalling);
  stop.abort(new Error('the test stops it'));
  clock.advance(5000);
  t.match(await withinPatience('the end', result), { is: 'failed', message: 'the test stops it' });
  t.same(called, []);
});
