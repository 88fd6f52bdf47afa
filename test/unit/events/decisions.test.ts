import t from 'tap';
import { fault } from '../../../src/base/fault.js';
import type { EventOutcome } from '../../../src/base/codes/stable-codes.js';
import { DECISIONS_LIMIT } from '../../../src/events/decision-log.js';
import { RUNS_PER_MINUTE_LIMIT } from '../../../src/events/event-runner.js';
import { cyclicDate, cyclicTime, eventType, triggerType } from '../../../src/kernel/events/event-data.js';
import type { Event } from '../../../src/kernel/events/events.js';
import { EventFixture, NOON, eventsSettled } from '../../tools/gateway/event-fixture.js';

/** Outcomes of the decisions about an event, oldest first, with their counts if they are above 1. */
function outcomesOf(fixture: EventFixture, event: Event): (EventOutcome | [EventOutcome, number])[] {
  return fixture.engine
    .decisionsOf(event)
    .map(({ verdict, count }) => (count === 1 ? verdict.outcome : [verdict.outcome, count]));
}

const noRules = { variable: [], date: [], time: [], dayOfTheWeek: [] };

t.test('a decision says why an update does not trigger the event', async (t) => {
  using fixture = new EventFixture();
  const variable = fixture.kernel.variables.create(1);
  const changed = fixture.trigger(variable.id, triggerType.change);
  const above = fixture.trigger(variable.id, triggerType.limitExceed, { value: 5, subsequent: false });
  await fixture.set(variable.id, 1, 1, 1, 6, 7);
  t.strictSame(outcomesOf(fixture, changed), ['RAN', ['NOT_CHANGED', 2], 'RAN', 'RAN']);
  t.strictSame(outcomesOf(fixture, above), [['OTHER_VALUE', 3], 'RAN', 'MET_BEFORE']);
  t.match(fixture.engine.decisionsOf(changed)[0], {
    atMs: NOON,
    cause: { trigger: 'VARIABLE', variableId: variable.id, value: 1, oldValue: 0 },
  });
});

t.test('a decision names the condition and the rule that were not met, with what was compared', async (t) => {
  using fixture = new EventFixture();
  const { kernel } = fixture;
  const [button, away, warm] = [
    kernel.variables.create(0),
    kernel.variables.create(0),
    kernel.variables.create(1),
  ];
  const event = fixture.trigger(button.id, triggerType.update);
  const isAway = { id: 1, variableId: away.id, comparison: 0, value: true, type: 0 };
  const isWarm = { id: 2, variableId: warm.id, comparison: 2, value: 20, type: 0 };
  kernel.events.set(event, {
    conditions: [
      { id: 0, parentId: 0, operation: 0, rules: { ...noRules, variable: [isAway] } },
      { id: 3, parentId: 0, operation: 0, rules: { ...noRules, variable: [isWarm] } },
      {
        id: 4,
        parentId: 4,
        operation: 1,
        rules: {
          ...noRules,
          time: [
            { id: 1, comparison: 2, value: { hour: 18, minute: 0, second: 0 } },
            { id: 2, comparison: 4, value: { hour: 6, minute: 0, second: 0 } },
          ],
        },
      },
    ],
  });
  await fixture.set(button.id, true);
  await fixture.set(away.id, true);
  await fixture.set(warm.id, 12);
  await fixture.set(button.id, false);
  await fixture.set(warm.id, 21);
  await fixture.set(button.id, true, false);
  t.match(
    fixture.engine.decisionsOf(event).map(({ verdict }) => verdict),
    [
      { outcome: 'CONDITION', conditionId: 0, rule: { kind: 'variable', id: 1, current: false } },
      { outcome: 'CONDITION', conditionId: 3, rule: { kind: 'variable', id: 2, current: 12 } },
      { outcome: 'CONDITION', conditionId: 4, rule: undefined },
    ],
  );
  t.equal(fixture.engine.decisionsOf(event)[2]?.count, 2);
  t.equal(fixture.runs.length, 0);
});

t.test('a run that fails has its error, one that waits or is replaced says so', async (t) => {
  using fixture = new EventFixture();
  fixture.isQuick = false;
  const variable = fixture.kernel.variables.create(1);
  const event = fixture.trigger(variable.id, triggerType.update);
  await fixture.set(variable.id, 1, 2, 3, 4);
  t.strictSame(outcomesOf(fixture, event), ['RUNNING', ['SUPERSEDED', 2], 'WAITING']);
  fixture.clock.advance(40);
  fixture.ends[0]?.reject(fault('SCRIPT_FAILED', 'text.js:1: no'));
  await eventsSettled();
  t.strictSame(outcomesOf(fixture, event), ['FAILED', ['SUPERSEDED', 2], 'RUNNING']);
  t.match(fixture.engine.decisionsOf(event)[0]?.verdict, { text: /text\.js:1: no/, durationMs: 40 });
  fixture.ends[1]?.resolve('');
  await eventsSettled();
  t.strictSame(outcomesOf(fixture, event), ['FAILED', ['SUPERSEDED', 2], 'RAN']);
});

