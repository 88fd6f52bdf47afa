/**
 * The line keeper under the installed units: systemd, the sandbox and the installation. On the simulated
 * chip, whose lines return to their pull level when they are released.
 */
import t from 'tap';
import { until } from '../tools/until.js';
import { Box, PATIENCE_MS } from './machine/box.js';
import { StallMonitor } from './machine/stall-monitor.js';

const START_LIMIT_MS = 240_000;
const TREE = ['hold', 'inactive', 'active']
  .map(
    (policy, n) =>
      `- { instance: Out ${n}, ident: out_${n}, module: GPIO Output, properties: { Chip: lab, Line: RELAY${n + 1}, OnDeath: ${policy}, OnStop: hold, HoldForS: 0 } }`,
  )
  .join('\n');

await using box = await Box.taken(t, TREE);
const { agent } = box.machine;
const stalls = await StallMonitor.start(agent);

/** The physical levels of the lines. */
const levels = (): Promise<string> => agent.run('cat /run/lab/gpio-sim/sim_gpio{0,1,2}/value | tr -d "\\n"');
const pid = (unit: string): Promise<string> => agent.run(`systemctl show -P MainPID ${unit}`);
const said = (): Promise<string> => agent.run('journalctl --no-pager -o cat -u stellwerk-keeper');

async function guarded(): Promise<void> {
  const finding = async () => {
    const { Checks } = (await box.call('GW_GetHealth')) as { Checks: { Name: string; Text: string }[] };
    return Checks.find(({ Name }) => Name === 'outputs')?.Text ?? '';
  };
  let last = '';
  await until('3 guarded', async () => (last = await finding()).startsWith('3 guarded'), PATIENCE_MS).catch(
    async () => {
      throw new Error(`${last}\n${await said()}`);
    },
  );
}

async function switched(on: boolean): Promise<void> {
  for (const n of [0, 1, 2]) {
    await box.becomes(`out_${n}/LINK`, 'online');
    await box.call('RequestAction', await box.id(`out_${n}/STATE`), on);
  }
}

await t.test('it runs, and guards the outputs', async (t) => {
  await guarded();
  await switched(true);
  t.equal(await levels(), '111');
  await until(
    'the table',
    async () => {
      const { code, out } = await agent.try(
        '/opt/stellwerk/current/bin/stellwerk-keeper --check /var/lib/stellwerk/outputs.table',
      );
      return code === 0 && /: 3 outputs/.test(out);
    },
    PATIENCE_MS,
  );
});

await t.test(
  'it is killed, and restarted manually: no line changes, and all are guarded again',
  async (t) => {
    for (const command of [
      'systemctl kill -s KILL stellwerk-keeper',
      'systemctl restart stellwerk-keeper',
      'systemctl stop stellwerk-keeper; systemctl start stellwerk-keeper',
    ]) {
      const after = await stalls.undisturbed(t, async () => {
        await switched(true);
        const before = await pid('stellwerk-keeper');
        await agent.run(command);
        await until(
          'another process',
          async () => ![before, '0'].includes(await pid('stellwerk-keeper')),
          START_LIMIT_MS,
        );
        await guarded();
        return levels();
      });
      t.equal(after, '111', command);
    }
  },
);

await t.test('it is killed while there is no gateway: systemd keeps its lines', async (t) => {
  const stopped = await stalls.undisturbed(t, async () => {
    await agent.run('systemctl start stellwerk', START_LIMIT_MS);
    await box.answers();
    await guarded();
    await switched(true);
    await agent.run('systemctl stop stellwerk', START_LIMIT_MS);
    return levels();
  });
  t.equal(stopped, '111', 'OnStop: hold');
  for (const command of ['systemctl kill -s KILL stellwerk-keeper', 'systemctl restart stellwerk-keeper']) {
    const starts = (await said()).split('restarted: 3 outputs').length;
    await agent.run(command);
    await until(
      'another process',
      async () => (await said()).split('restarted: 3 outputs').length > starts,
      START_LIMIT_MS,
    );
    t.equal(await levels(), '111', command);
  }
  await agent.run('systemctl start stellwerk', START_LIMIT_MS);
  await box.answers();
  await guarded();
  t.strictSame(await Promise.all([0, 1, 2].map((n) => box.value(`out_${n}/STATE`))), [true, true, true]);
});

await t.test(
  'the gateway is killed: each line follows its policy, and the next gateway finds it so',
  async (t) => {
    const switchedOff = await stalls.undisturbed(t, async () => {
      await switched(true);
      await box.call('RequestAction', await box.id('out_2/STATE'), false);
      return levels();
    });
    t.equal(switchedOff, '110');
    await agent.run('systemctl kill -s KILL stellwerk');
    await until('the policies', async () => (await levels()) === '101', PATIENCE_MS);
    await box.answers(START_LIMIT_MS);
    await guarded();
    t.strictSame(await Promise.all([0, 1, 2].map((n) => box.value(`out_${n}/STATE`))), [true, false, true]);
    t.match(await said(), /the gateway is gone: 1 outputs held, 1 inactive, 1 active/);
  },
);
