import type { Value } from '../module.js';

/** A value of a telegram, converted to the unit of its variable. */
export interface Reading {
  readonly ident: string;
  readonly value: Value;
  /** The value of the last digit, in the unit of the variable; 0 if it is not known. */
  readonly resolution: number;
  /** False for a value that is added only if the owner lists it; true by default. */
  readonly isPresent?: boolean;
  /** When it was measured, unix milliseconds, if the telegram says so. */
  readonly atMs?: number;
}

/** Decimal digits that a double has: the error of a conversion is in the digits after them. */
const EXACT_DIGITS = 15;

/** The product or quotient of two numbers without the error of the last binary digit. */
export function exact(value: number): number {
  return Number(value.toPrecision(EXACT_DIGITS));
}
