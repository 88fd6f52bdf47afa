import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import type { LimitReporter } from '../../base/limit-reporter.js';
import { clientKey } from '../../base/addresses.js';

/**
 * Limit of bytes held per address for requests whose credentials are not verified yet: hundreds of ordinary
 * calls.
 */
export const UNVERIFIED_PER_ADDRESS = 2 * 1024 * 1024;
/** The same of all addresses together, bytes: what a box with 512 MiB can spare at any time. */
export const UNVERIFIED_IN_ALL = 16 * 1024 * 1024;
/** What a request costs before its body, bytes: its head, its objects, its place in a queue. */
export const REQUEST_COST = 4096;

const WHAT_TO_DO = coded`IF_NOT_ATTACK_LET: if this is not an attack, let these clients send shorter requests until their credentials are verified`;

/** The reason for rejecting a request that exceeds the budget. */
export const BUDGET_EXCEEDED = coded`TOO_MANY_REQUESTS_WITHOUT: Too many requests without verified credentials`;

interface UnverifiedRequest {
  readonly client: string;
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
 * The budget of all bytes held for unverified requests. When it is used up, the oldest request whose body is
 * still incomplete is evicted: an ordinary call arrives complete, slow bodies are the means of an
 * attack. If all are complete, the oldest of the address with the most bytes is evicted, so that many wrong
 * logins from one address do not block the others.
 */
export class UnverifiedBudget {
  readonly #limits: LimitReporter;
  /** Oldest first. */
  readonly #requests = new Set<UnverifiedRequest>();
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
    const client = clientKey(remote);
    const request: UnverifiedRequest = { client, bytes: REQUEST_COST + bodyBytes, isComplete: false, evict };
    this.#makeRoom(request, remote);
    this.#requests.add(request);
    this.#add(client, request.bytes);
    return {
      arrived: () => (request.isComplete = true),
      release: () => this.#release(request),
    };
  }

  #makeRoom({ client, bytes }: UnverifiedRequest, remote: string): void {
    while ((this.#bytesOf.get(client) ?? 0) + bytes > UNVERIFIED_PER_ADDRESS) {
      this.#limits.report(
        coded`UNVERIFIED_BYTES_PER_ADDRESS: ${UNVERIFIED_PER_ADDRESS} unverified bytes per address`,
        remote,
        WHAT_TO_DO,
      );
      this.#evict((request) => !request.isComplete && request.client === client);
    }
    while (this.#bytes + bytes > UNVERIFIED_IN_ALL) {
      this.#limits.report(coded`UNVERIFIED_BYTES: ${UNVERIFIED_IN_ALL} unverified bytes`, remote, WHAT_TO_DO);
      const isEvictable = (request: UnverifiedRequest) => !request.isComplete;
      const most = this.#largestClient();
      const isLess = (this.#bytesOf.get(client) ?? 0) + bytes < (this.#bytesOf.get(most) ?? 0);
      this.#evict(
        [...this.#requests].some(isEvictable) || !isLess ? isEvictable : (request) => request.client === most,
      );
    }
  }

  #evict(isEvictable: (request: UnverifiedRequest) => boolean): void {
    for (const request of this.#requests) {
      if (!isEvictable(request)) continue;
      this.#release(request);
      request.evict();
      return;
    }
    throw fault('BUSY', BUDGET_EXCEEDED);
  }

  #largestClient(): string {
    let most = '';
    for (const [client, bytes] of this.#bytesOf) if (bytes > (this.#bytesOf.get(most) ?? 0)) most = client;
    return most;
  }

  #release(request: UnverifiedRequest): void {
    if (this.#requests.delete(request)) this.#add(request.client, -request.bytes);
  }

  #add(client: string, bytes: number): void {
    this.#bytes += bytes;
    const sum = (this.#bytesOf.get(client) ?? 0) + bytes;
    if (sum === 0) this.#bytesOf.delete(client);
    else this.#bytesOf.set(client, sum);
  }
}
