import { coded, type Text } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import { isInexact } from '../base/json.js';
import { variableType, type Value, type VariableType } from './value.js';

/** Texts from 1024 kB on are rejected (interface §5). */
const STRING_LIMIT = 1024 * 1024;

const NUMERIC = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Parses a decimal number with optional surrounding white space; undefined if the text is none. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  // No number needs more characters.
  if (trimmed.length > 400 || !NUMERIC.test(trimmed)) return undefined;
  return Number(trimmed);
}

/** Rounds halves away from zero (interface, decision 6). */
export function roundHalfAway(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

/**
 * The boolean for `true`, `false`, 0, 1 and those words as text; undefined for anything else
 * (interface, decision 6).
 */
export function booleanOf(value: unknown): boolean | undefined {
  switch (value) {
    case true:
    case 1:
      return true;
    case false:
    case 0:
      return false;
    default:
      return typeof value === 'string' ? booleanWords[value.trim().toLowerCase()] : undefined;
  }
}

const booleanWords: Readonly<Record<string, boolean>> = Object.freeze(
  Object.assign(Object.create(null) as Record<string, boolean>, {
    true: true,
    false: false,
    '1': true,
    '0': false,
  }),
);

/**
 * As {@link convertValue}, for `SetValue`: there, and only there, `null` is 0, false or "" (interface,
 * decision 6).
 */
export function settableValue(type: VariableType, value: unknown): Value {
  return value === null ? initialValue(type) : convertValue(type, value);
}

/**
 * Converts a caller's value into a value of the variable's type (interface, decision 6 and §5): floats are
 * rounded for integers, numeric text is a number. Throws `CANNOT_CONVERT` if the conversion is ambiguous,
 * `TEXT_TOO_LONG` for text from 1024 kB.
 */
export function convertValue(type: VariableType, value: unknown, parameter = 'Value'): Value {
  switch (type) {
    case variableType.boolean: {
      const converted = booleanOf(value);
      if (converted === undefined)
        throw conversionFault(
          parameter,
          coded`BOOLEAN_TAKES_TRUE_FALSE: a boolean takes true, false, 0 or 1`,
        );
      return converted;
    }
    case variableType.integer: {
      const rounded = roundHalfAway(toNumber(value, parameter));
      if (!Number.isSafeInteger(rounded))
        throw conversionFault(parameter, coded`INTEGER_BEYOND: the integer is not from -(2^53-1) to 2^53-1`);
      return rounded + 0; // −0 becomes 0
    }
    case variableType.float:
      return toNumber(value, parameter);
    case variableType.string: {
      const text = toText(value, parameter);
      if (
        text.length >= STRING_LIMIT ||
        (text.length * 3 >= STRING_LIMIT && Buffer.byteLength(text) >= STRING_LIMIT)
      ) {
        throw fault('TEXT_TOO_LONG', coded`WHAT_TEXT: The text`, STRING_LIMIT - 1, 'bytes');
      }
      return text;
    }
  }
}

function toNumber(value: unknown, parameter: string): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'string' ? numberOf(value) : value;
  if (typeof value === 'string' && isInexact(value.trim()))
    throw conversionFault(
      parameter,
      coded`INTEGER_CAN_NOT_REPRESENTED: the integer cannot be represented exactly`,
    );
  if (typeof number !== 'number')
    throw conversionFault(parameter, coded`NOT_NUMBER: ${describe(value)} is not a number`);
  if (!Number.isFinite(number))
    throw conversionFault(parameter, coded`NUMBER_NOT_FINITE: the number is not finite`);
  return number;
}

function toText(value: unknown, parameter: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
    return String(value);
  throw conversionFault(parameter, coded`VALUE_NOT_SUPPORTED: ${describe(value)} is not supported`);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (value === null) return 'null';
  if (typeof value === 'string') return 'the text';
  return value === undefined ? 'nothing' : `an ${typeof value}`;
}

function conversionFault(parameter: string, why: Text) {
  return fault('CANNOT_CONVERT', parameter, why);
}

/** Whether a value has the type of a variable; integers must be safe integers, floats finite. */
export function isOfType(type: VariableType, value: unknown): value is Value {
  switch (type) {
    case variableType.boolean:
      return typeof value === 'boolean';
    case variableType.integer:
      return Number.isSafeInteger(value);
    case variableType.float:
      return Number.isFinite(value);
    case variableType.string:
      return typeof value === 'string';
  }
}

/** The value of a new variable. */
export function initialValue(type: VariableType): Value {
  return type === variableType.boolean ? false : type === variableType.string ? '' : 0;
}
