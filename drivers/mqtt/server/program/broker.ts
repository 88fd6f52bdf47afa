import { Aedes, type AedesPublishPacket, type Client, type PublishPacket, type Subscription } from 'aedes';
import type { Clock } from '../../../../src/base/clock.js';
import type { QoS } from '../../broker.js';
import type { BrokerFigures, BrokerLimits, BrokerUser } from '../messages.js';
import { SessionStore } from '../store/session-store.js';
import type { DurableRecords } from '../store/durable-records.js';
import { FilterTree } from '../store/filter-tree.js';
import { GuardedStream, UNSENT_LIMIT } from './guarded-stream.js';
import { Logins } from './logins.js';
import { canRead, canSubscribe, canWrite, type TopicAccess } from './topic-access.js';

/** How long a client may take to send CONNECT, ms. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Messages of QoS 2 that a client may have begun and not finished. */
const MAX_UNFINISHED = 100;
const MAX_TOPIC_LEVELS = 100;
/** More than any client needs; it is a part of keys and log lines. */
const CLIENT_ID_LIMIT = 256;
const EXPIRY_CHECK_MS = 3600_000;
/** Sessions for each client that may be connected: some are offline. */
const SESSIONS_PER_CLIENT = 2;

/** The reply to a rejected CONNECT (MQTT 3.1.1 §3.2.2.3). */
const returnCode = { identifier: 2, unavailable: 3, login: 4 } as const;

/** Without users, every client may do everything. */
const EVERYTHING: TopicAccess = { read: ['#'], write: ['#'] };

/** A client of the broker, with what the broker adds to it. */
interface BrokerClient extends Client {
  user?: string;
  /** Its user as it was at the login: {@link Broker.setUsers} ends the connections of changed ones. */
  login?: string;
  /** The filters of its subscriptions, with their QoS. */
  filters?: Map<string, QoS>;
  /** The same, to find those that match a topic. */
  filterTree?: FilterTree<QoS>;
  /** Messages that it has sent and that have not been passed on. */
  unpublished?: Set<object>;
}

interface BrokerContext {
  readonly clock: Clock;
  readonly records: DurableRecords;
  readonly limits: BrokerLimits;
  /** Something was rejected. */
  readonly onRejected: (what: string) => void;
}

/** The broker: aedes with users, topic permissions, limits, and a store that survives its process. */
export class Broker {
  readonly #context: BrokerContext;
  readonly #logins: Logins;
  readonly #store: SessionStore;
  readonly #clients = new Map<string, BrokerClient>();
  #aedes: Aedes | undefined;
  #stopExpiry: () => void = () => undefined;
  #received = 0;
  #sent = 0;
  #dropped = 0;
  #rejected = 0;

