import { logKind } from '../../base/codes/log-kinds.js';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, delay } from '../../base/clock.js';
import { fault } from '../../base/fault.js';
import type { LimitReporter } from '../../base/limit-reporter.js';
import type { Log } from '../../base/log.js';
import { Signal } from '../../base/signal.js';
import { clientKey } from '../../base/addresses.js';
import { verifyPassword } from '../../base/credentials/password-hash.js';
import { type Login, type Secret } from './credentials.js';
import type { RejectedLogin } from './rejected-logins.js';
import { LoginThrottle } from './login-throttle.js';
import { LoginQueue } from './login-queue.js';
import { TemporaryTokens } from './temporary-tokens.js';

/** Something that is protected by a user name and a password. */
export interface Account {
  /**
   * For the log, and to distinguish equal pairs of different accounts: `owner`, `configurator 12345`, `web
   * server house`.
   */
  readonly name: string;
  readonly username: string;
  /** Undefined: no password is valid (authentication rule 2). */
  readonly secret: Secret | undefined;
  /** Whether temporary tokens are valid for it. */
  readonly byToken?: boolean;
}

/** Correct pairs that are remembered: one for each account, and some that have been changed. */
const GOOD_LIMIT = 256;
/**
 * Wrong pairs that are remembered, and how long, ms: a client with an old password must not cost a scrypt
 * each time.
 */
const BAD_LIMIT = 1024;
const BAD_MS = 60_000;
/**
 * Responses to wrong logins that are delayed at a time, of one account at one address and in all: each may
 * hold a body of 64 KiB. Further ones are rejected immediately.
 */
const DELAYED_LIMIT = 16;
const DELAYED_IN_ALL = 64;

/** Where a login comes from. */
export interface LoginOrigin {
  readonly remote: string;
  /** The connection; failures are counted per connection. */
  readonly socket: object;
}

/**
 * Verifies user names and passwords. A correct pair is remembered. Guessing is slowed down by delaying the
 * responses to wrong pairs, never the check of a pair: a correct one is not delayed because of others' wrong
 * ones. The slow hash runs off the loop, one at a time.
 */
export class Authenticator {
  readonly tokens: TemporaryTokens;
  /** Wrong passwords: the 1st, 10th, 100th … of an account at an address. */
  readonly rejected = new Signal<RejectedLogin>();
  /** The number of failed logins. */
  failed = 0;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #salt = randomBytes(32).toString('base64');
  readonly #good = new Set<string>();
  /** Until when a pair is known to be wrong, monotonic ms. */
  readonly #bad = new Map<string, number>();
  readonly #running = new Map<string, Promise<boolean>>();
  readonly #queue: LoginQueue;
  readonly #failures: LoginThrottle;
  /** Delayed responses, by account and address. */
  readonly #delayed = new Map<string, number>();
  #delayedInAll = 0;
  readonly #stop = new AbortController();

  constructor(log: Log, clock: Clock, limits: LimitReporter) {
    this.#log = log;
    this.#clock = clock;
    this.tokens = new TemporaryTokens(clock);
    this.#queue = new LoginQueue(clock, limits);
    this.#failures = new LoginThrottle(clock);
  }

  /** Whether the pair is remembered as correct; synchronous. */
  hasVerified(account: Account, login: Login): boolean {
    return this.#isByToken(account, login) || this.#good.has(this.#digest(account, login));
  }

