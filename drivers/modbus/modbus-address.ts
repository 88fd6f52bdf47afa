import { coded, type Text } from '../../src/base/codes/coded-text.js';
import {
  bool,
  declare,
  float,
  int,
  text,
  type FunctionDeclaration,
  type Parameter,
} from '../../src/device/declare.js';
import {
  moduleKind,
  variableType,
  type ModuleDefinition,
  type OpenInstances,
  type Value,
  type VariableDeclaration,
} from '../../src/device/module.js';
import { modbusFlow } from './modbus-unit.js';
import {
  addressProperties,
  dataTypeOf,
  factorOf,
  registerCountOf,
  VALUE_IDENT,
  type AddressProperties,
} from './address-properties.js';

/** A value becomes stale after this many missed polls, plus a delay for other requests on the bus. */
const POLLS_MISSED = 3;
const BUS_DELAY_S = 10;

/** Largest number of registers in one write [MODBUS Application Protocol V1.1b3 §6.12]. */
const MAX_WRITE_REGISTERS = 123;

/** Shortest poll interval: no line replies faster, and polling costs processor time. */
const MIN_POLLER_MS = 50;

const MODULE = { id: '{CB197E50-273D-4535-8C91-BB35273E3CA5}', name: 'ModBus Address' } as const;

/** The module **ModBus Address**: one value of a unit. */
export const modbusAddress: ModuleDefinition<typeof addressProperties> = {
  ...MODULE,
  description: 'One value of a Modbus unit.',
  icon: 'Gauge',
  page: 'hardware/modbus.md',
  aliases: ['ModBus Device'],
  kind: moduleKind.device,
  prefix: 'ModBus',
  properties: addressProperties,
  requires: modbusFlow,
  variables: (set) => [variable(set)],
  check,
  functions,
  open: async (host) => {
    const unit = host.parent(modbusFlow);
    const { ModbusAddress } = await import('./address-instance.js');
    return new ModbusAddress(host, unit);
  },
};

function variable(set: AddressProperties): VariableDeclaration {
  const { kind } = dataTypeOf(set);
  const isWritten = set.WriteFunctionCode !== 0;
  const isPolled = set.ReadFunctionCode !== 0 && set.Poller > 0;
  const profile = set.Profile === '' && kind === 'boolean' && isWritten ? '~Switch' : set.Profile;
  const isInteger = kind === 'integer' && factorOf(set) === undefined;
  return {
    ident: VALUE_IDENT,
    name: VALUE_IDENT,
    type: kind === 'integer' && !isInteger ? variableType.float : variableType[kind],
    role: 'main',
    ...(profile === '' ? {} : { profile, profileProperty: 'Profile' }),
    action: isWritten,
    position: 1,
    ...(isPolled ? { staleAfterS: Math.ceil((POLLS_MISSED * set.Poller) / 1000) + BUS_DELAY_S } : {}),
  };
}

function check(set: AddressProperties): Text | undefined {
  const { ReadFunctionCode: read, WriteFunctionCode: write, Poller, Length, Factor } = set;
  const { name, kind } = dataTypeOf(set);
  const registers = registerCountOf(set);
  const description = coded`DATATYPE: DataType ${set.DataType} (${name})`;
  if (read === 0 && write === 0)
    return coded`FUNCTION_CODES_MISSING: ReadFunctionCode and WriteFunctionCode are both 0; set at least one`;
  if (kind === 'boolean') {
    if (read > 2)
      return coded`READ_AS_BIT: ${description} is read with ReadFunctionCode 1 (coils) or 2 (discrete inputs)`;
    if (write !== 0 && write !== 5 && write !== 15)
      return coded`WRITTEN_AS_BIT: ${description} is written with WriteFunctionCode 5 or 15`;
  } else {
    if (read !== 0 && read < 3)
      return coded`READ_AS_REGISTER: ${description} is read with ReadFunctionCode 3 (holding registers) or 4 (input registers)`;
    if (write !== 0 && write !== 6 && write !== 16)
      return coded`WRITTEN_AS_REGISTER: ${description} is written with WriteFunctionCode 6 or 16`;
    if (registers === 0)
      return coded`REQUIRES_LENGTH_NUMBER_REGISTERS: ${description} requires Length, the number of registers`;
    if (write === 6 && registers > 1)
      return coded`WRITTEN_AS_REGISTERS: ${description} has ${registers} registers; write it with WriteFunctionCode 16`;
    if (write === 16 && registers > MAX_WRITE_REGISTERS)
      return coded`LENGTH_MOST_REGISTERS_CAN: Length: at most ${MAX_WRITE_REGISTERS} registers can be written in one request`;
    if (write !== 0 && name.includes('Int8'))
      return coded`HALF_REGISTER_READ_ONLY: ${description} is read-only: writing it would also overwrite the other half of its register`;
  }
  if (Length !== 0 && kind !== 'string')
    return coded`LENGTH_APPLIES_TEXTS_REGISTERS: Length only applies to texts; ${description} has ${registers} registers`;
  if (Factor !== 0 && kind !== 'integer' && kind !== 'float')
    return coded`FACTOR_APPLIES_NUMBERS_NOT: Factor only applies to numbers, not to ${description}`;
  if (Poller > 0 && Poller < MIN_POLLER_MS)
    return coded`POLLER_TOO_SHORT: Poller must be 0 or at least ${MIN_POLLER_MS} ms`;
  const beyond = (from: number) => from + Math.max(1, registers) > 65_536;
  if ((read !== 0 && beyond(set.ReadAddress)) || (write !== 0 && beyond(set.WriteAddress)))
    return coded`LAST_REGISTERS_BEYOND_ADDRESS: the last of the ${registers} registers is beyond address 65535`;
  return undefined;
}

function functions(instances: OpenInstances): FunctionDeclaration[] {
  const declareWrite = <T extends Value>(name: string, value: Parameter<T>, help: string) =>
    declare({
      name,
      parameters: [int('InstanceID'), value],
      result: 'boolean',
      audited: true,
      help,
      run: async (_caller, id, written) => {
        await instances.openInstance(id, MODULE).write?.(VALUE_IDENT, written);
        return true;
      },
    });
  return [
    declare({
      name: 'ModBus_RequestRead',
      parameters: [int('InstanceID')],
      result: 'boolean',
      help: 'Reads the value of a ModBus Address now; returns when it has been read.',
      run: async (_caller, id) => {
        await instances.openInstance(id, MODULE).refresh?.(VALUE_IDENT);
        return true;
      },
    }),
    declareWrite('ModBus_WriteCoil', bool('Value'), 'Writes a coil; returns when the unit has confirmed it.'),
    declareWrite(
      'ModBus_WriteRegister',
      float('Value'),
      'Writes a number to the registers of a ModBus Address; returns when the unit has confirmed it.',
    ),
    declareWrite(
      'ModBus_WriteRegisterString',
      text('Value'),
      'Writes a text to the registers of a ModBus Address; returns when the unit has confirmed it.',
    ),
  ];
}
