import { fault } from '../../base/fault.js';
import { declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { ID_COUNT } from '../../kernel/ids.js';
import { objectType } from '../../kernel/object.js';
import type { VariableType } from '../../kernel/value.js';
import type { Variable } from '../../kernel/variables.js';
import { childByName, idsOfType, isOfType } from '../argument-checks.js';
import { variableTypes } from '../enumerations.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Variables, except for their values (interface §9). */
export function variableFunctions(ports: Ports): FunctionDeclaration[] {
  return [...readers(ports), ...changes(ports)];
}

function readers({ kernel }: Ports): FunctionDeclaration[] {
  const VariableID = int('VariableID');
  return [
    declare({
      name: 'SVC_VariableExists',
      parameters: [VariableID],
      result: 'boolean',
      help: 'Whether a variable with this ID exists.',
      run: (_caller, id) => isOfType(kernel, id, objectType.variable),
    }),
    declare({
      name: 'SVC_GetVariable',
      parameters: [VariableID],
      result: 'array',
      shape: shapes.variableRecord,
      help: 'Type, profiles, actions, times and value of a variable.',
      run: (_caller, id) => record(kernel.variables.get(id)),
    }),
    declare({
      name: 'SVC_GetVariableIDByName',
      parameters: [text('Name'), int('ParentID')],
      result: 'integer',
      help: 'The ID of the oldest variable with this name among the children of an object.',
      run: (_caller, name, parentId) => childByName(kernel, [parentId, name], objectType.variable).id,
    }),
    declare({
      name: 'SVC_GetVariableList',
      parameters: [],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all variables.',
      run: () => idsOfType(kernel, objectType.variable),
    }),
    declare({
      name: 'SVC_GetVariableEventList',
      parameters: [VariableID],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of the events that are triggered by a variable.',
      run: (_caller, id) => {
        kernel.variables.get(id);
        return kernel.events.triggeredBy(id).map((event) => event.id);
      },
    }),
    declare({
      name: 'SVC_GetLimitVariables',
      parameters: [],
      result: 'integer',
      help: 'The maximum number of variables, which is the number of object IDs.',
      run: () => ID_COUNT,
    }),
  ];
}

function changes({ kernel, deletions }: Ports): FunctionDeclaration[] {
  const VariableID = int('VariableID');
  return [
    declare({
      name: 'SVC_CreateVariable',
      parameters: [int('VariableType', variableTypes)],
      result: 'integer',
      audited: true,
      help: 'Creates a variable below the root and returns its ID.',
      run: (_caller, type) => kernel.variables.create(type as VariableType).id,
    }),
    declare({
      name: 'SVC_DeleteVariable',
      parameters: [VariableID],
      result: 'boolean',
      audited: true,
      help: 'Deletes a variable without children.',
      run: (caller, id) => {
        deletions.deleteOne(caller, kernel.variables.get(id));
        return true;
      },
    }),
    declare({
      name: 'SVC_SetVariableCustomProfile',
      parameters: [VariableID, text('ProfileName')],
      result: 'boolean',
      audited: true,
      help: 'Sets the custom profile of a variable, which overrides its own; an empty name removes it.',
      run: (_caller, id, profile) => {
        kernel.variables.setCustomProfile(kernel.variables.get(id), profile);
        return true;
      },
    }),
    declare({
      name: 'SVC_SetVariableCustomAction',
      parameters: [VariableID, int('ScriptID')],
      result: 'boolean',
      audited: true,
      help: 'Sets the script or instance that executes the actions of a variable; 0: its own action, 1: none.',
      run: (_caller, id, action) => {
        kernel.variables.setCustomAction(kernel.variables.get(id), action);
        return true;
      },
    }),
    declare({
      name: 'GW_SetResidentAccess',
      parameters: [VariableID, text('Access')],
      result: 'boolean',
      audited: true,
      help: 'Whether users of web fronts may set a user-defined variable that has no action: set or none.',
      run: (_caller, id, access) => {
        const variable = kernel.variables.get(id);
        if (access !== 'set' && access !== 'none') throw fault('PARAMETER_BOUNDS', 'Access');
        kernel.variables.setResidentAccess(variable, access === 'set' ? access : undefined);
        return true;
      },
    }),
  ];
}

/** The result of `SVC_GetVariable` (interface §2.1), with the value, which some clients expect there. */
function record({ id, data }: Variable) {
  return {
    VariableID: id,
    VariableType: data.type,
    VariableProfile: data.profile,
    VariableCustomProfile: data.customProfile,
    VariableAction: data.action,
    VariableCustomAction: data.customAction,
    VariableUpdated: data.updated,
    VariableChanged: data.changed,
    VariableIsLocked: false,
    VariableValue: data.value,
  };
}
