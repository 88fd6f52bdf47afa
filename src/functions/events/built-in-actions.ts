import { fault } from '../../base/fault.js';
import { settableValue } from '../../kernel/convert.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import { variableType } from '../../kernel/value.js';
import type { ActionRun } from '../../events/event-run.js';
import { requestAction } from '../tree/request-action.js';
import { checkedMap } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import { hasAction, writableVariable } from '../tree/values.js';

/** A parameter of an action, by its name in upper case, and what it takes. */
export interface ActionParameter {
  readonly name: string;
  readonly valueType: 'text' | 'value' | 'id';
  readonly help: string;
}

/** An action: something that events, and `SVC_RunAction`, can carry out without a script's text. */
export interface BuiltInAction {
  readonly id: string;
  readonly name: string;
  readonly help: string;
  /** All are needed but TARGET: without one it is the object that the event stands below. */
  readonly parameters: readonly ActionParameter[];
  /** Whether it can be carried out on an object; undefined where it needs none. */
  readonly canRunOn?: (target: TreeObject) => boolean;
  /** What a script would say for it. */
  readonly toScript: (parameters: Readonly<Record<string, unknown>>) => string;
  /** Resolves with what it printed. */
  readonly run: (ports: Ports, run: ActionRun) => Promise<string>;
}

const isVariable = (target: TreeObject) => target.is(objectType.variable);
const TARGET: ActionParameter = { name: 'TARGET', valueType: 'id', help: 'The object it is carried out on.' };
const VALUE: ActionParameter = { name: 'VALUE', valueType: 'value', help: 'Of the type of the variable.' };

/** The actions there are; the first three have the ids by which existing installations name them. */
export const builtInActions: readonly BuiltInAction[] = [
  {
    id: '{346AA8C1-30E0-1663-78EF-93EFADFAC650}',
    name: 'Run a text as a script',
    help: 'Runs SCRIPT, which finds TARGET and the values of the event.',
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
    help: 'Runs the script TARGET, which finds the values of the event.',
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
    help: 'Has what stands behind the variable TARGET carry out VALUE; a variable with nothing behind it is set.',
    parameters: [TARGET, VALUE],
    canRunOn: isVariable,
    toScript: ({ TARGET: id, VALUE: value }) =>
      `RequestAction(${JSON.stringify(id)}, ${JSON.stringify(value)});`,
    run: async (ports, run) => switchTo(ports, run, run.parameters['VALUE']),
  },
  {
    id: '{516818A2-E497-4A84-B7C4-94CB9C745FD1}',
    name: 'Set a variable',
    help: 'Sets the variable TARGET to VALUE; nothing is switched.',
    parameters: [TARGET, VALUE],
    canRunOn: (target) => isVariable(target) && !target.readOnly,
    toScript: ({ TARGET: id, VALUE: value }) => `SetValue(${JSON.stringify(id)}, ${JSON.stringify(value)});`,
    run: async (ports, { parameters }) => setTo(ports, targetOf(parameters), parameters['VALUE']),
  },
  {
    id: '{B4E02384-0CA9-4D45-8AF3-34956B540207}',
    name: 'Toggle',
    help: 'Switches the boolean variable TARGET to what it is not.',
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

/** The action of that id. Throws `ACTION_MISSING`. */
export function actionById(id: string): BuiltInAction {
  const wanted = id.toUpperCase();
  const action = builtInActions.find((one) => one.id === wanted);
  if (action === undefined) throw fault('ACTION_MISSING', id);
  return action;
}

/** The environment of all of them: each can be carried out wherever there are actions. */
export const DEFAULT_ENVIRONMENT = 'Default';

/** The action of that name, as {@link checkedAction} gives it: for those who write and read names. Throws as that does. */
export function actionByName(
  name: string,
  given: Readonly<Record<string, unknown>>,
): ReturnType<typeof checkedAction> {
  const wanted = name.toLowerCase();
  const action = builtInActions.find((one) => one.name.toLowerCase() === wanted);
  if (action === undefined) {
    const names = builtInActions.map((one) => one.name).join(', ');
    throw fault('CONFIGURATION_INVALID', `there is no action ${name}; known: ${names}`);
  }
  return checkedAction(action.id, given, 'action');
}

/** What any action is given besides its own parameters by those who know many kinds of places. */
const EVERYWHERE: readonly ActionParameter[] = [
  TARGET,
  { name: 'PARENT', valueType: 'id', help: '' },
  { name: 'ENVIRONMENT', valueType: 'text', help: '' },
];
/** Parameters as JSON; a script that is longer belongs into the tree. */
const PARAMETERS_LIMIT = 65_536;

/**
 * An action with its parameters, as an event keeps them; an empty id is none. Throws `ACTION_MISSING`; `PARAMETER_TYPE`
 * for a parameter that is missing, of another type or not the action's.
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
      throw fault('PARAMETER_TYPE', name, `${parameter.name} is missing`);
  return { actionId: action.id, actionParameters };
}

/** What is given of an action's parameters so far. Throws `PARAMETER_TYPE` for one of another type or not the action's. */
export function checkedParameters(
  action: BuiltInAction,
  given: unknown[] | Record<string, unknown>,
  name: string,
): Readonly<Record<string, unknown>> {
  const parameters = checkedMap(given, name);
  const known = [...action.parameters, ...EVERYWHERE];
  for (const [key, value] of Object.entries(parameters)) {
    const parameter = known.find((one) => one.name === key);
    if (parameter === undefined)
      throw fault('PARAMETER_TYPE', name, `${action.name} has no ${key}; it takes ${namesOf(action)}`);
    if (!isTaken(parameter.valueType, value))
      throw fault('PARAMETER_TYPE', name, `${key} takes ${words[parameter.valueType]}`);
  }
  if (JSON.stringify(parameters).length > PARAMETERS_LIMIT)
    throw fault('TEXT_TOO_LONG', name, PARAMETERS_LIMIT, 'characters');
  return parameters;
}

const words = { text: 'a text', value: 'true, false, a number or a text', id: "an object's ID" } as const;

const namesOf = ({ parameters }: BuiltInAction) => parameters.map(({ name }) => name).join(', ');

function isTaken(takes: ActionParameter['valueType'], value: unknown): boolean {
  if (takes === 'text') return typeof value === 'string';
  if (takes === 'id') return Number.isSafeInteger(value);
  return typeof value === 'boolean' || typeof value === 'string' || Number.isFinite(value);
}

function targetOf(parameters: Readonly<Record<string, unknown>>): number {
  const { TARGET: id } = parameters;
  if (typeof id !== 'number') throw fault('PARAMETER_TYPE', 'Parameters', 'TARGET is missing');
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
