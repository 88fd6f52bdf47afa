import type { Cancel, Clock } from '../../base/clock.js';
import { fault, messageOf } from '../../base/fault.js';
import { Lazy } from '../../base/lazy.js';
import type { Log } from '../../base/log.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { Change } from '../../kernel/changes.js';
import type { Kernel } from '../../kernel/kernel.js';
import { message } from '../../kernel/messages.js';
import type { BrowserSessions } from '../access/browser-sessions.js';
import type { BrowserSession } from '../access/session-state.js';
import { privateFile, type TextStorage } from '../private-file.js';
import type { PushDevice } from '../../functions/ports.js';
import { encryptPush } from './push-encryption.js';
import {
  checkSubscription,
  readSubscriptions,
  type GivenSubscription,
  type PushSubscription,
} from './push-subscription.js';
import { VapidKey } from './vapid-key.js';

/** A request to a push service. */
interface PushRequest {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends a request to a push service and returns the status of its response. Rejects if there is none, or if
 * the endpoint is not a public internet address.
 */
export type PushTransport = (
  request: PushRequest,
) => Promise<{ readonly status: number; readonly retryAfterS?: number | undefined }>;

interface WebPushContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly kernel: Pick<Kernel, 'changes'>;
  readonly sessions: Pick<BrowserSessions, 'ended' | 'isKnown'>;
  /** The data directory, with the subscriptions and the key of the gateway. */
  readonly directory: string;
  readonly send: PushTransport;
}

/** Delays before a message is sent again, ms; then it is discarded. */
const RETRIES_MS = [10_000, 60_000, 5 * 60_000];
/** The longest delay that a push service may ask for, s. */
const RETRY_AFTER_LIMIT_S = 600;
/** Messages of one subscription in flight; more are discarded. */
const IN_FLIGHT_LIMIT = 16;
/** How long a push service keeps a message for a device that is off, s. */
const TTL_S = 24 * 60 * 60;
/** Characters that are sent: 4 bytes each at most, and all of it must fit into a record of 3993 bytes. */
const TITLE_LENGTH = 100;
const TEXT_LENGTH = 600;

/** Titles of messages that have none, in the language of the device. */
const UNTITLED = { de: 'Meldung', en: 'Message' } as const;

/**
 * Messages to browsers whose page is closed (Web Push): of each message to the fronts of a configurator,
 * those of its subscribed browsers get a copy. Without a subscription, nothing is contacted.
 */
export class WebPush implements AsyncDisposable {
  readonly #context: WebPushContext;
  readonly #storage: TextStorage;
  readonly #keyStorage: TextStorage;
  /** By the ID of their session. */
  readonly #subscriptions = new Map<string, PushSubscription>();
  readonly #inFlight = new Map<string, number>();
  readonly #timers = new Set<Cancel>();
  readonly #queue = new SerialQueue();
  readonly #key = new Lazy(() => this.#loadKey());
  #unlisten: Cancel | undefined;
  readonly #stopSessions: Cancel;
  #isClosed = false;

