import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashPassword, verifyPassword } from '../../../../src/base/credentials/password-hash.js';
import { delay, type Clock } from '../../../../src/base/clock.js';
import { Semaphore } from '../../../../src/device/toolkit/semaphore.js';
import type { BrokerUser } from '../messages.js';

/** Passwords that are checked at a time: each needs 16 MiB and a thread for 0.1 to 0.4 s. */
const PARALLEL = 2;
/** Logins that may wait for that; the reply to others is that the server is not available. */
const WAITING_LIMIT = 64;
/** How long the reply to a wrong password is delayed, ms: guessing must be slow. */
const FAILURE_DELAY_MS = 1000;

/** The result of a login: the user, or why there is none. */
type LoginResult = { readonly user: BrokerUser } | { readonly failure: 'wrong' | 'busy' };

/** Checks the passwords of users. Pairs that were verified are remembered by a keyed digest. */
export class Logins {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #key = randomBytes(32);
  readonly #checks = new Semaphore(PARALLEL);
  readonly #verified = new Map<string, Buffer>();
  #users = new Map<string, BrokerUser>();
  #isRequired = true;
  #waiting = 0;
  /** Compared with the password of an unknown user, so that the time says nothing. */
  #decoy: Promise<string> | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get isRequired(): boolean {
    return this.#isRequired;
  }

  setUsers(users: readonly BrokerUser[], isRequired: boolean): void {
    this.#isRequired = isRequired;
    this.#users = new Map(users.map((user) => [user.name, user]));
    this.#verified.clear();
  }

  user(name: string): BrokerUser | undefined {
    return this.#users.get(name);
  }

  async check(name: string, password: string): Promise<LoginResult> {
    const user = this.#users.get(name);
    const digest = createHmac('sha256', this.#key).update(`${name}\n${password}`).digest();
    const known = this.#verified.get(name);
    if (user !== undefined && known !== undefined && timingSafeEqual(known, digest)) return { user };
    if (this.#waiting >= WAITING_LIMIT) return { failure: 'busy' };
    this.#waiting += 1;
    const isCorrect = await this.#checks
      .run(() => this.#isCorrect(user, password))
      .finally(() => (this.#waiting -= 1));
    // The users may have changed meanwhile.
    if (user !== undefined && isCorrect && this.#users.get(name) === user) {
      this.#verified.set(name, digest);
      return { user };
    }
    await delay(this.#clock, FAILURE_DELAY_MS);
    return { failure: 'wrong' };
  }

  async #isCorrect(user: BrokerUser | undefined, password: string): Promise<boolean> {
    this.#decoy ??= hashPassword(randomBytes(16).toString('hex'));
    if (user === undefined || (user.passwordHash === '' && user.password === '')) {
      await verifyPassword(password, await this.#decoy);
      return false;
    }
    if (user.passwordHash !== '') return verifyPassword(password, user.passwordHash);
    const digest = (text: string) => createHmac('sha256', this.#key).update(text).digest();
    return timingSafeEqual(digest(user.password), digest(password));
  }
}
