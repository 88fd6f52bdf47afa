import { Type, type Static } from '@sinclair/typebox';
import { variableRoles } from '../../../src/base/codes/stable-codes.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';

const strict = { additionalProperties: false };
const address = () => Type.Integer({ minimum: 0, maximum: 65_535 });
const ORDERS = ['high-first', 'low-first'] as const;

/** The four tables of a unit [MODBUS Application Protocol V1.1b3 §4.3]. */
export const tables = ['coils', 'discrete', 'holding', 'input'] as const;
export type Table = (typeof tables)[number];

/** Whether a table has bits, not registers. */
export const isBitTable = (table: Table): boolean => table === 'coils' || table === 'discrete';

/** The types of values in registers, by their names in a map, and those of `data-types.ts`. */
export const registerTypes = {
  int16: 'Int16',
  uint16: 'UInt16',
  int32: 'Int32',
  uint32: 'UInt32',
  int64: 'Int64',
  uint64: 'UInt64',
  float32: 'Float32',
  float64: 'Float64',
  text: 'StringPlain',
} as const;
type RegisterType = keyof typeof registerTypes;
const typeNames = Object.keys(registerTypes) as RegisterType[];

/** Numbers with which a device says that it has no value: all bits set, or the largest, smallest or zero. */
const noValueWords = ['ones', 'highest', 'lowest', 'zero'] as const;
export type NoValueWord = (typeof noValueWords)[number];

/** Registers of a text in one request; numbered variables of one entry; SunSpec models of one block. */
const TEXT_LIMIT = 100;
const COUNT_LIMIT = 99;
const MODELS_LIMIT = 16;

/** One value: where it is, and what it means. */
const valueSchema = Type.Object(
  {
    at: address(),
    type: Type.Optional(enumProperty(typeNames, 'uint16')),
    length: Type.Optional(Type.Integer({ minimum: 1, maximum: TEXT_LIMIT })),
    bit: Type.Optional(Type.Integer({ minimum: 0, maximum: 15 })),
    count: Type.Optional(Type.Integer({ minimum: 2, maximum: COUNT_LIMIT })),
    scale: Type.Optional(Type.Number()),
    offset: Type.Optional(Type.Number()),
    scaleAt: Type.Optional(address()),
    words: Type.Optional(enumProperty(ORDERS, 'high-first')),
    none: Type.Optional(enumProperty(noValueWords, 'ones')),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    unit: Type.Optional(Type.String({ minLength: 1, maxLength: 16 })),
    profile: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    role: Type.Optional(enumProperty(variableRoles, 'detail')),
    counter: Type.Optional(Type.Boolean()),
    write: Type.Optional(Type.Boolean()),
    writeAt: Type.Optional(address()),
    writeWith: Type.Optional(Type.Integer({ minimum: 5, maximum: 16 })),
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
    /** In the map of a ModBus Server: the ident path of the variable. */
    variable: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    /** In the map of a ModBus Server: what is read while the variable has no good value. */
    bad: Type.Optional(Type.Number()),
  },
  strict,
);
export type ValueEntry = Static<typeof valueSchema>;

const blockSchema = Type.Object(
  {
    table: enumProperty(tables, 'holding'),
    everyMs: Type.Optional(Type.Integer({ minimum: 50, maximum: 86_400_000 })),
    models: Type.Optional(Type.Array(address(), { minItems: 1, maxItems: MODELS_LIMIT })),
    values: Type.Record(Type.String(), valueSchema),
  },
  strict,
);
export type BlockEntry = Static<typeof blockSchema>;

/** How the hardware search recognises a device: by a register, or by its device identification. */
const identificationSchema = Type.Object(
  {
    table: Type.Optional(enumProperty(['holding', 'input'], 'holding')),
    at: Type.Optional(address()),
    type: Type.Optional(enumProperty(typeNames, 'uint16')),
    length: Type.Optional(Type.Integer({ minimum: 1, maximum: TEXT_LIMIT })),
    is: Type.Optional(Type.Union([Type.Integer(), Type.String({ minLength: 1, maxLength: 64 })])),
    vendor: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    product: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    model: Type.Optional(address()),
  },
  strict,
);
export type IdentificationEntry = Static<typeof identificationSchema>;

/** A register map (`docs/hardware/modbus-devices.md`). */
export const mapSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    kind: enumProperty(['meter', 'inverter', 'storage', 'io', 'sensor', 'server'], 'meter'),
    source: Type.Optional(Type.String({ maxLength: 500 })),
    notes: Type.Optional(Type.String({ maxLength: 1000 })),
    words: Type.Optional(enumProperty(ORDERS, 'high-first')),
    bytes: Type.Optional(enumProperty(ORDERS, 'high-first')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 125 })),
    identify: Type.Optional(Type.Array(identificationSchema, { maxItems: 8 })),
    blocks: Type.Array(blockSchema, { minItems: 1, maxItems: 50 }),
  },
  strict,
);
export type MapEntry = Static<typeof mapSchema>;
