import { readFile } from 'node:fs/promises';
import { coded } from '../../base/codes/coded-text.js';
import { codedMessageOf, faultFrom } from '../../base/fault.js';

/** Reads the file that a property names. Throws `DEVICE_CONFIGURATION` with the property's name. */
export async function readPropertyFile(property: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (thrown) {
    throw faultFrom(
      thrown,
      'DEVICE_CONFIGURATION',
      coded`CANNOT_BE_READ: ${property} cannot be read: ${codedMessageOf(thrown)}`,
    );
  }
}
