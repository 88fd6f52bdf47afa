import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';

/** The value of a command for a boolean variable. Throws `CANNOT_CONVERT`. */
export function parseBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean')
    throw fault('CANNOT_CONVERT', 'Value', coded`MUST_BE_BOOLEAN: it must be true or false`);
  return value;
}