t.test('a run that waits does not start after the engine was closed', async (t) => {
  using fixture = new EventFixture();
  fixture.isQuick = false;
  const variable = fixture.kernel.variables.create(1);
  const event = fixture.trigger(variable.id, triggerType.update);
  await fixture.set(variable.id, 1, 2);
  t.strictSame(outcomesOf(fixture, event), ['RUNNING', 'WAITING']);
  fixture.engine[Symbol.dispose]();
  fixture.ends[0]?.resolve('');
  await eventsSettled();
  t.strictSame(outcomesOf(fixture, event), ['RAN', 'WAITING']);
  t.equal(fixture.runs.length, 1);
});

t.test('an event says that it is inactive, that its limit is used up, or that it runs nothing', async (t) => {
  using fixture = new EventFixture();
  const { kernel } = fixture;
  const variable = kernel.variables.create(1);
  const event = fixture.trigger(variable.id, triggerType.update);
  t.equal(fixture.engine.stateOf(event), 'READY');
  kernel.events.set(event, { limit: 1 });
  await fixture.set(variable.id, 1, 2, 3);
  t.equal(fixture.engine.stateOf(event), 'LIMIT_REACHED');
  kernel.events.set(event, { active: true, script: '' });
  t.equal(fixture.engine.stateOf(event), 'NOTHING_TO_RUN');
  await fixture.set(variable.id, 4);
  kernel.events.set(event, { active: false, script: 'x' });
  await fixture.set(variable.id, 5);
  t.equal(fixture.engine.stateOf(event), 'INACTIVE');
  kernel.events.set(event, { active: true });
  kernel.events.clearTriggerVariable(event);
  t.equal(fixture.engine.stateOf(event), 'NO_VARIABLE');
  t.strictSame(outcomesOf(fixture, event), ['RAN', ['LIMIT_REACHED', 2], 'NOTHING_TO_RUN', 'INACTIVE']);
});

t.test('a loop is one decision; only the last ones are kept', async (t) => {
  using fixture = new EventFixture();
  const { kernel } = fixture;
  const variable = kernel.variables.create(1);
  const event = fixture.trigger(variable.id, triggerType.update);
  for (let n = 1; n <= RUNS_PER_MINUTE_LIMIT; n++) await fixture.set(variable.id, n);
  t.equal(outcomesOf(fixture, event).length, DECISIONS_LIMIT);
  await fixture.set(variable.id, 1, 2, 3);
  t.strictSame(outcomesOf(fixture, event).slice(-2), ['RAN', ['TOO_OFTEN', 3]]);
  const texts = kernel.variables.create(3);
  const long = fixture.trigger(texts.id, triggerType.update);
  await fixture.set(texts.id, 'ä'.repeat(100_000));
  const [decision] = fixture.engine.decisionsOf(long);
  t.match(decision?.cause.value, /^ä+…$/);
  t.ok(String(decision?.cause.value).length < 1000);
});

t.test('timed events have decisions and say when nothing is due', async (t) => {
  using fixture = new EventFixture();
  const { kernel } = fixture;
  const away = kernel.variables.create(0);
  const cyclic = fixture.cyclic({ timeType: cyclicTime.minute, timeValue: 1 });
  const isAway = { id: 1, variableId: away.id, comparison: 0, value: true, type: 0 };
  kernel.events.set(cyclic, {
    conditions: [{ id: 0, parentId: 0, operation: 0, rules: { ...noRules, variable: [isAway] } }],
  });
  const plan = fixture.event(eventType.schedule);
  const action = { id: 7, name: 'A', color: -1, scriptText: 'y', actionId: '', actionParameters: {} };
  kernel.events.setSchedule(plan.id, {
    actions: [action],
    groups: [
      { id: 1, days: 127, points: [{ id: 1, start: { hour: 12, minute: 1, second: 0 }, actionId: 7 }] },
    ],
  });
  await eventsSettled();
  await fixture.pass(2 * 60_000, 10_000);
  t.strictSame(outcomesOf(fixture, cyclic), [['CONDITION', 2]]);
  t.match(fixture.engine.decisionsOf(cyclic), [{ cause: { trigger: 'TIME' } }]);
  t.match(fixture.engine.decisionsOf(plan), [
    { cause: { trigger: 'SCHEDULE', actionId: 7 }, verdict: { outcome: 'RAN' } },
  ]);
  t.equal(fixture.engine.stateOf(plan), 'READY');
  const past = { day: 1, month: 1, year: 2001 };
  kernel.events.setCyclic(cyclic.id, { dateType: cyclicDate.once, dateFrom: past, timeType: 0 });
  t.equal(fixture.engine.stateOf(cyclic), 'NO_NEXT_RUN');
});
