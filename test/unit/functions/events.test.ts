import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

const VALUE_ACTION = '{3644F802-C152-464A-868A-242C2A3DEC5C}';

/** Enough iterations of the event loop for an event to run. */
async function settled(): Promise<void> {
  for (let n = 0; n < 8; n++) await yieldToEventLoop();
}

async function make(fixture: FunctionFixture, method: string, ...params: unknown[]): Promise<number> {
  return (await fixture.call(method, ...params)) as number;
}

t.test('events are created, listed, found and deleted', async (t) => {
  await using fixture = new FunctionFixture();
  const script = await make(fixture, 'SVC_CreateScript', 0);
  const trigger = await make(fixture, 'SVC_CreateEvent', 0);
  const cyclic = await make(fixture, 'SVC_CreateEvent', 1);
  await fixture.call('SVC_SetName', cyclic, 'Every hour');
  await fixture.call('SVC_SetParent', cyclic, script);
  t.strictSame(await fixture.call('SVC_GetEventList'), [trigger, cyclic]);
  t.strictSame(await fixture.call('SVC_GetEventListByType', 1), [cyclic]);
  t.strictSame(await fixture.call('SVC_GetScriptEventList', script), [cyclic]);
  t.equal(await fixture.call('SVC_GetEventIDByName', 'Every hour', script), cyclic);
  await t.rejects(fixture.call('SVC_GetEventIDByName', 'Every hour', 0), { code: 'NAME_NOT_FOUND' });
  t.match(await fixture.call('SVC_GetEvent', trigger), {
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
  t.equal(await fixture.call('SVC_EventExists', trigger), true);
  t.equal(await fixture.call('SVC_DeleteEvent', trigger), true);
  t.equal(await fixture.call('SVC_EventExists', trigger), false);
  await t.rejects(fixture.call('SVC_GetEvent', trigger), { code: 'NOT_OF_TYPE' });
  await t.rejects(fixture.call('SVC_CreateEvent', 3), { code: 'PARAMETER_BOUNDS' });
});

t.test('a trigger is set to a variable, a type and a value', async (t) => {
  await using fixture = new FunctionFixture();
  const variable = await make(fixture, 'SVC_CreateVariable', 1);
  const event = await make(fixture, 'SVC_CreateEvent', 0);
  const set = async (value: number) => {
    await fixture.call('SetValue', variable, value);
    await settled();
    return fixture.scripts.runs.splice(0).map(({ text, parameters }) => [text, parameters['VALUE']]);
  };
  await fixture.call('SVC_SetEventTrigger', event, 2, variable);
  t.strictSame(await fixture.call('SVC_GetVariableEventList', variable), [event]);
  await fixture.call('SVC_SetEventTriggerValue', event, '20');
  await fixture.call('SVC_SetEventScript', event, 'print(1)');
  t.strictSame(await set(30), [], 'it is not active yet');
  await fixture.call('SVC_SetEventActive', event, true);
  t.strictSame(await set(21), [['print(1)', 21]]);
  await fixture.call('SVC_SetEventTriggerSubsequentExecution', event, false);
  t.strictSame(await set(22), []);
  await fixture.call('SVC_SetEventLimit', event, 1);
  t.strictSame([await set(1), await set(22), await set(1), await set(22)], [[], [['print(1)', 22]], [], []]);
  t.match(await fixture.call('SVC_GetEvent', event), {
    EventActive: false,
    EventLimit: 0,
    TriggerValue: 20,
    LastRun: Math.floor(fixture.clock.nowMs() / 1000),
  });
  await t.rejects(fixture.call('SVC_SetEventTriggerValue', event, 'warm'), { code: 'CANNOT_CONVERT' });
  await t.rejects(fixture.call('SVC_SetEventTriggerValue', event, null), { code: 'CANNOT_CONVERT' });
  await t.rejects(fixture.call('SVC_SetEventTrigger', event, 0, 4711), { code: 'NOT_OF_TYPE' });
  await t.rejects(fixture.call('SVC_SetEventLimit', event, -1), { code: 'PARAMETER_BOUNDS' });
  await fixture.call('SVC_SetEventTrigger', event, 0, 0);
  t.strictSame(await fixture.call('SVC_GetVariableEventList', variable), []);
});

t.test('the pattern of a cyclic event is set and validated', async (t) => {
  await using fixture = new FunctionFixture();
  const event = await make(fixture, 'SVC_CreateEvent', 1);
  await fixture.call('SVC_SetEventScript', event, 'x');
  await fixture.call('SVC_SetEventCyclic', event, 2, 2, 0, 0, 3, 6);
  await fixture.call('SVC_SetEventCyclicTimeFrom', event, 8, 0, 0);
  await fixture.call('SVC_SetEventCyclicTimeTo', event, 20, 30, 0);
  await fixture.call('SVC_SetEventCyclicDateFrom', event, 29, 2, 2024);
  await fixture.call('SVC_SetEventCyclicDateTo', event, 2, 3, 2024);
  await fixture.call('SVC_SetEventActive', event, true);
  await settled();
  const next = async () => {
    const { NextRun } = (await fixture.call('SVC_GetEvent', event)) as { NextRun: number };
    return NextRun === 0 ? 'never' : new Date(NextRun * 1000).toString().slice(4, 21);
  };
  t.equal(await next(), 'Feb 29 2024 08:00');
  const dates: string[] = [];
  while ((await next()) !== 'never' && dates.length < 9) {
    dates.push(await next());
    const { NextRun } = (await fixture.call('SVC_GetEvent', event)) as { NextRun: number };
    fixture.clock.advance(NextRun * 1000 - fixture.clock.nowMs());
    await settled();
  }
  const hours = ['08:00', '14:00', '20:00'];
  t.strictSame(
    dates,
    ['Feb 29 2024', 'Mar 02 2024'].flatMap((day) => hours.map((hour) => `${day} ${hour}`)),
  );
  t.equal(fixture.scripts.runs.length, 6);
  await fixture.call('SVC_SetEventCyclicDateTo', event, 0, 0, 0);
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
    await t.rejects(fixture.call(method, event, ...params), { code: 'PARAMETER_BOUNDS' }, method);
  const trigger = await make(fixture, 'SVC_CreateEvent', 0);
  await t.rejects(fixture.call('SVC_SetEventCyclicTimeTo', trigger, 0, 0, 0), { code: 'EVENT_TYPE' });
});

t.test('the timer of a script is a cyclic event below it', async (t) => {
  await using fixture = new FunctionFixture();
  const script = await make(fixture, 'SVC_CreateScript', 0);
  t.equal(await fixture.call('SVC_GetScriptTimer', script), 0);
  await fixture.call('SVC_SetScriptTimer', script, 5);
  await fixture.call('SVC_SetScriptTimer', script, 10);
  t.equal(await fixture.call('SVC_GetScriptTimer', script), 10);
  t.equal(((await fixture.call('SVC_GetScriptEventList', script)) as number[]).length, 1);
  await settled();
  for (let n = 0; n < 3; n++) {
    fixture.clock.advance(10_000);
    await settled();
  }
  t.match(fixture.scripts.runs, [
    { id: script, sender: 'TimerEvent' },
    { id: script, sender: 'TimerEvent' },
    { id: script, sender: 'TimerEvent' },
  ]);
  await fixture.call('SVC_SetScriptTimer', script, 0);
  t.equal(await fixture.call('SVC_GetScriptTimer', script), 0);
  t.strictSame(await fixture.call('SVC_GetScriptEventList', script), []);
  await t.rejects(fixture.call('SVC_SetScriptTimer', script, -1), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(fixture.call('SVC_SetScriptTimer', 4711, 0), { code: 'NOT_OF_TYPE' });
});

t.test(
  'the timer of a script counts from when it was set, even past midnight and with an unsynchronised clock',
  async (t) => {
    await using fixture = new FunctionFixture();
    const script = await make(fixture, 'SVC_CreateScript', 0);
    const toMidnightMs = new Date(fixture.clock.nowMs()).setHours(24, 0, 0, 0) - fixture.clock.nowMs();
    fixture.clock.hasTrustedTime = false;
    fixture.clock.advance(toMidnightMs - 50_000);
    await fixture.call('SVC_SetScriptTimer', script, 120);
    await settled();
    fixture.clock.advance(30_000);
    await fixture.call('SVC_SetScriptTimer', script, 120);
    await settled();
    fixture.clock.advance(119_000);
    await settled();
    t.strictSame(fixture.scripts.runs, []);
    for (let n = 0; n < 3; n++) {
      fixture.clock.advance(n === 0 ? 1000 : 120_000);
      await settled();
      t.equal(fixture.scripts.runs.length, n + 1);
    }
  },
);

t.test('actions, groups and points of a schedule are added, changed and removed by ID', async (t) => {
  await using fixture = new FunctionFixture();
  const heating = await make(fixture, 'SVC_CreateVariable', 2);
  const event = await make(fixture, 'SVC_CreateEvent', 2);
  await fixture.call('SVC_SetParent', event, heating);
  await fixture.call('SVC_SetEventScheduleAction', event, 1, 'Warm', 0xff0000, 'warm');
  await fixture.call('SVC_SetEventScheduleActionEx', event, 2, 'Cool', -1, VALUE_ACTION, { VALUE: 16 });
  await fixture.call('SVC_SetEventScheduleGroup', event, 0, 31);
  await fixture.call('SVC_SetEventScheduleGroup', event, 1, 96);
  await fixture.call('SVC_SetEventScheduleGroupPoint', event, 0, 1, 6, 30, 0, 1);
  await fixture.call('SVC_SetEventScheduleGroupPoint', event, 0, 2, 22, 0, 0, 2);
  await fixture.call('SVC_SetEventScheduleGroupPoint', event, 1, 1, 8, 0, 0, 1);
  await fixture.call('SVC_SetEventScheduleGroupPoint', event, 1, 1, 9, 0, 0, 1);
  t.match(await fixture.call('SVC_GetEvent', event), {
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
  await fixture.call('SVC_SetEventActive', event, true);
  await settled();
  for (let n = 0; n < 24 * 6; n++) {
    fixture.clock.advance(600_000);
    await settled();
  }
  t.match(fixture.scripts.runs, [
    { text: 'warm', sender: 'Schedule', parameters: { ACTION: 1, TARGET: heating } },
  ]);
  t.equal(await fixture.call('GetValue', heating), 16, 'an action without a target has the event’s parent');

  const rejected = async (code: string, method: string, ...params: unknown[]) =>
    t.rejects(fixture.call(method, event, ...params), { code }, `${method} ${JSON.stringify(params)}`);
  await rejected('PARAMETER_TYPE', 'SVC_SetEventScheduleGroup', 2, 64);
  await rejected('PARAMETER_BOUNDS', 'SVC_SetEventScheduleGroup', 0, 128);
  await rejected('EVENT_PART_MISSING', 'SVC_SetEventScheduleGroupPoint', 7, 1, 6, 0, 0, 1);
  await rejected('EVENT_PART_MISSING', 'SVC_SetEventScheduleGroupPoint', 0, 1, 6, 0, 0, 7);
  await rejected('PARAMETER_BOUNDS', 'SVC_SetEventScheduleGroupPoint', 0, 1, 24, 0, 0, 1);
  await rejected('PARAMETER_BOUNDS', 'SVC_SetEventScheduleAction', -1, 'A', 0, '');
  await rejected('PARAMETER_BOUNDS', 'SVC_SetEventScheduleAction', 1, 'A', 0x1000000, '');
  await rejected('ACTION_MISSING', 'SVC_SetEventScheduleActionEx', 1, 'A', 0, '{NO}', {});
  await rejected('PARAMETER_TYPE', 'SVC_SetEventScheduleActionEx', 1, 'A', 0, VALUE_ACTION, {});

  await fixture.call('SVC_SetEventScheduleGroupPoint', event, 0, 1, -1, 0, 0, 0);
  await fixture.call('SVC_SetEventScheduleAction', event, 2, '', 0, '');
  await fixture.call('SVC_SetEventScheduleGroup', event, 1, 0);
  t.match(await fixture.call('SVC_GetEvent', event), {
    ScheduleActions: [{ ID: 1 }],
    ScheduleGroups: [{ ID: 0, Points: [] }],
  });
});

t.test('conditions and their rules are added, changed and removed by ID', async (t) => {
  await using fixture = new FunctionFixture();
  const [on, count] = [
    await make(fixture, 'SVC_CreateVariable', 0),
    await make(fixture, 'SVC_CreateVariable', 1),
  ];
  const event = await make(fixture, 'SVC_CreateEvent', 0);
  const conditions = async () =>
    ((await fixture.call('SVC_GetEvent', event)) as { EventConditions: object[] }).EventConditions;
  await fixture.call('SVC_SetEventTrigger', event, 0, count);
  await fixture.call('SVC_SetEventScript', event, 'x');
  await fixture.call('SVC_SetEventActive', event, true);
  await fixture.call('SVC_SetEventCondition', event, 0, 0, 1);
  await fixture.call('SVC_SetEventConditionVariableRule', event, 0, 1, on, 0, '1');
  await fixture.call('SVC_SetEventConditionVariableDynamicRule', event, 0, 2, count, 2, count);
  const runs = async (value: boolean) => {
    await fixture.call('SetValue', on, value);
    await fixture.call('SetValue', count, 1);
    await settled();
    return fixture.scripts.runs.splice(0).length;
  };
  t.strictSame([await runs(false), await runs(true)], [0, 1]);
  await fixture.call('SVC_SetEventCondition', event, 0, 0, 3);
  t.strictSame([await runs(false), await runs(true)], [1, 0], 'none of them');

  await fixture.call('SVC_SetEventCondition', event, 5, 0, 0);
  await fixture.call('SVC_SetEventCondition', event, 6, 5, 2);
  await fixture.call('SVC_SetEventConditionDateRule', event, 5, 1, 3, 29, 2, 0);
  await fixture.call('SVC_SetEventConditionTimeRule', event, 5, 1, 4, 22, 0, 0);
  await fixture.call('SVC_SetEventConditionDayOfTheWeekRule', event, 6, 1, 5, 5);
  await fixture.call('SVC_SetEventConditionVariableStaticRule', event, 6, 1, count, 1, 3);
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
  const rejected = async (code: string, method: string, ...params: unknown[]) =>
    t.rejects(fixture.call(method, event, ...params), { code }, `${method} ${JSON.stringify(params)}`);
  await rejected('EVENT_PART_MISSING', 'SVC_SetEventCondition', 7, 8, 0);
  await rejected('NOT_ALLOWED', 'SVC_SetEventCondition', 5, 6, 0);
  await rejected('EVENT_PART_MISSING', 'SVC_SetEventConditionTimeRule', 9, 1, 0, 0, 0, 0);
  await rejected('PARAMETER_BOUNDS', 'SVC_SetEventConditionDateRule', 5, 1, 0, 30, 2, 0);
  await rejected('PARAMETER_BOUNDS', 'SVC_SetEventConditionTimeRule', 5, 1, 0, 7, 60, 0);
  await rejected('PARAMETER_BOUNDS', 'SVC_SetEventConditionDayOfTheWeekRule', 5, 1, 0, 8);
  await rejected('NOT_OF_TYPE', 'SVC_SetEventConditionVariableRule', 5, 1, 4711, 0, true);
  await rejected('CANNOT_CONVERT', 'SVC_SetEventConditionVariableRule', 5, 1, count, 0, 'warm');
  await rejected('NOT_OF_TYPE', 'SVC_SetEventConditionVariableDynamicRule', 5, 1, count, 0, 4711);
  await rejected('PARAMETER_BOUNDS', 'SVC_SetEventConditionVariableRule', 5, 1, count, 6, 0);

  await fixture.call('SVC_SetEventConditionDateRule', event, 5, 1, 0, 0, 0, 0);
  await fixture.call('SVC_SetEventConditionTimeRule', event, 5, 1, 0, -1, 0, 0);
  await fixture.call('SVC_SetEventConditionDayOfTheWeekRule', event, 6, 1, 0, 0);
  await fixture.call('SVC_SetEventConditionVariableRule', event, 6, 1, 0, 0, 0);
  await fixture.call('SVC_SetEventConditionVariableDynamicRule', event, 0, 2, 0, 0, 0);
  t.match(await conditions(), [
    { VariableRules: [{ ID: 1 }] },
    { DateRules: [], TimeRules: [] },
    { DayOfTheWeekRules: [], VariableRules: [] },
  ]);
  await fixture.call('SVC_SetEventCondition', event, 5, -1, 0);
  t.match(await conditions(), [{ ID: 0 }]);
  await fixture.call('SVC_SetEventCondition', event, 0, -1, 0);
  t.strictSame(await conditions(), []);
});

t.test('conditions are evaluated without an event', async (t) => {
  await using fixture = new FunctionFixture();
  const on = await make(fixture, 'SVC_CreateVariable', 0);
  const passing = async (conditions: unknown) =>
    fixture.call(
      'SVC_IsConditionPassing',
      typeof conditions === 'string' ? conditions : JSON.stringify(conditions),
    );
  const rules = { variable: [{ variableID: on, comparison: 0, value: true, type: 0 }] };
  t.equal(await passing('[]'), true);
  t.equal(await passing(''), true);
  t.equal(await passing([{ id: 0, parentID: 0, operation: 0, rules }]), false);
  t.equal(await passing([{ id: 7, parentID: 0, operation: 2, rules }]), true, 'on top, as there is no 0');
  await fixture.call('SetValue', on, true);
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
