import type { Functions } from '../../../client/generated/functions.js';
import type { EventRecord } from '../../../client/generated/records.js';

type Action = EventRecord['ScheduleActions'][number];
type Group = EventRecord['ScheduleGroups'][number];
type Comparison = 0 | 1 | 2 | 3 | 4 | 5;
type Condition = EventRecord['EventConditions'][number];

/** What calls the functions of the gateway: the console. */
export interface Caller {
  call<M extends keyof Functions>(
    method: M,
    ...params: Parameters<Functions[M]>
  ): Promise<ReturnType<Functions[M]>>;
}

/**
 * Changes an event from what the gateway has to what was entered. It is inactive meanwhile, so that a part of
 * the changes never runs, and stays inactive if one is rejected.
 */
export async function saveEvent(app: Caller, before: EventRecord, after: EventRecord): Promise<void> {
  const id = before.EventID;
  if (before.EventActive) await app.call('SVC_SetEventActive', id, false);
  await saveTimes(app, before, after);
  await saveConditions(app, id, [before.EventConditions, after.EventConditions]);
  await saveAction(app, before, after);
  if (before.EventLimit !== after.EventLimit) await app.call('SVC_SetEventLimit', id, after.EventLimit);
  if (after.EventActive) await app.call('SVC_SetEventActive', id, true);
}

/** Whether two events differ in what users change. */
export function differ(a: EventRecord, b: EventRecord): boolean {
  return text(configured(a)) !== text(configured(b));
}

function configured(event: EventRecord) {
  return { ...event, LastRun: 0, NextRun: 0, LastActionID: 0 };
}

const text = (value: unknown): string => JSON.stringify(value);

async function saveTimes(app: Caller, before: EventRecord, after: EventRecord): Promise<void> {
  if (after.EventType === 0) return saveTrigger(app, before, after);
  if (after.EventType === 1) return saveCyclic(app, before, after);
  return saveSchedule(app, before, after);
}

async function saveTrigger(app: Caller, before: EventRecord, after: EventRecord): Promise<void> {
  const { EventID: id, TriggerType, TriggerVariableID, TriggerValue, TriggerSubsequentExecution } = after;
  const triggerOf = (event: EventRecord) =>
    text([event.TriggerType, event.TriggerVariableID, event.TriggerValue, event.TriggerSubsequentExecution]);
  if (triggerOf(before) === triggerOf(after)) return;
  await app.call(
    'SVC_SetEventTrigger',
    id,
    TriggerType as Comparison & (0 | 1 | 2 | 3 | 4),
    TriggerVariableID,
  );
  if (TriggerVariableID !== 0) await app.call('SVC_SetEventTriggerValue', id, TriggerValue);
  await app.call('SVC_SetEventTriggerSubsequentExecution', id, TriggerSubsequentExecution);
}

async function saveCyclic(app: Caller, before: EventRecord, after: EventRecord): Promise<void> {
  const { EventID: id, CyclicDateFrom: from, CyclicDateTo: to } = after;
  const pattern = (event: EventRecord) =>
    [
      event.CyclicDateType as Comparison,
      event.CyclicDateValue,
      event.CyclicDateDay,
      event.CyclicDateDayValue,
      event.CyclicTimeType as 0 | 1 | 2 | 3,
      event.CyclicTimeValue,
    ] as const;
  if (text(pattern(before)) !== text(pattern(after)))
    await app.call('SVC_SetEventCyclic', id, ...pattern(after));
  if (text(before.CyclicDateFrom) !== text(from))
    await app.call('SVC_SetEventCyclicDateFrom', id, from.Day, from.Month, from.Year);
  if (text(before.CyclicDateTo) !== text(to))
    await app.call('SVC_SetEventCyclicDateTo', id, to.Day, to.Month, to.Year);
  const { CyclicTimeFrom: first, CyclicTimeTo: last } = after;
  if (text(before.CyclicTimeFrom) !== text(first))
    await app.call('SVC_SetEventCyclicTimeFrom', id, first.Hour, first.Minute, first.Second);
  if (text(before.CyclicTimeTo) !== text(last))
    await app.call('SVC_SetEventCyclicTimeTo', id, last.Hour, last.Minute, last.Second);
}

/** Whether a day is in two groups, which the gateway rejects. */
export function sharesDays(groups: readonly Group[]): boolean {
  return groups.some((one) => groups.some((other) => one.ID !== other.ID && (one.Days & other.Days) !== 0));
}

/**
 * Adds and changes actions first and removes them last, because points refer to them. Days are removed from
 * all groups before one is added to a group: no day can be in two groups meanwhile.
 */
async function saveSchedule(app: Caller, before: EventRecord, after: EventRecord): Promise<void> {
  const id = after.EventID;
  for (const action of changedOf(before.ScheduleActions, after.ScheduleActions))
    await putAction(app, id, action);
  const kept: Group[] = [];
  for (const group of before.ScheduleGroups) {
    const Days = group.Days & (after.ScheduleGroups.find(({ ID }) => ID === group.ID)?.Days ?? 0);
    if (Days !== group.Days) await app.call('SVC_SetEventScheduleGroup', id, group.ID, Days);
    // Without days, the gateway has removed it with its points.
    if (Days !== 0) kept.push({ ...group, Days });
  }
  for (const group of changedOf(kept, after.ScheduleGroups))
    await saveGroup(app, id, [kept.find(({ ID }) => ID === group.ID), group]);
  for (const { ID } of removedOf(before.ScheduleActions, after.ScheduleActions))
    await app.call('SVC_SetEventScheduleAction', id, ID, '', -1, '');
}

