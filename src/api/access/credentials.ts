import { isUtf8 } from 'node:buffer';

/** The user name that a temporary token is the password of. */
export const TOKEN = 'token';

/** A user name and a password, as received. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/**
 * A configured password: a hash of `hashPassword`, or plain text.
 */
export interface Secret {
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
}

/**
 * Reads an `Authorization` header (RFC 7617; a temporary token by RFC 6750). Undefined if there are no valid
 * credentials; the word `null`, which a known client sends, is none (interface, decision 3).
 */
export function readAuthorization(header: string | undefined): Login | undefined {
  const [, scheme, value = ''] = /^(basic|bearer)\s+(\S.*)$/is.exec(header?.trim() ?? '') ?? [];
  if (scheme === undefined) return undefined;
  if (scheme.toLowerCase() === 'bearer')
    return /\s/.test(value) ? undefined : { username: TOKEN, password: value };
  // Encoders that break lines (RFC 2045) leave white space within.
  return readBase64(value.replace(/\s+/g, ''));
}

/**
 * Finds credentials in an offered sub-protocol (E3): Base64, its padding removed or not, percent-encoded or
 * not. Returns also what to echo: of several offers the one with the credentials, unchanged; a single one in
 * any case.
 */
export function readProtocol(header: string | undefined): {
  login: Login | undefined;
  echo: string | undefined;
} {
  const offers = (header ?? '').split(',').map((offer) => offer.trim());
  for (const offer of offers) {
    const login = readBase64(percentDecoded(offer));
    if (login !== undefined) return { login, echo: offer };
  }
  // Other bytes could not be echoed as they came.
  const [first = ''] = offers;
  return { login: undefined, echo: /^[\x21-\x7e]+$/.test(first) ? first : undefined };
}

/** `user:password` in Base64; as UTF-8, or as Latin-1 if that is invalid (interface, decision 3). */
function readBase64(encoded: string): Login | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a header contains no credentials; the word `null` is none (interface, decision 3). */
export function hasNoCredentials(header: string | undefined): boolean {
  return header === undefined || ['', 'null'].includes(header.trim());
}
