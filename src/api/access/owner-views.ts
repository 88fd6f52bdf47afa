import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { Fault, fault } from '../../base/fault.js';
import type { Accounts } from './accounts.js';
import type { Authenticator } from './authenticator.js';
import type { BrowserSession, OwnerView } from './session-state.js';

/** How long a ticket is valid, s: the console uses it immediately. */
const TICKET_S = 60;
/** The maximum number of valid tickets; beyond it, the oldest becomes invalid. */
const TICKETS_LIMIT = 32;

interface Ticket extends OwnerView {
  readonly configurator: number;
  readonly untilMs: number;
}

const digestOf = (ticket: string): string => createHash('sha256').update(ticket).digest('base64');

/**
 * Tickets with which the owner's browser opens an area as its residents see it, without their password: 256
 * random bits each, valid once, for one area. Only their digests are kept, in memory.
 */
export class OwnerViews {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  readonly #access: Pick<Authenticator, 'fingerprint'>;
  /** By digest, oldest first. */
  readonly #tickets = new Map<string, Ticket>();
  #accounts: Accounts | undefined;

  constructor(clock: Pick<Clock, 'monotonicNs'>, access: Pick<Authenticator, 'fingerprint'>) {
    this.#clock = clock;
    this.#access = access;
  }

  /** Replaces the accounts. Tickets and views of accounts whose credentials have changed become invalid. */
  reconfigure(accounts: Accounts): void {
    this.#accounts = accounts;
  }

  /** Throws `NOT_FOUND` if there is no such area, `ACCESS_DENIED` without a valid session of the console. */
  createTicket(configurator: number, owner: BrowserSession | undefined): string {
    const accounts = this.#accounts;
    if (accounts?.baseOf(configurator) === undefined) throw fault('NOT_FOUND');
    if (owner?.kind !== 'console' || owner.isExpired)
      throw new Fault(
        'ACCESS_DENIED',
        'Only a browser that is signed in to the console can see a front as the owner; sign in there, or give the password of the front',
      );
    const ticket = randomBytes(32).toString('base64url');
    const untilMs = this.#nowMs() + TICKET_S * 1000;
    const fingerprint = this.#fingerprint(accounts, configurator);
    this.#tickets.set(digestOf(ticket), { configurator, owner, fingerprint, untilMs });
    for (const oldest of this.#tickets.keys()) {
      if (this.#tickets.size <= TICKETS_LIMIT) break;
      this.#tickets.delete(oldest);
    }
    return ticket;
  }

  /** Takes a ticket, which is invalid from then on, even for its area; undefined if it was not valid. */
  take(ticket: string, configurator: number): OwnerView | undefined {
    const digest = digestOf(ticket);
    const taken = this.#tickets.get(digest);
    this.#tickets.delete(digest);
    if (taken === undefined || taken.configurator !== configurator) return undefined;
    const { owner, fingerprint, untilMs } = taken;
    const view = { owner, fingerprint };
    return untilMs > this.#nowMs() && this.isCurrent(view, configurator) ? view : undefined;
  }

  /** Whether the passwords of the owner and the area are those with which the view was started. */
  isCurrent({ fingerprint }: OwnerView, configurator: number): boolean {
    return this.#accounts !== undefined && fingerprint === this.#fingerprint(this.#accounts, configurator);
  }

  #fingerprint(accounts: Accounts, configurator: number): string {
    const both = [accounts.owner, accounts.configurator(configurator)];
    return both.map((account) => this.#access.fingerprint(account)).join(' ');
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs() / 1_000_000n);
  }
}
