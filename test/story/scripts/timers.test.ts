import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

const UTILITY = '{B69010EA-96D5-46DF-B885-24821B8C8DBD}';

t.test('a cyclic event is a timer, and its runs are counted', async (t) => {
  const clock = new ManualClock();
  const gateway = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { clock });
  const setpoint = await idOf(gateway, 'ground_floor/setpoint');
  const [uc] = (await rpc(gateway, 'SVC_GetInstanceListByModuleID', UTILITY)) as number[];
  const statistics = () => rpc(gateway, 'UC_GetEventStatistics', uc);
  t.strictSame(await rpc(gateway, 'SVC_GetTimerList'), []);
  t.strictSame(await statistics(), { CyclicUpdateCount: 0, TriggerUpdateCount: 0 });

  const cyclic = (await rpc(gateway, 'SVC_CreateEvent', 1)) as number;
  await rpc(gateway, 'SVC_SetName', cyclic, 'Every ten minutes');
  await rpc(gateway, 'SVC_SetParent', cyclic, setpoint);
  await rpc(gateway, 'SVC_SetEventCyclic', cyclic, 0, 0, 0, 0, 2, 10);
  await rpc(gateway, 'SVC_SetEventScript', cyclic, '// nothing');
  const weekly = await rpc(gateway, 'SVC_CreateEvent', 2);
  const trigger = (await rpc(gateway, 'SVC_CreateEvent', 0)) as number;
  await rpc(gateway, 'SVC_SetEventTrigger', trigger, 0, setpoint);
  await rpc(gateway, 'SVC_SetEventScript', trigger, '// nothing');
  for (const id of [cyclic, trigger]) await rpc(gateway, 'SVC_SetEventActive', id, true);

  t.strictSame(new Set((await rpc(gateway, 'SVC_GetTimerList')) as number[]), new Set([cyclic, weekly]));
  for (const [id, isTimer] of [
    [cyclic, true],
    [trigger, false],
    [setpoint, false],
    [59_999, false],
  ])
    t.equal(await rpc(gateway, 'SVC_TimerExists', id), isTimer, `${String(id)}`);
  const timer = () => rpc(gateway, 'SVC_GetTimer', cyclic) as Promise<Record<string, number>>;
  await until('its next run is known', async () => (await timer())['NextRun']! > 0);
  const { NextRun: next = 0 } = await timer();
  t.match(await timer(), {
    TimerID: cyclic,
    ParentID: setpoint,
    Name: 'Every ten minutes',
    Interval: 600,
    LastRun: 0,
  });
  t.strictSame(await rpc(gateway, 'SVC_GetTimers', [cyclic]), [await timer()]);
  t.equal(((await rpc(gateway, 'SVC_GetTimers', [])) as unknown[]).length, 2);
  t.equal(await rpc(gateway, 'SVC_GetTimer', trigger), 'NOT_OF_TYPE');
  t.equal(await rpc(gateway, 'SVC_GetTimers', [cyclic, trigger]), 'NOT_OF_TYPE');
  t.equal(await rpc(gateway, 'SVC_GetTimers', ['x']), 'PARAMETER_TYPE');

  clock.advance(next * 1000 - clock.nowMs());
  await until('it has run', async () => (await timer())['LastRun'] === next);
  t.equal((await timer())['NextRun'], next + 600);
  const triggered = async () => ((await statistics()) as { TriggerUpdateCount: number }).TriggerUpdateCount;
  // Of the triggers during a run only the newest is queued, so each is counted before the next.
  for (const run of [1, 2, 3]) {
    await rpc(gateway, 'SetValue', setpoint, run);
    await until('the trigger has run', async () => (await triggered()) === run);
  }
  t.strictSame(await statistics(), { CyclicUpdateCount: 1, TriggerUpdateCount: 3 });
});
