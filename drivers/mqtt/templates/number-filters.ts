import { type Given, builtin } from './builtin.js';
import { floatOf, integerOf, orDefault, rounded } from './numbers.js';
import { compare, existing } from './operators.js';
import { textOf } from './text.js';
import {
  type Callable,
  isTrue,
  itemsOf,
  Missing,
  numberOf,
  TemplateError,
  typeName,
  type Value,
} from './value.js';

/** A function of one float, with a default for values outside of its domain. */
const ofFloat = (name: string, calculate: (value: number) => number): Callable =>
  builtin(name, 'value default?', (value: Value, otherwise?: Value) => {
    const number = floatOf(value);
    const result = number === undefined ? NaN : calculate(number);
    return orDefault(name, value, Number.isFinite(result) ? result : undefined, otherwise);
  });

/** The numbers of one list, or of the arguments. */
function numbersOf(name: string, values: readonly Value[]): number[] {
  const [first] = values;
  const list =
    values.length === 1 && first !== undefined && typeof first === 'object' ? itemsOf(first) : values;
  if (list.length === 0) throw new TemplateError(`${name} expected at least 1 argument`);
  return list.map((one) => {
    const number = floatOf(one);
    if (number === undefined) throw new TemplateError(`${name} got invalid input '${textOf(one)}'`);
    return number;
  });
}

/** The smallest or largest of one list, or of the arguments. */
const extreme = (name: string, sign: 1 | -1): Callable =>
  builtin(name, '*values', (values: readonly Value[]) => {
    const [first] = values;
    const list = values.length === 1 && first !== undefined ? itemsOf(existing(first)) : values;
    const [head, ...rest] = list;
    if (head === undefined) return new Missing('No aggregated item, sequence was empty.');
    return rest.reduce((best, one) => (sign * compare(one, best, '<') < 0 ? one : best), head);
  });

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
}

const bits = (name: string, calculate: (a: bigint, b: bigint) => bigint): Callable =>
  builtin(name, 'first second', (first: Value, second: Value) => {
    const [a, b] = [integerOf(first), integerOf(second)];
    if (a === undefined || b === undefined) throw new TemplateError(`${name} expects integers`);
    return calculate(a, b);
  });

/** Filters of numbers; most of them are functions, too. */
export const NUMBER_FILTERS: readonly Callable[] = [
  builtin('float', 'value default?', (value: Value, otherwise?: Value) =>
    orDefault('float', value, floatOf(value), otherwise),
  ),
  builtin('int', 'value default? base?', (value: Value, otherwise?: Value, base: Value = 10n) => {
    const integer = integerOf(value, Number(integerOf(base) ?? 10n));
    // “21.5” is the integer 21.
    const float = integer ?? floatOf(value);
    const whole = typeof float === 'number' && Number.isFinite(float) ? BigInt(Math.trunc(float)) : integer;
    return orDefault('int', value, whole, otherwise);
  }),
  builtin('bool', 'value default?', (value: Value, otherwise?: Value) => {
    if (typeof value === 'boolean') return value;
    const number = numberOf(value);
    if (number !== undefined) return Number(number) !== 0;
    const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
    const known = ['true', 'yes', 'on', '1', 'enable'].includes(text)
      ? true
      : ['false', 'no', 'off', '0', 'disable'].includes(text)
        ? false
        : undefined;
    return orDefault('bool', value, known, otherwise);
  }),
  builtin(
    'round',
    'value precision? method? default?',
    (...[value, precision = 0n, method = 'common', otherwise]: Given) => {
      const number = floatOf(value);
      const decimals = Number(integerOf(precision) ?? 0n);
      if (Math.abs(decimals) > 15) throw new TemplateError('round has at most 15 decimals');
      const result = number === undefined ? undefined : rounded(number, decimals, textOf(method));
      return orDefault('round', value, result, otherwise);
    },
  ),
  builtin('abs', 'value', (value: Value) => {
    const number = numberOf(existing(value));
    if (number === undefined) throw new TemplateError(`bad operand type for abs(): '${typeName(value)}'`);
    return number < 0 ? -number : number;
  }),
  builtin('multiply', 'value amount default?', (value: Value, amount: Value, otherwise?: Value) => {
    const number = floatOf(value);
    const by = numberOf(amount);
    return orDefault(
      'multiply',
      value,
      number === undefined || by === undefined ? undefined : number * Number(by),
      otherwise,
    );
  }),
  builtin('add', 'value amount default?', (value: Value, amount: Value, otherwise?: Value) => {
    const number = floatOf(value);
    const by = numberOf(amount);
    return orDefault(
      'add',
      value,
      number === undefined || by === undefined ? undefined : number + Number(by),
      otherwise,
    );
  }),
  builtin('log', 'value base? default?', (value: Value, base: Value = Math.E, otherwise?: Value) => {
    const [number, root] = [floatOf(value), floatOf(base)];
    const result = number === undefined || root === undefined ? NaN : Math.log(number) / Math.log(root);
    return orDefault('log', value, Number.isFinite(result) ? result : undefined, otherwise);
  }),
  ofFloat('sin', Math.sin),
  ofFloat('cos', Math.cos),
  ofFloat('tan', Math.tan),
  ofFloat('asin', Math.asin),
  ofFloat('acos', Math.acos),
  ofFloat('atan', Math.atan),
  ofFloat('sqrt', Math.sqrt),
  extreme('min', 1),
  extreme('max', -1),
  builtin('average', '*values', (values: readonly Value[]) => {
    const all = numbersOf('average', values);
    return all.reduce((total, one) => total + one, 0) / all.length;
  }),
  builtin('median', '*values', (values: readonly Value[]) => median(numbersOf('median', values))),
  bits('bitwise_and', (a, b) => a & b),
  bits('bitwise_or', (a, b) => a | b),
  bits('bitwise_xor', (a, b) => a ^ b),
  builtin('is_number', 'value', (value: Value) => {
    const number = typeof value === 'boolean' ? undefined : floatOf(value);
    return typeof value === 'boolean' || (number !== undefined && Number.isFinite(number));
  }),
  builtin('clamp', 'value min_value max_value', (value: Value, low: Value, high: Value) => {
    const [number, from, to] = [value, low, high].map((one) => floatOf(one));
    if (number === undefined || from === undefined || to === undefined)
      throw new TemplateError('clamp expects numbers');
    return Math.min(Math.max(number, from), to);
  }),
  builtin('iif', 'value if_true? if_false? if_none?', (...[value, yes = true, no = false, none]: Given) =>
    value === null && none !== undefined ? none : isTrue(value) ? yes : no,
  ),
];
