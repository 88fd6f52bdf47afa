import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { variableType } from '../../../src/device/module.js';
import { describeValue } from '../../../src/device/toolkit/meter-variables.js';
import { dataTypeOf, kindOf, lengthOf, numbered } from './build-map.js';
import {
  isBitTable,
  type BlockEntry,
  type IdentificationEntry,
  type MapEntry,
  type ValueEntry,
} from './map-schema.js';

/** Idents in a tree, as users write them in a map. */
const IDENT = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** Variables of one device or server; each is a row of the snapshot. */
const VALUES_LIMIT = 1000;
const LAST_ADDRESS = 65_535;

/** What a value in a table of bits can have. */
const BIT_KEYS: readonly string[] = [
  'at',
  'count',
  'name',
  'profile',
  'role',
  'write',
  'writeAt',
  'writeWith',
  'variable',
  'bad',
];

/** Adds an error at a key of the file. */
export type AddError = (path: readonly (string | number)[], text: Text) => void;

/** What a map is for: a device that is read, or values that this gateway serves. */
type MapPurpose = 'device' | 'server';

/** Checks what the schema of a map cannot express. */
export function checkMap(map: MapEntry, purpose: MapPurpose, add: AddError): void {
  const seen = new Set<string>();
  map.blocks.forEach((block, index) => {
    const at = ['blocks', index] as const;
    if (purpose === 'server' && block.models !== undefined)
      add([...at, 'models'], coded`MAP_SERVER_MODELS: the map of a server has no models`);
    for (const [ident, value] of Object.entries(block.values)) {
      const path = [...at, 'values', ident];
      const error = identError(ident, value) ?? tableError(block, value) ?? valueError(map, block, value);
      if (error !== undefined) add(path, error);
      const other = purpose === 'server' ? serverError(value) : deviceError(ident, block, value);
      if (error === undefined && other !== undefined) add(path, other);
      for (const { ident: one } of numbered(ident, value)) {
        if (seen.has(one)) add(path, coded`MAP_IDENT_TWICE: there is another value ${one} in this map`);
        seen.add(one);
      }
    }
  });
  if (seen.size > VALUES_LIMIT)
    add(
      ['blocks'],
      coded`MAP_TOO_MANY: the map has ${seen.size} values; at most ${VALUES_LIMIT} are allowed`,
    );
  (map.identify ?? []).forEach((entry, index) => {
    if (!isIdentification(entry))
      add(
        ['identify', index],
        coded`MAP_IDENTIFY: set "at" and "is" (a register), "vendor" or "product" (device identification), or "model" (SunSpec)`,
      );
  });
}

function isIdentification({ at, is, vendor, product, model }: IdentificationEntry): boolean {
  return (at !== undefined && is !== undefined) || (vendor ?? product ?? model) !== undefined;
}

function identError(ident: string, { count = 1 }: ValueEntry): Text | undefined {
  if (IDENT.test(count === 1 ? ident : `${ident}_99`)) return undefined;
  return coded`MAP_IDENT: an ident consists of letters, digits and _, begins with a letter and has at most 64 characters`;
}

function tableError(block: BlockEntry, value: ValueEntry): Text | undefined {
  const { table } = block;
  if (!isBitTable(table)) {
    if (value.write === true && table === 'input')
      return coded`MAP_READ_ONLY: values of ${table} cannot be written; remove write`;
    return undefined;
  }
  const other = Object.keys(value).find((key) => !BIT_KEYS.includes(key));
  if (other !== undefined)
    return coded`MAP_BIT_KEY: ${other} applies to registers; a value of ${table} is one bit`;
  if (table === 'discrete' && value.write === true)
    return coded`MAP_READ_ONLY: values of ${table} cannot be written; remove write`;
  return undefined;
}

function valueError(map: MapEntry, block: BlockEntry, value: ValueEntry): Text | undefined {
  const isBit = isBitTable(block.table);
  const { kind, registers } = dataTypeOf(value);
  const length = isBit ? 1 : lengthOf(value);
  const { bit, count = 1, scale, scaleAt, writeWith } = value;
  if (kind === 'string' && value.length === undefined)
    return coded`MAP_TEXT_LENGTH: a text requires length, its number of registers`;
  if (kind !== 'string' && value.length !== undefined)
    return coded`MAP_LENGTH: length applies to type text; ${value.type ?? 'uint16'} has ${registers ?? 1} registers`;
  if (bit !== undefined && (length !== 1 || kind === 'string' || bit + count > 16))
    return coded`MAP_BIT: bit requires a type of one register, and bits 0 to 15`;
  if (bit !== undefined && value.write === true)
    return coded`MAP_BIT_WRITE: one bit of a register cannot be written: the others would be overwritten`;
  if (scale === 0) return coded`MAP_SCALE: scale must not be 0`;
  if (scaleAt !== undefined && kind !== 'integer') return coded`MAP_SCALE_AT: scaleAt applies to integers`;
  if (!isBit && length > (map.limit ?? LAST_ADDRESS))
    return coded`MAP_LIMIT: it has ${length} registers; the map allows ${map.limit ?? 0} in a request`;
  if (value.at + count * length - 1 > LAST_ADDRESS)
    return coded`MAP_ADDRESS: its last address is beyond ${LAST_ADDRESS}`;
  if (writeWith !== undefined && !(isBit ? [5, 15] : length === 1 ? [6, 16] : [16]).includes(writeWith))
    return coded`MAP_WRITE_WITH: writeWith must be 5 or 15 for a coil, and 6 (one register) or 16 for registers`;
  return undefined;
}

function serverError({ variable, scaleAt }: ValueEntry): Text | undefined {
  if (variable === undefined) return coded`MAP_VARIABLE: give variable, the ident path of the variable`;
  if (scaleAt !== undefined) return coded`MAP_SERVER_SCALE: the map of a server has scale, not scaleAt`;
  return undefined;
}

function deviceError(ident: string, block: BlockEntry, value: ValueEntry): Text | undefined {
  if (value.variable !== undefined || value.bad !== undefined)
    return coded`MAP_DEVICE_KEY: variable and bad apply to the map of a server`;
  const known = describeValue(numbered(ident, value)[0]?.ident ?? ident);
  if (known === undefined && value.name === undefined)
    return coded`MAP_NAME: ${ident} is not a known ident; give it a name`;
  if (known === undefined) return undefined;
  const kind = kindOf(value, isBitTable(block.table));
  const isNumber = kind === 'integer' || kind === 'float';
  // A number of a meter is shown as text.
  const asText = known.type === variableType.string && kind === 'integer';
  const fits = asText || (known.type === variableType.float ? isNumber : known.type === variableType[kind]);
  return fits ? undefined : coded`MAP_KIND: the variable ${ident} cannot have a value of this type (${kind})`;
}
