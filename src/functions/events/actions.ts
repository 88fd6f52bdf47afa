import { messageOf } from '../../base/fault.js';
import { array, bool, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import type { Caller } from '../../device/declare.js';
import {
  actionById,
  builtInActions,
  checkedAction,
  DEFAULT_ENVIRONMENT,
  checkedParameters,
  type ActionParameter,
  type BuiltInAction,
} from './built-in-actions.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** `SENDER` of a script that runs because of these functions. */
const SENDER = 'RunAction';
type Given = unknown[] | Record<string, unknown>;

/** The actions that events can execute, and functions to execute them directly (interface §9). */
export function builtInActionFunctions(ports: Ports): FunctionDeclaration[] {
  return [...lists(ports), ...texts(), ...runs(ports)];
}

function lists({ kernel }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_ActionExists',
      parameters: [text('ActionID')],
      result: 'boolean',
      help: 'Whether an action with this ID exists.',
      run: (_caller, id) => builtInActions.some((action) => action.id === id.toUpperCase()),
    }),
    declare({
      name: 'SVC_GetActions',
      parameters: [],
      result: 'string',
      help: 'All actions with their parameters, as JSON.',
      run: () => JSON.stringify(builtInActions.map(actionRecord)),
    }),
    declare({
      name: 'SVC_GetActionsByEnvironment',
      parameters: [int('TargetID'), text('Environment'), bool('IncludeDefault')],
      result: 'string',
      help: 'The actions of an environment for an object (0: no object), as JSON; all actions belong to Default.',
      run: (_caller, targetId, environment, includeDefault) => {
        const target = targetId <= 0 ? undefined : kernel.tree.get(targetId);
        const isIncluded = includeDefault || ['', DEFAULT_ENVIRONMENT].includes(environment);
        const matching = builtInActions.filter(
          ({ canRunOn }) =>
            isIncluded && (canRunOn === undefined || (target !== undefined && canRunOn(target))),
        );
        return JSON.stringify(matching.map(actionRecord));
      },
    }),
  ];
}

function texts(): FunctionDeclaration[] {
  const ActionID = text('ActionID');
  const Parameters = array('Parameters', shapes.map(shapes.anything));
  return [
    declare({
      name: 'SVC_GetActionForm',
      parameters: [ActionID, Parameters],
      result: 'string',
      help: 'The form fields of an action, as JSON, with the given values; null if there is no value yet.',
      run: (_caller, id, given) => {
        const action = actionById(id);
        const values = checkedParameters(action, given, 'Parameters');
        const fields = action.parameters.map(({ name, valueType: takes, help }) => ({
          type: fieldTypes[takes],
          name,
          caption: help,
          value: values[name] ?? null,
        }));
        return JSON.stringify(fields);
      },
    }),
    declare({
      name: 'SVC_GetActionReadableCode',
      parameters: [ActionID, Parameters],
      result: 'string',
      help: 'An action as JavaScript.',
      run: (_caller, id, given) => {
        const action = actionById(id);
        return action.toScript(checkedAction(action.id, given, 'Parameters').actionParameters);
      },
    }),
  ];
}

/** Types of form fields, as the interface names them. */
const fieldTypes: Readonly<Record<ActionParameter['valueType'], string>> = {
  text: 'ScriptEditor',
  value: 'SelectValue',
  id: 'SelectObject',
};

function runs(ports: Ports): FunctionDeclaration[] {
  const parameters = [text('ActionID'), array('Parameters', shapes.map(shapes.anything))] as const;
  const auditParameters = (id: string) => [id];
  const prepared = (id: string, given: Given, caller: Caller) => {
    const action = actionById(id);
    const { actionParameters } = checkedAction(action.id, given, 'Parameters');
    return () => action.run(ports, { parameters: actionParameters, values: {}, sender: SENDER, caller });
  };
  return [
    declare({
      name: 'SVC_RunAction',
      parameters,
      result: 'boolean',
      audited: true,
      auditParameters: auditParameters,
      help: 'Starts an action without waiting for it; errors are logged.',
      run: (caller, id, given) => {
        const run = prepared(id, given, caller);
        run().catch((thrown: unknown) => ports.log.error({ action: id }, messageOf(thrown)));
        return true;
      },
    }),
    declare({
      name: 'SVC_RunActionWait',
      parameters,
      result: 'string',
      audited: true,
      auditParameters: auditParameters,
      help: 'Executes an action and returns its output.',
      run: async (caller, id, given) => prepared(id, given, caller)(),
    }),
  ];
}

function actionRecord({ id, name, help, parameters }: BuiltInAction) {
  return {
    actionID: id,
    caption: name,
    description: help,
    parameters: parameters.map(({ name: parameter, valueType: takes, help: about }) => ({
      name: parameter,
      type: takes,
      description: about,
      required: parameter !== 'TARGET',
    })),
  };
}
