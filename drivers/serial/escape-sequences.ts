import { coded } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';

const NAMED: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '0': '\0', '\\': '\\' };

/**
 * Parses the escape sequences `\r \n \t \0 \\ \xHH` in a configured text, so that control characters can be
 * written with any YAML quoting. Throws `DEVICE_CONFIGURATION` for other escapes.
 */
export function parseEscapes(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|([\s\S]?))/g, (_all, hex: string | undefined, name: string) => {
    if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
    const character = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
    if (character === undefined) {
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`ESCAPE_INVALID: \\${name} is not one of the escapes \\r \\n \\t \\0 \\\\ \\xHH`,
      );
    }
    return character;
  });
}
