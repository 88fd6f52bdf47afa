import { Readable } from 'node:stream';
import type { DurableRecords } from './durable-records.js';
import { FilterTree } from './filter-tree.js';
import { costOfFilter, costOfPacket, KeptBytes } from './kept-bytes.js';
import { SessionQueue, type QueueEntry, type Session } from './session.js';
import { KEY_SEPARATOR as SEPARATOR, keyNumber as numberOf } from './record-keys.js';
import { UnfinishedMessages } from './unfinished-messages.js';
import { matchesFilter } from '../../topic-filter.js';
import {
  decodePacket,
  encodePacket,
  storedPacketOf,
  type PassedPacket,
  type StoredPacket,
} from './stored-packet.js';

/** A client, as aedes and the broker pass it. */
interface PassedClient {
  readonly id: string;
  readonly user?: string;
  /** Whether its session ends with its connection. */
  readonly clean?: boolean;
}

/** How much the store keeps. */
interface StoreLimits {
  /** Messages that wait for one session. */
  readonly queued: number;
  /** Sessions of clients, connected or not. */
  readonly sessions: number;
  /** Subscriptions of a session. */
  readonly subscriptions: number;
  /** Payloads, topics and filters of everything that is kept, with what each record costs. */
  readonly bytes: number;
}

interface StoreContext {
  readonly records: DurableRecords;
  readonly limits: StoreLimits;
  readonly nowMs: () => number;
  /** aedes also passes the subscriptions that the broker denies. */
  readonly canSubscribe: (client: PassedClient, filter: string) => boolean;
  /** A message was not kept, because a limit was reached. */
  readonly onDropped: (why: 'queue' | 'bytes') => void;
}

interface SharedSubscription {
  readonly clientId: string;
  readonly topic: string;
  readonly qos: 0 | 1 | 2;
}

interface StoredWill extends StoredPacket {
  readonly clientId: string;
  readonly user: string;
}

/**
 * What the broker keeps: retained messages, sessions with their queues, wills, and messages that are
 * acknowledged but not yet passed on. It has the form that aedes requires of a persistence. All its methods
 * finish within the microtasks of their call: aedes takes a message that overtakes another one for a repetition.
 */
export class SessionStore {
  readonly #context: StoreContext;
  readonly #retained = new Map<string, StoredPacket>();
  readonly #sessions = new Map<string, Session>();
  readonly #wills = new Map<string, StoredWill>();
  readonly #tree = new FilterTree<SharedSubscription>();
  readonly #unfinished: UnfinishedMessages;
  readonly #kept: KeptBytes;
  #queued = 0;
  #brokerId = '';

  constructor(context: StoreContext) {
    this.#context = context;
    this.#unfinished = new UnfinishedMessages(context.records);
    this.#kept = new KeptBytes(context.limits.bytes, () => context.onDropped('bytes'));
    // The rows of a database and the changes of a journal have no order: queues are numbered. Sessions come first.
    const order = (key: string): number => (key.startsWith('s') ? -1 : numberOf(key));
    const records = [...context.records.takeInitial()].sort(([a], [b]) => order(a) - order(b));
    for (const [key, value] of records) this.#load(key, value);
  }

  get retainedCount(): number {
    return this.#retained.size;
  }

  get queuedCount(): number {
    return this.#queued;
  }

  /** Whether there is room for another session. */
  get hasRoom(): boolean {
    return this.#sessions.size < this.#context.limits.sessions;
  }

  session(clientId: string): Session | undefined {
    return this.#sessions.get(clientId);
  }

  /** The user of a will that is published after its client has gone. */
  userOfWill(will: object): string | undefined {
    return this.#wills.get((will as { clientId?: string }).clientId ?? '')?.user;
  }

  /** Messages that were received and are not finished. */
  get unfinished(): UnfinishedMessages {
    return this.#unfinished;
  }

  /** Notes that the client of a session is or was connected now. */
  touch(clientId: string): void {
    const session = this.#sessions.get(clientId);
    if (session === undefined) return;
    session.seenMs = this.#context.nowMs();
    this.#writeSession(clientId, session);
  }

