import { coded } from '../../base/codes/coded-text.js';
import type { Cancel, Clock } from '../../base/clock.js';
import { fault } from '../../base/fault.js';
import type { LimitReporter } from '../../base/limit-reporter.js';

/**
 * Logins of one address that may wait to be verified. A body of 64 KiB may wait with each: within an
 * address's budget.
 */
export const WAITING_PER_ADDRESS = 24;
/** The same of all addresses together. */
const WAITING_IN_ALL = 256;
/**
 * After this number of failures in all, logins are verified at most every `PACE_MS`: each takes a core a
 * tenth of a second.
 */
const FREE_FAILURES = 100;
const PACE_MS = 250;
/** All failures are forgotten this long after the last one, ms. */
const FORGET_MS = 15 * 60_000;

/** Accounts and addresses whose last verification is remembered. */
const SERVED_LIMIT = 1024;

const WHAT_TO_DO = coded`SEE_LOG_ADDRESSES_SEND: see the log for the addresses that send wrong passwords, and block them`;

/** A login to be verified. */
interface Attempt {
  readonly account: string;
  readonly address: string;
  /** Failures on its own connection: those with fewer go first. */
  readonly failures: number;
  verify(): Promise<boolean>;
}

interface Waiting extends PromiseWithResolvers<boolean> {
  readonly attempt: Attempt;
}

/**
 * Verifies logins one at a time, as the hash is slow. Before that, a correct login can't be distinguished
 * from a wrong one, so the order keeps it from waiting behind many others: logins with fewer failures on
 * their connection are first, then accounts and addresses alternate, then the newest is first. If too many
 * wait, the one that would be verified last is rejected.
 */
export class LoginQueue {
  readonly #clock: Pick<Clock, 'monotonicNs' | 'after'>;
  readonly #limits: LimitReporter;
  #waiting: Waiting[] = [];
  /** When each was served last, as a growing number. */
  readonly #served = new Map<string, number>();
  #turns = 0;
  #isBusy = false;
  #failures = 0;
  #lastFailureMs = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #cancel: Cancel | undefined;

  constructor(clock: Pick<Clock, 'monotonicNs' | 'after'>, limits: LimitReporter) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Whether the login is correct. Rejects with `TOO_MANY_REQUESTS` or `BUSY` if too many wait. */
  verify(attempt: Attempt): Promise<boolean> {
    const waiting: Waiting = { attempt, ...Promise.withResolvers<boolean>() };
    this.#waiting.push(waiting);
    const ofAddress = this.#waiting.filter((one) => one.attempt.address === attempt.address);
    if (ofAddress.length > WAITING_PER_ADDRESS) {
      this.#limits.report(
        coded`WAITING_LOGINS_PER_ADDRESS: ${WAITING_PER_ADDRESS} waiting logins per address`,
        attempt.address,
        WHAT_TO_DO,
      );
      this.#drop(ofAddress, fault('TOO_MANY_REQUESTS'));
    } else if (this.#waiting.length > WAITING_IN_ALL) {
      this.#limits.report(
        coded`WAITING_LOGINS: ${WAITING_IN_ALL} waiting logins`,
        attempt.address,
        WHAT_TO_DO,
      );
      this.#drop(
        this.#waiting,
        fault('BUSY', coded`TOO_MANY_LOGINS_BEING: Too many logins are being checked`),
      );
    }
    this.#next();
    return waiting.promise;
  }

  /** Rejects all waiting logins. */
  close(reason: unknown): void {
    this.#cancel?.();
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  #next(): void {
    if (this.#isBusy || this.#waiting.length === 0) return;
    const nowMs = this.#nowMs();
    if (nowMs - this.#lastFailureMs > FORGET_MS) this.#failures = 0;
    const waitMs = this.#failures < FREE_FAILURES ? 0 : this.#lastMs + PACE_MS - nowMs;
    if (waitMs > 0) {
      this.#cancel ??= this.#clock.after(waitMs, () => {
        this.#cancel = undefined;
        this.#next();
      });
      return;
    }
    const [first] = this.#inOrder(this.#waiting);
    if (first === undefined) return;
    this.#waiting = this.#waiting.filter((one) => one !== first);
    this.#lastMs = nowMs;
    void this.#run(first);
  }

  async #run({ attempt, resolve, reject }: Waiting): Promise<void> {
    this.#isBusy = true;
    this.#turns += 1;
    for (const who of [attempt.account, clientOf(attempt)]) {
      this.#served.delete(who);
      this.#served.set(who, this.#turns);
    }
    // Entries beyond the limit count as never served.
    for (const who of this.#served.keys()) {
      if (this.#served.size <= SERVED_LIMIT) break;
      this.#served.delete(who);
    }
    try {
      const isCorrect = await attempt.verify();
      if (!isCorrect) {
        this.#failures += 1;
        this.#lastFailureMs = this.#nowMs();
      }
      resolve(isCorrect);
    } catch (thrown) {
      reject(thrown);
    } finally {
      this.#isBusy = false;
      this.#next();
    }
  }

  #inOrder(waiting: readonly Waiting[]): Waiting[] {
    const served = (who: string) => this.#served.get(who) ?? 0;
    return waiting
      .toReversed()
      .toSorted(
        ({ attempt: a }, { attempt: b }) =>
          a.failures - b.failures ||
          served(a.account) - served(b.account) ||
          served(clientOf(a)) - served(clientOf(b)),
      );
  }

  #drop(among: readonly Waiting[], reason: unknown): void {
    const last = this.#inOrder(among).at(-1);
    if (last === undefined) return;
    this.#waiting = this.#waiting.filter((one) => one !== last);
    last.reject(reason);
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs() / 1_000_000n);
  }
}

const clientOf = ({ account, address }: Attempt): string => `${account} ${address}`;
