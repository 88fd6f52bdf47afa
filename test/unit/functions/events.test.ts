import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/serial-queue.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

const VALUE_ACTION = '{3644F802-C152-464A-868A-242C2A3DEC5C}';

/** Enough turns for an event to run. */
async function settled(): Promise<void> {
  for (let n = 0; n < 8; n++) await yieldToEventLoop();
}

async function make(desk: FunctionFixture, method: string, ...params: unknown[]): Promise<number> {
  return (await desk.call(method, ...params)) as number;
}

t.test('events are made, listed, found and deleted', async (t) => {
  await using desk = new FunctionFixture();
  const script = await make(desk, 'SVC_CreateScript', 0);
  const trigger = await make(desk, 'SVC_CreateEvent', 0);
  const cyclic = await make(desk, 'SVC_CreateEvent', 1);
  await desk.call('SVC_SetName', cyclic, 'Every hour');
  await desk.call('SVC_SetParent', cyclic, script);
  t.strictSame(await desk.call('SVC_GetEventList'), [trigger, cyclic]);
  t.strictSame(await desk.call('SVC_GetEventListByType', 1), [cyclic]);
  t.strictSame(await desk.call('SVC_GetScriptEventList', script), [cyclic]);
  t.equal(await desk.call('SVC_GetEventIDByName', 'Every hour', script), cyclic);
  await t.rejects(desk.call('SVC_GetEventIDByName', 'Every hour', 0), { code: 'NAME_NOT_FOUND' });
  t.match(await desk.call('SVC_GetEvent', trigger), {
    EventType: 0,
    EventActive: false,
    EventConditions: [],
    TriggerType: 1,
    TriggerValue: '',
    TriggerSubsequentExecution: true,
    CyclicDateFrom: { Day: 0, Month: 0, Year: 0 },
    ScheduleActions: [],
    LastActionID: 0,
    NextRun: 0,
  });
  t.equal(await desk.call('SVC_EventExists', trigger), true);
  t.equal(await desk.call('SVC_DeleteEvent', trigger), true);
  t.equal(await desk.call('SVC_EventExists', trigger), false);
  await t.rejects(desk.call('SVC_GetEvent', trigger), { code: 'NOT_OF_TYPE' });
  await t.rejects(desk.call('SVC_CreateEvent', 3), { code: 'PARAMETER_BOUNDS' });
});

t.test('a variable sets off what a trigger says', async (t) => {
  await using desk = new FunctionFixture();
  const variable = await make(desk, 'SVC_CreateVariable', 1);
  const event = await make(desk, 'SVC_CreateEvent', 0);
  const set = async (value: number) => {
    await desk.call('SetValue', variable, value);
    await settled();
    return desk.scripts.runs.splice(0).map(({ text, parameters }) => [text, parameters['VALUE']]);
  };
  await desk.call('SVC_SetEventTrigger', event, 2, variable);
  t.strictSame(await desk.call('SVC_GetVariableEventList', variable), [event]);
  await desk.call('SVC_SetEventTriggerValue', event, '20');
  await desk.call('SVC_SetEventScript', event, 'print(1)');
  t.strictSame(await set(30), [], 'it is not active yet');
  await desk.call('SVC_SetEventActive', event, true);
  t.strictSame(await set(21), [['print(1)', 21]]);
  await desk.call('SVC_SetEventTriggerSubsequentExecution', event, false);
  t.strictSame(await set(22), []);
  await desk.call('SVC_SetEventLimit', event, 1);
  t.strictSame([await set(1), await set(22), await set(1), await set(22)], [[], [['print(1)', 22]], [], []]);
  t.match(await desk.call('SVC_GetEvent', event), {
    EventActive: false,
    EventLimit: 0,
    TriggerValue: 20,
    LastRun: Math.floor(desk.clock.nowMs() / 1000),
  });
  await t.rejects(desk.call('SVC_SetEventTriggerValue', event, 'warm'), { code: 'CANNOT_CONVERT' });
  await t.rejects(desk.call('SVC_SetEventTriggerValue', event, null), { code: 'CANNOT_CONVERT' });
  await t.rejects(desk.call('SVC_SetEventTrigger', event, 0, 4711), { code: 'NOT_OF_TYPE' });
  await t.rejects(desk.call('SVC_SetEventLimit', event, -1), { code: 'PARAMETER_BOUNDS' });
  await desk.call('SVC_SetEventTrigger', event, 0, 0);
  t.strictSame(await desk.call('SVC_GetVariableEventList', variable), []);
});

