import { coded } from '../../base/codes/coded-text.js';
import { Fault, fault } from '../../base/fault.js';
import { declare, int, text, variant, type Caller, type FunctionDeclaration } from '../../device/declare.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Value } from '../../kernel/value.js';
import type { Variable } from '../../kernel/variables.js';
import { requestAction, valueWithin } from '../tree/request-action.js';
import type { Ports } from '../ports.js';
import { Areas, configuratorOf } from './areas.js';
import { CommandOutcomes } from './command-outcomes.js';
import * as shapes from './front-shapes.js';

/** `SENDER` of a script that a web front user runs (interface, decision 15). */
const SENDER = 'WebFront';

/** A key of a command: long enough that two clients never choose the same at random. */
const KEY = /^[A-Za-z0-9_-]{8,64}$/;

/** Commands of web fronts to the variables of their area (interface, decisions 14 and 15). */
export function frontCommandFunctions(ports: Ports): FunctionDeclaration[] {
  const areas = new Areas(ports);
  const outcomes = new CommandOutcomes(ports.clock);
  const [InstanceID, Key] = [int('InstanceID'), text('Key')];
  const checkTarget = (id: number, targetId: number) => {
    if (!areas.of(id).contains(targetId)) throw fault('ACCESS_DENIED');
  };
  return [
    declare({
      name: 'WFC_Execute',
      parameters: [InstanceID, int('ActionID'), int('TargetID'), variant('Value')],
      result: 'string',
      access: 'webfront',
      audited: true,
      help: 'Requests a value from the device or script behind a variable in the area of a configurator, sets a variable that residents may set, or runs a script that is not hidden.',
      run: async (caller, id, _actionId, targetId, value) => {
        checkTarget(id, targetId);
        return command(ports, { caller, targetId, value });
      },
    }),
    declare({
      name: 'WFC_ExecuteKeyed',
      parameters: [InstanceID, int('VariableID'), variant('Value'), Key],
      result: 'boolean',
      access: 'webfront',
      audited: true,
      help: 'Like WFC_Execute, at most once per key (8 to 64 letters, digits, _ or -): repeated with a known key, it only waits for the outcome of the first call.',
      run: async (caller, id, targetId, value, key) => {
        checkTarget(id, targetId);
        if (!KEY.test(key)) throw fault('PARAMETER_BOUNDS', 'Key');
        return outcomes.once([id, key], [targetId, value], () => command(ports, { caller, targetId, value }));
      },
    }),
    declare({
      name: 'WFC_GetOutcome',
      parameters: [InstanceID, Key],
      result: 'array',
      shape: shapes.outcome,
      access: 'webfront',
      help: 'The outcome of WFC_ExecuteKeyed with a key: running, done, or failed with code and text; unknown after 5 minutes, 64 newer keys or a restart.',
      run: ({ role }, id, key) => {
        configuratorOf(ports, id);
        const { state, failure } = outcomes.of(id, key);
        if (failure === undefined) return { State: state, Code: '', Text: '', Details: {} };
        const {
          code,
          message,
          general,
          details = {},
        } = failure instanceof Fault ? failure : fault('INTERNAL');
        return { State: state, Code: code, Text: role === 'owner' ? message : general, Details: details };
      },
    }),
  ];
}

/** Runs a script, sends a command to an action, or sets a variable without one that residents may set. */
async function command(
  ports: Ports,
  { caller, targetId, value }: { caller: Caller; targetId: number; value: unknown },
): Promise<string> {
  const { kernel, clock, scripts } = ports;
  const target = kernel.tree.find(targetId);
  if (target !== undefined && isDisabled(target))
    throw fault('NOT_ALLOWED', coded`WHAT_DISABLED: Operating an object that is disabled in fronts`);
  // A hidden script is the action of a variable, or a part of another: nobody sees it.
  if (target?.is(objectType.script) === true && !target.hidden)
    return scripts.run({ id: target.id, parameters: { VALUE: value }, sender: SENDER, caller });
  const variable = kernel.variables.get(targetId);
  const isSettable = variable.data.residents === 'set' && kernel.variables.actionTargetOf(variable) === 0;
  if (!isSettable) return requestAction(ports, { variableId: targetId, value, sender: SENDER, caller });
  kernel.variables.update(variable, valueOnStep(ports, variable, value), clock.nowMs());
  return '';
}

/** Whether the owner has disabled an object, or the device that it belongs to, in fronts. */
const isDisabled = ({ disabled, parent }: TreeObject): boolean =>
  disabled || (parent?.is(objectType.instance) === true && parent.disabled);

/**
 * A value within the range of the variable's profile, on its nearest step: sliders send 20.400000000000002.
 * Throws `CANNOT_CONVERT`.
 */
function valueOnStep({ kernel }: Ports, variable: Variable, given: unknown): Value {
  const { data } = variable;
  const value = valueWithin(kernel, variable, given);
  const profile = kernel.profiles.find(data.customProfile || data.profile);
  if (typeof value !== 'number' || profile?.type !== data.type || profile.step <= 0) return value;
  const { min, max, step } = profile;
  const steps = Math.round((value - min) / step);
  // 12 significant digits are more than any profile shows, and fewer than where binary fractions differ.
  const nearest = Number((min + steps * step).toPrecision(12));
  return max > min ? Math.min(nearest, max) : nearest;
}
