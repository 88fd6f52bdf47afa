import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { dataTypes, type DataType } from './data-types.js';

/** The ident of the one variable. */
export const VALUE_IDENT = 'Value';

/** Registers that one request reads [MODBUS Application Protocol V1.1b3 §6.3]. */
const MAX_READ_REGISTERS = 125;

const DAY_MS = 86_400_000;

const address = (): TSchema & { static: number } => Type.Integer({ default: 0, minimum: 0, maximum: 65_535 });

/** The properties of a ModBus Address, as they are declared. */
export const addressProperties = Type.Object({
  /** By its number in the interface (`types.ts`). */
  DataType: Type.Integer({ default: 0, minimum: 0, maximum: dataTypes.length - 1 }),
  /** 0: it is not read. */
  ReadFunctionCode: Type.Integer({ default: 0, minimum: 0, maximum: 4 }),
  ReadAddress: address(),
  /** 0: it is not written. */
  WriteFunctionCode: Type.Integer({ default: 0, minimum: 0, maximum: 16 }),
  WriteAddress: address(),
  /** Milliseconds between two readings; 0: it is read only when somebody asks. */
  Poller: Type.Integer({ default: 1000, minimum: 0, maximum: DAY_MS }),
  /** Value = number in the unit × factor; 0: it is the number. */
  Factor: Type.Number({ default: 0 }),
  /** 0: the high byte of a register comes first; 1: the low one. */
  ByteOrder: Type.Integer({ default: 0, minimum: 0, maximum: 1 }),
  /** Registers of a text. */
  Length: Type.Integer({ default: 0, minimum: 0, maximum: MAX_READ_REGISTERS }),
  /** A confirmed write is the value, without reading it back. */
  EmulateStatus: Type.Boolean({ default: false }),
  Profile: Type.String({ default: '', maxLength: 200 }),
});

/** The properties of a ModBus Address. */
export type AddressProperties = Static<typeof addressProperties>;

/** The type of these properties' value. */
export function dataTypeOf(set: AddressProperties): DataType {
  return dataTypes[set.DataType] as DataType;
}

/** How many registers it takes; 0: it is a coil. */
export function registerCountOf(set: AddressProperties): number {
  return dataTypeOf(set).registers ?? set.Length;
}

/** What the numbers of the unit are multiplied by; undefined: they are the values. */
export function factorOf({ Factor }: AddressProperties): number | undefined {
  return Factor === 0 || Factor === 1 ? undefined : Factor;
}
