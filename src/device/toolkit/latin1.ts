import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';

/**
 * Encodes text as bytes, one byte per character (interface, decision 20). Throws `CANNOT_CONVERT` for
 * characters above U+00FF.
 */
export function encodeLatin1(text: string, parameter = 'Text'): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.toString('latin1') !== text) {
    throw fault(
      'CANNOT_CONVERT',
      parameter,
      coded`ONE_BYTE_CHARACTERS: one character is one byte; U+0000 to U+00FF only`,
    );
  }
  return bytes;
}
