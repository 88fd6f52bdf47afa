import type { ParameterKind, Parameter } from '../../../src/device/declare.js';

/** A value of each kind. */
const values: Readonly<Record<ParameterKind, unknown>> = {
  boolean: true,
  integer: 0,
  float: 0.5,
  string: '',
  variant: 0,
  array: [],
};

/**
 * Values that no parameter of that kind takes (decision 6). What a variant takes is its function's business.
 */
const wrong: Readonly<Record<ParameterKind, readonly unknown[]>> = {
  boolean: [2, 'yes', null, [], {}],
  integer: [3.5, 'x', '', true, null, [], {}, 2 ** 53],
  float: ['x', '', true, null, [], {}],
  string: [true, null, [], {}],
  variant: [],
  array: ['x', 1, true, null],
};

/** A value that a parameter takes: an enumeration's first. */
export const validValue = ({ kind }: Parameter): unknown => values[kind];

/** Values that a parameter refuses for their type. */
export const mistypedValues = ({ kind }: Parameter): readonly unknown[] => wrong[kind];

/** Values that a parameter refuses because its enumeration has no such number. */
export const outOfRangeValues = ({ enumeration }: Parameter): readonly number[] =>
  enumeration === undefined ? [] : [-1, enumeration.length];
