import { variableType, type VariableDeclaration } from '../../../src/device/module.js';
import { describeValue } from '../../../src/device/toolkit/meter-variables.js';
import { profileOf } from '../../../src/device/toolkit/quantities.js';
import { dataTypes, type DataType } from '../data-types.js';
import type { RegisterLayout } from '../codec.js';
import type { ReadCode } from '../pdu.js';
import {
  isBitTable,
  registerTypes,
  tables,
  type BlockEntry,
  type MapEntry,
  type ValueEntry,
} from './map-schema.js';
import type { MapBlock, MapValue, MapWrite, RegisterMap } from './register-map.js';

/** Devices measure about once per second, and a serial line is shared. */
const EVERY_MS = 5000;
/** Registers and coils of one request [MODBUS Application Protocol V1.1b3 §6.1, §6.3]. */
const MAX_REGISTERS = 125;
/** Missed polls before a value is stale, and the delay of a busy bus. */
const POLLS_MISSED = 3;
const BUS_DELAY_S = 10;

/** Converts a map that was checked (`check-map.ts`). `everyMs` replaces the intervals of its blocks, unless 0. */
export function buildMap(id: string, entry: MapEntry, everyMs = 0): RegisterMap {
  return {
    id,
    name: entry.name,
    kind: entry.kind,
    ...(entry.source === undefined ? {} : { source: entry.source }),
    limit: entry.limit ?? MAX_REGISTERS,
    identify: entry.identify ?? [],
    blocks: entry.blocks.map((block) => buildBlock(entry, block, everyMs)),
  };
}

function buildBlock(map: MapEntry, block: BlockEntry, everyMs: number): MapBlock {
  const interval = everyMs === 0 ? (block.everyMs ?? EVERY_MS) : everyMs;
  const staleAfterS = Math.ceil((POLLS_MISSED * interval) / 1000) + BUS_DELAY_S;
  return {
    table: block.table,
    code: (tables.indexOf(block.table) + 1) as ReadCode,
    everyMs: interval,
    models: block.models ?? [],
    values: Object.entries(block.values).flatMap(([ident, value]) =>
      numbered(ident, value).map((one) => buildValue(map, block, { ...one, staleAfterS })),
    ),
  };
}

interface NamedValue {
  readonly ident: string;
  readonly value: ValueEntry;
}

/** The values of an entry with a count: OUTPUT_1, OUTPUT_2 … at consecutive addresses. */
export function numbered(ident: string, value: ValueEntry): NamedValue[] {
  const { count = 1, ...one } = value;
  if (count === 1) return [{ ident, value: one }];
  const step = one.bit === undefined ? lengthOf(one) : 0;
  return Array.from({ length: count }, (_, index) => ({
    ident: `${ident}_${index + 1}`,
    value: {
      ...one,
      at: one.at + index * step,
      ...(one.bit === undefined ? {} : { bit: one.bit + index }),
      ...(one.writeAt === undefined ? {} : { writeAt: one.writeAt + index * step }),
      ...(one.name === undefined ? {} : { name: `${one.name} ${index + 1}` }),
    },
  }));
}

/** The data type of a value in registers. */
export function dataTypeOf({ type = 'uint16' }: Pick<ValueEntry, 'type'>): DataType {
  return dataTypes.find(({ name }) => name === registerTypes[type]) as DataType;
}

/** Number of registers of a value. */
export function lengthOf(value: Pick<ValueEntry, 'type' | 'length'>): number {
  return dataTypeOf(value).registers ?? value.length ?? 1;
}

function buildValue(
  map: MapEntry,
  block: BlockEntry,
  { ident, value, staleAfterS }: NamedValue & { readonly staleAfterS: number },
): MapValue {
  const isBit = isBitTable(block.table);
  const layout: RegisterLayout | undefined = isBit
    ? undefined
    : {
        type: dataTypeOf(value),
        registers: lengthOf(value),
        factor: value.scale,
        swapBytes: map.bytes === 'low-first',
        swapWords: (value.words ?? map.words) === 'low-first',
      };
  return {
    ident,
    declaration: { ...declarationOf(ident, value, isBit), staleAfterS },
    at: value.at,
    length: isBit ? 1 : lengthOf(value),
    layout,
    bit: value.bit,
    scaleAt: value.scaleAt,
    offset: value.offset ?? 0,
    none: value.none,
    write: value.write === true ? writeOf(value, isBit) : undefined,
    variable: value.variable ?? '',
    bad: value.bad,
  };
}

function writeOf(value: ValueEntry, isBit: boolean): MapWrite {
  const single = isBit ? 5 : lengthOf(value) === 1 ? 6 : 16;
  return {
    code: (value.writeWith ?? single) as MapWrite['code'],
    at: value.writeAt ?? value.at,
    min: value.min ?? -Infinity,
    max: value.max ?? Infinity,
  };
}

/** What the ident says (`quantities.ts`), and what the entry says otherwise. */
function declarationOf(ident: string, value: ValueEntry, isBit: boolean): VariableDeclaration {
  const known = describeValue(ident);
  const isBoolean = isBit || value.bit !== undefined;
  const own = kindOf(value, isBit);
  const profile = profileFor(value, isBoolean, known);
  return {
    ident,
    name: value.name ?? known?.name ?? ident,
    type: known?.type ?? variableType[own],
    role: value.role ?? known?.role ?? 'detail',
    ...profile,
    ...(value.write === true ? { action: true } : {}),
    ...((value.counter ?? known?.counter === true) ? { counter: true } : {}),
  };
}

/** The kind of a value, by its registers: the profile of a unit is one of floats. */
export function kindOf(value: ValueEntry, isBit: boolean): 'boolean' | 'integer' | 'float' | 'string' {
  if (isBit || value.bit !== undefined) return 'boolean';
  const { kind } = dataTypeOf(value);
  const isFloat = [value.scale, value.scaleAt, value.offset, value.unit].some((one) => one !== undefined);
  return kind === 'integer' && isFloat ? 'float' : kind;
}

function profileFor(
  value: ValueEntry,
  isBoolean: boolean,
  known: VariableDeclaration | undefined,
): Partial<VariableDeclaration> {
  if (value.profile !== undefined) return { profile: value.profile };
  if (value.unit !== undefined) return profileOf({ unit: value.unit });
  if (isBoolean && value.write === true) return { profile: '~Switch' };
  return {
    ...(known?.profile === undefined ? {} : { profile: known.profile }),
    ...(known?.profileDefinition === undefined ? {} : { profileDefinition: known.profileDefinition }),
  };
}
