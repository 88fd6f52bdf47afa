import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { dataTypes, type DataType } from './data-types.js';

/** Ident of the only variable. */
export const VALUE_IDENT = 'Value';

/** Registers that one request reads [MODBUS Application Protocol V1.1b3 §6.3]. */
const MAX_READ_REGISTERS = 125;

const DAY_MS = 86_400_000;

const address = (): TSchema & { static: number } => Type.Integer({ default: 0, minimum: 0, maximum: 65_535 });

/** The properties of a ModBus Address, as they are declared. */
export const addressProperties = Type.Object({
  /** Its number in the interface (`data-types.ts`). */
  DataType: Type.Integer({ default: 0, minimum: 0, maximum: dataTypes.length - 1 }),
  /** 0 if it is not read. */
  ReadFunctionCode: Type.Integer({ default: 0, minimum: 0, maximum: 4 }),
  ReadAddress: address(),
  /** 0 if it is not written. */
  WriteFunctionCode: Type.Integer({ default: 0, minimum: 0, maximum: 16 }),
  WriteAddress: address(),
  /** Milliseconds between two polls; 0 to read on request only. */
  Poller: Type.Integer({ default: 1000, minimum: 0, maximum: DAY_MS }),
  /** Value = raw number × factor; 0 if the value is the raw number. */
  Factor: Type.Number({ default: 0 }),
  /** 0 if registers have their high byte first, 1 for the low byte. */
  ByteOrder: Type.Integer({ default: 0, minimum: 0, maximum: 1 }),
  /** Number of registers of a text. */
  Length: Type.Integer({ default: 0, minimum: 0, maximum: MAX_READ_REGISTERS }),
  /** If true, a confirmed write sets the value; it is not read back. */
  EmulateStatus: Type.Boolean({ default: false }),
  Profile: Type.String({ default: '', maxLength: 200 }),
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
