import { ModelFault } from './snapshot-types.js';

/** Initial values of variables, by type. */
export const initial: readonly unknown[] = [false, 0, 0, ''];

/** The result of converting a value for a variable or a profile of a type. */
export function convert(type: number, value: unknown): unknown {
  if (type === 3) {
    if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
    throw new ModelFault('CANNOT_CONVERT');
  }
  if (type === 0) {
    if ([true, 1, 'true', '1'].includes(value as never)) return true;
    if ([false, 0, 'false', '0'].includes(value as never)) return false;
    throw new ModelFault('CANNOT_CONVERT');
  }
  const isNumber = typeof value === 'number' || typeof value === 'boolean' || /^\d+$/.test(String(value));
  if (!isNumber || Array.isArray(value)) throw new ModelFault('CANNOT_CONVERT');
  const number = Number(value);
  if (type === 2) return number;
  const rounded = number < 0 ? -Math.round(-number) : Math.round(number);
  if (Math.abs(rounded) > Number.MAX_SAFE_INTEGER) throw new ModelFault('CANNOT_CONVERT');
  return rounded;
}