  constructor(context: BrokerContext) {
    this.#context = context;
    const { clock, limits, records } = context;
    this.#logins = new Logins(clock);
    this.#store = new SessionStore({
      records,
      limits: {
        queued: limits.queued,
        sessions: SESSIONS_PER_CLIENT * limits.clients,
        subscriptions: limits.subscriptions,
        bytes: limits.keptBytes,
      },
      nowMs: () => clock.nowMs(),
      canSubscribe: (client, filter) => this.#canSubscribe(client, filter),
      onDropped: () => (this.#dropped += 1),
    });
  }

  async start(users: readonly BrokerUser[], isLoginRequired: boolean): Promise<void> {
    this.#logins.setUsers(users, isLoginRequired);
    const aedes = await Aedes.createBroker({
      persistence: this.#store,
      // A limit here would make all clients wait for the slowest one.
      concurrency: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      maxInflightInbound: MAX_UNFINISHED,
      maxTopicLevels: MAX_TOPIC_LEVELS,
      authenticate: (client, ...login) => void this.#authenticate(client, login),
      authorizePublish: (client, packet, done) => done(this.#authorizePublish(client, packet)),
      authorizeSubscribe: (client, subscription, done) =>
        done(null, this.#authorizeSubscribe(client, subscription)),
      authorizeForward: (client, packet) => this.#authorizeForward(client, packet),
      published: (packet, client: BrokerClient | null, done) => {
        client?.unpublished?.delete(packet);
        this.#store.unfinished.published(packet);
        done();
      },
    });
    this.#aedes = aedes;
    aedes.on('clientReady', (client) => {
      this.#clients.set(client.id, client);
      // The users may have changed since its login.
      if (!this.#isPermitted(client)) client.close();
    });
    aedes.on('clientDisconnect', (client) => this.#onDisconnect(client));
    aedes.on('unsubscribe', (filters, client: BrokerClient) => {
      for (const filter of filters) {
        client.filters?.delete(filter);
        client.filterTree?.delete(filter, '');
      }
    });
    // Their connections are closed; there is nothing else to do.
    aedes.on('clientError', () => undefined);
    aedes.on('connectionError', () => undefined);
    // A bounded store rejects nothing. If it fails nevertheless, the process ends and is started again.
    for (const packet of this.#store.unfinished.takeUnpublished())
      aedes.publish({ ...packet, cmd: 'publish', messageId: 0 }, () =>
        this.#store.unfinished.published(packet),
      );
    // Not now: the clients that were connected when an earlier process ended have not returned yet.
    this.#stopExpiry = this.#context.clock.every(EXPIRY_CHECK_MS, () => this.#expire());
  }

  /** Takes the connection of a client. */
  handle(stream: GuardedStream): Client {
    if (this.#aedes === undefined) throw new Error('the broker has not been started');
    return this.#aedes.handle(stream);
  }

  /** Replaces the users; clients whose user was changed or removed, or that have none, are disconnected. */
  setUsers(users: readonly BrokerUser[], isLoginRequired: boolean): void {
    this.#logins.setUsers(users, isLoginRequired);
    for (const client of this.#clients.values()) if (!this.#isPermitted(client)) client.close();
  }

  /** Whether it could log in as it did. */
  #isPermitted({ user = '', login }: BrokerClient): boolean {
    return user === '' ? !this.#logins.isRequired : JSON.stringify(this.#logins.user(user)) === login;
  }

  figures(): BrokerFigures {
    // A user may be called constructor.
    const clientsOf = Object.create(null) as Record<string, number>;
    for (const { user = '' } of this.#clients.values())
      if (user !== '') clientsOf[user] = (clientsOf[user] ?? 0) + 1;
    return {
      clients: this.#clients.size,
      clientsOf,
      received: this.#received,
      sent: this.#sent,
      retained: this.#store.retainedCount,
      queued: this.#store.queuedCount,
      dropped: this.#dropped,
      rejected: this.#rejected,
    };
  }

  /** Disconnects all clients. */
  async close(): Promise<void> {
    this.#stopExpiry();
    const aedes = this.#aedes;
    if (aedes !== undefined) await new Promise<void>((resolve) => aedes.close(() => resolve()));
  }

  /** Counts and reports what was rejected. */
  reject(what: string): void {
    this.#rejected += 1;
    this.#context.onRejected(what);
  }

  async #authenticate(
    client: BrokerClient,
    [name = '', password, done]: readonly [
      name: string | undefined,
      password: Buffer | undefined,
      done: (error: (Error & { returnCode: number }) | null, success: boolean | null) => void,
    ],
  ): Promise<void> {
    const reject = (code: number, why: string): void => {
      this.reject(`client ${printable(client.id)}: ${why}`);
      done(Object.assign(new Error(why), { returnCode: code }), false);
    };
    if (client.id.length > CLIENT_ID_LIMIT || hasControls(client.id))
      return reject(returnCode.identifier, 'its client identifier is too long or has control characters');
    if (this.#logins.isRequired) {
      const result = await this.#logins.check(name, password?.toString() ?? '');
      if ('failure' in result)
        return result.failure === 'busy'
          ? reject(returnCode.unavailable, 'too many logins at a time')
          : reject(returnCode.login, `the login of user ${printable(name)} is wrong`);
      client.user = result.user.name;
      client.login = JSON.stringify(result.user);
    }
    const owner = this.#clients.get(client.id)?.user ?? this.#store.session(client.id)?.user;
    if (owner !== undefined && owner !== (client.user ?? '') && owner !== '')
      return reject(returnCode.identifier, 'its client identifier belongs to another user');
    if (!client.clean && this.#store.session(client.id) === undefined && !this.#store.hasRoom)
      return reject(returnCode.unavailable, 'there are too many sessions');
    done(null, true);
  }

  #accessOf({ user }: { readonly user?: string }): TopicAccess | undefined {
    return user === undefined || user === '' ? EVERYTHING : this.#logins.user(user);
  }

  /**
   * A message that its user may not publish is acknowledged and discarded [MQTT-3.3.5-2]: closing the connection
   * would keep a device with one wrong topic from working at all.
   */
  #authorizePublish(client: BrokerClient | null, packet: PublishPacket): Error | null {
    this.#received += 1;
    const user = client === null ? this.#store.userOfWill(packet) : client.user;
    const access = this.#accessOf(user === undefined ? {} : { user });
    if (access === undefined || hasControls(packet.topic) || !canWrite(access, packet.topic)) {
      this.reject(`${whose(client)} may not publish to ${printable(packet.topic)}`);
      // Nobody can subscribe to it.
      Object.assign(packet, { topic: '$rejected', retain: false, payload: Buffer.alloc(0) });
      return null;
    }
    // aedes acknowledges a repetition of QoS 2 and does not pass it on: `published` is not called.
    if (packet.qos > 0 && !(client !== null && this.#store.unfinished.isRepeated(client.id, packet))) {
      this.#store.unfinished.receive(packet);
      if (client !== null) (client.unpublished ??= new Set()).add(packet);
    }
    return null;
  }

  #authorizeSubscribe(client: BrokerClient, subscription: Subscription): Subscription | null {
    const filters = (client.filters ??= new Map<string, QoS>());
    const { topic, qos } = subscription;
    if (hasControls(topic) || !this.#canSubscribe(client, topic)) {
      this.reject(`${whose(client)} may not subscribe to ${printable(topic)}`);
      return null;
    }
    if (!filters.has(topic) && filters.size >= this.#context.limits.subscriptions) {
      this.reject(`${whose(client)} has too many subscriptions`);
      return null;
    }
    if (!client.clean && !this.#store.hasRoomFor(client.id, topic)) {
      this.reject(`${whose(client)} may not subscribe to ${printable(topic)}: MaxKeptMiB is reached`);
      return null;
    }
    filters.set(topic, qos);
    (client.filterTree ??= new FilterTree()).set(topic, '', qos);
    return subscription;
  }

  #canSubscribe(client: { readonly user?: string }, filter: string): boolean {
    const access = this.#accessOf(client);
    return access !== undefined && !hasControls(filter) && canSubscribe(access, filter);
  }

  #authorizeForward(client: BrokerClient, packet: AedesPublishPacket): AedesPublishPacket | null {
    const access = this.#accessOf(client);
    if (access === undefined || !canRead(access, packet.topic)) return null;
    const { conn } = client;
    if (isQueued(packet)) {
      // However many messages waited, the client may be a fast one.
      if (conn instanceof GuardedStream) conn.pace();
    } else if (conn.writableLength > UNSENT_LIMIT) {
      if (packet.qos === 0) {
        this.#dropped += 1;
        return null;
      }
      if (conn instanceof GuardedStream) conn.reject(`${whose(client)} reads too slowly`);
    }
    this.#sent += 1;
    // What waited has the QoS with which it was queued.
    if (!isQueued(packet)) {
      packet.qos = permittedQos(client, packet);
      const session = client.clean ? undefined : this.#store.session(client.id);
      if (session !== undefined && packet.qos > 0) packet.messageId = session.queue.newMessageId();
    }
    return packet;
  }

  #onDisconnect(client: BrokerClient): void {
    if (this.#clients.get(client.id) === client) this.#clients.delete(client.id);
    if (!client.clean) this.#store.touch(client.id);
    // Messages whose acknowledgement could not be sent are not passed on.
    for (const packet of client.unpublished ?? []) this.#store.unfinished.published(packet);
  }

  #expire(): void {
    const { clock, limits } = this.#context;
    // With a clock of 1970, all sessions would be from the future; with a wrong later one, all would be old.
    if (!clock.isTrusted()) return;
    // If this process is killed, the next one must know when they were connected.
    for (const { id, clean } of this.#clients.values()) if (!clean) this.#store.touch(id);
    this.#store.expire(clock.nowMs() - limits.sessionMs, (id) => this.#clients.has(id));
  }
}

// eslint-disable-next-line no-control-regex
const hasControls = (text: string): boolean => /[\0-\x1f\x7f]/.test(text);

/** Whether it comes from the queue of a session: only there, a message has its identifier before it is sent. */
const isQueued = ({ messageId }: AedesPublishPacket): boolean => messageId !== undefined;

/**
 * At most the highest QoS of the subscriptions that match [MQTT-3.8.4-6]. aedes only lowers the QoS if the filter
 * is the topic itself.
 */
function permittedQos({ filters, filterTree }: BrokerClient, { topic, qos }: AedesPublishPacket): QoS {
  if (qos === 0 || (filters?.get(topic) ?? 0) >= qos) return qos;
  const granted = filterTree?.matches(topic) ?? [];
  return granted.length === 0 ? qos : (Math.min(qos, Math.max(...granted)) as QoS);
}

/** The beginning of a text of a client, for log lines. */
const printable = (text: string): string => JSON.stringify(text.slice(0, 100));

function whose(client: BrokerClient | null): string {
  if (client === null) return 'the will of a client that is gone';
  return client.user === undefined ? `client ${printable(client.id)}` : `user ${printable(client.user)}`;
}
