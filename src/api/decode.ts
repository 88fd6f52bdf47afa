import { isUtf8 } from 'node:buffer';
import { fault, faultFrom, messageOf } from '../base/fault.js';

/** How deep a request may nest: a batch of calls with lists of lists in them takes 6. */
export const DEPTH_LIMIT = 64;

/** How many values a request may hold: parsed, they take up to 60 bytes each, and a small box has 512 MB. */
export const VALUES_LIMIT = 1_000_000;

/** A text too short to break either limit, each level and each value taking at least two bytes. */
const HARMLESS_BYTES = 2 * DEPTH_LIMIT;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Reads a JSON text (RFC 8259) that anybody may have sent. Throws `PARSE_ERROR` for what is no JSON, no UTF-8, nested
 * deeper than `DEPTH_LIMIT` or holds more than `VALUES_LIMIT` values; the latter two before anything is built of it.
 */
export function decodeJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw fault('PARSE_ERROR', 'the text is not UTF-8');
  if (bytes.length > HARMLESS_BYTES) checkShape(bytes);
  try {
    return JSON.parse(bytes.toString());
  } catch (thrown) {
    throw faultFrom(thrown, 'PARSE_ERROR', withoutText(messageOf(thrown)));
  }
}

function checkShape(bytes: Buffer): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      at = endOfString(bytes, at);
    } else if (byte === comma) {
      values += 1;
    } else if ((byte | 0x20) === 0x7b) {
      // [ and { differ in one bit, as do ] and }.
      values += 1;
      if (++depth > DEPTH_LIMIT) throw fault('PARSE_ERROR', `nested deeper than ${DEPTH_LIMIT} levels`);
    } else if ((byte | 0x20) === 0x7d) {
      depth -= 1;
    }
  }
  if (values > VALUES_LIMIT) throw fault('PARSE_ERROR', `more than ${VALUES_LIMIT} values`);
}

/** The place of the quote that ends the string begun at `at`; the end of the text when none does. */
function endOfString(bytes: Buffer, at: number): number {
  for (at += 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === backslash) at += 1;
    else if (byte === quote) return at;
  }
  return at;
}

/** V8 quotes the text around the mistake, which may hold a secret; answers and logs go without. */
function withoutText(message: string): string {
  return message.replace(/, (\.\.\.)?".*$/s, '');
}
