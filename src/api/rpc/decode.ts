import { isUtf8 } from 'node:buffer';
import { fault, faultFrom, messageOf } from '../../base/fault.js';
import { findBigInt, isInexact, parseExactly } from '../../base/json.js';

/** How deep a request may nest: a batch of calls with lists of lists in them takes 6. */
const DEPTH_LIMIT = 64;

/** Limit of values in a request: parsed, they take up to 60 bytes each, and a small box has 512 MB. */
const VALUES_LIMIT = 1_000_000;

/**
 * How many values a request with an inexact integer may have: finding that integer takes a microsecond for
 * each.
 */
const INEXACT_LIMIT = 10_000;

/**
 * Replaces parameters that contain an integer that no double represents exactly; they must not be used
 * (interface, decision 6).
 */
export class InexactParams {
  readonly numeral: string;
  constructor(numeral: bigint) {
    this.numeral = String(numeral);
  }
}

const quote = 0x22;
const backslash = 0x5c;
const plus = 0x2b;
const comma = 0x2c;
const slash = 0x2f;
const zero = 0x30;
const nine = 0x39;
const letterE = 0x65;

/** Every integer with fewer digits is exact as a double. */
const LONG_NUMERAL = 16;

/**
 * Parses a JSON text (RFC 8259) from an untrusted source. Throws `PARSE_ERROR` if it is not JSON, not UTF-8,
 * nested deeper than `DEPTH_LIMIT` or has more than `VALUES_LIMIT` values; the latter two are checked before
 * anything is built. Parameters with an integer that no double represents are replaced by
 * {@link InexactParams}; such an id is a bigint.
 */
export function decodeJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw fault('PARSE_ERROR', 'the text is not UTF-8');
  const { values, isExact } = shapeOf(bytes);
  if (!isExact && values > INEXACT_LIMIT)
    throw fault('PARSE_ERROR', 'an integer in it cannot be represented exactly');
  try {
    const text = bytes.toString();
    return isExact ? (JSON.parse(text) as unknown) : withoutInexact(parseExactly(text));
  } catch (thrown) {
    throw faultFrom(thrown, 'PARSE_ERROR', withoutText(messageOf(thrown)));
  }
}

/**
 * As {@link decodeJson}, but undefined if it is not JSON: the parse error is reported only to the owner.
 */
export function tryDecode(bytes: Buffer): unknown {
  try {
    return decodeJson(bytes);
  } catch {
    return undefined;
  }
}

function withoutInexact(message: unknown): unknown {
  for (const request of Array.isArray(message) ? (message as unknown[]) : [message]) {
    if (typeof request !== 'object' || request === null || !('params' in request)) continue;
    // A bare number is not a parameter list, exact or not; it is rejected later.
    const numeral = typeof request.params === 'object' ? findBigInt(request.params) : undefined;
    if (numeral !== undefined) request.params = new InexactParams(numeral);
  }
  return message;
}

/**
 * The number of values in a text, and whether all its integers are exact as doubles. Throws `PARSE_ERROR`
 * beyond the limits.
 */
function shapeOf(bytes: Buffer): { values: number; isExact: boolean } {
  let depth = 0;
  let values = 1;
  let isExact = true;
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
    } else if (byte >= zero && byte <= nine) {
      const end = endOfNumeral(bytes, at);
      isExact &&= end - at < LONG_NUMERAL || !isInexact(bytes.toString('latin1', at, end));
      at = end - 1;
    }
  }
  if (values > VALUES_LIMIT) throw fault('PARSE_ERROR', `more than ${VALUES_LIMIT} values`);
  return { values, isExact };
}

/** The end of the numeral whose first digit is at `at`. */
function endOfNumeral(bytes: Buffer, at: number): number {
  let end = at + 1;
  for (; end < bytes.length; end++) {
    const byte = bytes[end] as number;
    // Digits, and the characters of fractions and exponents: . + - e E.
    if (byte < plus || byte === comma || byte === slash || (byte > nine && (byte | 0x20) !== letterE)) break;
  }
  return end;
}

/**
 * The position of the quote that ends the string starting at `at`; the end of the text if it is unterminated.
 */
function endOfString(bytes: Buffer, at: number): number {
  for (at += 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === backslash) at += 1;
    else if (byte === quote) return at;
  }
  return at;
}

/** V8 quotes the text around the error, which may contain a secret: replies and logs must not show it. */
function withoutText(message: string): string {
  return message.replace(/, (\.\.\.)?".*$/s, '');
}
