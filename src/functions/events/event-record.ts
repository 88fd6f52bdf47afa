import type { ReadonlyStatic } from '../../device/declare.js';
import {
  eventData,
  eventType,
  type Condition,
  type EventData,
  type EventDate,
  type EventTime,
} from '../../kernel/events/event-data.js';
import type { Event } from '../../kernel/events/events.js';
import type { eventShape } from './event-shape.js';

/** Default values of the fields of all types. */
const defaults = {
  ...eventData(eventType.trigger),
  ...eventData(eventType.cyclic),
  ...eventData(eventType.schedule),
} as Required<EventData>;

/**
 * The result of `SVC_GetEvent` (interface §2.1): all fields, those of other event types with their defaults.
 */
export function eventRecord({ id, data }: Event): ReadonlyStatic<typeof eventShape> {
  const { trigger, cyclic, schedule } = { ...defaults, ...data };
  return {
    EventID: id,
    EventType: data.type,
    EventActive: data.active,
    EventLimit: data.limit,
    EventScript: data.script,
    EventActionID: data.actionId,
    EventActionParameters: data.actionParameters,
    EventConditions: data.conditions.map(conditionRecord),
    LastRun: data.lastRun,
    NextRun: data.nextRun,
    LastActionID: data.lastActionId,
    CyclicDateType: cyclic.dateType,
    CyclicDateValue: cyclic.dateValue,
    CyclicDateDay: cyclic.dateDay,
    CyclicDateDayValue: cyclic.dateDayValue,
    CyclicDateFrom: dateRecord(cyclic.dateFrom),
    CyclicDateTo: dateRecord(cyclic.dateTo),
    CyclicTimeType: cyclic.timeType,
    CyclicTimeValue: cyclic.timeValue,
    CyclicTimeFrom: timeRecord(cyclic.timeFrom),
    CyclicTimeTo: timeRecord(cyclic.timeTo),
    ScheduleActions: schedule.actions.map((action) => ({
      ID: action.id,
      Name: action.name,
      Color: action.color,
      ScriptText: action.scriptText,
      ActionID: action.actionId,
      ActionParameters: action.actionParameters,
    })),
    ScheduleGroups: schedule.groups.map((group) => ({
      ID: group.id,
      Days: group.days,
      Points: group.points.map((point) => ({
        ID: point.id,
        Start: timeRecord(point.start),
        ActionID: point.actionId,
      })),
    })),
    TriggerType: trigger.type,
    TriggerVariableID: trigger.variableId,
    TriggerValue: trigger.value,
    TriggerSubsequentExecution: trigger.subsequent,
  };
}

function conditionRecord({ id, parentId, operation, rules }: Condition) {
  return {
    ID: id,
    ParentID: parentId,
    Operation: operation,
    VariableRules: rules.variable.map((rule) => ({
      ID: rule.id,
      VariableID: rule.variableId,
      Comparison: rule.comparison,
      Value: rule.value,
      Type: rule.type,
    })),
    DateRules: rules.date.map((rule) => ({ ...ruleRecord(rule), Value: dateRecord(rule.value) })),
    TimeRules: rules.time.map((rule) => ({ ...ruleRecord(rule), Value: timeRecord(rule.value) })),
    DayOfTheWeekRules: rules.dayOfTheWeek.map((rule) => ({ ...ruleRecord(rule), Value: rule.value })),
  };
}

function ruleRecord({ id, comparison }: { readonly id: number; readonly comparison: number }) {
  return { ID: id, Comparison: comparison };
}

function dateRecord({ day, month, year }: EventDate) {
  return { Day: day, Month: month, Year: year };
}

function timeRecord({ hour, minute, second }: EventTime) {
  return { Hour: hour, Minute: minute, Second: second };
}
