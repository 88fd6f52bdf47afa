import type { LookupFunction } from 'node:net';

/** How a message reaches its server. */
export interface DeliveryRoute {
  readonly lookup: LookupFunction;
  /** Certificates of authorities, instead of those that Node knows. */
  readonly ca: Buffer | undefined;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}
