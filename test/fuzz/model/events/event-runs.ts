import type { Cyclic, Schedule } from '../../../../src/kernel/events/event-data.js';
import { referenceNextCyclic, referencePointAt } from '../../reference-schedule.js';
import { conditionsApply } from '../conditions.js';
import { convert, initial } from '../convert.js';
import type { Model } from '../model.js';
import { types, ModelFault, type Action, type SnapshotEvent } from '../snapshot-types.js';

/** The action that sets a variable. */
export const SET_ACTION = '{516818A2-E497-4A84-B7C4-94CB9C745FD1}';

/** An event that is due, and the action of its schedule. */
type Due = readonly [event: number, action?: number];

/** Sets a variable without an action, and runs its events; `type`: only for a variable of that type. */
export function setValue(model: Model, id: number, { value, type }: { value: unknown; type?: number }): true {
  const { data, readOnly } = model.of(types.variable, id);
  if (readOnly) throw new ModelFault('READ_ONLY');
  if (type !== undefined && data['type'] !== type) throw new ModelFault('VARIABLE_TYPE');
  const own = data['type'] as number;
  const converted = value === null ? initial[own] : convert(own, value);
  const old = data['value'];
  model.noteValue(id);
  if (converted !== old) data['lastChange'] = model.now;
  Object.assign(data, { value: converted, lastUpdate: model.now });
  triggerEvents(model, id, [old, converted]);
  return true;
}

function triggerEvents(model: Model, id: number, [old, value]: [unknown, unknown]): void {
  const waits = (event: number) => {
    const { active, triggerType, triggerVariableID, triggerValue, triggerSubsequentExecution } =
      model.event(event);
    if (!active || triggerVariableID !== id || !conditionsApply(model, event)) return false;
    if (triggerType === 0) return true;
    if (triggerType === 1) return value !== old;
    const isSo = (one: never) =>
      [one > (triggerValue as never), one < (triggerValue as never), one === triggerValue][triggerType - 2];
    return isSo(value as never) && (triggerSubsequentExecution || !isSo(old as never));
  };
  const all = model.all(types.event).map(([event]) => [event] as const);
  runAll(
    model,
    all.filter(([event]) => waits(event)),
  );
}

/** The clock shows another second: due events run. */
export function pass(model: Model): void {
  const due: Due[] = [];
  for (const [event] of model.all(types.event)) {
    const { active, nextRun, type } = model.event(event);
    if (!active || nextRun === 0 || nextRun > model.now) continue;
    plan(model, event);
    if (!conditionsApply(model, event)) continue;
    if (type === 1) due.push([event]);
    const action =
      type === 2 ? referencePointAt(scheduleOf(model.event(event)), model.now * 1000) : undefined;
    if (action !== undefined) due.push([event, action.actionId]);
  }
  runAll(model, due);
}

function runAll(model: Model, due: readonly Due[]): void {
  for (const [id, action] of due) {
    const event = model.event(id);
    if (!event.active) continue;
    if (event.limit === 1) event.active = false;
    if (event.limit > 0) event.limit -= 1;
    event.lastRun = model.now;
    model.ran += 1;
    if (action !== undefined) model.own.get(id)!.lastActionID = action;
    plan(model, id);
    const { actionID, actionParameters } = doneBy(model, id, action);
    if (actionID === SET_ACTION) act(model, actionParameters);
  }
}

/** A value that cannot be set is ignored. */
function act(model: Model, { TARGET, VALUE }: Action['actionParameters']): void {
  try {
    setValue(model, TARGET as number, { value: VALUE });
  } catch (thrown) {
    if (!(thrown instanceof ModelFault)) throw thrown;
  }
}

/** A planned action without content executes the event's own. */
function doneBy(model: Model, id: number, planned: number | undefined): Action {
  const { action, planned: all } = model.fromMessages.get(id)!;
  const text = model.event(id).scheduleActions?.find((one) => one.id === planned)?.scriptText ?? '';
  const own = all?.[planned ?? -1];
  return text !== '' || (own !== undefined && own.actionID !== '') ? own! : action!;
}

/** When an event runs next, by a slow walk through time. */
export function plan(model: Model, id: number): void {
  const event = model.event(id);
  const { type, active } = event;
  const afterMs = model.now * 1000;
  const next = () => {
    const createdMs = (model.own.get(id)?.created ?? 0) * 1000;
    return type === 1 ? referenceNextCyclic(cyclicOf(event), afterMs, createdMs) : nextPoint(event, afterMs);
  };
  event.nextRun = active && type !== 0 ? Math.floor((next() ?? 0) / 1000) : 0;
}

/** The first time that any point begins within the following days. */
function nextPoint({ scheduleGroups }: SnapshotEvent, afterMs: number): number | undefined {
  const now = new Date(afterMs);
  const all = Array.from({ length: 9 }, (_, days) => {
    const date = [now.getFullYear(), now.getMonth(), now.getDate() + days] as const;
    const bit = 1 << ((new Date(...date).getDay() + 6) % 7);
    return scheduleGroups
      .filter((group) => (group.days & bit) !== 0)
      .flatMap(({ points }) => points)
      .map(({ start: { hour, minute, second } }) => new Date(...date, hour, minute, second).getTime());
  });
  return all
    .flat()
    .sort((a, b) => a - b)
    .find((ms) => ms > afterMs);
}

function cyclicOf(event: SnapshotEvent): Cyclic {
  return {
    dateType: event.cyclicDateType,
    // None means every one.
    dateValue: Math.max(1, event.cyclicDateValue),
    dateDay: event.cyclicDateDay,
    dateDayValue: event.cyclicDateDayValue,
    dateFrom: event.cyclicDateFrom,
    dateTo: event.cyclicDateTo,
    timeType: event.cyclicTimeType,
    timeValue: event.cyclicTimeValue,
    timeFrom: event.cyclicTimeFrom,
    timeTo: event.cyclicTimeTo,
  };
}

function scheduleOf({ scheduleGroups }: SnapshotEvent): Schedule {
  const groups = scheduleGroups.map((group) => ({
    ...group,
    points: group.points.map(({ id, start, actionID: actionId }) => ({ id, start, actionId })),
  }));
  return { actions: [], groups };
}
