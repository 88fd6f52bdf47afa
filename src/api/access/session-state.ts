import type { Clock } from '../../base/clock.js';

/** What a session opens: a configurator's area, or the console. */
type SessionKind = 'front' | 'console';

interface Lifetime {
  /** How long it is valid, ms. */
  readonly validMs: number;
  /** A use extends it when this much of it has passed, ms; undefined: never. */
  readonly renewMs: number | undefined;
  /** How long it may be unused, ms. */
  readonly idleMs: number;
  /** The maximum number per account. */
  readonly limit: number;
}

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * How long sessions last. Browsers keep a cookie for 400 days at most. `view` is the owner's view of a front.
 */
export const lifetimes: Readonly<Record<SessionKind | 'view', Lifetime>> = {
  front: { validMs: 400 * DAY_MS, renewMs: 7 * DAY_MS, idleMs: 400 * DAY_MS, limit: 64 },
  console: { validMs: 12 * HOUR_MS, renewMs: undefined, idleMs: HOUR_MS, limit: 32 },
  view: { validMs: HOUR_MS, renewMs: undefined, idleMs: HOUR_MS, limit: 8 },
};

/** How long a confirmation by password is valid, ms. */
export const CONFIRMED_MS = 5 * 60_000;

/** A session as it is stored; durations are relative to the time at which it was stored. */
export interface StoredSession {
  readonly id: string;
  /** The name of its account: `owner`, `configurator 12345`. */
  readonly account: string;
  /** SHA-256 of the secret part of its cookie. */
  readonly digest: Buffer;
  readonly device: string;
  /** The address that used it last. */
  readonly remote: string;
  /** Time since it was started, ms. */
  readonly ageMs?: number;
  /** Time since it was used, ms. */
  readonly idleMs?: number;
  /** Remaining validity, ms. */
  readonly leftMs?: number;
}

/** What the owner's view of a front depends on. It is never stored. */
export interface OwnerView {
  /** The session of the console that opened it. */
  readonly owner: BrowserSession;
  /** Changes with the password of the owner, and with that of the area. */
  readonly fingerprint: string;
}

/** The kind of the sessions of an account with this name; undefined if it has none. */
export function kindOf(account: string): SessionKind | undefined {
  return account === 'owner' ? 'console' : configuratorOf(account) === undefined ? undefined : 'front';
}

/** The configurator whose account has this name; undefined if it is another account. */
export function configuratorOf(account: string): number | undefined {
  const id = /^configurator (\d{1,9})$/.exec(account)?.[1];
  return id === undefined ? undefined : Number(id);
}

/** One browser that is signed in. Its times are on the monotonic clock. */
export class BrowserSession {
  readonly id: string;
  readonly account: string;
  readonly digest: Buffer;
  readonly device: string;
  readonly kind: SessionKind;
  /** Of the owner's view of a front; undefined for the session of a resident, and for the console. */
  readonly view: OwnerView | undefined;
  readonly #lifetime: Lifetime;
  readonly #clock: Pick<Clock, 'monotonicNs' | 'nowMs'>;
  #remote: string;
  #createdAt: number;
  #usedAt: number;
  #validUntil: number;
  #confirmedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonicNs' | 'nowMs'>, stored: StoredSession, view?: OwnerView) {
    this.#clock = clock;
    this.view = view;
    this.id = stored.id;
    this.account = stored.account;
    this.digest = stored.digest;
    this.device = stored.device;
    this.kind = kindOf(stored.account) ?? 'front';
    this.#remote = stored.remote;
    this.#lifetime = lifetimes[view === undefined ? this.kind : 'view'];
    const nowMs = this.#nowMs();
    const { validMs } = this.#lifetime;
    this.#createdAt = nowMs - (stored.ageMs ?? 0);
    this.#usedAt = nowMs - (stored.idleMs ?? 0);
    this.#validUntil = nowMs + Math.min(stored.leftMs ?? validMs, validMs);
  }

  /** The configurator whose area it opens; undefined for the console. */
  get configurator(): number | undefined {
    return configuratorOf(this.account);
  }

  get remote(): string {
    return this.#remote;
  }

  get isExpired(): boolean {
    return this.leftMs <= 0 || this.view?.owner.isExpired === true;
  }

  /** Remaining validity without further use, ms. */
  get leftMs(): number {
    const nowMs = this.#nowMs();
    return Math.min(this.#validUntil - nowMs, this.#lifetime.idleMs - this.idleMs);
  }

  /** Time since it was used, ms. */
  get idleMs(): number {
    return this.#nowMs() - this.#usedAt;
  }

  /** Its start, last use and end, unix ms by the current wall clock. */
  get times(): { readonly createdMs: number; readonly usedMs: number; readonly validUntilMs: number } {
    const wallMs = (at: number) => Math.round(this.#clock.nowMs() + at - this.#nowMs());
    return {
      createdMs: wallMs(this.#createdAt),
      usedMs: wallMs(this.#usedAt),
      validUntilMs: wallMs(this.#validUntil),
    };
  }

  /** Records a use. */
  use(remote?: string): void {
    const nowMs = (this.#usedAt = this.#nowMs());
    if (remote !== undefined) this.#remote = remote;
    const { validMs, renewMs } = this.#lifetime;
    if (renewMs !== undefined && this.#validUntil - nowMs < validMs - renewMs)
      this.#validUntil = nowMs + validMs;
  }

  /** Records that its user has confirmed the password. */
  confirm(): void {
    this.#confirmedUntil = this.#nowMs() + CONFIRMED_MS;
  }

  isConfirmed(): boolean {
    return this.#nowMs() < this.#confirmedUntil;
  }

  /** Adds time that the monotonic clock has not counted. */
  age(ms: number): void {
    this.#createdAt -= ms;
    this.#usedAt -= ms;
    this.#validUntil -= ms;
  }

  stored(): object {
    const { id, account, digest, device, remote } = this;
    const nowMs = this.#nowMs();
    const [ageMs, idleMs] = [nowMs - this.#createdAt, nowMs - this.#usedAt];
    const leftMs = this.#validUntil - nowMs;
    return { id, account, digest: digest.toString('base64url'), device, remote, ageMs, idleMs, leftMs };
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs() / 1_000_000n);
  }
}
