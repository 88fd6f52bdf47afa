import t from 'tap';
import { fault } from '../../../src/base/fault.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { triggerType } from '../../../src/kernel/events/event-data.js';
import { message } from '../../../src/kernel/messages.js';
import type { Value } from '../../../src/kernel/value.js';
import { RUNS_PER_MINUTE_LIMIT } from '../../../src/events/event-runner.js';
import { EventFixture, NOON, eventsSettled } from '../../tools/gateway/event-fixture.js';

const MINUTE_MS = 60_000;

t.test('each trigger type runs its event', async (t) => {
  const cases: [string, number, { value?: Value; subsequent?: boolean }, Value[], Value[]][] = [
    ['update', triggerType.update, {}, [1, 1, 2], [1, 1, 2]],
    ['change', triggerType.change, {}, [0, 1, 1, 2], [1, 2]],
    ['exceeds', triggerType.limitExceed, { value: 5 }, [5, 6, 7, 4, 6], [6, 7, 6]],
    ['exceeds, first', triggerType.limitExceed, { value: 5, subsequent: false }, [6, 7, 4, 6], [6, 6]],
    ['drops, first', triggerType.limitDrop, { value: 5, subsequent: false }, [1, 9, 4, 3, 5, 2], [4, 2]],
    ['drops', triggerType.limitDrop, { value: 5 }, [9, 4, 3], [4, 3]],
    ['value', triggerType.value, { value: 7 }, [7, 7, 8, 7], [7, 7, 7]],
    ['value, first', triggerType.value, { value: 7, subsequent: false }, [7, 7, 8, 7], [7, 7]],
  ];
  for (const [name, type, more, values, expected] of cases) {
    using fixture = new EventFixture();
    const variable = fixture.kernel.variables.create(1);
    const event = fixture.trigger(variable.id, type, more);
    await fixture.set(variable.id, ...values);
    t.strictSame(
      fixture.runs.map(({ parameters }) => parameters['VALUE']),
      expected,
      name,
    );
    const [first] = fixture.runs;
    t.match(first, {
      text: 'x',
      sender: 'Variable',
      caller: { user: `event ${event.id}`, role: 'owner' },
      parameters: { EVENT: event.id, VARIABLE: variable.id, TARGET: 0 },
    });
    t.equal(event.data.lastRun, Math.floor(NOON / 1000));
  }
});

t.test('an event below a script runs it; a text, and an action before it, take precedence', async (t) => {
  using fixture = new EventFixture();
  const { kernel } = fixture;
  const variable = kernel.variables.create(0);
  const script = kernel.scripts.create(0);
  const event = fixture.trigger(variable.id, triggerType.update);
  kernel.tree.move(event, script);
  await fixture.set(variable.id, true);
  kernel.events.set(event, { script: '' });
  await fixture.set(variable.id, false);
  t.match(fixture.runs[0], { text: 'x', parameters: { OLDVALUE: false, VALUE: true, TARGET: script.id } });
  t.match(fixture.runs[1], { id: script.id, parameters: { OLDVALUE: true, EVENT: event.id } });
  kernel.events.set(event, { actionId: '{A}', actionParameters: { VALUE: 1 } });
  await fixture.set(variable.id, true);
  t.match(fixture.acted, [['{A}', { parameters: { TARGET: script.id, VALUE: 1 }, sender: 'Variable' }]]);
  kernel.events.set(event, { active: false });
  await fixture.set(variable.id, false);
  t.equal(fixture.runs.length + fixture.acted.length, 3, 'nothing while it is inactive');
});

