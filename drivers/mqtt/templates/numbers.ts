import { roundedText, textOf } from './text.js';
import { Missing, numberOf, TemplateError, type Value } from './value.js';

const INTEGER = /^[+-]?\d+(_\d+)*$/;
/** Matches in linear time: no two parts that follow each other can match the same digits. */
const FLOAT = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+)?$/i;
/** Characters of a text that is read as a number. */
const NUMBER_LIMIT = 1000;
/** Bases by their prefixes. */
const BASES = new Map([
  ['0b', 2],
  ['0o', 8],
  ['0x', 16],
]);
const NOT_FINITE = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['nan', NaN],
]);

/** A float of a number or its text; undefined for anything else. */
export function floatOf(value: Value): number | undefined {
  const number = numberOf(value);
  if (number !== undefined) return Number(number);
  if (typeof value !== 'string' || value.length > NUMBER_LIMIT) return undefined;
  const text = value.trim();
  if (FLOAT.test(text)) return Number(text.replaceAll('_', ''));
  const [, sign, name = ''] = /^([+-]?)(\w+)$/.exec(text.toLowerCase()) ?? [];
  const special = NOT_FINITE.get(name);
  return special === undefined ? undefined : sign === '-' ? -special : special;
}

/** An integer of a number, which is truncated, or of an integer’s text; undefined for anything else. */
export function integerOf(value: Value, base = 10): bigint | undefined {
  const number = numberOf(value);
  if (typeof number === 'bigint') return number;
  if (typeof number === 'number') return Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
  if (typeof value !== 'string' || value.length > NUMBER_LIMIT) return undefined;
  const text = value.trim().replaceAll('_', '');
  if (base !== 10) return integerInBase(text, base);
  return INTEGER.test(text) ? BigInt(text.replace('+', '')) : undefined;
}

/** The integer of a text whose characters are all digits of the base; base 0 is that of the prefix. */
function integerInBase(text: string, base: number): bigint | undefined {
  const [, sign, all = ''] = /^([+-]?)(.+)$/.exec(text.toLowerCase()) ?? [];
  const prefixed = BASES.get(all.slice(0, 2));
  const isPrefix = prefixed !== undefined && (base === 0 || base === prefixed);
  const digits = isPrefix ? all.slice(2) : all;
  const radix = isPrefix ? prefixed : base === 0 ? 10 : base;
  if (digits === '' || !Array.from(digits).every((one) => Number.parseInt(one, radix) >= 0)) return undefined;
  let read = 0n;
  for (const one of digits) read = read * BigInt(radix) + BigInt(Number.parseInt(one, radix));
  return sign === '-' ? -read : read;
}

/** A conversion that failed: the default, or an error. */
export function orDefault<T extends Value>(
  ...[name, value, converted, otherwise]: readonly [
    name: string,
    value: Value,
    converted: T | undefined,
    otherwise: Value | undefined,
  ]
): Value {
  if (converted !== undefined) return converted;
  if (otherwise !== undefined) return otherwise;
  if (value instanceof Missing) throw new TemplateError(value.what);
  throw new TemplateError(`${name} got invalid input '${textOf(value)}', but no default was specified`);
}

/** Rounds as Home Assistant does: `common` to the nearest, ties to even; an integer if there are no decimals. */
export function rounded(value: number, decimals: number, method: string): Value {
  const scale = 10 ** decimals;
  const result = {
    ceil: () => Math.ceil(value * scale) / scale,
    floor: () => Math.floor(value * scale) / scale,
    half: () => Number(roundedText(value * 2, 0)) / 2,
    common: () =>
      decimals < 0 ? Number(roundedText(value * scale, 0)) / scale : Number(roundedText(value, decimals)),
  }[method === 'ceil' || method === 'floor' || method === 'half' ? method : 'common']();
  if (decimals !== 0) return result;
  if (!Number.isFinite(result)) throw new TemplateError('cannot convert float infinity to integer');
  return BigInt(Math.trunc(result));
}
