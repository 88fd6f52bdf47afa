import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import type { Schedule, ScheduleAction, ScheduleGroup } from '../../kernel/events/event-data.js';
import { checkLength } from '../../kernel/text-limits.js';
import { checkedAction } from './built-in-actions.js';
import { checkBounds } from '../argument-checks.js';
import { checkTime } from './cyclic-times.js';
import { EVENT_TEXT_LIMIT } from './events.js';
import type { Ports } from '../ports.js';
import { redacted } from '../registry/audit.js';
import * as shapes from '../shapes.js';

/** Maximum number of entries in a list. */
const ENTRIES_LIMIT = 1000;
const WHITE = 0xffffff;
/** All days of the week as a mask. */
const WEEK = 127;

/**
 * Schedules: actions, groups of days, and the times at which actions start (interface §9). A known ID changes
 * its entry, any other adds one; an empty name, no days or a negative hour removes it.
 */
export function eventScheduleFunctions(ports: Ports): FunctionDeclaration[] {
  return [...actions(ports), ...plan(ports)];
}

function actions({ kernel }: Ports): FunctionDeclaration[] {
  const parameters = [int('EventID'), int('ScheduleActionID'), text('Name'), int('Color')] as const;
  const put = (id: number, action: ScheduleAction) => {
    const [, schedule] = kernel.events.getOfKind('schedule', id);
    checkBounds('ScheduleActionID', action.id, [0, ENTRIES_LIMIT]);
    checkBounds('Color', action.color, [-1, WHITE]);
    checkLength('The name', action.name);
    kernel.events.setSchedule(
      id,
      action.name === '' ? withoutAction(schedule, action.id) : withAction(schedule, action),
    );
    return true;
  };
  return [
    declare({
      name: 'SVC_SetEventScheduleAction',
      parameters: [...parameters, text('ScriptText')],
      result: 'boolean',
      audited: true,
      auditParameters: (id, actionId, name, color, script) => [id, actionId, name, color, redacted(script)],
      help: 'Adds or changes an action of a schedule, which runs a text as a script; an empty name removes it.',
      run: (_caller, id, actionId, name, color, scriptText) => {
        checkLength('The script', scriptText, EVENT_TEXT_LIMIT);
        return put(id, { id: actionId, name, color, scriptText, actionId: '', actionParameters: {} });
      },
    }),
    declare({
      name: 'SVC_SetEventScheduleActionEx',
      parameters: [...parameters, text('ActionID'), array('ActionParameters', shapes.map(shapes.anything))],
      result: 'boolean',
      audited: true,
      auditParameters: (id, scheduleActionId, name, color, actionId) => [
        id,
        scheduleActionId,
        name,
        color,
        actionId,
      ],
      help: 'Like SVC_SetEventScheduleAction, with an action of SVC_GetActions instead of a script.',
      run: (_caller, id, scheduleActionId, name, color, actionId, given) => {
        const action = checkedAction(actionId, given, 'ActionParameters');
        return put(id, { id: scheduleActionId, name, color, scriptText: '', ...action });
      },
    }),
  ];
}

function plan({ kernel }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_SetEventScheduleGroup',
      parameters: [int('EventID'), int('GroupID'), int('Days')],
      result: 'boolean',
      audited: true,
      help: 'Adds or changes a group of days (sum of 1 Monday … 64 Sunday) of a schedule; 0 removes it.',
      run: (_caller, id, groupId, days) => {
        const [, { groups }] = kernel.events.getOfKind('schedule', id);
        checkBounds('GroupID', groupId, [0, ENTRIES_LIMIT]);
        checkBounds('Days', days, [0, WEEK]);
        const otherGroups = groups.filter((group) => group.id !== groupId);
        const overlapping = otherGroups.find((group) => (group.days & days) !== 0);
        if (overlapping !== undefined)
          throw fault(
            'PARAMETER_TYPE',
            'Days',
            coded`GROUP_THESE_DAYS_ALREADY: group ${overlapping.id} has one of these days already`,
          );
        const { points } = groups.find((group) => group.id === groupId) ?? { points: [] };
        const group: ScheduleGroup = { id: groupId, days, points };
        kernel.events.setSchedule(id, { groups: days === 0 ? otherGroups : withEntry(groups, group) });
        return true;
      },
    }),
    declare({
      name: 'SVC_SetEventScheduleGroupPoint',
      parameters: [
        int('EventID'),
        int('GroupID'),
        int('PointID'),
        int('StartHour'),
        int('StartMinute'),
        int('StartSecond'),
        int('ActionID'),
      ],
      result: 'boolean',
      audited: true,
      help: 'Sets the time from which an action applies on the days of a group; an hour of -1 removes the point.',
      run: (_caller, id, groupId, pointId, ...[hour, minute, second, actionId]) => {
        const [, { groups, actions: known }] = kernel.events.getOfKind('schedule', id);
        const group = groups.find((one) => one.id === groupId);
        if (group === undefined)
          throw fault('EVENT_PART_MISSING', coded`WHAT_GROUP_OF_EVENT: Group ${groupId} of event #${id}`);
        checkBounds('PointID', pointId, [0, ENTRIES_LIMIT]);
        const start = { hour, minute, second };
        if (hour >= 0) {
          checkTime(start, 'Start');
          if (!known.some((action) => action.id === actionId))
            throw fault(
              'EVENT_PART_MISSING',
              coded`WHAT_ACTION_OF_EVENT: Action ${actionId} of event #${id}`,
            );
        }
        const points =
          hour < 0
            ? group.points.filter((point) => point.id !== pointId)
            : withEntry(group.points, { id: pointId, start, actionId });
        kernel.events.setSchedule(id, { groups: withEntry(groups, { ...group, points }) });
        return true;
      },
    }),
  ];
}

function withAction({ actions: known }: Schedule, action: ScheduleAction): Partial<Schedule> {
  return { actions: withEntry(known, action) };
}

/** Removes an action together with its points. */
function withoutAction({ actions: known, groups }: Schedule, actionId: number): Partial<Schedule> {
  return {
    actions: known.filter((action) => action.id !== actionId),
    groups: groups.map((group) => ({
      ...group,
      points: group.points.filter((point) => point.actionId !== actionId),
    })),
  };
}

/**
 * The list with this entry, which replaces the one with the same id. Throws `NOT_ALLOWED` beyond the limit.
 */
export function withEntry<T extends { readonly id: number }>(list: readonly T[], entry: T): readonly T[] {
  if (list.some(({ id }) => id === entry.id)) return list.map((one) => (one.id === entry.id ? entry : one));
  if (list.length >= ENTRIES_LIMIT)
    throw fault('NOT_ALLOWED', coded`WHAT_TOO_MANY_ENTRIES: More than ${ENTRIES_LIMIT} entries in an event`);
  return [...list, entry];
}
