import { fault } from '../../base/fault.js';
import type { LimitReporter } from '../../base/limit-reporter.js';
import { clientKey } from './addresses.js';

/**
 * What one address may have held of requests whose credentials are not verified yet, bytes: hundreds of
 * ordinary calls.
 */
export const UNVERIFIED_PER_ADDRESS = 2 * 1024 * 1024;
/** The same of all addresses together, bytes: what a box with 512 MiB can spare at any time. */
export const UNVERIFIED_IN_ALL = 16 * 1024 * 1024;
/** What a request costs before its body, bytes: its head, its objects, its place in a queue. */
export const REQUEST_COST = 4096;

const WHAT_TO_DO = 'if this is no attack, let these clients send their credentials with shorter requests';

/** Why a request is rejected for which there is no room. */
export const CROWDED = 'Too many requests without verified credentials';

interface Held {
  readonly who: string;
  readonly bytes: number;
  /** Its body is complete: it is about to be decided. */
  isComplete: boolean;
  readonly evict: () => void;
}

/** A request's part of the budget. */
export interface BudgetShare {
  /** The body is complete. From now on only the limit for all addresses can evict the request. */
  arrived(): void;
  /** The request is verified, or is over. A second call does nothing. */
  release(): void;
}

/**
 * The budget of all bytes that are held for requests nobody has verified yet. When it is used up, the oldest
 * request whose body is still incomplete makes room: an honest call arrives in one go, a slow body is what an
 * attack consists of. Where all are complete, the oldest of the address that holds the most does, so that no
 * crowd of wrong logins keeps others out.
 */
export class UnverifiedBudget {
  readonly #limits: LimitReporter;
  /** Oldest first. */
  readonly #held = new Set<Held>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(limits: LimitReporter) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Reserves a share for a request with a body of at most `bodyBytes`. Throws `BUSY`. */
  take(remote: string, bodyBytes: number, evict: () => void): BudgetShare {
    const who = clientKey(remote);
    const held: Held = { who, bytes: REQUEST_COST + bodyBytes, isComplete: false, evict };
    this.#makeRoom(held, remote);
    this.#held.add(held);
    this.#add(who, held.bytes);
    return {
      arrived: () => (held.isComplete = true),
      release: () => this.#release(held),
    };
  }

  #makeRoom({ who, bytes }: Held, remote: string): void {
    while ((this.#bytesOf.get(who) ?? 0) + bytes > UNVERIFIED_PER_ADDRESS) {
      this.#limits.report(`${UNVERIFIED_PER_ADDRESS} unverified bytes per address`, remote, WHAT_TO_DO);
      this.#evict((held) => !held.isComplete && held.who === who);
    }
    while (this.#bytes + bytes > UNVERIFIED_IN_ALL) {
      this.#limits.report(`${UNVERIFIED_IN_ALL} unverified bytes`, remote, WHAT_TO_DO);
      const isMeant = (held: Held) => !held.isComplete;
      const most = this.#holdsMost();
      const isLess = (this.#bytesOf.get(who) ?? 0) + bytes < (this.#bytesOf.get(most) ?? 0);
      this.#evict([...this.#held].some(isMeant) || !isLess ? isMeant : (held) => held.who === most);
    }
  }

  #evict(isMeant: (held: Held) => boolean): void {
    for (const held of this.#held) {
      if (!isMeant(held)) continue;
      this.#release(held);
      held.evict();
      return;
    }
    throw fault('BUSY', CROWDED);
  }

  #holdsMost(): string {
    let most = '';
    for (const [who, bytes] of this.#bytesOf) if (bytes > (this.#bytesOf.get(most) ?? 0)) most = who;
    return most;
  }

  #release(held: Held): void {
    if (this.#held.delete(held)) this.#add(held.who, -held.bytes);
  }

  #add(who: string, bytes: number): void {
    this.#bytes += bytes;
    const sum = (this.#bytesOf.get(who) ?? 0) + bytes;
    if (sum === 0) this.#bytesOf.delete(who);
    else this.#bytesOf.set(who, sum);
  }
}
