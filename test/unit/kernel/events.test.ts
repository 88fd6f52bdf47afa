import t from 'tap';
import { Area } from '../../../src/kernel/area.js';
import { eventData, eventType } from '../../../src/kernel/events/event-data.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { message } from '../../../src/kernel/messages.js';
import { Random, fuzzSeed, seedLabel } from '../../tools/random.js';
import { Replica, snapshotOf, type Frame } from '../../tools/client/replica.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

const NOW_MS = 1_700_000_000_000;
const fresh = () => new Kernel({ counter: 0, random: Math.random });
const frames = (kernel: Kernel, since: number) =>
  kernel.changes.since(since).map((change) => JSON.parse(change.frame) as Frame);
const messages = (kernel: Kernel, since: number) =>
  frames(kernel, since).map(({ Message, Data }) => [Message, Data] as const);
const action = (id: number, name: string, scriptText = '') => ({
  id,
  name,
  color: 0xff,
  scriptText,
  actionId: '',
  actionParameters: {},
});
const noRules = { variable: [], date: [], time: [], dayOfTheWeek: [] };

t.test('a new event has the defaults that clients assume, and differences are published', async (t) => {
  const kernel = fresh();
  kernel.events.create(eventType.trigger, NOW_MS);
  const { id } = kernel.variables.create(1);
  const before = kernel.changes.counter;
  const like = eventData(eventType.trigger);
  Object.assign(like, {
    active: true,
    limit: 3,
    script: 'x',
    lastRun: 7,
    trigger: { type: 2, variableId: id, value: 5, subsequent: false },
    conditions: [{ id: 0, parentId: 0, operation: 1, rules: noRules }],
  });
  const copy = kernel.events.create(eventType.trigger, NOW_MS, { like, name: 'Copy' });
  t.strictSame(messages(kernel, before), [
    [messageNumber.OM_REGISTER, [4]],
    [messageNumber.EM_CREATE, [0]],
    [messageNumber.OM_CHANGENAME, ['Copy']],
    [messageNumber.EM_CHANGEACTIVE, [true]],
    [messageNumber.EM_CHANGELIMIT, [3]],
    [messageNumber.EM_CHANGEACTION, ['x']],
    [messageNumber.EM_CHANGETRIGGER, [2, id]],
    [messageNumber.EM_CHANGETRIGGERVALUE, [5]],
    [messageNumber.EM_CHANGETRIGGEREXECUTION, [false]],
    [messageNumber.EM_ADDCONDITION, [0, 0, 1]],
    [messageNumber.OM_CHILDADDED, [copy.id]],
  ]);
  t.match(copy.data, { lastRun: 0, created: NOW_MS / 1000 }, 'it has not run yet');
  const deleting = kernel.changes.counter;
  kernel.tree.delete(copy);
  t.strictSame(
    messages(kernel, deleting).map(([sent]) => sent),
    [messageNumber.OM_CHILDREMOVED, messageNumber.EM_DELETE, messageNumber.OM_UNREGISTER],
  );
});

t.test('a change is published with its message, and an equal value is not', async (t) => {
  const kernel = fresh();
  const { events } = kernel;
  const plan = events.create(eventType.schedule, NOW_MS);
  const since = kernel.changes.counter;
  const version = kernel.journal.version;
  events.set(plan, { active: false, script: '', conditions: [] });
  events.setSchedule(plan.id, { actions: [] });
  t.strictSame([kernel.changes.counter, kernel.journal.version], [since, version]);
  const start = { hour: 6, minute: 30, second: 0 };
  events.setSchedule(plan.id, { actions: [action(1, 'Warm', 'a'), action(2, 'Cool')] });
  events.setSchedule(plan.id, { groups: [{ id: 5, days: 31, points: [{ id: 9, start, actionId: 1 }] }] });
  events.setSchedule(plan.id, { groups: [{ id: 5, days: 1, points: [{ id: 9, start, actionId: 2 }] }] });
  events.setSchedule(plan.id, { actions: [action(2, 'Cold')], groups: [{ id: 5, days: 1, points: [] }] });
  events.set(plan, { actionId: '{A}', actionParameters: { VALUE: 1 } });
  t.strictSame(messages(kernel, since), [
    [messageNumber.EM_ADDSCHEDULEACTION, [1, 'Warm', 255, 'a']],
    [messageNumber.EM_ADDSCHEDULEACTION, [2, 'Cool', 255, '']],
    [messageNumber.EM_ADDSCHEDULEGROUP, [5, 31]],
    [messageNumber.EM_ADDSCHEDULEGROUPPOINT, [5, 9, 6, 30, 0, 1]],
    [messageNumber.EM_CHANGESCHEDULEGROUP, [5, 1]],
    [messageNumber.EM_CHANGESCHEDULEGROUPPOINT, [5, 9, 6, 30, 0, 2]],
    [messageNumber.EM_REMOVESCHEDULEACTION, [1]],
    [messageNumber.EM_CHANGESCHEDULEACTION, [2, 'Cold', 255, '']],
    [messageNumber.EM_REMOVESCHEDULEGROUPPOINT, [5, 9]],
    [messageNumber.EM_CHANGEACTION, ['{A}', '{"VALUE":1}']],
  ]);
  t.throws(() => events.setTrigger(plan.id, { type: 0 }), { code: 'EVENT_TYPE' });
  t.throws(() => events.setCyclic(plan.id, {}), { code: 'EVENT_TYPE' });
});

