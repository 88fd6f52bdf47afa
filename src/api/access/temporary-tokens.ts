import { coded } from '../../base/codes/coded-text.js';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { fault } from '../../base/fault.js';
import { TOKEN, type Login } from './credentials.js';

/** Limit of valid tokens: each check compares with all of them. */
const TOKENS_LIMIT = 100;

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Temporary passwords (`SVC_CreateTemporaryToken`): 256 random bits each; only their digests are kept, in
 * memory.
 */
export class TemporaryTokens {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  #valid: { readonly digest: Buffer; readonly untilMs: number }[] = [];

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock;
  }

  /** Creates a token that is valid like the owner's password for `validForS` seconds. Throws `BUSY`. */
  create(validForS: number): string {
    const nowMs = this.#nowMs();
    this.#valid = this.#valid.filter(({ untilMs }) => untilMs > nowMs);
    if (this.#valid.length >= TOKENS_LIMIT)
      throw fault('BUSY', coded`TOO_MANY_TEMPORARY_TOKENS: Too many temporary tokens are valid`);
    const token = randomBytes(32).toString('base64url');
    this.#valid.push({ digest: digestOf(token), untilMs: nowMs + validForS * 1000 });
    return token;
  }

  /** The remaining validity of a login by token, ms; 0 if it is not valid or not by token. */
  remainingMs({ username, password }: Login): number {
    if (username !== TOKEN || this.#valid.length === 0) return 0;
    const digest = digestOf(password);
    let until = 0;
    // All are compared, so that the duration reveals nothing.
    for (const one of this.#valid) if (timingSafeEqual(one.digest, digest)) until = one.untilMs;
    return Math.max(0, until - this.#nowMs());
  }

  /** Revokes all of them. */
  clear(): void {
    this.#valid = [];
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs() / 1_000_000n);
  }
}