t.test('conditions that are not met prevent an event from running', async (t) => {
  using fixture = new EventFixture();
  const { kernel } = fixture;
  const [button, away] = [kernel.variables.create(0), kernel.variables.create(0)];
  const event = fixture.trigger(button.id, triggerType.update);
  const rule = { id: 1, variableId: away.id, comparison: 0, value: true, type: 0 };
  const rules = { variable: [rule], date: [], time: [], dayOfTheWeek: [] };
  kernel.events.set(event, { conditions: [{ id: 0, parentId: 0, operation: 0, rules }] });
  await fixture.set(button.id, true);
  await fixture.set(away.id, true);
  await fixture.set(button.id, false);
  t.strictSame(
    fixture.runs.map(({ parameters }) => parameters['VALUE']),
    [false],
  );
});

t.test('an event with a limit runs that often, and is inactive then', async (t) => {
  using fixture = new EventFixture();
  const variable = fixture.kernel.variables.create(1);
  const event = fixture.trigger(variable.id, triggerType.update);
  fixture.kernel.events.set(event, { limit: 2 });
  await fixture.set(variable.id, 1, 2, 3);
  t.equal(fixture.runs.length, 2);
  t.match(event.data, { limit: 0, active: false });
});

t.test(
  'runs do not overlap, of triggers meanwhile only the newest is queued, and a failure is its own',
  async (t) => {
    using fixture = new EventFixture();
    fixture.isQuick = false;
    const variable = fixture.kernel.variables.create(1);
    const other = fixture.trigger(variable.id, triggerType.value, { value: 3 });
    const event = fixture.trigger(variable.id, triggerType.update);
    await fixture.set(variable.id, 1, 2, 3, 4);
    const values = () =>
      fixture.runs
        .filter(({ parameters }) => parameters['EVENT'] === event.id)
        .map(({ parameters }) => parameters['VALUE']);
    t.strictSame(values(), [1]);
    fixture.ends[0]?.reject(fault('SCRIPT_FAILED', 'text.js:1: no'));
    await eventsSettled();
    t.strictSame(values(), [1, 4]);
    t.match(fixture.errors, [new RegExp(`event #${event.id} .*text.js:1: no`)]);
    t.ok(fixture.runs.some(({ parameters }) => parameters['EVENT'] === other.id));
  },
);

t.test('an event that runs in a loop is stopped, reported once, and continues a minute later', async (t) => {
  using fixture = new EventFixture();
  const { kernel, clock } = fixture;
  const variable = kernel.variables.create(1);
  const event = fixture.trigger(variable.id, triggerType.update);
  let own = 0;
  kernel.changes.listen(({ Message, SenderID }) => {
    if (Message !== message.EM_UPDATE || SenderID !== event.id) return;
    own++;
    // Its script updates its own trigger variable.
    queueMicrotask(() => kernel.variables.update(variable, own, clock.nowMs()));
  });
  await fixture.set(variable.id, 1);
  for (let n = 0; n < RUNS_PER_MINUTE_LIMIT * 4; n++) await yieldToEventLoop();
  t.equal(fixture.runs.length, RUNS_PER_MINUTE_LIMIT);
  t.match(fixture.errors, [new RegExp(`event #${event.id} .*updates variable #${variable.id}`)]);
  await fixture.set(variable.id, 0);
  t.equal(fixture.runs.length, RUNS_PER_MINUTE_LIMIT);
  await fixture.pass(MINUTE_MS);
  await fixture.set(variable.id, 0);
  t.ok(fixture.runs.length > RUNS_PER_MINUTE_LIMIT, 'it runs again');
});

t.test(
  'an event whose variable is deleted is never triggered, even if another object gets the id',
  async (t) => {
    using fixture = new EventFixture();
    const { kernel } = fixture;
    const variable = kernel.variables.create(1);
    const event = fixture.trigger(variable.id, triggerType.update);
    kernel.tree.delete(variable);
    await eventsSettled();
    t.equal(event.data.trigger?.variableId, 0);
    t.match(fixture.warnings, [/was deleted/]);
    const deleted = fixture.trigger(kernel.variables.create(1).id, triggerType.update);
    kernel.tree.delete(deleted);
    await fixture.set(kernel.variables.create(1).id, 1);
    t.equal(fixture.runs.length, 0);
  },
);
