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

/** Values that no parameter of that kind accepts (decision 6). A variant depends on its function. */
const wrong: Readonly<Record<ParameterKind, readonly unknown[]>> = {
  boolean: [2, 'yes', null, [], {}],
  integer: [3.5, 'x', '', true, null, [], {}, 2 ** 53],
  float: ['x', '', true, null, [], {}],
  string: [true, null, [], {}],
  variant: [],
  array: ['x', 1, true, null],
};

/** A valid value for a parameter: the first one of an enumeration. */
export const validValue = ({ kind }: Parameter): unknown => values[kind];

/** Values that a parameter rejects because of their type. */
export const mistypedValues = ({ kind }: Parameter): readonly unknown[] => wrong[kind];

/** Values that a parameter rejects because they are not in its enumeration. */
export const outOfRangeValues = ({ enumeration, extension = [] }: Parameter): readonly number[] =>
  enumeration === undefined ? [] : [-1, enumeration.length + extension.length];
