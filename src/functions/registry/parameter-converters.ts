import { fault } from '../../base/fault.js';
import { isInexact } from '../../base/json.js';
import type { ParameterKind, Parameter } from '../../device/declare.js';
import { booleanOf, numberOf } from '../../kernel/convert.js';

/** Makes a value of a parameter's kind out of what a caller sent, or throws a fault of code −32602 (decision 6). */
export type Converter = (value: unknown) => unknown;

/** The converter of one parameter; made once per function, so that a call looks nothing up. */
export function converterOf(parameter: Parameter): Converter {
  const { name, enumeration } = parameter;
  const convert = byKind[parameter.kind](name);
  if (enumeration === undefined) return convert;
  const count = enumeration.length;
  return (value) => {
    const number = convert(value) as number;
    if (number < 0 || number >= count) throw fault('PARAMETER_BOUNDS', name);
    return number;
  };
}

const byKind: Readonly<Record<ParameterKind, (name: string) => Converter>> = {
  boolean: (name) => (value) => {
    if (typeof value === 'boolean') return value;
    const converted = booleanOf(value);
    if (converted === undefined) throw refuse(name, 'it takes true, false, 0 or 1', value);
    return converted;
  },
  integer: (name) => (value) => {
    const number = typeof value === 'string' ? numberOf(value) : value;
    if (!Number.isSafeInteger(number)) throw refuse(name, 'it takes an integer within ±(2⁵³−1)', value);
    return (number as number) + 0; // −0 becomes 0
  },
  float: (name) => (value) => {
    const number = typeof value === 'string' ? numberOf(value) : value;
    if (!Number.isFinite(number)) throw refuse(name, 'it takes a number', value);
    if (typeof value === 'string' && isInexact(value.trim()))
      throw refuse(name, 'it takes a number that can be represented exactly', value);
    return number;
  },
  // A number has one obvious text; true, null and lists have several.
  string: (name) => (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
    throw refuse(name, 'it takes a text', value);
  },
  variant: (name) => (value) => {
    if (value === undefined) throw refuse(name, 'it takes a value', value);
    return value;
  },
  array: (name) => (value) => {
    if (typeof value === 'object' && value !== null) return value;
    throw refuse(name, 'it takes a list', value);
  },
};

function refuse(name: string, takes: string, value: unknown) {
  return fault('PARAMETER_TYPE', name, `${takes}, not ${describe(value)}`);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? 'this text' : `an ${typeof value}`;
}
