import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { Turn } from '../base/turn.js';
import { verifyPassword, type Login, type Secret } from './credentials.js';
import { IN_ALL, PER_ADDRESS, Slowdown, guesserOf } from './slowdown.js';
import { Tokens } from './tokens.js';

/** Something that a user name and a password open. */
export interface Account {
  /** For the log, and to tell equal pairs of different accounts apart: `owner`, `configurator 12345`, `web server house`. */
  readonly name: string;
  readonly username: string;
  /** Undefined: nothing opens it (authentication rule 2). */
  readonly secret: Secret | undefined;
  /** Whether temporary tokens open it too. */
  readonly byToken?: boolean;
}

/** Good pairs that are remembered: as many as there are accounts, and some that were changed. */
const GOOD_LIMIT = 256;
/** Bad pairs that are remembered, and how long, ms: a client with an old password costs no scrypt each time. */
const BAD_LIMIT = 1024;
const BAD_MS = 60_000;
/** Checks that may wait for the one that runs: each takes a tenth of a second and a thread that files need too. */
const CHECKS_LIMIT = 32;
/** The name under which all guessers are slowed down together. */
const EVERYBODY = '*';

/**
 * Checks user names and passwords. A pair that was right is remembered and never delayed; guessing is slowed down per
 * address and in all; the slow hash runs off the loop, one at a time.
 */
export class Access {
  readonly tokens: Tokens;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  readonly #good = new Set<string>();
  /** Until when a pair is known to be wrong, monotonic ms. */
  readonly #bad = new Map<string, number>();
  readonly #running = new Map<string, Promise<boolean>>();
  readonly #turn = new Turn();
  readonly #perAddress: Slowdown;
  readonly #inAll: Slowdown;
  readonly #stop = new AbortController();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.tokens = new Tokens(clock);
    this.#perAddress = new Slowdown(clock, PER_ADDRESS);
    this.#inAll = new Slowdown(clock, IN_ALL);
  }

  /** Whether the pair is remembered as right; answers at once. */
  knows(account: Account, login: Login): boolean {
    return this.#isByToken(account, login) || this.#good.has(this.#digest(account, login));
  }

  /**
   * Whether the login opens the account. Slow where it is not known yet. Rejects with `TOO_MANY_REQUESTS` when too many
   * guesses of that address wait already, `BUSY` when too many checks do, an `AbortError` when closed.
   */
  async check(account: Account, login: Login, remote: string): Promise<boolean> {
    if (this.#isByToken(account, login)) return true;
    const digest = this.#digest(account, login);
    if (this.#good.has(digest)) return true;
    const who = guesserOf(remote);
    const told = await this.#perAddress.turn(who, this.#stop.signal);
    if (told === undefined) throw fault('TOO_MANY_REQUESTS');
    let good: boolean | undefined;
    try {
      const toldAll = await this.#inAll.turn(EVERYBODY, this.#stop.signal);
      if (toldAll === undefined) throw fault('BUSY', 'Too many logins are being checked');
      try {
        good = await this.#verdict(digest, account, login);
      } finally {
        toldAll(good);
      }
    } finally {
      told(good);
    }
    if (!good) this.#tell(account, remote, this.#perAddress.failures(who));
    return good;
  }

  /** Changes when what opens the account changes, and gives nothing away. */
  fingerprint(account: Account): string {
    return this.#digest(account, { username: '', password: '' });
  }

  /** Ends all waiting; whoever waits is rejected with an `AbortError`. */
  close(): void {
    this.#stop.abort();
  }

  #isByToken({ byToken = false }: Account, login: Login): boolean {
    return byToken && this.tokens.leftMs(login) > 0;
  }

  /** A pair in a form that gives nothing away; changes with the secret, so that a new password ends the old one's memory. */
  #digest({ name, username, secret }: Account, login: Login): string {
    const known = [name, username, secret?.password, secret?.passwordHash, login.username, login.password];
    return createHmac('sha256', this.#key).update(JSON.stringify(known)).digest('base64');
  }

  async #verdict(digest: string, account: Account, login: Login): Promise<boolean> {
    if (this.#good.has(digest)) return true;
    const nowMs = Number(this.#clock.monotonicNs() / 1_000_000n);
    if ((this.#bad.get(digest) ?? 0) > nowMs) return false;
    const good = await this.#verified(digest, account, login);
    if (good) {
      this.#good.add(digest);
      if (this.#good.size > GOOD_LIMIT) dropFirst(this.#good);
    } else {
      this.#bad.set(digest, nowMs + BAD_MS);
      if (this.#bad.size > BAD_LIMIT) dropFirst(this.#bad);
    }
    return good;
  }

  /** Checks a pair once, however many ask for it at the same time. */
  #verified(digest: string, account: Account, login: Login): Promise<boolean> {
    const running = this.#running.get(digest);
    if (running !== undefined) return running;
    if (this.#running.size >= CHECKS_LIMIT) throw fault('BUSY', 'Too many logins are being checked');
    const check = this.#turn.run(async () => {
      try {
        return await this.#opens(account, login);
      } finally {
        this.#running.delete(digest);
      }
    });
    this.#running.set(digest, check);
    return check;
  }

  /** Takes the same time whether the name, the password or both are wrong. */
  async #opens({ username, secret }: Account, login: Login): Promise<boolean> {
    if (login.password === '') return false;
    const nameFits = this.#equal(username, login.username);
    if (secret?.passwordHash !== undefined) {
      return (await verifyPassword(login.password, secret.passwordHash)) && nameFits;
    }
    return (
      secret?.password !== undefined &&
      this.#equal(secret.password.normalize('NFC'), login.password.normalize('NFC')) &&
      nameFits
    );
  }

  #equal(a: string, b: string): boolean {
    const digest = (text: string) => createHmac('sha256', this.#key).update(text).digest();
    return timingSafeEqual(digest(a), digest(b));
  }

  /** The first failure of an address, and then the more seldom the more there are: a flood must not fill the log. */
  #tell(account: Account, remote: string, failures: number): void {
    if (!/^10*$/.test(String(failures))) return;
    this.#log.warn({ remote, account: account.name, failures }, 'wrong user name or password');
  }
}

function dropFirst(from: Set<string> | Map<string, unknown>): void {
  for (const first of from.keys()) {
    from.delete(first);
    return;
  }
}
