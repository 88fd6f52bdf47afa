import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

/** Enough iterations of the event loop for an event to run. */
async function settled(): Promise<void> {
  for (let n = 0; n < 8; n++) await yieldToEventLoop();
}

async function make(fixture: FunctionFixture, method: string, ...params: unknown[]): Promise<number> {
  return (await fixture.call(method, ...params)) as number;
}

t.test(
  'GW_GetEventDecisions says why an event ran or did not run, and which of its conditions are met',
  async (t) => {
    await using fixture = new FunctionFixture();
    const [button, away] = [
      await make(fixture, 'SVC_CreateVariable', 0),
      await make(fixture, 'SVC_CreateVariable', 0),
    ];
    const event = await make(fixture, 'SVC_CreateEvent', 0);
    t.match(await fixture.call('GW_GetEventDecisions', event), { State: 'INACTIVE', Decisions: [] });
    await fixture.call('SVC_SetEventTrigger', event, 0, button);
    await fixture.call('SVC_SetEventScript', event, 'print(1)');
    await fixture.call('SVC_SetEventCondition', event, 0, 0, 0);
    await fixture.call('SVC_SetEventConditionVariableRule', event, 0, 1, away, 0, true);
    await fixture.call('SVC_SetEventConditionDayOfTheWeekRule', event, 0, 1, 3, 1);
    await fixture.call('SVC_SetEventActive', event, true);
    await fixture.call('SetValue', button, true);
    await settled();
    const before = await fixture.call('GW_GetEventDecisions', event);
    t.match(before, {
      EventID: event,
      State: 'READY',
      AreConditionsMet: false,
      Conditions: [
        {
          ID: 0,
          ParentID: 0,
          IsMet: false,
          Rules: [
            { Kind: 'variable', ID: 1, IsMet: false, Current: false },
            { Kind: 'dayOfTheWeek', ID: 1, IsMet: true, Current: Number },
          ],
        },
      ],
      Decisions: [
        {
          Count: 1,
          Trigger: 'VARIABLE',
          VariableID: button,
          Value: true,
          OldValue: false,
          Outcome: 'CONDITION',
          ConditionID: 0,
          RuleKind: 'variable',
          RuleID: 1,
          Current: false,
        },
      ],
    });
    await fixture.call('SetValue', away, true);
    await fixture.call('SetValue', button, false);
    await settled();
    t.match(await fixture.call('GW_GetEventDecisions', event), {
      AreConditionsMet: true,
      Decisions: [{ Outcome: 'RAN', DurationMs: Number }, { Outcome: 'CONDITION' }],
    });
    await t.rejects(fixture.call('GW_GetEventDecisions', button), { code: 'NOT_OF_TYPE' });
  },
);
