import { hostname } from 'node:os';
import { kindOf } from './addresses.js';

/** Which `Host` and `Origin` a request may carry (decision 4): against DNS rebinding and calls across sites. */
export interface OriginRules {
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Names in the server's certificate. */
  readonly certificateNames: readonly string[];
}

/** Decides about `Host` and `Origin` headers of one listener. */
export class Origins {
  readonly #hosts: ReadonlySet<string>;
  readonly #suffixes: readonly string[];
  readonly #origins: ReadonlySet<string>;

  constructor({ allowedOrigins, allowedHosts, certificateNames }: OriginRules, ownName = hostname()) {
    const own = ownName.toLowerCase().replace(/\.local$/, '');
    const names = [...allowedHosts, ...certificateNames].map((name) => name.toLowerCase());
    this.#hosts = new Set(['localhost', own, `${own}.local`, ...names]);
    this.#suffixes = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
    this.#origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  }

  /** Absent only in HTTP/1.0: Node answers 400 to anything newer without one. */
  allowsHost(header: string | undefined): boolean {
    if (header === undefined) return true;
    const name = /^(\[[\da-f:.%]+\]|[^:[\]@/\\?#\s]+)(?::\d{0,5})?$/i.exec(header)?.[1]?.toLowerCase();
    if (name === undefined) return false;
    if (name.startsWith('[')) return kindOf(name.slice(1, -1)) === 6;
    if (kindOf(name) === 4) return true;
    const bare = name.replace(/\.$/, '');
    if (this.#hosts.has(bare)) return true;
    // A wildcard stands for one label, as in certificates (RFC 9525 §6.3).
    return this.#suffixes.some((suffix) => bare.indexOf('.') > 0 && bare.slice(bare.indexOf('.')) === suffix);
  }

  /** Absent, the server's own (whatever the scheme: a TLS proxy may stand before it), or listed. */
  allowsOrigin(header: string | undefined, host: string | undefined): boolean {
    return header === undefined || this.isListed(header) || isSame(header, host);
  }

  /** Whether the configuration names this origin: then its pages may also read the answers (CORS). */
  isListed(header: string): boolean {
    return this.#origins.has(header.toLowerCase());
  }
}

function isSame(origin: string, host: string | undefined): boolean {
  const match = /^(https?):\/\/([^/]+)$/i.exec(origin);
  if (match === null || host === undefined) return false;
  const [, scheme = '', authority = ''] = match;
  const port = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  const bare = (name: string) => (name.endsWith(port) ? name.slice(0, -port.length) : name).toLowerCase();
  return bare(authority) === bare(host);
}