t.test('a cyclic event runs when its pattern says', async (t) => {
  await using desk = new FunctionFixture();
  const event = await make(desk, 'SVC_CreateEvent', 1);
  await desk.call('SVC_SetEventScript', event, 'x');
  await desk.call('SVC_SetEventCyclic', event, 2, 2, 0, 0, 3, 6);
  await desk.call('SVC_SetEventCyclicTimeFrom', event, 8, 0, 0);
  await desk.call('SVC_SetEventCyclicTimeTo', event, 20, 30, 0);
  await desk.call('SVC_SetEventCyclicDateFrom', event, 29, 2, 2024);
  await desk.call('SVC_SetEventCyclicDateTo', event, 2, 3, 2024);
  await desk.call('SVC_SetEventActive', event, true);
  await settled();
  const next = async () => {
    const { NextRun } = (await desk.call('SVC_GetEvent', event)) as { NextRun: number };
    return NextRun === 0 ? 'never' : new Date(NextRun * 1000).toString().slice(4, 21);
  };
  t.equal(await next(), 'Feb 29 2024 08:00');
  const dates: string[] = [];
  while ((await next()) !== 'never' && dates.length < 9) {
    dates.push(await next());
    const { NextRun } = (await desk.call('SVC_GetEvent', event)) as { NextRun: number };
    desk.clock.advance(NextRun * 1000 - desk.clock.nowMs());
    await settled();
  }
  const hours = ['08:00', '14:00', '20:00'];
  t.strictSame(
    dates,
    ['Feb 29 2024', 'Mar 02 2024'].flatMap((day) => hours.map((hour) => `${day} ${hour}`)),
  );
  t.equal(desk.scripts.runs.length, 6);
  await desk.call('SVC_SetEventCyclicDateTo', event, 0, 0, 0);
  await settled();
  t.equal(await next(), 'Mar 04 2024 08:00');
  for (const [method, ...params] of [
    ['SVC_SetEventCyclic', 0, 0, 0, 0, 1, 0],
    ['SVC_SetEventCyclic', 3, 1, 0, 0, 0, 0],
    ['SVC_SetEventCyclic', 4, 1, 0, 32, 0, 0],
    ['SVC_SetEventCyclic', 4, 1, 1, 6, 0, 0],
    ['SVC_SetEventCyclic', 5, 13, 0, 1, 0, 0],
    ['SVC_SetEventCyclic', 2, -1, 0, 0, 0, 0],
    ['SVC_SetEventCyclicDateFrom', 30, 2, 2024],
    ['SVC_SetEventCyclicDateTo', 0, 1, 2024],
    ['SVC_SetEventCyclicTimeFrom', 24, 0, 0],
    ['SVC_SetEventCyclicTimeTo', 0, 60, 0],
  ] as const)
    await t.rejects(desk.call(method, event, ...params), { code: 'PARAMETER_BOUNDS' }, method);
  const trigger = await make(desk, 'SVC_CreateEvent', 0);
  await t.rejects(desk.call('SVC_SetEventCyclicTimeTo', trigger, 0, 0, 0), { code: 'EVENT_TYPE' });
});

