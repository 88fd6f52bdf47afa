import type { Condition, Cyclic, EventData, EventDate, EventTime, Schedule, Trigger } from './event-data.js';
import { message } from '../messages.js';

/** A message of an event: its number and Data (interface §3.5). */
type EventMessage = readonly [message: number, data: readonly unknown[]];

/** The messages for a change of an event: removals first, then additions and changes. */
export function* eventMessagesFor(before: EventData, after: EventData): Generator<EventMessage> {
  yield* changed(single(before), single(after));
  if (before.schedule !== undefined && after.schedule !== undefined && before.schedule !== after.schedule)
    yield* scheduleMessages(before.schedule, after.schedule);
  if (before.conditions !== after.conditions) yield* conditionMessages(before.conditions, after.conditions);
}

function* changed(before: readonly EventMessage[], after: readonly EventMessage[]): Generator<EventMessage> {
  for (const [i, sent] of after.entries()) if (!isSame(sent[1], before[i]?.[1])) yield sent;
}

/** The single-valued settings of an event, in the order for a new event. */
function single(data: EventData): EventMessage[] {
  const { active, limit, script, actionId, actionParameters, trigger, cyclic } = data;
  const action = actionId === '' ? [script] : [actionId, JSON.stringify(actionParameters)];
  return [
    [message.EM_CHANGEACTIVE, [active]],
    [message.EM_CHANGELIMIT, [limit]],
    [message.EM_CHANGEACTION, action],
    ...(trigger === undefined ? [] : triggerMessages(trigger)),
    ...(cyclic === undefined ? [] : cyclicMessages(cyclic)),
  ];
}

function triggerMessages({ type, variableId, value, subsequent }: Trigger): EventMessage[] {
  return [
    [message.EM_CHANGETRIGGER, [type, variableId]],
    [message.EM_CHANGETRIGGERVALUE, [value]],
    [message.EM_CHANGETRIGGEREXECUTION, [subsequent]],
  ];
}

function cyclicMessages(cyclic: Cyclic): EventMessage[] {
  const { dateType, dateValue, dateDay, dateDayValue, timeType, timeValue } = cyclic;
  return [
    [message.EM_CHANGECYCLIC, [dateType, dateValue, dateDay, dateDayValue, timeType, timeValue]],
    [message.EM_CHANGECYCLICDATEFROM, dateList(cyclic.dateFrom)],
    [message.EM_CHANGECYCLICDATETO, dateList(cyclic.dateTo)],
    [message.EM_CHANGECYCLICTIMEFROM, timeList(cyclic.timeFrom)],
    [message.EM_CHANGECYCLICTIMETO, timeList(cyclic.timeTo)],
  ];
}

function* scheduleMessages(before: Schedule, after: Schedule): Generator<EventMessage> {
  yield* listMessages(before.actions, after.actions, {
    messages: [
      message.EM_ADDSCHEDULEACTION,
      message.EM_REMOVESCHEDULEACTION,
      message.EM_CHANGESCHEDULEACTION,
    ],
    data: ({ name, color, scriptText, actionId, actionParameters }) => [
      name,
      color,
      scriptText,
      // If there is an action: as in EM_CHANGEACTION.
      ...(actionId === '' ? [] : [actionId, JSON.stringify(actionParameters)]),
    ],
  });
  yield* listMessages(before.groups, after.groups, {
    messages: [message.EM_ADDSCHEDULEGROUP, message.EM_REMOVESCHEDULEGROUP, message.EM_CHANGESCHEDULEGROUP],
    data: ({ days }) => [days],
  });
  for (const { id, points } of after.groups) {
    const former = before.groups.find((group) => group.id === id)?.points ?? [];
    yield* listMessages(former, points, {
      messages: [
        message.EM_ADDSCHEDULEGROUPPOINT,
        message.EM_REMOVESCHEDULEGROUPPOINT,
        message.EM_CHANGESCHEDULEGROUPPOINT,
      ],
      above: [id],
      data: ({ start, actionId }) => [...timeList(start), actionId],
    });
  }
}

function* conditionMessages(
  before: readonly Condition[],
  after: readonly Condition[],
): Generator<EventMessage> {
  yield* listMessages(before, after, {
    messages: [message.EM_ADDCONDITION, message.EM_REMOVECONDITION, message.EM_CHANGECONDITION],
    data: ({ parentId, operation }) => [parentId, operation],
  });
  for (const { id, rules } of after) {
    const former = before.find((condition) => condition.id === id)?.rules;
    const above = [id];
    yield* listMessages(former?.variable ?? [], rules.variable, {
      messages: [
        message.EM_ADDCONDITIONVARIABLERULE,
        message.EM_REMOVECONDITIONVARIABLERULE,
        message.EM_CHANGECONDITIONVARIABLERULE,
      ],
      above,
      data: (rule) => [rule.variableId, rule.comparison, rule.value, rule.type],
    });
    yield* listMessages(former?.date ?? [], rules.date, {
      messages: [
        message.EM_ADDCONDITIONDATERULE,
        message.EM_REMOVECONDITIONDATERULE,
        message.EM_CHANGECONDITIONDATERULE,
      ],
      above,
      data: (rule) => [rule.comparison, ...dateList(rule.value)],
    });
    yield* listMessages(former?.time ?? [], rules.time, {
      messages: [
        message.EM_ADDCONDITIONTIMERULE,
        message.EM_REMOVECONDITIONTIMERULE,
        message.EM_CHANGECONDITIONTIMERULE,
      ],
      above,
      data: (rule) => [rule.comparison, ...timeList(rule.value)],
    });
    yield* listMessages(former?.dayOfTheWeek ?? [], rules.dayOfTheWeek, {
      messages: [
        message.EM_ADDCONDITIONDAYOFTHEWEEKRULE,
        message.EM_REMOVECONDITIONDAYOFTHEWEEKRULE,
        message.EM_CHANGECONDITIONDAYOFTHEWEEKRULE,
      ],
      above,
      data: (rule) => [rule.comparison, rule.value],
    });
  }
}

/** How entries of a list become messages: ids of the parents, the entry's id, its data. */
interface ListMapping<T> {
  readonly messages: readonly [added: number, removed: number, changed: number];
  readonly above?: readonly number[];
  readonly data: (entry: T) => readonly unknown[];
}

function* listMessages<T extends { readonly id: number }>(
  before: readonly T[],
  after: readonly T[],
  { messages: [added, removed, altered], above = [], data }: ListMapping<T>,
): Generator<EventMessage> {
  const former = new Map(before.map((entry) => [entry.id, entry]));
  const kept = new Set(after.map(({ id }) => id));
  for (const { id } of before) if (!kept.has(id)) yield [removed, [...above, id]];
  for (const entry of after) {
    const old = former.get(entry.id);
    const sent = [...above, entry.id, ...data(entry)];
    if (old === undefined) yield [added, sent];
    else if (old !== entry && !isSame(data(old), data(entry))) yield [altered, sent];
  }
}

function dateList({ day, month, year }: EventDate): number[] {
  return [day, month, year];
}

function timeList({ hour, minute, second }: EventTime): number[] {
  return [hour, minute, second];
}

/** Both lists contain JSON values only. */
function isSame(a: readonly unknown[], b: readonly unknown[] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
