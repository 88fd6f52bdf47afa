import { within, checkDate, checkTime, put, takeOut } from '../value-checks.js';
import { convert, initial } from '../convert.js';
import type { Model, Rule } from '../model.js';
import { plan, SET_ACTION } from './event-runs.js';
import {
  types,
  newEvent,
  ModelFault,
  type Action,
  type CalendarDate,
  type SnapshotEvent,
  type TimeOfDay,
} from '../snapshot-types.js';

/** The action that runs a text as a script. */
export const TEXT_ACTION = '{346AA8C1-30E0-1663-78EF-93EFADFAC650}';

const none: Action = { actionID: '', actionParameters: {} };

/** Sets members of an event; its next run follows from them. */
function setEvent(model: Model, id: number, to: Partial<SnapshotEvent>): true {
  Object.assign(model.event(id), to);
  plan(model, id);
  return true;
}

/** An action with its parameters; sequences only use known ones. */
function action(actionID: string, actionParameters: Action['actionParameters']): Action {
  if (actionID === '') return none;
  const needed = { [SET_ACTION]: 'VALUE', [TEXT_ACTION]: 'SCRIPT' }[actionID];
  if (needed === undefined) throw new ModelFault('ACTION_MISSING');
  if (!(needed in actionParameters)) throw new ModelFault('PARAMETER_TYPE');
  return { actionID, actionParameters };
}

const setsDate =
  (key: 'cyclicDateFrom' | 'cyclicDateTo'): Rule =>
  (model: Model, ...[id, day, month, year]: [number, number, number, number]) => {
    const date: CalendarDate = { day, month, year };
    if (day !== 0 || month !== 0 || year !== 0) checkDate(date);
    model.event(id, 1);
    return setEvent(model, id, { [key]: date });
  };
const setsTime =
  (key: 'cyclicTimeFrom' | 'cyclicTimeTo'): Rule =>
  (model: Model, ...[id, hour, minute, second]: [number, number, number, number]) => {
    const time: TimeOfDay = { hour, minute, second };
    checkTime(time);
    model.event(id, 1);
    return setEvent(model, id, { [key]: time });
  };

/** Adds an action to a schedule; without a name it is removed, with its points. */
function setPlanned(
  model: Model,
  [id, one, name, color]: [number, number, string, number],
  { scriptText, ...planned }: Action & { scriptText: string },
): true {
  const { scheduleActions, scheduleGroups } = model.event(id, 2);
  within(one, 0, 1000);
  within(color, -1, 0xffffff);
  const all = model.fromMessages.get(id)!.planned!;
  if (name === '') {
    takeOut(scheduleActions, one, 'id');
    for (const group of scheduleGroups)
      group.points = group.points.filter(({ actionID }) => actionID !== one);
    delete all[one];
  } else {
    put(scheduleActions, { id: one, name, color, scriptText }, 'id');
    all[one] = planned;
  }
  return setEvent(model, id, {});
}

