import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Cancel, Clock } from '../../base/clock.js';
import { faultFrom, messageOf } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import { SerialQueue } from '../../base/serial-queue.js';
import { Signal } from '../../base/signal.js';
import type { Accounts } from './accounts.js';
import type { Account, Authenticator } from './authenticator.js';
import { OwnerViews } from './owner-views.js';
import { BrowserSession, configuratorOf, lifetimes, type OwnerView } from './session-state.js';
import { hashPassword, verifyPassword } from '../../base/credentials/password-hash.js';
import type { TextStorage } from '../private-file.js';
import { readSessions, type StoredSessions } from './stored-sessions.js';

interface BrowserSessionContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly storage: TextStorage;
  readonly access: Pick<Authenticator, 'fingerprint'>;
  /** Whether a WebSocket of the session is open. */
  readonly isConnected: (id: string) => boolean;
}

/** Where a session is started. */
interface SessionOrigin {
  readonly device: string;
  readonly remote: string;
}

/** A session with the value of its cookie, which is shown only once. */
interface CreatedSession {
  readonly session: BrowserSession;
  readonly value: string;
}

/** How often expired sessions are ended, ms. */
const SWEEP_MS = 60_000;
/** Times of use are written this often at most, ms: SD cards wear out. */
const WRITE_MS = 10 * 60_000;
/** The age of sessions is written this often, ms: it must not be lost with restarts and an unset clock. */
const AGE_MS = 24 * 60 * 60_000;

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * The sessions of browsers: who has signed in to a front or to the console, and stays so across restarts.
 * Only digests of the cookies are kept. Times are counted on the monotonic clock, so a step of the wall clock
 * neither ends a session nor extends it.
 */
export class BrowserSessions implements AsyncDisposable {
  /** The ID of a session that has ended, for whatever reason. */
  readonly ended = new Signal<string>();
  readonly #context: BrowserSessionContext;
  readonly #sessions = new Map<string, BrowserSession>();
  /** A slow hash of what opens an account, by its name: another password is noticed after a restart too. */
  readonly #proofs = new Map<string, string>();
  /** The fingerprint of the account whose proof has been verified in this process, by its name. */
  readonly #verified = new Map<string, string>();
  /** The fingerprint of the account in the configuration, if it had sessions then, by its name. */
  readonly #configured = new Map<string, string>();
  readonly #verifying = new Map<string, Promise<boolean>>();
  readonly #views: OwnerViews;
  readonly #queue = new SerialQueue();
  readonly #stopSweeping: Cancel;
  /** What was read, until a trusted clock shows how long the gateway was off. */
  #unsettled:
    { readonly savedMs: number; readonly readAt: number; readonly sessions: BrowserSession[] } | undefined;
  #isDirty = false;
  #savedAt = 0;

  constructor(context: BrowserSessionContext) {
    this.#context = context;
    this.#views = new OwnerViews(context.clock, context.access);
    this.#stopSweeping = context.clock.every(SWEEP_MS, () => this.#sweep());
  }

