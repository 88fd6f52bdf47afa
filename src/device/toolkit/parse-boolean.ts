import { fault } from '../../base/fault.js';

/** The value of a command for a boolean variable. Throws `CANNOT_CONVERT`. */
export function parseBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw fault('CANNOT_CONVERT', 'Value', 'it must be true or false');
  return value;
}
