import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { settableValue } from '../../kernel/convert.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import { variableType } from '../../kernel/value.js';
import type { ActionRun } from '../../events/event-run.js';
import { requestAction } from '../tree/request-action.js';
import { checkedMap } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import { hasAction, writableVariable } from '../tree/values.js';

/** A parameter of an action: its name in upper case and the type of its value. */
export interface ActionParameter {
  readonly name: string;
  readonly valueType: 'text' | 'value' | 'id';
  readonly help: string;
}

/** An action that events and `SVC_RunAction` can execute. */
export interface BuiltInAction {
  readonly id: string;
  readonly name: string;
  readonly help: string;
  /** All are mandatory except TARGET, which defaults to the parent of the event. */
  readonly parameters: readonly ActionParameter[];
  /** Whether it can be executed on an object; undefined if it needs no object. */
  readonly canRunOn?: (target: TreeObject) => boolean;
  /** The action as JavaScript. */
  readonly toScript: (parameters: Readonly<Record<string, unknown>>) => string;
  /** Executes it and resolves with its output. */
  readonly run: (ports: Ports, run: ActionRun) => Promise<string>;
}

const isVariable = (target: TreeObject) => target.is(objectType.variable);
const TARGET: ActionParameter = {
  name: 'TARGET',
  valueType: 'id',
  help: 'The object on which the action is executed.',
};
const VALUE: ActionParameter = {
  name: 'VALUE',
  valueType: 'value',
  help: 'The value, of the type of the variable.',
};

/** The actions. The first three have the ids that existing installations use. */
export const builtInActions: readonly BuiltInAction[] = [
  {
    id: '{346AA8C1-30E0-1663-78EF-93EFADFAC650}',
    name: 'Run a text as a script',
    help: 'Runs SCRIPT with TARGET and the values of the event.',
    parameters: [{ name: 'SCRIPT', valueType: 'text', help: 'The text of the script.' }, TARGET],
    toScript: ({ SCRIPT }) => String(SCRIPT),
    run: async ({ scripts }, { parameters, values, sender, caller }) => {
      const { SCRIPT, ...rest } = parameters;
      return scripts.run({ text: String(SCRIPT), parameters: { ...values, ...rest }, sender, caller });
    },
  },
  {
    id: '{7938A5A2-0981-5FE0-BE6C-8AA610D654EB}',
    name: 'Run a script',
    help: 'Runs the script TARGET with the values of the event.',
    parameters: [TARGET],
    canRunOn: (target) => target.is(objectType.script),
    toScript: ({ TARGET: id }) => `SVC_RunScript(${JSON.stringify(id)});`,
    run: async ({ kernel, scripts }, { parameters, values, sender, caller }) => {
      const { id } = kernel.scripts.get(targetOf(parameters));
      return scripts.run({ id, parameters: { ...values, ...parameters }, sender, caller });
    },
  },
  {
    id: '{3644F802-C152-464A-868A-242C2A3DEC5C}',
    name: 'Switch to a value',
    help: 'Requests VALUE for the variable TARGET from its device or script; a variable without an action is set.',
    parameters: [TARGET, VALUE],
    canRunOn: isVariable,
    toScript: ({ TARGET: id, VALUE: value }) =>
      `RequestAction(${JSON.stringify(id)}, ${JSON.stringify(value)});`,
    run: async (ports, run) => switchTo(ports, run, run.parameters['VALUE']),
  },
  {
    id: '{516818A2-E497-4A84-B7C4-94CB9C745FD1}',
    name: 'Set a variable',
    help: 'Sets the variable TARGET to VALUE without an action.',
    parameters: [TARGET, VALUE],
    canRunOn: (target) => isVariable(target) && !target.readOnly,
    toScript: ({ TARGET: id, VALUE: value }) => `SetValue(${JSON.stringify(id)}, ${JSON.stringify(value)});`,
    run: async (ports, { parameters }) => setTo(ports, targetOf(parameters), parameters['VALUE']),
  },
  {
    id: '{B4E02384-0CA9-4D45-8AF3-34956B540207}',
    name: 'Toggle',
    help: 'Switches the boolean variable TARGET to the other value.',
    parameters: [TARGET],
    canRunOn: (target) => target.is(objectType.variable) && target.data.type === variableType.boolean,
    toScript: ({ TARGET: id }) => `RequestAction(${JSON.stringify(id)}, !GetValue(${JSON.stringify(id)}));`,
    run: async (ports, run) => {
      const { id, data } = ports.kernel.variables.get(targetOf(run.parameters));
      if (data.type !== variableType.boolean) throw fault('VARIABLE_TYPE', id);
      return switchTo(ports, run, data.value !== true);
    },
  },
];

