import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import {
  bool,
  declare,
  float,
  int,
  text,
  variant,
  type FunctionDeclaration,
  type Parameter,
} from '../../device/declare.js';
import { convertValue, settableValue } from '../../kernel/convert.js';
import { formatValue } from '../../kernel/profiles/format-value.js';
import { FIRST_ID } from '../../kernel/ids.js';
import { variableType, type Value, type VariableType } from '../../kernel/value.js';
import type { Variable } from '../../kernel/variables.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Reading and writing variables (interface §5, §9 "Values and actions"). */
export function valueFunctions(ports: Ports): FunctionDeclaration[] {
  const { kernel } = ports;
  const VariableID = int('VariableID');
  return [
    declare({
      name: 'GetValue',
      parameters: [VariableID],
      result: 'variant',
      help: 'The value of a variable.',
      run: (_caller, id) => kernel.variables.get(id).data.value,
    }),
    ...typed(ports, { word: 'Boolean', type: variableType.boolean, parameter: bool('Value') }),
    ...typed(ports, { word: 'Integer', type: variableType.integer, parameter: int('Value') }),
    ...typed(ports, { word: 'Float', type: variableType.float, parameter: float('Value') }),
    ...typed(ports, { word: 'String', type: variableType.string, parameter: text('Value') }),
    declare({
      name: 'GetValueFormatted',
      parameters: [VariableID],
      result: 'string',
      help: 'The value of a variable, formatted by its profile.',
      run: (_caller, id) => {
        const variable = kernel.variables.get(id);
        return formatted(ports, variable, variable.data.value);
      },
    }),
    declare({
      name: 'GetValueFormattedEx',
      parameters: [VariableID, variant('Value')],
      result: 'string',
      help: 'A value, formatted by the profile of a variable.',
      run: (_caller, id, value) => {
        const variable = kernel.variables.get(id);
        return formatted(ports, variable, convertValue(variable.data.type, value));
      },
    }),
    declare({
      name: 'SetValue',
      parameters: [VariableID, variant('Value', shapes.valueOrNull)],
      result: 'boolean',
      audited: 'outside',
      help: 'Sets a variable; the value is converted to its type. For variables of devices use RequestAction.',
      run: (_caller, id, value) => {
        const variable = writableVariable(ports, id);
        kernel.variables.update(variable, settableValue(variable.data.type, value), ports.clock.nowMs());
        return true;
      },
    }),
  ];
}

/**
 * A variable that callers may set. Throws `NOT_OF_TYPE`, and `READ_ONLY` for a variable that only its device
 * reports.
 */
export function writableVariable({ kernel }: Ports, id: number): Variable {
  const variable = kernel.variables.get(id);
  if (variable.readOnly)
    throw fault('READ_ONLY', coded`WHAT_REPORTED_VARIABLE: Variable #${id} is reported by its device; it`);
  return variable;
}

/** `GetValueX` and `SetValueX`, which accept variables of one type only. */
function typed(
  ports: Ports,
  { word, type, parameter }: { word: string; type: VariableType; parameter: Parameter<Value> },
): FunctionDeclaration[] {
  const { kernel, clock } = ports;
  const result = parameter.kind;
  const kind = result;
  return [
    declare({
      name: `GetValue${word}`,
      parameters: [int('VariableID')],
      result,
      help: `The value of a variable of type ${kind}.`,
      run: (_caller, id) => ofType(kernel.variables.get(id), type).data.value,
    }),
    declare({
      name: `SetValue${word}`,
      parameters: [int('VariableID'), parameter],
      result: 'boolean',
      audited: 'outside',
      help: `Sets a variable of type ${kind}.`,
      run: (_caller, id, value) => {
        const variable = ofType(writableVariable(ports, id), type);
        // The parameter has the right type already; the conversion checks the length of strings.
        kernel.variables.update(variable, convertValue(type, value), clock.nowMs());
        return true;
      },
    }),
  ];
}

function ofType(variable: Variable, type: VariableType): Variable {
  if (variable.data.type !== type) throw fault('VARIABLE_TYPE', variable.id);
  return variable;
}

function formatted({ kernel }: Ports, { data }: Variable, value: Value): string {
  const profile = data.customProfile === '' ? data.profile : data.customProfile;
  return formatValue(value, { type: data.type, profile }, kernel.profiles);
}

/** Whether the variable has an action that `RequestAction` can execute. */
export function hasAction({ kernel }: Ports, variable: Variable): boolean {
  return kernel.variables.actionTargetOf(variable) >= FIRST_ID;
}
