import type { Parameter } from '../../src/device/declare.js';

/** A value that a parameter takes. */
export function fitting({ kind }: Parameter): unknown {
  return { boolean: true, integer: 0, float: 0.5, string: '', variant: 0, array: [] }[kind];
}