  /** Reads the sessions, once, before all else. What cannot be read is logged: its users sign in again. */
  async load(): Promise<void> {
    const { storage, log } = this.#context;
    try {
      const text = await storage.read();
      if (text !== undefined) this.#take(readSessions(text));
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'the browser sessions cannot be read; users sign in again');
    }
  }

  /**
   * The session of an account that a cookie's value belongs to; undefined if there is none that is valid.
   * Does not count as a use.
   */
  async find(account: Account, value: string): Promise<BrowserSession | undefined> {
    const [id = '', token = ''] = value.split('.', 2);
    const session = this.#sessions.get(id);
    if (session === undefined || session.account !== account.name) return undefined;
    if (!timingSafeEqual(session.digest, digestOf(token))) return undefined;
    if (session.view === undefined ? !(await this.#isCurrent(account)) : this.#isOutdated(session))
      return undefined;
    this.#settle();
    if (session.isExpired) this.#drop([session]);
    return this.#sessions.get(id);
  }

  /**
   * Starts a session of an account whose password was just verified. At the limit of the account the one that
   * was unused longest ends.
   */
  async create(account: Account, from: SessionOrigin): Promise<CreatedSession> {
    if (!(await this.#isCurrent(account))) {
      this.#proofs.set(account.name, await hashPassword(secretOf(account)));
      this.#verified.set(account.name, this.#context.access.fingerprint(account));
    }
    const created = this.#add(account, from);
    this.#isDirty = true;
    // Residents must be able to sign in even if the disk is full; the session is then lost at the next start.
    await this.#trySave();
    return created;
  }

  /** Creates a ticket for the owner's view of an area; as {@link OwnerViews.createTicket}. */
  createTicket(configurator: number, owner: string): string {
    return this.#views.createTicket(configurator, this.#sessions.get(owner));
  }

  /**
   * Starts the owner's view of an area, which is kept in memory only: it ends with the owner's session, with
   * another password of the owner or the area, and after an hour. Undefined if the ticket is not valid.
   */
  createView(account: Account, ticket: string, remote: string): CreatedSession | undefined {
    const view = this.#views.take(ticket, configuratorOf(account.name) ?? 0);
    if (view === undefined || !this.has(view.owner)) return undefined;
    return this.#add(account, { device: view.owner.device, remote }, view);
  }

  /** Whether a session is still valid. */
  has(session: BrowserSession): boolean {
    return this.#sessions.get(session.id) === session && !session.isExpired;
  }

  /** Whether there is a session with this ID. */
  isKnown(id: string): boolean {
    return this.#sessions.has(id);
  }

  /** Notes a use of a session. Returns false if it has ended. */
  use(session: BrowserSession, remote?: string): boolean {
    if (this.#sessions.get(session.id) !== session) return false;
    this.#settle();
    if (session.isExpired) {
      this.#drop([session]);
      return false;
    }
    session.use(remote);
    this.#isDirty ||= session.view === undefined;
    return true;
  }

  /**
   * Ends a session; false if there is none with this ID. Rejects with `STORE_FAILED` if that is not on the
   * disk yet.
   */
  async end(id: string): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    this.#remove(session);
    await this.#save();
    return true;
  }

  /** The valid sessions, most recently used first. */
  async list(accounts: Accounts): Promise<readonly BrowserSession[]> {
    this.#sweep();
    for (const name of new Set([...this.#sessions.values()].map(({ account }) => account)))
      await this.#isCurrent(accounts.named(name));
    return [...this.#sessions.values()]
      .filter(({ account, view }) => view !== undefined || this.#verified.has(account))
      .toSorted((a, b) => a.idleMs - b.idleMs);
  }

  /** Ends the sessions of accounts whose credentials have changed. */
  reconfigure(accounts: Accounts): void {
    this.#views.reconfigure(accounts);
    this.#drop([...this.#sessions.values()].filter((one) => this.#isOutdated(one)));
    const names = [...this.#sessions.values()].map(({ account }) => account);
    for (const name of new Set([...names, ...this.#verified.keys()])) {
      const account = accounts.named(name);
      const fingerprint = this.#context.access.fingerprint(account);
      const before = this.#verified.get(name) ?? this.#configured.get(name);
      if (before === fingerprint) continue;
      this.#verified.delete(name);
      if (!hasSecret(account)) continue;
      this.#configured.set(name, fingerprint);
      if (before !== undefined) this.#forget(name);
    }
  }

  /** Writes what has not been written yet. */
  async close(): Promise<void> {
    this.#stopSweeping();
    if (this.#stored.length > 0) this.#isDirty = true;
    await this.#trySave();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Whether the account still has the credentials that its sessions were started with; otherwise ends the
   * sessions. An account without a secret, such as that of a configurator that is currently missing, keeps
   * them.
   */
  async #isCurrent(account: Account): Promise<boolean> {
    const { name } = account;
    const proof = this.#proofs.get(name);
    if (!hasSecret(account) || proof === undefined) return false;
    const fingerprint = this.#context.access.fingerprint(account);
    if (this.#verified.get(name) === fingerprint) return true;
    const key = `${name} ${fingerprint}`;
    let verifying = this.#verifying.get(key);
    if (verifying === undefined) {
      verifying = verifyPassword(secretOf(account), proof).finally(() => this.#verifying.delete(key));
      this.#verifying.set(key, verifying);
    }
    const isSame = await verifying;
    if (this.#proofs.get(name) !== proof) return this.#isCurrent(account);
    if (isSame) this.#verified.set(name, fingerprint);
    else this.#forget(name);
    return isSame;
  }

  /** Adds a session. At the limit of the account the one that was unused longest ends. */
  #add(account: Account, from: SessionOrigin, view?: OwnerView): CreatedSession {
    this.#touchConnected();
    const [id, token] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')];
    const { clock, log } = this.#context;
    const { name } = account;
    const session = new BrowserSession(clock, { id, account: name, digest: digestOf(token), ...from }, view);
    const isAlike = (one: BrowserSession) => (one.view === undefined) === (view === undefined);
    const others = this.#of(name).filter(isAlike);
    const { limit } = lifetimes[view === undefined ? session.kind : 'view'];
    this.#drop(others.toSorted((a, b) => a.idleMs - b.idleMs).slice(limit - 1));
    this.#sessions.set(id, session);
    const what = view === undefined ? 'signed in' : 'the owner views a front';
    log.info({ account: name, device: from.device, remote: from.remote }, what);
    return { session, value: `${id}.${token}` };
  }

  /** Whether it is a view of the owner, and another password opens the area or the console now. */
  #isOutdated({ view, configurator = 0 }: BrowserSession): boolean {
    return view !== undefined && !this.#views.isCurrent(view, configurator);
  }

  /** The sessions that survive a restart. */
  get #stored(): BrowserSession[] {
    return [...this.#sessions.values()].filter(({ view }) => view === undefined);
  }

  #of(account: string): BrowserSession[] {
    return [...this.#sessions.values()].filter((session) => session.account === account);
  }

  /** Ends all sessions of an account. */
  #forget(account: string): void {
    this.#proofs.delete(account);
    this.#drop(this.#of(account));
  }

  /** Ends sessions; if that cannot be written now, the next sweep does it. */
  #drop(sessions: readonly BrowserSession[]): void {
    if (sessions.length === 0) return;
    for (const session of sessions) this.#remove(session);
    void this.#trySave();
  }

  #remove(session: BrowserSession): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#isDirty ||= session.view === undefined;
    this.ended.emit(session.id);
    for (const one of this.#sessions.values()) if (one.view?.owner === session) this.#remove(one);
  }

  #sweep(): void {
    this.#settle();
    this.#touchConnected();
    this.#drop([...this.#sessions.values()].filter(({ isExpired }) => isExpired));
    const sinceMs = this.#nowMs() - this.#savedAt;
    if (this.#stored.length > 0 && sinceMs >= AGE_MS) this.#isDirty = true;
    if (this.#isDirty && sinceMs >= WRITE_MS) void this.#trySave();
  }

  /** A front that shows changes is in use; the console only while it is called. */
  #touchConnected(): void {
    for (const session of this.#sessions.values())
      if (session.kind === 'front' && this.#context.isConnected(session.id)) session.use();
  }

  #take({ savedMs, proofs, sessions }: StoredSessions): void {
    const { clock } = this.#context;
    const taken = sessions.map((stored) => new BrowserSession(clock, stored));
    for (const session of taken) this.#sessions.set(session.id, session);
    for (const [name, proof] of proofs) this.#proofs.set(name, proof);
    const readAt = (this.#savedAt = this.#nowMs());
    if (savedMs !== undefined) this.#unsettled = { savedMs, readAt, sessions: taken };
  }

  /** Subtracts the time that the gateway was off, as soon as the wall clock can be trusted. */
  #settle(): void {
    if (this.#unsettled === undefined || !this.#context.clock.isTrusted()) return;
    const { savedMs, readAt, sessions } = this.#unsettled;
    this.#unsettled = undefined;
    const offMs = this.#context.clock.nowMs() - savedMs - (this.#nowMs() - readAt);
    if (offMs > 0) for (const session of sessions) session.age(offMs);
  }

  #trySave(): Promise<void> {
    // It is logged, and the next sweep tries again.
    return this.#save().catch(() => undefined);
  }

  /** Writes the sessions if they have changed. Rejects with `STORE_FAILED`; the next sweep tries again. */
  #save(): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#isDirty) return;
      this.#isDirty = false;
      this.#savedAt = this.#nowMs();
      try {
        await this.#context.storage.write(this.#text());
      } catch (thrown) {
        this.#isDirty = true;
        this.#savedAt = Number.NEGATIVE_INFINITY;
        this.#context.log.warn(
          { error: messageOf(thrown) },
          'the browser sessions are not on the disk; retrying',
        );
        throw faultFrom(thrown, 'STORE_FAILED', messageOf(thrown));
      }
    });
  }

  #text(): string {
    const sessions = this.#stored;
    const names = new Set(sessions.map(({ account }) => account));
    return JSON.stringify({
      version: 1,
      savedMs: this.#wallMs() ?? null,
      accounts: Object.fromEntries([...this.#proofs].filter(([name]) => names.has(name))),
      sessions: sessions.map((session) => session.stored()),
    });
  }

  /** The wall clock as far as it is known: while it is not set, what it was plus the time since. */
  #wallMs(): number | undefined {
    const { clock } = this.#context;
    if (clock.isTrusted()) return clock.nowMs();
    return this.#unsettled && this.#unsettled.savedMs + this.#nowMs() - this.#unsettled.readAt;
  }

  #nowMs(): number {
    return Number(this.#context.clock.monotonicNs() / 1_000_000n);
  }
}

const hasSecret = ({ secret }: Account): boolean =>
  secret?.password !== undefined || secret?.passwordHash !== undefined;

/** What opens an account, as one text. */
function secretOf({ username, secret }: Account): string {
  return JSON.stringify([username, secret?.password ?? '', secret?.passwordHash ?? '']);
}
