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

/** Devices of any module (the `HW_` family of the seed). */
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
      help: 'Asks a device for the present value of one of its variables.',
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
      help: 'What is known of the devices behind an instance.',
      run: (_caller, id) => devices.knownDevices(id),
    }),
    declare({
      name: 'HW_ReadServiceMessages',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.serviceMessages,
      help: 'What is wrong with an instance and with those connected to it; empty when nothing is.',
      run: (_caller, id) =>
        devices.problems(id).map((trouble) => ({
          InstanceID: trouble.id,
          Code: trouble.code,
          Text: trouble.text,
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
    help: `Has a device carry out a value for one of its variables of type ${parameter.kind}.`,
    run: (_caller, id, ident, value) => {
      const variable = devices.variable(id, ident);
      if (variable.data.type !== type) throw fault('VARIABLE_TYPE', variable.id);
      return devices.supervisor(id).write(ident, convertValue(type, value));
    },
  });
}
