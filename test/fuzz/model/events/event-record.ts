import type { Model } from '../model.js';
import { newEvent, type CalendarDate, type SnapshotEvent, type TimeOfDay } from '../snapshot-types.js';

const dateRecord = ({ day, month, year }: CalendarDate) => ({ Day: day, Month: month, Year: year });
const timeRecord = ({ hour, minute, second }: TimeOfDay) => ({ Hour: hour, Minute: minute, Second: second });

/** The result of `SVC_GetEvent`: the members of the event's type, and defaults for those of other types. */
export function eventRecord(model: Model, id: number): object {
  const event = { ...newEvent(0), ...newEvent(1), ...newEvent(2), ...model.event(id) } as SnapshotEvent;
  const { action, conditions, planned } = model.fromMessages.get(id)!;
  return {
    EventID: id,
    EventType: event.type,
    EventActive: event.active,
    EventLimit: event.limit,
    EventScript: event.script,
    EventActionID: action!.actionID,
    EventActionParameters: action!.actionParameters,
    EventConditions: conditions,
    LastRun: event.lastRun,
    NextRun: event.nextRun,
    LastActionID: model.own.get(id)!.lastActionID,
    CyclicDateType: event.cyclicDateType,
    CyclicDateValue: event.cyclicDateValue,
    CyclicDateDay: event.cyclicDateDay,
    CyclicDateDayValue: event.cyclicDateDayValue,
    CyclicDateFrom: dateRecord(event.cyclicDateFrom),
    CyclicDateTo: dateRecord(event.cyclicDateTo),
    CyclicTimeType: event.cyclicTimeType,
    CyclicTimeValue: event.cyclicTimeValue,
    CyclicTimeFrom: timeRecord(event.cyclicTimeFrom),
    CyclicTimeTo: timeRecord(event.cyclicTimeTo),
    ScheduleActions: event.scheduleActions.map((one) => ({
      ID: one.id,
      Name: one.name,
      Color: one.color,
      ScriptText: one.scriptText,
      ActionID: planned![one.id]!.actionID,
      ActionParameters: planned![one.id]!.actionParameters,
    })),
    ScheduleGroups: event.scheduleGroups.map(({ id: ID, days: Days, points }) => ({
      ID,
      Days,
      Points: points.map((point) => ({
        ID: point.id,
        Start: timeRecord(point.start),
        ActionID: point.actionID,
      })),
    })),
    TriggerType: event.triggerType,
    TriggerVariableID: event.triggerVariableID,
    TriggerValue: event.triggerValue,
    TriggerSubsequentExecution: event.triggerSubsequentExecution,
  };
}