  /** Removes the sessions whose clients have not been connected since this time, unix ms. */
  expire(beforeMs: number, isConnected: (clientId: string) => boolean): number {
    const old = [...this.#sessions].filter(([id, { seenMs }]) => seenMs < beforeMs && !isConnected(id));
    for (const [id] of old) {
      this.#removeSession(id);
      void this.#unfinished.deleteOf(id);
    }
    return old.length;
  }

  async setup(broker: { readonly id: string }): Promise<void> {
    this.#brokerId = broker.id;
  }

  async storeRetained(packet: PassedPacket): Promise<void> {
    const stored = storedPacketOf(packet);
    const { topic, payload, qos } = stored;
    const before = this.#retained.get(topic);
    if (before !== undefined && before.qos === qos && before.payload.equals(payload)) return;
    const added = costOfPacket(stored) - (before === undefined ? 0 : costOfPacket(before));
    // Without room for the new message, none is retained: the former one is outdated.
    if (payload.length === 0 || !this.#kept.reserve(added)) {
      if (before === undefined) return;
      this.#retained.delete(topic);
      this.#kept.release(costOfPacket(before));
      this.#context.records.delete(`r${topic}`);
      return;
    }
    this.#retained.set(topic, stored);
    this.#context.records.put(`r${topic}`, encodePacket(stored));
  }

  createRetainedStreamCombi(filters: readonly string[]): Readable {
    const all = [...this.#retained.values()];
    return Readable.from(
      filters.flatMap((filter) => all.filter(({ topic }) => matchesFilter(filter, topic))),
    );
  }

  async addSubscriptions(
    client: PassedClient,
    subscriptions: readonly { readonly topic: string; readonly qos: 0 | 1 | 2 }[],
  ): Promise<void> {
    const { canSubscribe, limits } = this.#context;
    const session = this.#sessionOf(client);
    for (const { topic, qos } of subscriptions) {
      const hasRoom = session.subscriptions.has(topic) || session.subscriptions.size < limits.subscriptions;
      if (hasRoom && canSubscribe(client, topic)) this.#subscribe(client.id, session, { topic, qos });
    }
    this.#writeSession(client.id, session);
  }

  async removeSubscriptions(client: PassedClient, filters: readonly string[]): Promise<void> {
    const session = this.#sessions.get(client.id);
    if (session === undefined) return;
    for (const filter of filters) {
      this.#unsubscribe(client.id, session, filter);
    }
    this.#writeSession(client.id, session);
  }

  async subscriptionsByClient({ id }: PassedClient): Promise<object[]> {
    const { subscriptions = new Map<string, number>() } = this.#sessions.get(id) ?? {};
    return Array.from(subscriptions, ([topic, qos]) => ({ topic, qos }));
  }

  async subscriptionsByTopic(topic: string): Promise<SharedSubscription[]> {
    return this.#tree.matches(topic);
  }

  /** A client begins without a session: the former one ends [MQTT-3.1.2-6]. */
  async cleanSubscriptions({ id }: PassedClient): Promise<void> {
    this.#removeSession(id);
  }

  async outgoingEnqueue({ clientId }: { readonly clientId: string }, packet: PassedPacket): Promise<void> {
    this.#enqueue(clientId, storedPacketOf(packet));
  }

  async outgoingEnqueueCombi(
    subscriptions: readonly SharedSubscription[],
    packet: PassedPacket,
  ): Promise<void> {
    const levels = new Map<string, 0 | 1 | 2>();
    for (const { clientId, qos } of subscriptions)
      levels.set(clientId, Math.max(levels.get(clientId) ?? 0, qos) as 0 | 1 | 2);
    for (const [clientId, qos] of levels) {
      const stored = storedPacketOf(packet);
      this.#enqueue(clientId, { ...stored, qos: Math.min(stored.qos, qos) as 0 | 1 | 2, retain: false });
    }
  }

  /** Notes the identifier of a delivery, or that the client has received a message of QoS 2. */
  async outgoingUpdate({ id }: PassedClient, packet: PassedPacket): Promise<void> {
    const queue = this.#sessions.get(id)?.queue;
    const entry = queue?.find(packet);
    // A message for which there was no room is delivered without being kept.
    if (queue === undefined || entry === undefined) return;
    const isRelease = packet.cmd === 'pubrel';
    if (isRelease) this.#kept.release(entry.packet.payload.length + entry.packet.topic.length);
    const { messageId } = packet;
    queue.replace(
      entry,
      isRelease ? storedPacketOf({ cmd: 'pubrel', messageId }) : { ...entry.packet, messageId },
    );
    // The identifier of QoS 1 may be another one after a restart.
    if (isRelease || entry.packet.qos === 2)
      this.#context.records.put(queueKey(id, entry), encodePacket(entry.packet));
  }

  async outgoingClearMessageId(
    { id }: PassedClient,
    packet: PassedPacket,
  ): Promise<StoredPacket | undefined> {
    const session = this.#sessions.get(id);
    const { messageId } = packet;
    const entry = session?.queue.find(messageId === undefined ? packet : { messageId });
    if (session === undefined || entry === undefined) return undefined;
    this.#dequeue(id, session, entry);
    return entry.packet;
  }

  outgoingStream({ id }: PassedClient): Readable {
    const queue = this.#sessions.get(id)?.queue;
    if (queue === undefined) return Readable.from([]);
    return Readable.from(
      Array.from(queue.entries(), ({ packet }) => ({
        ...packet,
        messageId: packet.messageId ?? queue.newMessageId(),
      })),
    );
  }

  incomingStorePacket(client: PassedClient, { messageId = 0 }: PassedPacket): Promise<void> {
    const { id, clean = false } = client;
    // The identifiers of a client without subscriptions expire with its session, too.
    if (!clean && !this.#sessions.has(id)) {
      this.#sessionOf(client);
      this.touch(id);
    }
    return this.#unfinished.store(id, messageId);
  }

  incomingGetPacket({ id }: PassedClient, { messageId = 0 }: PassedPacket): Promise<object> {
    return this.#unfinished.get(id, messageId);
  }

  incomingDelPacket({ id }: PassedClient, { messageId = 0 }: PassedPacket): Promise<void> {
    return this.#unfinished.delete(id, messageId);
  }

  cleanIncoming({ id }: PassedClient): Promise<void> {
    return this.#unfinished.deleteOf(id);
  }

  async putWill({ id, user = '' }: PassedClient, packet: PassedPacket): Promise<void> {
    const stored = { ...storedPacketOf(packet), brokerId: this.#brokerId, clientId: id, user };
    if (!this.#kept.reserve(costOfPacket(stored))) return;
    this.#wills.set(id, stored);
    this.#context.records.put(`w${id}`, encodePacket(stored));
  }

  async delWill({ id }: PassedClient): Promise<StoredWill | undefined> {
    const will = this.#wills.get(id);
    if (will === undefined) return undefined;
    this.#wills.delete(id);
    this.#kept.release(costOfPacket(will));
    this.#context.records.delete(`w${id}`);
    return will;
  }

  /** The wills of clients of other runs of the broker. */
  streamWill(brokers: Readonly<Record<string, unknown>> = {}): Readable {
    return Readable.from([...this.#wills.values()].filter(({ brokerId }) => brokers[brokerId] === undefined));
  }

  #sessionOf({ id, user = '' }: PassedClient): Session {
    const present = this.#sessions.get(id);
    if (present !== undefined) return present;
    const seenMs = this.#context.nowMs();
    const created: Session = { queue: new SessionQueue(), subscriptions: new Map(), user, seenMs };
    this.#sessions.set(id, created);
    return created;
  }

  /** Whether a subscription can be kept with the session. */
  hasRoomFor(clientId: string, filter: string): boolean {
    const isKept = this.#sessions.get(clientId)?.subscriptions.has(filter) === true;
    return isKept || this.#kept.hasRoom(costOfFilter(filter));
  }

  #subscribe(clientId: string, session: Session, { topic, qos }: { topic: string; qos: 0 | 1 | 2 }): void {
    if (!session.subscriptions.has(topic) && !this.#kept.reserve(costOfFilter(topic))) return;
    session.subscriptions.set(topic, qos);
    if (qos > 0) this.#tree.set(topic, clientId, { clientId, topic, qos });
    else this.#tree.delete(topic, clientId);
  }

  #unsubscribe(clientId: string, session: Session, filter: string): void {
    if (session.subscriptions.delete(filter)) this.#kept.release(costOfFilter(filter));
    this.#tree.delete(filter, clientId);
  }

  #writeSession(id: string, { user, seenMs, subscriptions }: Session): void {
    const text = JSON.stringify({ user, seenMs, subscriptions: [...subscriptions] });
    this.#context.records.put(`s${id}`, Buffer.from(text));
  }

  #removeSession(id: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    for (const entry of Array.from(session.queue.entries())) this.#dequeue(id, session, entry);
    for (const filter of session.subscriptions.keys()) this.#unsubscribe(id, session, filter);
    this.#sessions.delete(id);
    this.#context.records.delete(`s${id}`);
  }

  #enqueue(clientId: string, packet: StoredPacket): void {
    const session = this.#sessions.get(clientId);
    if (session === undefined) return;
    if (session.queue.size >= this.#context.limits.queued) return this.#context.onDropped('queue');
    if (!this.#kept.reserve(costOfPacket(packet))) return;
    const entry = session.queue.add(packet);
    this.#queued += 1;
    this.#context.records.put(queueKey(clientId, entry), encodePacket(packet));
  }

  #dequeue(clientId: string, session: Session, entry: QueueEntry): void {
    session.queue.delete(entry);
    this.#queued -= 1;
    this.#kept.release(costOfPacket(entry.packet));
    this.#context.records.delete(queueKey(clientId, entry));
  }

  /** Reads a record of an earlier process. */
  #load(key: string, value: Buffer): void {
    const [id = '', number = '0'] = key.slice(1).split(SEPARATOR);
    if (key.startsWith('s')) return this.#loadSession(id, value);
    if (/^[ip]/.test(key)) return this.#unfinished.load(key, value);
    const packet = decodePacket(value);
    // The limit may have been lowered.
    if (!this.#kept.reserve(costOfPacket(packet))) return this.#context.records.delete(key);
    if (key.startsWith('r')) this.#retained.set(key.slice(1), packet);
    else if (key.startsWith('q')) {
      this.#sessionOf({ id }).queue.add(packet, Number(number));
      this.#queued += 1;
    } else {
      const user = typeof packet['user'] === 'string' ? packet['user'] : '';
      this.#wills.set(id, { ...packet, clientId: id, user });
    }
  }

  #loadSession(id: string, value: Buffer): void {
    const stored = JSON.parse(value.toString()) as {
      user: string;
      seenMs: number;
      subscriptions: [string, 0 | 1 | 2][];
    };
    const session = this.#sessionOf({ id });
    Object.assign(session, { user: stored.user, seenMs: stored.seenMs });
    for (const [topic, qos] of stored.subscriptions) this.#subscribe(id, session, { topic, qos });
  }
}

const queueKey = (clientId: string, { number }: QueueEntry): string => `q${clientId}${SEPARATOR}${number}`;