t.test('a script’s timer is a cyclic event below it', async (t) => {
  await using desk = new FunctionFixture();
  const script = await make(desk, 'SVC_CreateScript', 0);
  t.equal(await desk.call('SVC_GetScriptTimer', script), 0);
  await desk.call('SVC_SetScriptTimer', script, 5);
  await desk.call('SVC_SetScriptTimer', script, 10);
  t.equal(await desk.call('SVC_GetScriptTimer', script), 10);
  t.equal(((await desk.call('SVC_GetScriptEventList', script)) as number[]).length, 1);
  await settled();
  for (let n = 0; n < 3; n++) {
    desk.clock.advance(10_000);
    await settled();
  }
  t.match(desk.scripts.runs, [
    { id: script, sender: 'TimerEvent' },
    { id: script, sender: 'TimerEvent' },
    { id: script, sender: 'TimerEvent' },
  ]);
  await desk.call('SVC_SetScriptTimer', script, 0);
  t.equal(await desk.call('SVC_GetScriptTimer', script), 0);
  t.strictSame(await desk.call('SVC_GetScriptEventList', script), []);
  await t.rejects(desk.call('SVC_SetScriptTimer', script, -1), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(desk.call('SVC_SetScriptTimer', 4711, 0), { code: 'NOT_OF_TYPE' });
});

t.test(
  'a script’s timer counts from when it was set, past midnight and while the clock is not set',
  async (t) => {
    await using desk = new FunctionFixture();
    const script = await make(desk, 'SVC_CreateScript', 0);
    const toMidnightMs = new Date(desk.clock.nowMs()).setHours(24, 0, 0, 0) - desk.clock.nowMs();
    desk.clock.hasTrustedTime = false;
    desk.clock.advance(toMidnightMs - 50_000);
    await desk.call('SVC_SetScriptTimer', script, 120);
    await settled();
    desk.clock.advance(30_000);
    await desk.call('SVC_SetScriptTimer', script, 120);
    await settled();
    desk.clock.advance(119_000);
    await settled();
    t.strictSame(desk.scripts.runs, []);
    for (let n = 0; n < 3; n++) {
      desk.clock.advance(n === 0 ? 1000 : 120_000);
      await settled();
      t.equal(desk.scripts.runs.length, n + 1);
    }
  },
);

t.test('a schedule is built of actions, groups and points, each changed and removed by its ID', async (t) => {
  await using desk = new FunctionFixture();
  const heating = await make(desk, 'SVC_CreateVariable', 2);
  const event = await make(desk, 'SVC_CreateEvent', 2);
  await desk.call('SVC_SetParent', event, heating);
  await desk.call('SVC_SetEventScheduleAction', event, 1, 'Warm', 0xff0000, 'warm');
  await desk.call('SVC_SetEventScheduleActionEx', event, 2, 'Cool', -1, VALUE_ACTION, { VALUE: 16 });
  await desk.call('SVC_SetEventScheduleGroup', event, 0, 31);
  await desk.call('SVC_SetEventScheduleGroup', event, 1, 96);
  await desk.call('SVC_SetEventScheduleGroupPoint', event, 0, 1, 6, 30, 0, 1);
  await desk.call('SVC_SetEventScheduleGroupPoint', event, 0, 2, 22, 0, 0, 2);
  await desk.call('SVC_SetEventScheduleGroupPoint', event, 1, 1, 8, 0, 0, 1);
  await desk.call('SVC_SetEventScheduleGroupPoint', event, 1, 1, 9, 0, 0, 1);
  t.match(await desk.call('SVC_GetEvent', event), {
    ScheduleActions: [
      { ID: 1, Name: 'Warm', Color: 0xff0000, ScriptText: 'warm', ActionID: '' },
      { ID: 2, Name: 'Cool', Color: -1, ActionID: VALUE_ACTION, ActionParameters: { VALUE: 16 } },
    ],
    ScheduleGroups: [
      {
        ID: 0,
        Days: 31,
        Points: [{ ID: 1 }, { ID: 2, Start: { Hour: 22, Minute: 0, Second: 0 }, ActionID: 2 }],
      },
      { ID: 1, Days: 96, Points: [{ ID: 1, Start: { Hour: 9 } }] },
    ],
  });
  await desk.call('SVC_SetEventActive', event, true);
  await settled();
  for (let n = 0; n < 24 * 6; n++) {
    desk.clock.advance(600_000);
    await settled();
  }
  t.match(desk.scripts.runs, [
    { text: 'warm', sender: 'Schedule', parameters: { ACTION: 1, TARGET: heating } },
  ]);
  t.equal(await desk.call('GetValue', heating), 16, 'an action without a target has what it stands below');

  const refused = async (code: string, method: string, ...params: unknown[]) =>
    t.rejects(desk.call(method, event, ...params), { code }, `${method} ${JSON.stringify(params)}`);
  await refused('PARAMETER_TYPE', 'SVC_SetEventScheduleGroup', 2, 64);
  await refused('PARAMETER_BOUNDS', 'SVC_SetEventScheduleGroup', 0, 128);
  await refused('EVENT_PART_MISSING', 'SVC_SetEventScheduleGroupPoint', 7, 1, 6, 0, 0, 1);
  await refused('EVENT_PART_MISSING', 'SVC_SetEventScheduleGroupPoint', 0, 1, 6, 0, 0, 7);
  await refused('PARAMETER_BOUNDS', 'SVC_SetEventScheduleGroupPoint', 0, 1, 24, 0, 0, 1);
  await refused('PARAMETER_BOUNDS', 'SVC_SetEventScheduleAction', -1, 'A', 0, '');
  await refused('PARAMETER_BOUNDS', 'SVC_SetEventScheduleAction', 1, 'A', 0x1000000, '');
  await refused('ACTION_MISSING', 'SVC_SetEventScheduleActionEx', 1, 'A', 0, '{NO}', {});
  await refused('PARAMETER_TYPE', 'SVC_SetEventScheduleActionEx', 1, 'A', 0, VALUE_ACTION, {});

  await desk.call('SVC_SetEventScheduleGroupPoint', event, 0, 1, -1, 0, 0, 0);
  await desk.call('SVC_SetEventScheduleAction', event, 2, '', 0, '');
  await desk.call('SVC_SetEventScheduleGroup', event, 1, 0);
  t.match(await desk.call('SVC_GetEvent', event), {
    ScheduleActions: [{ ID: 1 }],
    ScheduleGroups: [{ ID: 0, Points: [] }],
  });
});

t.test('conditions and their rules are built, changed and removed by their IDs', async (t) => {
  await using desk = new FunctionFixture();
  const [on, count] = [await make(desk, 'SVC_CreateVariable', 0), await make(desk, 'SVC_CreateVariable', 1)];
  const event = await make(desk, 'SVC_CreateEvent', 0);
  const conditions = async () =>
    ((await desk.call('SVC_GetEvent', event)) as { EventConditions: object[] }).EventConditions;
  await desk.call('SVC_SetEventTrigger', event, 0, count);
  await desk.call('SVC_SetEventScript', event, 'x');
  await desk.call('SVC_SetEventActive', event, true);
  await desk.call('SVC_SetEventCondition', event, 0, 0, 1);
  await desk.call('SVC_SetEventConditionVariableRule', event, 0, 1, on, 0, '1');
  await desk.call('SVC_SetEventConditionVariableDynamicRule', event, 0, 2, count, 2, count);
  const runs = async (value: boolean) => {
    await desk.call('SetValue', on, value);
    await desk.call('SetValue', count, 1);
    await settled();
    return desk.scripts.runs.splice(0).length;
  };
  t.strictSame([await runs(false), await runs(true)], [0, 1]);
  await desk.call('SVC_SetEventCondition', event, 0, 0, 3);
  t.strictSame([await runs(false), await runs(true)], [1, 0], 'none of them');

  await desk.call('SVC_SetEventCondition', event, 5, 0, 0);
  await desk.call('SVC_SetEventCondition', event, 6, 5, 2);
  await desk.call('SVC_SetEventConditionDateRule', event, 5, 1, 3, 29, 2, 0);
  await desk.call('SVC_SetEventConditionTimeRule', event, 5, 1, 4, 22, 0, 0);
  await desk.call('SVC_SetEventConditionDayOfTheWeekRule', event, 6, 1, 5, 5);
  await desk.call('SVC_SetEventConditionVariableStaticRule', event, 6, 1, count, 1, 3);
  t.match(await conditions(), [
    {
      ID: 0,
      ParentID: 0,
      Operation: 3,
      VariableRules: [
        { ID: 1, VariableID: on, Comparison: 0, Value: true, Type: 0 },
        { ID: 2, VariableID: count, Comparison: 2, Value: count, Type: 1 },
      ],
    },
    {
      ID: 5,
      DateRules: [{ ID: 1, Comparison: 3, Value: { Day: 29, Month: 2, Year: 0 } }],
      TimeRules: [{ ID: 1, Comparison: 4, Value: { Hour: 22, Minute: 0, Second: 0 } }],
    },
    {
      ID: 6,
      ParentID: 5,
      DayOfTheWeekRules: [{ ID: 1, Comparison: 5, Value: 5 }],
      VariableRules: [{ Value: 3 }],
    },
  ]);
  const refused = async (code: string, method: string, ...params: unknown[]) =>
    t.rejects(desk.call(method, event, ...params), { code }, `${method} ${JSON.stringify(params)}`);
  await refused('EVENT_PART_MISSING', 'SVC_SetEventCondition', 7, 8, 0);
  await refused('NOT_ALLOWED', 'SVC_SetEventCondition', 5, 6, 0);
  await refused('EVENT_PART_MISSING', 'SVC_SetEventConditionTimeRule', 9, 1, 0, 0, 0, 0);
  await refused('PARAMETER_BOUNDS', 'SVC_SetEventConditionDateRule', 5, 1, 0, 30, 2, 0);
  await refused('PARAMETER_BOUNDS', 'SVC_SetEventConditionTimeRule', 5, 1, 0, 7, 60, 0);
  await refused('PARAMETER_BOUNDS', 'SVC_SetEventConditionDayOfTheWeekRule', 5, 1, 0, 8);
  await refused('NOT_OF_TYPE', 'SVC_SetEventConditionVariableRule', 5, 1, 4711, 0, true);
  await refused('CANNOT_CONVERT', 'SVC_SetEventConditionVariableRule', 5, 1, count, 0, 'warm');
  await refused('NOT_OF_TYPE', 'SVC_SetEventConditionVariableDynamicRule', 5, 1, count, 0, 4711);
  await refused('PARAMETER_BOUNDS', 'SVC_SetEventConditionVariableRule', 5, 1, count, 6, 0);

  await desk.call('SVC_SetEventConditionDateRule', event, 5, 1, 0, 0, 0, 0);
  await desk.call('SVC_SetEventConditionTimeRule', event, 5, 1, 0, -1, 0, 0);
  await desk.call('SVC_SetEventConditionDayOfTheWeekRule', event, 6, 1, 0, 0);
  await desk.call('SVC_SetEventConditionVariableRule', event, 6, 1, 0, 0, 0);
  await desk.call('SVC_SetEventConditionVariableDynamicRule', event, 0, 2, 0, 0, 0);
  t.match(await conditions(), [
    { VariableRules: [{ ID: 1 }] },
    { DateRules: [], TimeRules: [] },
    { DayOfTheWeekRules: [], VariableRules: [] },
  ]);
  await desk.call('SVC_SetEventCondition', event, 5, -1, 0);
  t.match(await conditions(), [{ ID: 0 }]);
  await desk.call('SVC_SetEventCondition', event, 0, -1, 0);
  t.strictSame(await conditions(), []);
});

t.test('conditions are tried by themselves', async (t) => {
  await using desk = new FunctionFixture();
  const on = await make(desk, 'SVC_CreateVariable', 0);
  const passing = async (conditions: unknown) =>
    desk.call(
      'SVC_IsConditionPassing',
      typeof conditions === 'string' ? conditions : JSON.stringify(conditions),
    );
  const rules = { variable: [{ variableID: on, comparison: 0, value: true, type: 0 }] };
  t.equal(await passing('[]'), true);
  t.equal(await passing(''), true);
  t.equal(await passing([{ id: 0, parentID: 0, operation: 0, rules }]), false);
  t.equal(await passing([{ id: 7, parentID: 0, operation: 2, rules }]), true, 'on top, as there is no 0');
  await desk.call('SetValue', on, true);
  t.equal(await passing([{ id: 0, parentID: 0, operation: 0, rules }]), true);
  const clock = {
    date: [{ comparison: 5, value: { day: 1, month: 1, year: 2000 } }],
    time: [],
    dayOfTheWeek: [],
  };
  t.equal(await passing([{ id: 0, parentID: 0, operation: 0, rules: clock }]), false);
  for (const [wrong, why] of [
    ['{', 'JSON'],
    [{}, 'array'],
    [[{ id: 0, parentID: 0, operation: 4 }], '/0/operation'],
    [
      [{ id: 0, parentID: 0, operation: 0, rules: { date: [{ comparison: 0, value: 7 }] } }],
      '/0/rules/date/0/value',
    ],
    [[{ id: 1, parentID: 5, operation: 0 }], 'no condition 5'],
    [
      [
        { id: 1, parentID: 2, operation: 0 },
        { id: 2, parentID: 1, operation: 0 },
      ],
      'below itself',
    ],
    [
      [
        { id: 1, parentID: 1, operation: 0 },
        { id: 1, parentID: 1, operation: 0 },
      ],
      'same id',
    ],
  ] as const)
    await t.rejects(passing(wrong), { code: 'PARAMETER_TYPE', message: why });
});