async function putAction(app: Caller, id: number, action: Action): Promise<void> {
  const { ID, Name, Color, ScriptText, ActionID, ActionParameters } = action;
  if (ActionID === '') await app.call('SVC_SetEventScheduleAction', id, ID, Name, Color, ScriptText);
  else await app.call('SVC_SetEventScheduleActionEx', id, ID, Name, Color, ActionID, ActionParameters);
}

async function saveGroup(
  app: Caller,
  id: number,
  [before, { ID, Days, Points }]: readonly [Group | undefined, Group],
): Promise<void> {
  if (before?.Days !== Days) await app.call('SVC_SetEventScheduleGroup', id, ID, Days);
  for (const point of removedOf(before?.Points ?? [], Points))
    await app.call('SVC_SetEventScheduleGroupPoint', id, ID, point.ID, -1, 0, 0, 0);
  for (const { ID: point, Start, ActionID } of changedOf(before?.Points ?? [], Points))
    await app.call(
      'SVC_SetEventScheduleGroupPoint',
      ...([id, ID, point, Start.Hour, Start.Minute, Start.Second, ActionID] as const),
    );
}

async function saveConditions(
  app: Caller,
  id: number,
  [before, after]: readonly [readonly Condition[], readonly Condition[]],
): Promise<void> {
  for (const { ID } of removedOf(before, after)) await app.call('SVC_SetEventCondition', id, ID, -1, 0);
  // Parents are before what is below them.
  for (const condition of changedOf(before, after)) {
    const { ID, ParentID, Operation } = condition;
    const known = before.find((one) => one.ID === ID);
    if (known?.ParentID !== ParentID || known.Operation !== Operation)
      await app.call('SVC_SetEventCondition', id, ID, ParentID, Operation as 0 | 1 | 2 | 3);
    await saveRules(app, id, [known, condition]);
  }
}

async function saveRules(
  app: Caller,
  id: number,
  [before, after]: readonly [Condition | undefined, Condition],
): Promise<void> {
  const at = [id, after.ID] as const;
  for (const { ID } of removedOf(before?.VariableRules ?? [], after.VariableRules))
    await app.call('SVC_SetEventConditionVariableRule', ...at, ID, 0, 0, false);
  for (const rule of changedOf(before?.VariableRules ?? [], after.VariableRules)) {
    const place = [...at, rule.ID, rule.VariableID, rule.Comparison as Comparison] as const;
    if (rule.Type === 1)
      await app.call('SVC_SetEventConditionVariableDynamicRule', ...place, Number(rule.Value));
    else await app.call('SVC_SetEventConditionVariableRule', ...place, rule.Value);
  }
  for (const { ID } of removedOf(before?.DateRules ?? [], after.DateRules))
    await app.call('SVC_SetEventConditionDateRule', ...at, ID, 0, 0, 0, 0);
  for (const { ID, Comparison, Value } of changedOf(before?.DateRules ?? [], after.DateRules)) {
    const date = [Value.Day, Value.Month, Value.Year] as const;
    await app.call('SVC_SetEventConditionDateRule', ...at, ID, Comparison as Comparison, ...date);
  }
  for (const { ID } of removedOf(before?.TimeRules ?? [], after.TimeRules))
    await app.call('SVC_SetEventConditionTimeRule', ...at, ID, 0, -1, 0, 0);
  for (const { ID, Comparison, Value } of changedOf(before?.TimeRules ?? [], after.TimeRules)) {
    const time = [Value.Hour, Value.Minute, Value.Second] as const;
    await app.call('SVC_SetEventConditionTimeRule', ...at, ID, Comparison as Comparison, ...time);
  }
  for (const { ID } of removedOf(before?.DayOfTheWeekRules ?? [], after.DayOfTheWeekRules))
    await app.call('SVC_SetEventConditionDayOfTheWeekRule', ...at, ID, 0, 0);
  for (const rule of changedOf(before?.DayOfTheWeekRules ?? [], after.DayOfTheWeekRules))
    await app.call(
      'SVC_SetEventConditionDayOfTheWeekRule',
      ...at,
      rule.ID,
      rule.Comparison as Comparison,
      rule.Value,
    );
}

async function saveAction(app: Caller, before: EventRecord, after: EventRecord): Promise<void> {
  const actionOf = (event: EventRecord) =>
    text([event.EventScript, event.EventActionID, event.EventActionParameters]);
  if (actionOf(before) === actionOf(after)) return;
  const { EventID: id, EventScript, EventActionID, EventActionParameters } = after;
  if (EventActionID === '') await app.call('SVC_SetEventScript', id, EventScript);
  else await app.call('SVC_SetEventAction', id, EventActionID, EventActionParameters);
}

function removedOf<T extends { readonly ID: number }>(before: readonly T[], after: readonly T[]): T[] {
  return before.filter(({ ID }) => !after.some((one) => one.ID === ID));
}

function changedOf<T extends { readonly ID: number }>(before: readonly T[], after: readonly T[]): T[] {
  return after.filter((one) => text(before.find(({ ID }) => ID === one.ID)) !== text(one));
}

/** An ID that no entry has. */
export function nextId(entries: readonly { readonly ID: number }[]): number {
  return entries.reduce((most, { ID }) => Math.max(most, ID), 0) + 1;
}