  /**
   * Whether the login is valid for the account. Slow if it is not remembered. Rejects with
   * `TOO_MANY_REQUESTS` or `BUSY` if too many wait, with an `AbortError` when closed.
   */
  async verify(account: Account, login: Login, { remote, socket }: LoginOrigin): Promise<boolean> {
    if (this.#isByToken(account, login)) return true;
    const digest = this.#digest(account, login);
    if (this.#good.has(digest)) return true;
    const address = clientKey(remote);
    const failures = this.#failures.ofSocket(socket);
    const isCorrect =
      !this.#isKnownWrong(digest) &&
      (await this.#verifyOnce(digest, () =>
        this.#queue.verify({
          account: countedName(account),
          address,
          failures,
          verify: () => this.#verifyAndRemember(digest, account, login),
        }),
      ));
    if (!isCorrect) await this.fail(account, { remote, socket });
    return isCorrect;
  }

  /**
   * Counts a failed login; resolves when its response may be sent. Rejects with `TOO_MANY_REQUESTS` if too
   * many wait.
   */
  async fail(account: Account, { remote, socket }: LoginOrigin): Promise<void> {
    const who = `${countedName(account)} ${clientKey(remote)}`;
    const { count, delayMs } = this.#failures.add(who, socket);
    this.failed += 1;
    this.#logFailure(account, remote, count);
    if (delayMs > 0) await this.#delay(who, delayMs);
  }

  /** Changes when the credentials of the account change, and reveals nothing about them. */
  fingerprint(account: Account): string {
    return this.#digest(account, { username: '', password: '' });
  }

  /** Rejects all waiting verifications with an `AbortError`. */
  close(): void {
    this.#stop.abort();
    this.#queue.close(this.#stop.signal.reason);
  }

  #isByToken({ byToken = false }: Account, login: Login): boolean {
    return byToken && this.tokens.remainingMs(login) > 0;
  }

  /**
   * A digest of a pair, salted with a secret of this process. It changes with the secret, so that the old
   * password is no longer remembered when a new one is set. A hash takes a third of the time of an HMAC.
   */
  #digest({ name, username, secret }: Account, login: Login): string {
    const known = [name, username, secret?.password, secret?.passwordHash, login.username, login.password];
    return hash('sha256', this.#salt + JSON.stringify(known), 'base64');
  }

  #isKnownWrong(digest: string): boolean {
    return (this.#bad.get(digest) ?? 0) > this.#nowMs();
  }

  async #verifyAndRemember(digest: string, account: Account, login: Login): Promise<boolean> {
    const good = await this.#isValid(account, login);
    if (good) {
      this.#good.add(digest);
      if (this.#good.size > GOOD_LIMIT) dropFirst(this.#good);
    } else {
      this.#bad.set(digest, this.#nowMs() + BAD_MS);
      if (this.#bad.size > BAD_LIMIT) dropFirst(this.#bad);
    }
    return good;
  }

  /** Verifies a pair once for all concurrent requests. */
  #verifyOnce(digest: string, verify: () => Promise<boolean>): Promise<boolean> {
    const running = this.#running.get(digest);
    if (running !== undefined) return running;
    const check = verify().finally(() => this.#running.delete(digest));
    this.#running.set(digest, check);
    return check;
  }

  /** Throws `TOO_MANY_REQUESTS` immediately if the limit of delayed responses is reached. */
  async #delay(who: string, delayMs: number): Promise<void> {
    const delayed = this.#delayed.get(who) ?? 0;
    if (delayed >= DELAYED_LIMIT || this.#delayedInAll >= DELAYED_IN_ALL) throw fault('TOO_MANY_REQUESTS');
    this.#delayed.set(who, delayed + 1);
    this.#delayedInAll += 1;
    try {
      await delay(this.#clock, delayMs, this.#stop.signal);
    } finally {
      const left = (this.#delayed.get(who) ?? 1) - 1;
      if (left === 0) this.#delayed.delete(who);
      else this.#delayed.set(who, left);
      this.#delayedInAll -= 1;
    }
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs() / 1_000_000n);
  }

  /** Takes the same time whether the name, the password or both are wrong. */
  async #isValid({ username, secret }: Account, login: Login): Promise<boolean> {
    if (login.password === '') return false;
    const isNameEqual = this.#equal(username, login.username);
    if (secret?.passwordHash !== undefined) {
      return (await verifyPassword(login.password, secret.passwordHash)) && isNameEqual;
    }
    return (
      secret?.password !== undefined &&
      this.#equal(secret.password.normalize('NFC'), login.password.normalize('NFC')) &&
      isNameEqual
    );
  }

  #equal(a: string, b: string): boolean {
    const digest = (text: string) => hash('sha256', this.#salt + text, 'buffer');
    return timingSafeEqual(digest(a), digest(b));
  }

  /** Logs and reports the 1st, 10th, 100th … failure of an address: a flood must not fill the log. */
  #logFailure(account: Account, remote: string, failures: number): void {
    if (!/^10*$/.test(String(failures))) return;
    const name = countedName(account);
    this.#log.warn(
      { kind: logKind.passwordRejected, remote, account: name, failures },
      'wrong user name or password',
    );
    this.rejected.emit({ account: name, remote, failures });
  }
}

/**
 * The name that failures are counted and logged with. Clients can name any number of accounts that do not
 * exist; each would have a turn of its own in the queue, and an unused throttle.
 */
function countedName({ name, secret }: Account): string {
  return secret === undefined && name.startsWith('configurator ') ? 'nobody' : name;
}

function dropFirst(from: Set<string> | Map<string, unknown>): void {
  for (const first of from.keys()) {
    from.delete(first);
    return;
  }
}