  constructor(context: WebPushContext) {
    this.#context = context;
    this.#storage = privateFile(`${context.directory}/push.json`);
    this.#keyStorage = privateFile(`${context.directory}/push-key.pem`);
    this.#stopSessions = context.sessions.ended.on((id) => {
      // If it cannot be written, the next start removes it: its session is unknown then.
      this.unsubscribe(id).catch(() => undefined);
    });
  }

  /** Reads the subscriptions, once, after the sessions. */
  async load(): Promise<void> {
    const { sessions, log } = this.#context;
    try {
      for (const one of readSubscriptions((await this.#storage.read()) ?? ''))
        if (sessions.isKnown(one.session)) this.#subscriptions.set(one.session, one);
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'the push subscriptions cannot be read; users subscribe again');
    }
    this.#follow();
  }

  /** The public key with which browsers subscribe; it is created on first use. */
  async publicKey(): Promise<string> {
    return (await this.#key.get()).publicKey;
  }

  has(session: BrowserSession): boolean {
    return this.#subscriptions.has(session.id);
  }

  /**
   * Subscribes the browser of a session. Throws `INVALID_REQUEST`, `UNAUTHORIZED`; rejects if it cannot be
   * stored.
   */
  async subscribe({ id, configurator = 0, device }: BrowserSession, given: GivenSubscription): Promise<void> {
    const checked = checkSubscription(given);
    // It may have ended while the body of the request arrived.
    if (!this.#context.sessions.isKnown(id)) throw fault('UNAUTHORIZED');
    const at = Math.floor(this.#context.clock.nowMs() / 1000);
    this.#subscriptions.set(id, { session: id, configurator, device, at, ...checked });
    await this.#save();
  }

  /** Ends the subscription of a session; false if there is none. */
  async unsubscribe(session: string): Promise<boolean> {
    if (!this.#subscriptions.delete(session)) return false;
    await this.#save();
    return true;
  }

  /** The browsers that are subscribed to a configurator, by the IDs of their sessions. */
  devices(configurator: number): readonly PushDevice[] {
    return this.#of(configurator).map(({ session, device, at }) => ({
      id: session,
      name: device,
      provider: 'WebPush',
      at,
    }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopSessions();
    this.#unlisten?.();
    for (const cancel of this.#timers) cancel();
    await this.#queue.run(async () => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #of(configurator: number): readonly PushSubscription[] {
    return [...this.#subscriptions.values()].filter((one) => one.configurator === configurator);
  }

  /** Listens to the changes only while somebody has subscribed. */
  #follow(): void {
    if (this.#isClosed || this.#subscriptions.size === 0) {
      this.#unlisten?.();
      this.#unlisten = undefined;
    } else this.#unlisten ??= this.#context.kernel.changes.listen((change) => this.#publish(change));
  }

  #save(): Promise<void> {
    this.#follow();
    return this.#queue.run(() => {
      const subscriptions = [...this.#subscriptions.values()];
      return this.#storage.write(JSON.stringify({ version: 1, subscriptions }));
    });
  }

  async #loadKey(): Promise<VapidKey> {
    const { log } = this.#context;
    try {
      const stored = await this.#keyStorage.read();
      if (stored !== undefined) return VapidKey.read(stored);
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'the key for push services is damaged; users subscribe again');
    }
    const created = VapidKey.create();
    await this.#keyStorage.write(created);
    return VapidKey.read(created);
  }

  #publish({ SenderID, Message, Data }: Change): void {
    if (Message !== message.WF_POPUP && Message !== message.WF_NOTIFICATION) return;
    const [title, text, , , , target] = Data as readonly [string, string, ...unknown[]];
    for (const subscription of this.#of(SenderID)) {
      const body = {
        title: limitText(title, TITLE_LENGTH) || UNTITLED[subscription.language],
        body: limitText(text, TEXT_LENGTH),
        open: typeof target === 'number' && target > 0 ? `#/object/${target}` : '#/messages',
      };
      void this.#deliver(subscription, Buffer.from(JSON.stringify(body)));
    }
  }

  async #deliver(subscription: PushSubscription, plain: Buffer): Promise<void> {
    const { session, device } = subscription;
    const inFlight = this.#inFlight.get(session) ?? 0;
    const { log } = this.#context;
    if (inFlight >= IN_FLIGHT_LIMIT) return log.warn({ device }, 'too many push messages; one was discarded');
    this.#inFlight.set(session, inFlight + 1);
    try {
      for (const retryMs of [...RETRIES_MS, undefined]) {
        const waitMs = await this.#try(subscription, plain);
        if (waitMs === undefined || this.#isClosed) return;
        if (retryMs === undefined)
          return log.warn({ device }, 'a push message could not be delivered and was discarded');
        await this.#delay(Math.max(retryMs, waitMs));
        if (this.#isClosed || this.#subscriptions.get(session) !== subscription) return;
      }
    } catch (thrown) {
      log.warn({ device, error: messageOf(thrown) }, 'a push message could not be sent');
    } finally {
      const remaining = (this.#inFlight.get(session) ?? 1) - 1;
      if (remaining > 0) this.#inFlight.set(session, remaining);
      else this.#inFlight.delete(session);
    }
  }

  /**
   * Sends a message once. Returns how long to wait at least before it is sent again, ms; undefined: not at
   * all.
   */
  async #try(subscription: PushSubscription, plain: Buffer): Promise<number | undefined> {
    const { clock, send, log } = this.#context;
    const { endpoint, session, device } = subscription;
    const keys = {
      p256dh: Buffer.from(subscription.p256dh, 'base64url'),
      auth: Buffer.from(subscription.auth, 'base64url'),
    };
    const headers = {
      Authorization: (await this.#key.get()).authorization(endpoint, clock.nowMs()),
      'Content-Encoding': 'aes128gcm',
      'Content-Type': 'application/octet-stream',
      TTL: String(TTL_S),
      Urgency: 'high',
    };
    let status: number;
    let retryAfterS: number | undefined;
    try {
      ({ status, retryAfterS } = await send({ endpoint, headers, body: encryptPush(plain, keys) }));
    } catch (thrown) {
      log.debug({ device, error: messageOf(thrown) }, 'the push service cannot be reached');
      return 0;
    }
    if (status === 404 || status === 410) {
      // The browser has ended it (RFC 8030 §7.3).
      if (this.#subscriptions.get(session) === subscription) await this.unsubscribe(session);
      log.info({ device }, 'a push subscription has ended');
      return undefined;
    }
    if (status === 429 || status >= 500) return Math.min(retryAfterS ?? 0, RETRY_AFTER_LIMIT_S) * 1000;
    if (status >= 300) log.warn({ device, status }, 'the push service rejected a message');
    return undefined;
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = () => {
        cancel();
        this.#timers.delete(stop);
        resolve();
      };
      const cancel = this.#context.clock.after(ms, stop);
      this.#timers.add(stop);
    });
  }
}

/** A text without control characters, cut to a number of characters. */
function limitText(text: string, length: number): string {
  return text
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .slice(0, length)
    .toWellFormed();
}
