/**
 * Scripts on an installed box, under systemd: the unit lets them confine themselves and give priority to the
 * gateway.
 */
import t from 'tap';
import { until } from '../tools/until.js';
import { Box } from './machine/box.js';

const LOOPS = 4;
/** Calls that are timed with and without looping scripts. */
const CALLS = 40;
/** No script is stopped while it is inspected: the emulated machine is slow. */
const SCRIPT_TIME_S = 600;
const START_LIMIT_MS = 240_000;

await using box = await Box.taken(t, '- { variable: first, ident: first, type: integer, value: 1 }');
const { agent } = box.machine;
const first = await box.id('first');
t.setTimeout(0);

/** Median and 99th percentile of a call, ms. */
async function callTimes(): Promise<{ median: number; p99: number }> {
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    const start = performance.now();
    await box.call('GetValue', first);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => Math.round(times[Math.floor(times.length * part)] ?? NaN);
  return { median: at(0.5), p99: at(0.99) };
}

await t.test(
  'the processes of scripts are confined and have the lowest priority',
  { timeout: 0 },
  async (t) => {
    const idle = await callTimes();
    await box.call('SVC_SetOption', 'ScriptTimeLimit', SCRIPT_TIME_S);
    for (let i = 0; i < LOOPS; i++) await box.call('SVC_RunScriptText', 'for (;;);');
    const main = '$(systemctl show -P MainPID stellwerk)';
    const all = async () => (await agent.try(`pgrep -P ${main} -x MainThread`)).out.trim().split('\n');
    const pids = await until(
      'all run',
      async () => {
        const found = await all();
        return found.length >= LOOPS ? found : undefined;
      },
      START_LIMIT_MS,
    );
    t.ok(pids.length >= LOOPS, pids.join());
    for (const pid of pids) {
      const status = await agent.run(`cat /proc/${pid}/status`);
      t.match(status, /^Seccomp:\t2$/m);
      t.match(status, /^NoNewPrivs:\t1$/m);
      t.equal((await agent.run(`ps -o ni= -p ${pid}`)).trim(), '10', 'nice');
      t.equal((await agent.run(`cat /proc/${pid}/oom_score_adj`)).trim(), '1000');
      const filters = (pid: string) => `sed -n 's/^Seccomp_filters:\\s*//p' /proc/${pid}/status`;
      const [own, gateway] = [await agent.run(filters(pid)), await agent.run(filters(main))];
      t.ok(Number(own) > Number(gateway), `it has a filter of its own: ${own} and ${gateway}`);
    }
    t.equal((await agent.run(`ps -o ni= -p ${main}`)).trim(), '0', 'the gateway');
    const busy = await callTimes();
    t.comment(
      `GetValue, median and p99 in ms: ${JSON.stringify(idle)}, with ${LOOPS} loops ${JSON.stringify(busy)}`,
    );
    const { Checks } = (await box.call('GW_GetHealth')) as { Checks: { Name: string; Text: string }[] };
    t.same(
      Checks.filter(({ Name }) => Name === 'scripts'),
      [],
      'nothing is missing',
    );
  },
);

await t.test('memory and log have limits', async (t) => {
  const limits = 'systemctl show stellwerk -p MemoryMax -p LogRateLimitBurst -p LogRateLimitIntervalUSec';
  const shown = await agent.run(limits);
  t.match(shown, /^MemoryMax=\d+$/m);
  t.match(shown, /^LogRateLimitBurst=1000$/m);
  t.match(shown, /^LogRateLimitIntervalUSec=5min$/m);
});
