import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../base/clock.js';
import { fault, type Fault } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import type { OriginPolicy } from './origin-policy.js';

/** The same refusal is written once in so long, ms: a page that tries every second must not fill the log. */
const SAME_MS = 10 * 60_000;
/** Different refusals that are told apart; more than that within `SAME_MS` is an attack, and the log needs no more of it. */
const DIFFERENT_LIMIT = 100;
/** Headers are the sender's to choose; so much of one is enough to know it by. */
const SHOWN_LENGTH = 200;

/** Writes to the log what was refused, and what to add to the configuration if it should not have been. */
export class RejectionLog {
  readonly #log: Log;
  readonly #clock: Clock;
  /** When each was written last, monotonic ms. */
  readonly #written = new Map<string, number>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** A request whose `Host` or `Origin` is not allowed: logs it, and gives the fault to answer with. */
  rejectOrigin({ host, origin }: IncomingHttpHeaders, origins: OriginPolicy, remote: string): Fault {
    const isHost = !origins.allowsHost(host);
    const key = isHost ? 'api.allowedHosts' : 'api.allowedOrigins';
    const value = shown(isHost ? withoutPort(host) : origin);
    if (this.#isNew(`${key} ${value}`)) {
      this.#log.warn({ remote, key, value }, `refused; to allow it, add ${JSON.stringify(value)} to ${key}`);
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
