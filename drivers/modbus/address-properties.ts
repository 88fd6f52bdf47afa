import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { dataTypes, type DataType } from './data-types.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/** Ident of the only variable. */
export const VALUE_IDENT = 'Value';

/** Registers that one request reads [MODBUS Application Protocol V1.1b3 §6.3]. */
const MAX_READ_REGISTERS = 125;

const DAY_MS = 86_400_000;

const address = (): TSchema & { static: number } => Type.Integer({ default: 0, minimum: 0, maximum: 65_535 });

/** The properties of a ModBus Address, as they are declared. */
export const addressProperties = Type.Object({
  /** Its number in the interface (`data-types.ts`). */
  DataType: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: dataTypes.length - 1 }),
    'Value',
    'The data type of the registers, by number.',
  ),
  ReadFunctionCode: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 4 }),
    'Reading',
    'The Modbus function that reads the value; 0 if it is not read.',
  ),
  ReadAddress: withHelp(address(), 'Reading', 'The address that is read, counted from 0.'),
  WriteFunctionCode: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 16 }),
    'Writing',
    'The Modbus function that writes the value; 0 if it is not written.',
  ),
  WriteAddress: withHelp(address(), 'Writing', 'The address that is written, counted from 0.'),
  Poller: withHelp(
    Type.Integer({ default: 1000, minimum: 0, maximum: DAY_MS }),
    'Reading',
    'Milliseconds between two polls; 0 reads on request only.',
  ),
  Factor: withHelp(
    Type.Number({ default: 0 }),
    'Value',
    'Value = raw number × factor; 0 if the value is the raw number.',
  ),
  ByteOrder: withAdvancedHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 1 }),
    'Value',
    '0 if registers have their high byte first, 1 for the low byte.',
  ),
  Length: withAdvancedHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: MAX_READ_REGISTERS }),
    'Value',
    'The number of registers of a text.',
  ),
  EmulateStatus: withAdvancedHelp(
    Type.Boolean({ default: false }),
    'Writing',
    'A confirmed write sets the value; it is not read back.',
  ),
  Profile: withHelp(Type.String({ default: '', maxLength: 200 }), 'Value', 'The profile of the variable.'),
});

/** The properties of a ModBus Address. */
export type AddressProperties = Static<typeof addressProperties>;

/** The data type of the value. */
export function dataTypeOf(set: AddressProperties): DataType {
  return dataTypes[set.DataType] as DataType;
}

/** Number of registers of the value; 0 for a coil. */
export function registerCountOf(set: AddressProperties): number {
  return dataTypeOf(set).registers ?? set.Length;
}

/** Factor of the raw number; undefined if the value is the raw number. */
export function factorOf({ Factor }: AddressProperties): number | undefined {
  return Factor === 0 || Factor === 1 ? undefined : Factor;
}
