import { builtin, byName } from './builtin.js';
import { operate } from './operators.js';
import { NUMBER_FILTERS } from './number-filters.js';
import { matchesAnywhere, matchesStart } from './patterns.js';
import { textOf } from './text.js';
import { Callable, Dict, isTrue, Missing, Moment, numberOf, Tuple, type Value } from './value.js';
import type { Callables } from './filters.js';

const test = (name: string, isTrueFor: (value: Value) => boolean): Callable =>
  builtin(name, 'value', isTrueFor);

const hasRemainder = (value: Value, by: Value): boolean => isTrue(operate('%', value, by));

const comparison = (operator: string, names: readonly string[]): Callable[] =>
  names.map((name) =>
    builtin(name, 'value other', (value: Value, other: Value) => operate(operator, value, other)),
  );

const isSequence = (value: Value): boolean =>
  Array.isArray(value) || value instanceof Tuple || typeof value === 'string' || value instanceof Dict;

const isNumber = NUMBER_FILTERS.filter(({ name }) => name === 'is_number');

/** All tests (`x is …`). */
export const TESTS: Callables = byName(
  test('defined', (value) => !(value instanceof Missing)),
  test('undefined', (value) => value instanceof Missing),
  test('none', (value) => value === null),
  test('boolean', (value) => typeof value === 'boolean'),
  test('true', (value) => value === true),
  test('false', (value) => value === false),
  test('integer', (value) => typeof value === 'bigint'),
  test('float', (value) => typeof value === 'number'),
  test('number', (value) => numberOf(value) !== undefined),
  test('string', (value) => typeof value === 'string'),
  test('mapping', (value) => value instanceof Dict),
  test('sequence', isSequence),
  test('iterable', (value) => isSequence(value) || value instanceof Missing),
  test('list', (value) => Array.isArray(value)),
  test('tuple', (value) => value instanceof Tuple),
  test('datetime', (value) => value instanceof Moment),
  test('string_like', (value) => typeof value === 'string'),
  test('callable', (value) => value instanceof Callable),
  test('lower', (value) => textOf(value) === textOf(value).toLowerCase() && /\p{L}/u.test(textOf(value))),
  test('upper', (value) => textOf(value) === textOf(value).toUpperCase() && /\p{L}/u.test(textOf(value))),
  test('odd', (value) => operate('==', operate('%', value, 2n), 1n) === true),
  test('even', (value) => !hasRemainder(value, 2n)),
  ...isNumber,
  builtin('divisibleby', 'value num', (value: Value, by: Value) => !hasRemainder(value, by)),
  builtin('sameas', 'value other', (value: Value, other: Value) => value === other),
  builtin('in', 'value seq', (value: Value, whole: Value) => operate('in', value, whole)),
  builtin('contains', 'seq value', (whole: Value, value: Value) => operate('in', value, whole)),
  builtin('match', 'value find? ignorecase?', (value: Value, find: Value = '', ignore: Value = false) =>
    matchesStart(value, textOf(find), isTrue(ignore)),
  ),
  builtin('search', 'value find? ignorecase?', (value: Value, find: Value = '', ignore: Value = false) =>
    matchesAnywhere(value, textOf(find), isTrue(ignore)),
  ),
  ...comparison('==', ['eq', 'equalto', '==']),
  ...comparison('!=', ['ne', '!=']),
  ...comparison('<', ['lt', 'lessthan', '<']),
  ...comparison('<=', ['le', '<=']),
  ...comparison('>', ['gt', 'greaterthan', '>']),
  ...comparison('>=', ['ge', '>=']),
);
