import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { ipVersion, isLoopback, isLoopbackHost } from '../../base/addresses.js';

/**
 * Which `Host` and `Origin` a request may carry (interface, decision 4): against DNS rebinding and calls
 * across sites.
 */
export interface OriginRules {
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Names in the server's certificate. */
  readonly certificateNames: readonly string[];
  /** `api.local: open`, and it listens on a loopback address. */
  readonly isOpenLocally?: boolean;
}

/** Headers of proxies: what they pass on may come from anywhere. */
const FORWARDED =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/** Decides about `Host` and `Origin` headers of one listener. */
export class OriginPolicy {
  readonly #hosts: ReadonlySet<string>;
  readonly #suffixes: readonly string[];
  readonly #origins: ReadonlySet<string>;

  readonly #isOpenLocally: boolean;

  constructor(
    { allowedOrigins, allowedHosts, certificateNames, isOpenLocally = false }: OriginRules,
    ownName = hostname(),
  ) {
    this.#isOpenLocally = isOpenLocally;
    const own = ownName.toLowerCase().replace(/\.local$/, '');
    const names = [...allowedHosts, ...certificateNames].map((name) => name.toLowerCase());
    this.#hosts = new Set(['localhost', own, `${own}.local`, ...names]);
    this.#suffixes = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
    this.#origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  }

  /** The header may be absent only in HTTP/1.0: the listener rejects newer requests without one. */
  allowsHost(header: string | undefined): boolean {
    if (header === undefined) return true;
    const name = /^(\[[\da-f:.%]+\]|[^:[\]@/\\?#\s]+)(?::\d{0,5})?$/i.exec(header)?.[1]?.toLowerCase();
    if (name === undefined) return false;
    if (name.startsWith('[')) return ipVersion(name.slice(1, -1)) === 6;
    if (ipVersion(name) === 4) return true;
    const bare = name.replace(/\.$/, '');
    if (this.#hosts.has(bare)) return true;
    // A wildcard matches one label, as in certificates (RFC 9525 §6.3).
    return this.#suffixes.some((suffix) => bare.indexOf('.') > 0 && bare.slice(bare.indexOf('.')) === suffix);
  }

  /**
   * Whether a request without credentials acts as the owner (interface, decision 3): only with `api.local:
   * open`, where the peer's address, the bound address and `Host` are all loopback, without `Origin` and
   * without a trace of a proxy.
   */
  isLocalRequest(request: IncomingMessage): boolean {
    return this.#isOpenLocally && isDirectLocalRequest(request);
  }

  /** Absent, the server's own (with any scheme: there may be a TLS proxy in front of it), or listed. */
  allowsOrigin(header: string | undefined, host: string | undefined): boolean {
    return header === undefined || this.isListed(header) || isSame(header, host);
  }

  /** Whether the configuration lists this origin: then its pages may also read the replies (CORS). */
  isListed(header: string): boolean {
    return this.#origins.has(header.toLowerCase());
  }
}

/**
 * Whether a page of this server sent the request, according to the browser's headers; only then is its cookie
 * accepted. Over plain HTTP, browsers omit both headers for images and downloads; there, `SameSite=Strict`
 * keeps the cookie from other sites.
 */
export function isFromOwnPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const { origin, host, upgrade, 'sec-fetch-site': site } = headers;
  const onlyReads = (method === 'GET' || method === 'HEAD') && upgrade === undefined;
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && onlyReads)) return false;
  return origin === undefined ? site !== undefined || onlyReads : isSame(origin, host);
}

function isSame(origin: string, host: string | undefined): boolean {
  const match = /^(https?):\/\/([^/]+)$/i.exec(origin);
  if (match === null || host === undefined) return false;
  const [, scheme = '', authority = ''] = match;
  const port = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  const bare = (name: string) => (name.endsWith(port) ? name.slice(0, -port.length) : name).toLowerCase();
  return bare(authority) === bare(host);
}

/**
 * Whether the peer's address, the bound address and `Host` are all loopback, without `Origin` and without a
 * trace of a proxy: a program of this machine has sent it.
 */
export function isDirectLocalRequest({ headers, socket }: IncomingMessage): boolean {
  if (headers.origin !== undefined) return false;
  if (!isLoopback(socket.remoteAddress ?? '') || !isLoopback(socket.localAddress ?? '')) return false;
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) return false;
  const name = (headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
  return isLoopbackHost(name.replace(/^\[(.*)\]$/, '$1'));
}
