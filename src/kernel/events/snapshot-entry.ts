import type { EventData, Schedule } from './event-data.js';

/** An event's `data` in a snapshot (interface §2.2). */
export function eventEntry(event: EventData): object {
  const { type, active, limit, script, lastRun, nextRun, trigger, cyclic, schedule } = event;
  const common = { type, active, limit, script, lastRun, nextRun };
  if (trigger !== undefined)
    return {
      ...common,
      triggerType: trigger.type,
      triggerVariableID: trigger.variableId,
      triggerValue: trigger.value,
      triggerSubsequentExecution: trigger.subsequent,
    };
  if (cyclic !== undefined)
    return {
      ...common,
      cyclicDateType: cyclic.dateType,
      cyclicDateValue: cyclic.dateValue,
      cyclicDateDay: cyclic.dateDay,
      cyclicDateDayValue: cyclic.dateDayValue,
      cyclicDateFrom: cyclic.dateFrom,
      cyclicDateTo: cyclic.dateTo,
      cyclicTimeType: cyclic.timeType,
      cyclicTimeValue: cyclic.timeValue,
      cyclicTimeFrom: cyclic.timeFrom,
      cyclicTimeTo: cyclic.timeTo,
    };
  return schedule === undefined ? common : { ...common, ...scheduleEntry(schedule) };
}

/**
 * The entry for a web front: without script texts, which may name any object, and without a trigger variable
 * that the front does not see (interface, decision 14).
 */
export function eventEntryWithin(event: EventData, contains: (id: number) => boolean): object {
  const { trigger, schedule } = event;
  return eventEntry({
    ...event,
    script: '',
    ...(trigger !== undefined &&
      !contains(trigger.variableId) && { trigger: { ...trigger, variableId: 0, value: '' } }),
    ...(schedule !== undefined && {
      schedule: {
        ...schedule,
        actions: schedule.actions.map((action) => ({ ...action, scriptText: '' })),
      },
    }),
  });
}

function scheduleEntry({ actions, groups }: Schedule) {
  return {
    scheduleActions: actions.map(({ id, name, color, scriptText }) => ({ id, name, color, scriptText })),
    scheduleGroups: groups.map(({ id, days, points }) => ({
      id,
      days,
      points: points.map(({ id: pointId, start, actionId: actionID }) => ({ id: pointId, start, actionID })),
    })),
  };
}
