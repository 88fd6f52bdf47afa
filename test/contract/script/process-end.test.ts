import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../../law/sources.js';
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
