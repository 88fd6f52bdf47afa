import { recordOf } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import {
  bool,
  declare,
  float,
  int,
  text,
  type FunctionDeclaration,
  type Parameter,
} from '../../device/declare.js';
import { convertValue } from '../../kernel/convert.js';
import { variableType, type Value, type VariableType } from '../../kernel/value.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Functions for devices of all modules (`HW_`). */
export function hardwareFunctions(ports: Ports): FunctionDeclaration[] {
  const { devices } = ports;
  const InstanceID = int('InstanceID');
  return [
    write(ports, { word: 'Boolean', type: variableType.boolean, parameter: bool('Value') }),
    write(ports, { word: 'Integer', type: variableType.integer, parameter: int('Value') }),
    write(ports, { word: 'Float', type: variableType.float, parameter: float('Value') }),
    write(ports, { word: 'String', type: variableType.string, parameter: text('Value') }),
    declare({
      name: 'HW_RequestStatus',
      parameters: [InstanceID, text('Parameter')],
      result: 'boolean',
      help: 'Polls a device for the current value of one of its variables.',
      run: async (_caller, id, ident) => {
        await devices.refresh(id, ident);
        return true;
      },
    }),
    declare({
      name: 'HW_GetKnownDevices',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.records,
      help: 'The known devices behind an instance.',
      run: (_caller, id) => devices.knownDevices(id),
    }),
    declare({
      name: 'HW_ReadServiceMessages',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.serviceMessages,
      help: 'The problems of an instance and of the instances connected to it; empty if there are none.',
      run: (_caller, id) =>
        devices.problems(id).map((problem) => ({
          InstanceID: problem.id,
          Code: problem.code,
          Text: problem.text.toString(),
          CodedText: recordOf(problem.text),
        })),
    }),
  ];
}

function write(
  { devices }: Ports,
  { word, type, parameter }: { word: string; type: VariableType; parameter: Parameter<Value> },
): FunctionDeclaration {
  return declare({
    name: `HW_WriteValue${word}`,
    parameters: [int('InstanceID'), text('Parameter'), parameter],
    result: 'boolean',
    audited: true,
    help: `Requests a value from a device for one of its variables of type ${parameter.kind}.`,
    run: (_caller, id, ident, value) => {
      const variable = devices.variable(id, ident);
      if (variable.data.type !== type) throw fault('VARIABLE_TYPE', variable.id);
      return devices.supervisor(id).write(ident, convertValue(type, value));
    },
  });
}
