import { fault } from '../../base/fault.js';

/** A text as bytes, one character a byte (decision 20). Throws `CANNOT_CONVERT` for a character that has none. */
export function encodeLatin1(text: string, parameter = 'Text'): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.toString('latin1') !== text) {
    throw fault('CANNOT_CONVERT', parameter, 'one character is one byte; U+0000 to U+00FF only');
  }
  return bytes;
}
