import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { isInexact } from '../../base/json.js';
import type { ParameterKind, Parameter } from '../../device/declare.js';
import { booleanOf, numberOf } from '../../kernel/convert.js';

/**
 * Converts what a caller sent to a parameter's kind, or throws a fault with code −32602 (interface, decision
 * 6).
 */
export type Converter = (value: unknown) => unknown;

/** The converter of one parameter. It is created once per function, so that a call needs no lookup. */
export function converterOf(parameter: Parameter): Converter {
  const { name, enumeration, extension = [] } = parameter;
  const convert = byKind[parameter.kind](name);
  if (enumeration === undefined) return convert;
  const count = enumeration.length + extension.length;
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
    if (converted === undefined) throw typeFault(name, 'expected true, false, 0 or 1', value);
    return converted;
  },
  integer: (name) => (value) => {
    const number = typeof value === 'string' ? numberOf(value) : value;
    if (!Number.isSafeInteger(number)) throw typeFault(name, 'expected an integer within ±(2⁵³−1)', value);
    return (number as number) + 0; // −0 becomes 0
  },
  float: (name) => (value) => {
    const number = typeof value === 'string' ? numberOf(value) : value;
    if (!Number.isFinite(number)) throw typeFault(name, 'expected a number', value);
    if (typeof value === 'string' && isInexact(value.trim()))
      throw typeFault(name, 'expected a number that can be represented exactly', value);
    return number;
  },
  // A number has one obvious text form; true, null and lists have several.
  string: (name) => (value) => {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return String(value);
    throw typeFault(name, 'expected a string', value);
  },
  variant: (name) => (value) => {
    if (value === undefined) throw typeFault(name, 'expected a value', value);
    return value;
  },
  array: (name) => (value) => {
    if (typeof value === 'object' && value !== null) return value;
    throw typeFault(name, 'expected a list or an object', value);
  },
};

function typeFault(name: string, expected: string, value: unknown) {
  return fault('PARAMETER_TYPE', name, coded`GOT: ${expected}, got ${describe(value)}`);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? 'this string' : `an ${typeof value}`;
}
