import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { array, bool, declare, int, text, variant, type FunctionDeclaration } from '../../device/declare.js';
import { convertValue } from '../../kernel/convert.js';
import { checkLength } from '../../kernel/text-limits.js';
import { objectType } from '../../kernel/object.js';
import { checkedAction } from './built-in-actions.js';
import { checkBounds, childByName, idsOfType, isOfType } from '../argument-checks.js';
import { eventTypes, triggerTypes } from '../enumerations.js';
import { eventRecord } from './event-record.js';
import { eventShape } from './event-shape.js';
import type { Ports } from '../ports.js';
import { redacted } from '../registry/audit.js';
import * as shapes from '../shapes.js';

/** Maximum length of a script's text within an event, characters; a longer one should be a script object. */
export const EVENT_TEXT_LIMIT = 65_536;

/** Events, except for their times and conditions (interface §9). */
export function eventFunctions(ports: Ports): FunctionDeclaration[] {
  return [...readers(ports), ...changes(ports), ...actions(ports), ...triggers(ports)];
}

function readers({ kernel }: Ports): FunctionDeclaration[] {
  const EventID = int('EventID');
  return [
    declare({
      name: 'SVC_EventExists',
      parameters: [EventID],
      result: 'boolean',
      help: 'Whether an event with this ID exists.',
      run: (_caller, id) => isOfType(kernel, id, objectType.event),
    }),
    declare({
      name: 'SVC_GetEvent',
      parameters: [EventID],
      result: 'array',
      shape: eventShape,
      help: 'The properties of an event: trigger or times, conditions and action.',
      run: (_caller, id) => eventRecord(kernel.events.get(id)),
    }),
    declare({
      name: 'SVC_GetEventIDByName',
      parameters: [text('Name'), int('ParentID')],
      result: 'integer',
      help: 'The ID of the oldest event with this name among the children of an object.',
      run: (_caller, name, parentId) => childByName(kernel, [parentId, name], objectType.event).id,
    }),
    declare({
      name: 'SVC_GetEventList',
      parameters: [],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all events.',
      run: () => idsOfType(kernel, objectType.event),
    }),
    declare({
      name: 'SVC_GetEventListByType',
      parameters: [int('EventType', eventTypes)],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all events of a type.',
      run: (_caller, type) =>
        idsOfType(kernel, objectType.event).filter((id) => kernel.events.get(id).data.type === type),
    }),
    declare({
      name: 'SVC_GetScriptEventList',
      parameters: [int('ScriptID')],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of the events among the children of a script.',
      run: (_caller, id) =>
        Array.from(kernel.scripts.get(id).children ?? [])
          .filter(({ type }) => type === objectType.event)
          .map((event) => event.id),
    }),
  ];
}

function changes({ kernel, clock, events, deletions }: Ports): FunctionDeclaration[] {
  const EventID = int('EventID');
  return [
    declare({
      name: 'SVC_CreateEvent',
      parameters: [int('EventType', eventTypes)],
      result: 'integer',
      audited: true,
      help: 'Creates an inactive event below the root and returns its ID.',
      run: async (_caller, type) => {
        // The engine must run before the event can be triggered.
        await events();
        return kernel.events.create(type, clock.nowMs()).id;
      },
    }),
    declare({
      name: 'SVC_DeleteEvent',
      parameters: [EventID],
      result: 'boolean',
      audited: true,
      help: 'Deletes an event; a run in progress continues.',
      run: (caller, id) => {
        deletions.deleteOne(caller, kernel.events.get(id));
        return true;
      },
    }),
    declare({
      name: 'SVC_SetEventActive',
      parameters: [EventID, bool('Active')],
      result: 'boolean',
      audited: true,
      help: 'Activates or deactivates an event.',
      run: (_caller, id, active) => {
        kernel.events.set(kernel.events.get(id), { active });
        return true;
      },
    }),
    declare({
      name: 'SVC_SetEventLimit',
      parameters: [EventID, int('Count')],
      result: 'boolean',
      audited: true,
      help: 'Sets how many more times an event runs before it becomes inactive; 0: no limit.',
      run: (_caller, id, limit) => {
        checkBounds('Count', limit, [0, 1_000_000]);
        kernel.events.set(kernel.events.get(id), { limit });
        return true;
      },
    }),
  ];
}

function actions({ kernel }: Ports): FunctionDeclaration[] {
  const EventID = int('EventID');
  return [
    declare({
      name: 'SVC_SetEventScript',
      parameters: [EventID, text('EventScript')],
      result: 'boolean',
      audited: true,
      auditParameters: (id, script) => [id, redacted(script)],
      help: 'Sets the text that an event runs as a script, in place of an action; empty: the script that is its parent.',
      run: (_caller, id, script) => {
        checkLength('The script', script, EVENT_TEXT_LIMIT);
        kernel.events.set(kernel.events.get(id), { script, actionId: '', actionParameters: {} });
        return true;
      },
    }),
    declare({
      name: 'SVC_SetEventAction',
      parameters: [EventID, text('ActionID'), array('ActionParameters', shapes.map(shapes.anything))],
      result: 'boolean',
      audited: true,
      auditParameters: (id, actionId) => [id, actionId],
      help: 'Sets the action (SVC_GetActions) that an event executes, in place of a script; an empty ActionID: none.',
      run: (_caller, id, actionId, given) => {
        const action = checkedAction(actionId, given, 'ActionParameters');
        kernel.events.set(kernel.events.get(id), { ...action, script: '' });
        return true;
      },
    }),
  ];
}

function triggers({ kernel }: Ports): FunctionDeclaration[] {
  const EventID = int('EventID');
  return [
    declare({
      name: 'SVC_SetEventTrigger',
      parameters: [EventID, int('TriggerType', triggerTypes), int('TriggerVariableID')],
      result: 'boolean',
      audited: true,
      help: 'Sets the variable that triggers an event (0: none), and whether an update, a change, a limit or a value does.',
      run: (_caller, id, type, variableId) => {
        kernel.events.setTrigger(id, { type, variableId });
        return true;
      },
    }),
    declare({
      name: 'SVC_SetEventTriggerSubsequentExecution',
      parameters: [EventID, bool('AllowSubsequentExecutions')],
      result: 'boolean',
      audited: true,
      help: 'Sets whether an event runs at every update beyond its limit or with its value, or only at the first one.',
      run: (_caller, id, subsequent) => {
        kernel.events.setTrigger(id, { subsequent });
        return true;
      },
    }),
    declare({
      name: 'SVC_SetEventTriggerValue',
      parameters: [EventID, variant('TriggerValue')],
      result: 'boolean',
      audited: true,
      help: 'Sets the limit or value that triggers an event; set the variable first, because the value gets its type.',
      run: (_caller, id, given) => {
        const [, { variableId }] = kernel.events.getOfKind('trigger', id);
        const value =
          variableId === 0
            ? anyValue(given)
            : convertValue(kernel.variables.get(variableId).data.type, given, 'TriggerValue');
        kernel.events.setTrigger(id, { value });
        return true;
      },
    }),
  ];
}

/** A value while no variable is set: its type is not known yet. */
function anyValue(given: unknown): boolean | number | string {
  if (typeof given === 'boolean' || typeof given === 'string') return given;
  if (typeof given === 'number' && Number.isFinite(given)) return given;
  throw fault(
    'CANNOT_CONVERT',
    'TriggerValue',
    coded`EXPECTED_TRUE_FALSE_NUMBER: expected true, false, a number or a string`,
  );
}
