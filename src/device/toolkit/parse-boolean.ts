import { fault } from '../../base/fault.js';

/** A written value that is to be on or off. Throws `CANNOT_CONVERT`. */
export function parseBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw fault('CANNOT_CONVERT', 'Value', 'it must be true or false');
  return value;
}
