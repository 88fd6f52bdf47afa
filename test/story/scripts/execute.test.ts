import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import {
  MAX_RUNNING,
  ProgramRunner,
  OUTPUT_LIMIT,
  UNWAITED_MS,
  WAITED_MS,
} from '../../../src/service/program-runner.js';
import { owner } from '../../tools/gateway/function-fixture.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { withinPatience, until } from '../../tools/until.js';

const ALLOWED = SIMULATED_CONFIG.replace('port: 0', 'port: 0, allowExecute: true');

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

t.test('programs run only if the configuration allows it', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const { registry } = fixture.gateway;
  const execute = async (name: string, ...params: unknown[]) => registry.call(name, params, owner);
  await t.rejects(execute('SVC_Execute', '/bin/echo', 'x', false, true), {
    code: 'NOT_ALLOWED',
    message: /api\.allowExecute: true/,
  });
  await fixture.configure(ALLOWED);
  await execute('GW_ReloadConfiguration');
  t.equal(
    await execute('SVC_Execute', '/bin/echo', `a  "b  c" 'd"e' f" "g $HOME *`, false, true),
    'a b  c d"e f g $HOME *\n',
  );
  t.equal(await execute('SVC_ExecuteEx', '/bin/sh', `-c 'echo no >&2; exit 3'`, true, true, 1), 'no\n');
  t.match(await execute('SVC_Execute', '/usr/bin/env', '', false, true), /^PATH=\S+\nLANG=C\.UTF-8\n$/m);
  const file = join(await tempDirectory(t), 'made');
  t.equal(await execute('SVC_Execute', '/usr/bin/touch', `"${file}"`, false, false), '', 'it does not wait');
  const { access } = await import('node:fs/promises');
  await until('the file', () =>
    access(file).then(
      () => true,
      () => false,
    ),
  );
  const text = join(await tempDirectory(t), 'text');
  await writeFile(text, 'no program', { mode: 0o644 });
  for (const [name, given, code] of [
    ['echo', '', 'PARAMETER_TYPE'],
    ['/bin/echo\0', '', 'PARAMETER_TYPE'],
    ['/bin/echo', 'a "b', 'PARAMETER_TYPE'],
    ['/nowhere/at/all', '', 'PROGRAM_FAILED'],
    [text, '', 'PROGRAM_FAILED'],
  ] as const)
    for (const waits of [true, false])
      await t.rejects(execute('SVC_Execute', name, given, false, waits), { code }, `${name} ${given}`);
  t.match(await registry.call('GW_GetAudit', [20], owner), [
    { Method: 'SVC_Execute', Parameters: [text, '(0 characters)'], Error: 'PROGRAM_FAILED' },
  ]);
  await fixture.configure(SIMULATED_CONFIG);
  await execute('GW_ReloadConfiguration');
  await t.rejects(execute('SVC_Execute', '/bin/echo', 'x', false, true), { code: 'NOT_ALLOWED' });
});

t.test('a program is stopped at its limits, with all its child processes', async (t) => {
  const clock = new ManualClock();
  const programs = new ProgramRunner(clock, silentLog);
  const directory = await tempDirectory(t);
  const script = join(directory, 'waits');
  // It prints its process id, and starts a child that would keep the pipe open.
  await writeFile(script, '#!/bin/sh\nsleep 600 &\necho $$ $!\nwait\n', { mode: 0o755 });
  const command = { file: '/bin/sh', waitsForOutput: true };
  const endless = programs.run({ ...command, args: ['-c', 'yes'] });
  await t.rejects(withinPatience('the end of yes', endless), {
    code: 'TEXT_TOO_LONG',
    message: new RegExp(String(OUTPUT_LIMIT)),
  });
  const out = join(directory, 'pids');
  const hanging = programs.run({ ...command, args: ['-c', `"${script}" > "${out}"`] });
  hanging.catch(() => undefined);
  const pids = (
    await until(
      'the processes',
      async () => /\d+ \d+\n/.exec(await readFile(out, 'utf8').catch(() => ''))?.[0],
    )
  )
    .split(' ')
    .map(Number);
  clock.advance(WAITED_MS);
  await t.rejects(withinPatience('the end', hanging), { code: 'TIMED_OUT' });
  await until('both to exit', () => pids.every(isGone));
  for (let n = 0; n < MAX_RUNNING; n++)
    await programs.run({ file: '/bin/sleep', args: ['600'], waitsForOutput: false });
  await t.rejects(programs.run({ ...command, args: ['-c', 'true'] }), { code: 'BUSY' });
  clock.advance(UNWAITED_MS);
  t.equal(
    await until('a free slot', () => programs.run({ ...command, args: ['-c', 'echo free'] }).catch(() => '')),
    'free\n',
  );
  const last = programs.run({ ...command, args: ['-c', 'sleep 600'] });
  last.catch(() => undefined);
  await until('it to run', () => programs.running === 1);
  programs.close();
  await t.rejects(withinPatience('the last one', last), { code: 'STOPPING' });
  await t.rejects(programs.run({ ...command, args: [] }), { code: 'STOPPING' });
});

t.test('the output of a child in a session of its own is not read after the end', async (t) => {
  const programs = new ProgramRunner(new ManualClock(), silentLog);
  const file = join(await tempDirectory(t), 'pid');
  // The number is written before there is any output, because the shell is killed by it.
  const args = ['-c', `setsid sh -c 'echo $$ > "$0"; exec yes' "$0" & wait`, file];
  await t.rejects(programs.run({ file: '/bin/sh', args, waitsForOutput: true }), { code: 'TEXT_TOO_LONG' });
  const pid = Number(await readFile(file, 'utf8'));
  t.ok(pid > 1, `process ${pid}`);
  t.teardown(() => pid > 1 && !isGone(pid) && process.kill(pid, 'SIGKILL'));
  await until('the child to fail at its closed output', () => isGone(pid));
});