/** Events: when they run, and their actions. */
export const eventRules: Readonly<Record<string, Rule>> = {
  SVC_CreateEvent: (model: Model, type: number, made: number) => {
    model.fromMessages.set(made, { action: none, conditions: [], planned: {} });
    model.own.set(made, { created: model.now, lastActionID: 0 });
    return model.create(made, types.event, { ...newEvent(type) });
  },
  SVC_SetEventActive: (model: Model, id: number, active: boolean) => setEvent(model, id, { active }),
  SVC_SetEventLimit: (model: Model, id: number, limit: number) => {
    within(limit, 0, 1_000_000);
    return setEvent(model, id, { limit });
  },
  SVC_SetEventScript: (model: Model, id: number, script: string) => {
    setEvent(model, id, { script });
    model.fromMessages.get(id)!.action = none;
    return true;
  },
  SVC_SetEventAction: (
    model: Model,
    ...[id, actionID, parameters]: [number, string, Action['actionParameters']]
  ) => {
    const given = action(actionID, parameters);
    setEvent(model, id, { script: '' });
    model.fromMessages.get(id)!.action = given;
    return true;
  },
  SVC_SetEventTrigger: (model: Model, ...[id, triggerType, variable]: [number, number, number]) => {
    const { triggerValue } = model.event(id, 0);
    const to = { triggerType, triggerVariableID: variable };
    if (variable === 0) return setEvent(model, id, to);
    const type = model.of(types.variable, variable).data['type'] as number;
    const isOfType = typeof triggerValue === typeof initial[type];
    const fits = isOfType && (type !== 1 || Number.isSafeInteger(triggerValue));
    return setEvent(model, id, { ...to, triggerValue: fits ? triggerValue : initial[type] });
  },
  SVC_SetEventTriggerSubsequentExecution: (model: Model, id: number, subsequent: boolean) => {
    model.event(id, 0);
    return setEvent(model, id, { triggerSubsequentExecution: subsequent });
  },
  SVC_SetEventTriggerValue: (model: Model, id: number, given: unknown) => {
    const { triggerVariableID: variable } = model.event(id, 0);
    if (variable === 0 && !['boolean', 'number', 'string'].includes(typeof given))
      throw new ModelFault('CANNOT_CONVERT');
    const type = variable === 0 ? undefined : (model.get(variable).data['type'] as number);
    return setEvent(model, id, { triggerValue: type === undefined ? given : convert(type, given) });
  },
  SVC_SetEventCyclic: (model: Model, ...[id, ...pattern]: [number, ...number[]]) => {
    const [date, value, day, which, time, every] = pattern as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    within(value, date === 5 ? 1 : 0, date === 5 ? 12 : 10_000);
    within(day, date === 3 ? 1 : 0, 127);
    if (date < 4) within(which, 0, 31);
    else within(which, 1, day === 0 ? 31 : 5);
    within(every, time === 0 ? 0 : 1, 86_400);
    model.event(id, 1);
    return setEvent(model, id, {
      cyclicDateType: date,
      cyclicDateValue: value,
      cyclicDateDay: day,
      cyclicDateDayValue: which,
      cyclicTimeType: time,
      cyclicTimeValue: every,
    });
  },
  SVC_SetEventCyclicDateFrom: setsDate('cyclicDateFrom'),
  SVC_SetEventCyclicDateTo: setsDate('cyclicDateTo'),
  SVC_SetEventCyclicTimeFrom: setsTime('cyclicTimeFrom'),
  SVC_SetEventCyclicTimeTo: setsTime('cyclicTimeTo'),
  SVC_SetEventScheduleAction: (
    model: Model,
    ...[id, one, name, color, scriptText]: [number, number, string, number, string]
  ) => setPlanned(model, [id, one, name, color], { ...none, scriptText }),
  SVC_SetEventScheduleActionEx: (
    model: Model,
    ...[id, one, name, color, actionID, parameters]: [
      ...[number, number, string, number, string],
      Action['actionParameters'],
    ]
  ) => setPlanned(model, [id, one, name, color], { ...action(actionID, parameters), scriptText: '' }),
  SVC_SetEventScheduleGroup: (model: Model, ...[id, group, days]: [number, number, number]) => {
    const { scheduleGroups: all } = model.event(id, 2);
    within(group, 0, 1000);
    within(days, 0, 127);
    if (all.some((one) => one.id !== group && (one.days & days) !== 0))
      throw new ModelFault('PARAMETER_TYPE');
    const points = all.find((one) => one.id === group)?.points ?? [];
    if (days === 0) takeOut(all, group, 'id');
    else put(all, { id: group, days, points }, 'id');
    return setEvent(model, id, {});
  },
  SVC_SetEventScheduleGroupPoint: (
    model: Model,
    ...[id, group, point, hour, minute, second, actionID]: [number, number, number, ...number[]]
  ) => {
    const { scheduleGroups, scheduleActions } = model.event(id, 2);
    const points = scheduleGroups.find((one) => one.id === group)?.points;
    if (points === undefined) throw new ModelFault('EVENT_PART_MISSING');
    within(point, 0, 1000);
    const start = { hour, minute, second } as TimeOfDay;
    if (start.hour < 0) takeOut(points, point, 'id');
    else {
      checkTime(start);
      if (!scheduleActions.some((one) => one.id === actionID)) throw new ModelFault('EVENT_PART_MISSING');
      put(points, { id: point, start, actionID: actionID! }, 'id');
    }
    return setEvent(model, id, {});
  },
};