t.test('a trigger’s value has its variable’s type', async (t) => {
  const kernel = fresh();
  const { id } = kernel.events.create(eventType.trigger, NOW_MS);
  const [on, count] = [kernel.variables.create(0), kernel.variables.create(1)];
  kernel.events.setTrigger(id, { variableId: count.id, value: 7 });
  kernel.events.setTrigger(id, { variableId: on.id });
  t.equal(kernel.events.get(id).data.trigger?.value, false);
  t.throws(() => kernel.events.setTrigger(id, { variableId: id }), { code: 'NOT_OF_TYPE' });
  t.strictSame(kernel.events.triggeredBy(on.id), [kernel.events.get(id)]);
  t.strictSame(kernel.events.triggeredBy(count.id), []);
});

const seed = fuzzSeed();
t.test(`a client that follows the messages has the state of a snapshot; ${seedLabel(seed)}`, async (t) => {
  const random = new Random(seed);
  const kernel = fresh();
  const { events } = kernel;
  const variables = [0, 1, 2, 3].map((type) => kernel.variables.create(type as 0 | 1 | 2 | 3).id);
  const replica = new Replica(snapshotOf(kernel));
  const since = kernel.changes.counter;
  const time = () => ({ hour: random.below(24), minute: random.below(60), second: 0 });
  const date = () => ({ day: random.below(28), month: random.below(12), year: 2000 });
  const changes = {
    [eventType.trigger]: (id: number) =>
      events.setTrigger(id, {
        type: random.below(5),
        variableId: random.pick([0, ...variables]),
        ...(random.chance(0.5) && { subsequent: random.chance(0.5) }),
      }),
    [eventType.cyclic]: (id: number) =>
      events.setCyclic(id, {
        ...(random.chance(0.5) && { dateType: random.below(6), timeValue: random.below(9) }),
        ...(random.chance(0.5) && { dateFrom: date(), timeTo: time() }),
        ...(random.chance(0.5) && { dateTo: date(), timeFrom: time() }),
      }),
    [eventType.schedule]: (id: number) =>
      events.setSchedule(id, {
        actions: [1, 2, 3]
          .filter(() => random.chance(0.6))
          .map((one) => action(one, `A${random.below(2)}`, random.pick(['', 'x']))),
        groups: [1, 2, 3]
          .filter(() => random.chance(0.6))
          .map((one) => ({
            id: one,
            days: random.below(127),
            points: [1, 2, 3]
              .filter(() => random.chance(0.6))
              .map((point) => ({ id: point, start: time(), actionId: random.below(4) })),
          })),
      }),
  };
  for (let n = 0; n < 600; n++) {
    const all = [...kernel.tree.objectsOfType(4)];
    const event = random.pick(all);
    if (event === undefined) events.create(random.below(3), NOW_MS);
    else
      random.pick<() => unknown>([
        () => events.create(random.below(3), NOW_MS),
        () => kernel.tree.delete(event),
        () => events.recordRun(event, NOW_MS + n * 1000, { actionId: random.below(3) }),
        () => events.setNextRun(event, random.below(1000)),
        () => events.set(event, random.pick<object>([{ active: true }, { limit: 2 }, { script: 'y' }])),
        () => events.set(event, { actionId: '{A}', script: '' }),
        () => changes[event.data.type as 0 | 1 | 2](event.id),
        () => changes[event.data.type as 0 | 1 | 2](event.id),
      ])();
  }
  for (const frame of frames(kernel, since)) replica.apply(frame);
  const seen = Object.fromEntries([...replica.objects].map(([id, entry]) => [`ID${id}`, entry]));
  const sorted = (entries: object) =>
    JSON.parse(JSON.stringify(entries), (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    ) as object;
  // Lists have the order in which their entries were created; a client that keeps them by id has another
  // order.
  const byId = (_key: string, value: unknown) =>
    Array.isArray(value) ? [...value].sort((a: { id: number }, b: { id: number }) => a.id - b.id) : value;
  const complete = (entries: object) => JSON.parse(JSON.stringify(sorted(entries)), byId) as object;
  t.strictSame(complete(seen), complete(snapshotOf(kernel)));
  t.ok(kernel.changes.counter - since > 1000);
});

t.test('a web front receives nothing about objects outside its area', async (t) => {
  const kernel = fresh();
  const { events } = kernel;
  const base = kernel.tree.create(0, {}, { name: 'Base' });
  const inside = kernel.variables.create(1, { parent: base });
  const outside = kernel.variables.create(3, { name: 'Outside' });
  const area = new Area(kernel.tree, base.id);
  const event = events.create(eventType.trigger, NOW_MS, { parent: base });
  const plan = events.create(eventType.schedule, NOW_MS, { parent: base });
  const shown = () => JSON.stringify(snapshotOf(kernel, area.objects()));
  const received = (change: () => void) => {
    const since = kernel.changes.counter;
    change();
    const changes = kernel.changes.since(since);
    return {
      admitted: changes.filter((one) => area.admits(one)).map(({ Message }) => Message),
      isLost: changes.some((one) => area.requiresSnapshot(one)),
    };
  };
  const secret = `GetValue(${outside.id})`;
  const quiet = { admitted: [], isLost: false };
  const lost = { admitted: [], isLost: true };
  t.strictSame(
    received(() => events.set(event, { script: secret })),
    quiet,
  );
  const parameters = { TARGET: outside.id };
  t.strictSame(
    received(() => events.set(event, { actionId: '{A}', actionParameters: parameters })),
    quiet,
  );
  const rule = { id: 1, variableId: outside.id, comparison: 0, value: 'tulip', type: 0 };
  const conditions = [{ id: 0, parentId: 0, operation: 0, rules: { ...noRules, variable: [rule] } }];
  t.strictSame(
    received(() => events.set(event, { conditions })),
    quiet,
  );
  t.strictSame(
    received(() => events.setTrigger(event.id, { variableId: outside.id })),
    lost,
  );
  t.strictSame(
    received(() => events.setTrigger(event.id, { value: 'tulip' })),
    quiet,
  );
  t.strictSame(
    received(() => events.setSchedule(plan.id, { actions: [action(1, 'On', secret)] })),
    lost,
  );
  events.set(event, { script: secret });
  t.notMatch(shown(), String(outside.id));
  t.notMatch(shown(), 'tulip');
  t.match(shown(), '"name":"On"');

  const known = received(() => events.setTrigger(event.id, { variableId: inside.id, value: 5 }));
  t.strictSame(known, { admitted: [message.EM_CHANGETRIGGERVALUE], isLost: true });
  t.match(shown(), `"triggerVariableID":${inside.id},"triggerValue":5`);
  t.strictSame(received(() => events.setTrigger(event.id, { value: 6 })).admitted, [
    message.EM_CHANGETRIGGERVALUE,
  ]);
  const untold = received(() => events.clearTriggerVariable(event));
  t.strictSame(untold, lost, 'the value disappears with the variable, and no message mentions it');
  t.match(shown(), '"triggerVariableID":0,"triggerValue":""');
  const plain = received(() => events.setSchedule(plan.id, { actions: [action(1, 'Off')] }));
  t.strictSame(plain, { admitted: [message.EM_CHANGESCHEDULEACTION], isLost: false });
  t.strictSame(received(() => events.set(event, { active: true })).admitted, [message.EM_CHANGEACTIVE]);
  t.strictSame(received(() => events.recordRun(event, NOW_MS)).admitted, [message.EM_UPDATE]);
});
