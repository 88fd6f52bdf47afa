/** The value of a variable. Integers are within ±(2⁵³−1); floats are finite. */
export type Value = boolean | number | string;

/** The four variable types, by their numbers in the interface (§1). */
export const variableType = { boolean: 0, integer: 1, float: 2, string: 3 } as const;
export type VariableType = (typeof variableType)[keyof typeof variableType];
/** The names of the types by their numbers. */
export const variableTypeNames = ['boolean', 'integer', 'float', 'string'] as const;
