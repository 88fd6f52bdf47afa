import { logKind } from '../../base/codes/log-kinds.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../base/clock.js';
import { fault, type Fault } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import type { OriginPolicy } from './origin-policy.js';

/**
 * Identical rejections are logged once in this time, ms: a page that retries every second must not fill the
 * log.
 */
const SAME_MS = 10 * 60_000;
/**
 * Distinct rejections that are tracked; more within `SAME_MS` is an attack, and the log needs no more of it.
 */
const DIFFERENT_LIMIT = 100;
/** Characters of a header that are logged: the sender chooses its length. */
const SHOWN_LENGTH = 200;

/** Logs rejected requests, with the setting that would allow them. */
export class RejectionLog {
  /** Rejected requests by reason. */
  readonly counts = { host: 0, origin: 0 };
  readonly #log: Log;
  readonly #clock: Clock;
  /** When each was written last, monotonic ms. */
  readonly #written = new Map<string, number>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Logs a request whose `Host` or `Origin` is not allowed; returns the fault to respond with. */
  rejectOrigin({ host, origin }: IncomingHttpHeaders, origins: OriginPolicy, remote: string): Fault {
    const isHost = !origins.allowsHost(host);
    this.counts[isHost ? 'host' : 'origin'] += 1;
    const key = isHost ? 'api.allowedHosts' : 'api.allowedOrigins';
    const value = shown(isHost ? withoutPort(host) : origin);
    if (this.#isNew(`${key} ${value}`)) {
      const text = `rejected; to allow it, add ${JSON.stringify(value)} to ${key}`;
      this.#log.warn({ kind: logKind.requestRejected, remote, key, value }, text);
    }
    return fault(isHost ? 'HOST_REFUSED' : 'ORIGIN_REFUSED');
  }

  #isNew(what: string): boolean {
    const nowMs = Number(this.#clock.monotonicNs() / 1_000_000n);
    const lastMs = this.#written.get(what);
    if (lastMs !== undefined && nowMs - lastMs < SAME_MS) return false;
    for (const [old, atMs] of this.#written) if (nowMs - atMs >= SAME_MS) this.#written.delete(old);
    if (this.#written.size >= DIFFERENT_LIMIT) return false;
    this.#written.set(what, nowMs);
    return true;
  }
}

function shown(header: string | undefined): string {
  return (header ?? '').slice(0, SHOWN_LENGTH);
}

function withoutPort(host: string | undefined): string {
  return (host ?? '').replace(/:\d*$/, '');
}
