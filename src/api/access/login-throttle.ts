import type { Clock } from '../../base/clock.js';

/** Failures of an account at an address that are reported without delay (interface, decision 3). */
const FREE = 10;
/** The delay of the next response, ms; it doubles with each failure. */
const FIRST_MS = 250;
const MAX_DELAY_MS = 5000;
/** Failures are forgotten this long after the last one, ms. */
const FORGET_MS = 15 * 60_000;
/**
 * Limit of remembered accounts at addresses; beyond it, the one whose last failure is oldest is forgotten.
 */
const REMEMBERED = 10_000;

interface FailureRecord {
  count: number;
  lastMs: number;
}

/** Counts the failed logins of each account at each address, and of each connection. */
export class LoginThrottle {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  /** Ordered by the last failure, oldest first. */
  readonly #failed = new Map<string, FailureRecord>();
  readonly #ofSockets = new WeakMap<object, number>();

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock;
  }

  /** How often logins over this connection failed. */
  ofSocket(socket: object): number {
    return this.#ofSockets.get(socket) ?? 0;
  }

  /** Counts a failure; returns the number for that account and address, and the delay of the response, ms. */
  add(who: string, socket: object): { readonly count: number; readonly delayMs: number } {
    this.#ofSockets.set(socket, this.ofSocket(socket) + 1);
    const nowMs = Number(this.#clock.monotonicNs() / 1_000_000n);
    const before = this.#failed.get(who);
    this.#failed.delete(who);
    const count = before === undefined || nowMs - before.lastMs > FORGET_MS ? 1 : before.count + 1;
    this.#failed.set(who, { count, lastMs: nowMs });
    if (this.#failed.size > REMEMBERED) {
      const [oldest] = this.#failed.keys();
      if (oldest !== undefined) this.#failed.delete(oldest);
    }
    const delayMs = count <= FREE ? 0 : Math.min(FIRST_MS * 2 ** (count - FREE - 1), MAX_DELAY_MS);
    return { count, delayMs };
  }
}
