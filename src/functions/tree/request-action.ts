import { coded } from '../../base/codes/coded-text.js';
import { Fault, fault } from '../../base/fault.js';
import { declare, int, text, variant, type Caller, type FunctionDeclaration } from '../../device/declare.js';
import { convertValue } from '../../kernel/convert.js';
import type { Kernel } from '../../kernel/kernel.js';
import { objectType } from '../../kernel/object.js';
import type { Value } from '../../kernel/value.js';
import type { Variable } from '../../kernel/variables.js';
import type { Ports } from '../ports.js';
import { hasAction } from './values.js';

/** A request to switch a variable to a value. */
interface ActionRequest {
  readonly variableId: number;
  readonly value: unknown;
  /** `SENDER` of a script that executes it. */
  readonly sender: string;
  readonly caller: Caller;
}

/** `SENDER` of a script that executes a `RequestAction` (interface §1). */
export const ACTION_SENDER = 'Action';

/** Actions on variables (interface §1, `RequestAction`). */
export function requestActionFunctions(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'HasAction',
      parameters: [int('VariableID')],
      result: 'boolean',
      help: 'Whether a variable has an action for RequestAction.',
      run: (_caller, id) => hasAction(ports, ports.kernel.variables.get(id)),
    }),
    declare({
      name: 'RequestAction',
      parameters: [int('VariableID'), variant('Value')],
      result: 'boolean',
      audited: true,
      help: 'Requests a value, within the range of the profile, from the device or script behind a variable.',
      run: (caller, variableId, value) =>
        requestAction(ports, { variableId, value, sender: ACTION_SENDER, caller }).then(success),
    }),
    declare({
      name: 'RequestActionEx',
      parameters: [int('VariableID'), variant('Value'), text('Sender')],
      result: 'boolean',
      audited: true,
      help: 'Like RequestAction, with the value of SENDER for a script.',
      run: (caller, variableId, value, sender) =>
        requestAction(ports, { variableId, value, sender, caller }).then(success),
    }),
    declare({
      name: 'SVC_RequestAction',
      parameters: [int('InstanceID'), text('VariableIdent'), variant('Value')],
      result: 'boolean',
      audited: true,
      help: 'Requests a value from an instance for one of its variables.',
      run: (_caller, id, ident, value) => {
        const { devices, kernel } = ports;
        const variable = devices.variable(id, ident);
        return devices.supervisor(id).write(ident, valueWithin(kernel, variable, value));
      },
    }),
  ];
}

/**
 * Executes an action through the device, or through a script that runs with `VARIABLE` and `VALUE`. Resolves
 * with the output of the script ('' for a device). Throws or rejects with `NOT_OF_TYPE`, `ACTION_INVALID`,
 * `CANNOT_CONVERT` and the errors of the device or the script.
 */
export function requestAction(
  { kernel, devices, scripts }: Ports,
  { variableId, value, sender, caller }: ActionRequest,
): Promise<string> {
  const variable = kernel.variables.get(variableId);
  const target = kernel.tree.find(kernel.variables.actionTargetOf(variable));
  if (target?.is(objectType.instance)) {
    return devices.write(target.id, variable.ident, valueWithin(kernel, variable, value)).then(noOutput);
  }
  if (!target?.is(objectType.script)) throw actionInvalid(variable);
  const parameters = { VARIABLE: variableId, VALUE: valueWithin(kernel, variable, value) };
  return scripts.run({ id: target.id, parameters, sender, caller });
}

/** A value of the variable's type that its profile allows. Throws `CANNOT_CONVERT`. */
export function valueWithin({ profiles }: Kernel, { data }: Variable, given: unknown): Value {
  const value = convertValue(data.type, given);
  const name = data.customProfile || data.profile;
  const profile = profiles.find(name);
  // Equal limits mean no limits; a profile of another type does not apply.
  if (typeof value !== 'number' || profile?.type !== data.type || profile.max <= profile.min) return value;
  const { min, max } = profile;
  if (value >= min && value <= max) return value;
  throw fault(
    'CANNOT_CONVERT',
    'Value',
    coded`NOT_WITHIN_RANGE_PROFILE: ${value} is not within ${min} to ${max}, the range of profile ${name}`,
  );
}

/** Why a variable has no usable action; the text for callers with limited access does not name the target. */
function actionInvalid({ id, data: { action, customAction } }: Variable): Fault {
  const target = customAction || action;
  const { code, message } = fault('ACTION_INVALID', whyNot(id, target));
  return new Fault(code, message, { general: fault('ACTION_INVALID').message });
}

function whyNot(id: number, target: number): string {
  if (target === 1) return `the action of variable #${id} is disabled (SVC_SetVariableCustomAction)`;
  return target === 0
    ? `variable #${id} is read-only; it has no action (set one with SVC_SetVariableCustomAction)`
    : `object #${target}, the action of variable #${id}, is neither an instance nor a script`;
}

const success = (): true => true;

/** The output of a device; only scripts have one. */
const noOutput = (): string => '';
