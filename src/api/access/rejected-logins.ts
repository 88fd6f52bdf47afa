import type { Clock } from '../../base/clock.js';
import type { AuditRecord } from '../../kernel/audit-record.js';

/** Records that may be written in a row, and how often another one may, ms. */
const RECORDS = 30;
const REFILL_MS = 2 * 60_000;

/** A wrong password, by the name of its account. */
export interface RejectedLogin {
  readonly account: string;
  readonly remote: string;
  /** How often this account was tried from this address within the last minutes. */
  readonly failures: number;
}

/**
 * Wrong passwords in the audit, in a ring of their own. The authenticator reports the 1st, 10th, 100th … of an
 * address; whoever has many addresses gets at most 30 records in a row, and then one every two minutes, so that
 * a flood neither displaces other records nor wears out the card.
 */
export class RejectedLogins {
  readonly #clock: Pick<Clock, 'monotonicNs' | 'nowMs'>;
  readonly #record: (record: AuditRecord) => void;
  #left = RECORDS;
  #refilledMs: number;

  constructor(clock: Pick<Clock, 'monotonicNs' | 'nowMs'>, record: (record: AuditRecord) => void) {
    this.#clock = clock;
    this.#record = record;
    this.#refilledMs = this.#monotonicMs();
  }

  add({ account, remote, failures }: RejectedLogin): void {
    const refills = Math.floor((this.#monotonicMs() - this.#refilledMs) / REFILL_MS);
    this.#refilledMs += refills * REFILL_MS;
    this.#left = Math.min(RECORDS, this.#left + refills);
    if (this.#left === 0) return;
    this.#left -= 1;
    this.#record({
      role: 'unverified',
      at: Math.floor(this.#clock.nowMs() / 1000),
      user: '',
      remote,
      method: 'sign-in',
      params: [account],
      ok: false,
      code: 'UNAUTHORIZED',
      ...(failures > 1 && { count: failures }),
    });
  }

  #monotonicMs(): number {
    return Number(this.#clock.monotonicNs() / 1_000_000n);
  }
}