/** The action with an id. Throws `ACTION_MISSING`. */
export function actionById(id: string): BuiltInAction {
  const key = id.toUpperCase();
  const action = builtInActions.find((one) => one.id === key);
  if (action === undefined) throw fault('ACTION_MISSING', id);
  return action;
}

/** The environment of all actions. */
export const DEFAULT_ENVIRONMENT = 'Default';

/** The action with a name, as used in gateway.yaml, checked like {@link checkedAction}. */
export function actionByName(
  name: string,
  given: Readonly<Record<string, unknown>>,
): ReturnType<typeof checkedAction> {
  const key = name.toLowerCase();
  const action = builtInActions.find((one) => one.name.toLowerCase() === key);
  if (action === undefined) {
    const names = builtInActions.map((one) => one.name).join(', ');
    throw fault('CONFIGURATION_INVALID', coded`NO_ACTION_OF: there is no action ${name}; actions: ${names}`);
  }
  return checkedAction(action.id, given, 'action');
}

/** Parameters that every action accepts in addition to its own. */
const COMMON_PARAMETERS: readonly ActionParameter[] = [
  TARGET,
  { name: 'PARENT', valueType: 'id', help: '' },
  { name: 'ENVIRONMENT', valueType: 'text', help: '' },
];
/** Maximum length of the parameters as JSON, characters; a longer script should be a script object. */
const PARAMETERS_LIMIT = 65_536;

/**
 * Checks an action with its parameters, as an event stores them; an empty id means no action. Throws
 * `ACTION_MISSING`, and `PARAMETER_TYPE` for a parameter that is missing, has the wrong type or is unknown.
 */
export function checkedAction(
  id: string,
  given: unknown[] | Record<string, unknown>,
  name: string,
): { readonly actionId: string; readonly actionParameters: Readonly<Record<string, unknown>> } {
  if (id === '') {
    checkedMap(given, name);
    return { actionId: '', actionParameters: {} };
  }
  const action = actionById(id);
  const actionParameters = checkedParameters(action, given, name);
  for (const parameter of action.parameters)
    if (parameter !== TARGET && actionParameters[parameter.name] === undefined)
      throw fault('PARAMETER_TYPE', name, coded`PARAMETER_IS_MISSING: ${parameter.name} is missing`);
  return { actionId: action.id, actionParameters };
}

/**
 * Checks the given parameters of an action. Throws `PARAMETER_TYPE` for one with the wrong type or an unknown
 * one.
 */
export function checkedParameters(
  action: BuiltInAction,
  given: unknown[] | Record<string, unknown>,
  name: string,
): Readonly<Record<string, unknown>> {
  const parameters = checkedMap(given, name);
  const known = [...action.parameters, ...COMMON_PARAMETERS];
  for (const [key, value] of Object.entries(parameters)) {
    const parameter = known.find((one) => one.name === key);
    if (parameter === undefined)
      throw fault(
        'PARAMETER_TYPE',
        name,
        coded`NO_PARAMETER_PARAMETERS: ${action.name} has no parameter ${key}; parameters: ${namesOf(action)}`,
      );
    if (!isValid(parameter.valueType, value))
      throw fault(
        'PARAMETER_TYPE',
        name,
        coded`MUST_BE_OF_TYPE: ${key} must be ${typeNames[parameter.valueType]}`,
      );
  }
  if (JSON.stringify(parameters).length > PARAMETERS_LIMIT)
    throw fault('TEXT_TOO_LONG', name, PARAMETERS_LIMIT, 'characters');
  return parameters;
}

const typeNames = {
  text: 'a string',
  value: 'true, false, a number or a string',
  id: 'the ID of an object',
} as const;

const namesOf = ({ parameters }: BuiltInAction) => parameters.map(({ name }) => name).join(', ');

function isValid(valueType: ActionParameter['valueType'], value: unknown): boolean {
  if (valueType === 'text') return typeof value === 'string';
  if (valueType === 'id') return Number.isSafeInteger(value);
  return typeof value === 'boolean' || typeof value === 'string' || Number.isFinite(value);
}

function targetOf(parameters: Readonly<Record<string, unknown>>): number {
  const { TARGET: id } = parameters;
  if (typeof id !== 'number')
    throw fault('PARAMETER_TYPE', 'Parameters', coded`TARGET_MISSING: TARGET is missing`);
  return id;
}

async function switchTo(
  ports: Ports,
  { parameters, sender, caller }: ActionRun,
  value: unknown,
): Promise<string> {
  const variable = ports.kernel.variables.get(targetOf(parameters));
  if (!hasAction(ports, variable)) return setTo(ports, variable.id, value);
  return requestAction(ports, { variableId: variable.id, value, sender, caller });
}

function setTo(ports: Ports, id: number, value: unknown): string {
  const variable = writableVariable(ports, id);
  ports.kernel.variables.update(variable, settableValue(variable.data.type, value), ports.clock.nowMs());
  return '';
}
