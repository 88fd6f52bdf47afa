/**
 * The parsed address of a gateway, with the credentials apart, so that no error message contains them.
 */
export interface Address {
  /** `http://host:port/api/`, without credentials: `fetch` rejects addresses with credentials. */
  readonly http: string;
  /** Value of the `Authorization` header; undefined without credentials. */
  readonly authorization: string | undefined;
  /** WebSocket sub-protocol: percent-encoded Base64 (interface E3, version 5.3 and later). */
  readonly protocol: string | undefined;
}

/**
 * Parses `http://user%40example.org:password@host:3777/api/` (or `https:`). The default path is `/api/`. User
 * name and password are percent-decoded and sent as UTF-8. Throws a `TypeError` that does not contain the
 * address.
 */
export function readAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('The address must look like http://user:password@host:3777/api/');
  }
  const pair = `${decode(url.username)}:${decode(url.password)}`;
  const path = url.pathname === '/' ? '/api/' : url.pathname;
  const base64 = pair === ':' ? undefined : toBase64(pair);
  return {
    http: `${url.protocol}//${url.host}${path}`,
    authorization: base64 === undefined ? undefined : `Basic ${base64}`,
    protocol: base64 === undefined ? undefined : encodeURIComponent(base64),
  };
}

/**
 * The WebSocket address of the complete API, or of a configurator's area (interface E4, 5.2 and later).
 */
export function socketAddress(
  address: Address,
  options: { since: number; configurator?: number | undefined },
): string {
  const path = options.configurator === undefined ? '' : `../wfc/${options.configurator}/api/`;
  const url = new URL(path, address.http.replace(/^http/, 'ws'));
  url.searchParams.set('since', String(options.since));
  return url.href;
}

/** Percent-decodes a text; a `%` that does not start a valid escape is literal. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}
