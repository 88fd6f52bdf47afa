import { coded } from '../../src/base/codes/coded-text.js';
import type { Clock } from '../../src/base/clock.js';
import { fault, isAbort } from '../../src/base/fault.js';
import { onNextIteration, yieldToEventLoop } from '../../src/base/event-loop.js';
import { SerialQueue } from '../../src/base/serial-queue.js';
import type { Flow, Host } from '../../src/device/module.js';
import type { BrokerConnection, ConnectionListener, PublishOptions, QoS } from './broker.js';
import { EARLY_WINDOW_MS, EarlyMessages, type SubscriptionOwner } from './early-messages.js';
import type { AvailabilityTopic } from './publishing/announcement.js';
import { hasWildcards, matchesFilter, validateTopic } from './topic-filter.js';
import type { Message } from './message.js';

/** The data flow from an MQTT Client to the devices connected to it. */
export const mqttFlow: Flow<SubscriptionRouter> = { id: '{043EA491-0325-4ADD-8FC2-A30C8EEB4D3F}' };

/** A publish that the broker has not acknowledged by then has failed. Shorter than the limit of a write. */
export const PUBLISH_DEADLINE_MS = 8_000;

/**
 * Limit of known topics, which are cached for routing and for `MQTT_GetKnownDevices`; the oldest are dropped.
 */
export const KNOWN_TOPICS_LIMIT = 10_000;

/** Longer topics are not cached, so that they cannot exhaust the memory. */
const KNOWN_TOPIC_MAX_LENGTH = 256;

/** How much of the last payload of each topic is kept for `MQTT_GetKnownDevices`, bytes. */
const PREVIEW_BYTES = 64;

/** What the router uses of the MQTT Client's host. */
type RouterHost = Pick<Host, 'id' | 'clock' | 'log' | 'signal' | 'debug' | 'reportLost' | 'countMessage'>;

interface RouterOptions {
  /** True for a persistent session, whose queued messages arrive before anyone could subscribe again. */
  readonly hasSession: boolean;
  /** Where the broker and the gateway publish whether the connection is up. */
  readonly connectionTopic?: AvailabilityTopic;
  /** Opens a secondary connection to the same broker with the same credentials. The caller closes it. */
  readonly openSecondaryConnection: (listener: ConnectionListener) => Promise<BrokerConnection>;
}

/** The subscription of one listener to one filter. */
export interface Subscription {
  /** Settles when the broker has replied; rejects with `DEVICE_REFUSED` or `DEVICE_OFFLINE`. */
  readonly ready: Promise<void>;
  /** Requests the retained messages again. */
  renew(): Promise<void>;
  close(): void;
}

/** Publishes retained topics. */
interface TopicOwner {
  isPublishing(topic: string): boolean;
}

interface SubscribeOptions {
  readonly filter: string;
  readonly qos: QoS;
  /**
   * Whether, in a session of the broker, only messages are delivered that arrive after the subscription was
   * accepted, together with those of other instances: the broker may have queued earlier ones hours ago.
   */
  readonly skipsQueued?: boolean;
}

interface Subscriber {
  readonly owner: SubscriptionOwner;
  readonly listener: (message: Message) => void;
  isListening: boolean;
  /**
   * True once a message has arrived since it subscribed. A retained message that the broker repeats for
   * another subscriber is older.
   */
  hasReceived: boolean;
}

interface FilterEntry {
  readonly filter: string;
  readonly id: number;
  readonly isExact: boolean;
  qos: QoS;
  readonly subscribers: Set<Subscriber>;
  /** Settled by the next reply of the broker. */
  reply: PromiseWithResolvers<void> | undefined;
}

interface Route {
  entries: readonly FilterEntry[];
  /** The version of the filter entries that this route was computed from. */
  version: number;
  readonly head: Buffer;
  length: number;
  count: number;
  lastMs: number;
}

/**
 * Shares one connection between listeners: many listeners on one filter are one subscription at the broker.
 * It lives as long as the connection; subscribing after a reconnect delivers the retained messages again.
 */
export class SubscriptionRouter implements ConnectionListener {
  /** Serializes queries over secondary connections. */
  readonly queries = new SerialQueue();
  /** Those that publish objects of the gateway on this connection, under its {@link node}. */
  readonly publishers = new Set<TopicOwner>();
  readonly #host: RouterHost;
  readonly #options: RouterOptions;
  readonly #entries = new Map<string, FilterEntry>();
  /** The entries with wildcards. */
  readonly #wildcards = new Set<FilterEntry>();
  /** Incremented with every change of the entries. */
  #version = 0;
  /** The entries that each topic is routed to, and its last payload. */
  readonly #routes = new Map<string, Route>();
  readonly #changed = new Set<FilterEntry>();
  #connection: BrokerConnection | undefined;
  #nextId = 1;
  #isFlushing = false;
  #early: EarlyMessages | undefined;
  #turn = 0;
  #isTurnOver = false;

  constructor(host: RouterHost, options: RouterOptions) {
    this.#host = host;
    this.#options = options;
    if (!options.hasSession) return;
    this.#early = new EarlyMessages();
    host.clock.after(EARLY_WINDOW_MS, () => (this.#early = undefined));
  }

  /** Sets the connection, once. */
  attach(connection: BrokerConnection): void {
    this.#connection = connection;
  }

  get clock(): Clock {
    return this.#host.clock;
  }

  get signal(): AbortSignal {
    return this.#host.signal;
  }

  /** The name under which the gateway announces itself on this connection. */
  get node(): string {
    return `stellwerk_${this.#host.id}`;
  }

  get connectionTopic(): AvailabilityTopic | undefined {
    return this.#options.connectionTopic;
  }

  /** See {@link RouterOptions.openSecondaryConnection}. */
  openSecondaryConnection(listener: ConnectionListener): Promise<BrokerConnection> {
    return this.#options.openSecondaryConnection(listener);
  }

  /** Incremented with each iteration of the event loop; used to limit rates per iteration. */
  get loopIteration(): number {
    return this.#turn;
  }

  /**
   * Subscribes to a filter. The listener is called for each message as long as the connection lives, and
   * before this function returns for queued messages of the session. A reopened instance does not receive
   * again what it has received.
   */
  subscribe(
    owner: SubscriptionOwner,
    { filter, qos, skipsQueued = false }: SubscribeOptions,
    listener: (message: Message) => void,
  ): Subscription {
    const entry = this.#entry(filter, qos);
    const subscriber: Subscriber = {
      owner,
      listener,
      isListening: !skipsQueued || !this.#options.hasSession,
      hasReceived: false,
    };
    entry.subscribers.add(subscriber);
    for (const message of this.#early?.take(owner, filter) ?? []) this.#deliver(entry, subscriber, message);
    const renew = async () => {
      subscriber.hasReceived = false;
      await this.#scheduleUpdate(entry);
    };
    const ready = this.#scheduleUpdate(entry);
    // Not every subscriber waits for it.
    ready.then(() => (subscriber.isListening = true)).catch(() => undefined);
    const close = () => {
      entry.subscribers.delete(subscriber);
      // If it fails, the connection is lost, and the subscription with it.
      if (entry.subscribers.size === 0) this.#scheduleUpdate(entry).catch(() => undefined);
    };
    return { ready, renew, close };
  }

  /**
   * Resolves when the broker has accepted the message. Rejects with `DEVICE_OFFLINE`, `DEVICE_REFUSED`,
   * `TIMED_OUT` or `PARAMETER_TYPE`; the message is then never sent later.
   */
  async publish(topic: string, payload: string | Buffer, options: PublishOptions): Promise<void> {
    const error = validateTopic(topic);
    if (error !== undefined) throw fault('PARAMETER_TYPE', 'Topic', error);
    const host = this.#host;
    const bytes = Buffer.from(payload);
    const connection = this.#connected();
    const cancel = host.clock.after(PUBLISH_DEADLINE_MS, () => {
      host.reportLost(fault('TIMED_OUT', coded`WHAT_BROKER_REPLY: The reply of the broker`));
      // Resets the connection: neither this message nor the offline message may be delivered once the network
      // is back.
      void connection.close();
    });
    try {
      await connection.publish(topic, bytes, options);
      host.debug('sent', bytes, topic);
      host.countMessage('sent', options.qos);
    } catch (thrown) {
      throw isAbort(thrown)
        ? fault('DEVICE_OFFLINE', coded`CONNECTION_CLOSED: the connection was closed`)
        : thrown;
    } finally {
      cancel();
    }
  }

  /** Passes a received message to its subscribers. */
  onMessage(message: Message): void {
    this.#host.debug('received', message.payload, message.topic);
    this.#host.countMessage('received', message.qos);
    if (!this.#isTurnOver) {
      this.#isTurnOver = true;
      onNextIteration(() => {
        this.#turn += 1;
        this.#isTurnOver = false;
      });
    }
    const early = this.#early?.add(message);
    const route = this.#route(message.topic);
    route.count += 1;
    route.lastMs = this.#host.clock.nowMs();
    route.length = message.payload.length;
    message.payload.copy(route.head);
    for (const entry of route.entries) {
      if (message.subscriptionIds !== undefined && !message.subscriptionIds.includes(entry.id)) continue;
      for (const subscriber of entry.subscribers) {
        early?.take(subscriber.owner);
        this.#deliver(entry, subscriber, message);
      }
    }
  }

  onLost(cause: Error): void {
    this.#host.reportLost(cause);
  }

  /** The filters with subscribers, without the connection's own topic. */
  filters(): string[] {
    return [...this.#entries.values()]
      .filter(({ filter, subscribers }) => subscribers.size > 0 && filter !== this.connectionTopic?.topic)
      .map(({ filter }) => filter);
  }

  /** Clears the list of known topics. */
  clearKnownTopics(): void {
    this.#routes.clear();
  }

  /** The topics seen since connecting or since the list was cleared, at most {@link KNOWN_TOPICS_LIMIT}. */
  knownTopics() {
    return [...this.#routes].map(([Topic, { head, length, count, lastMs }]) => ({
      Topic,
      LastPayload:
        head.toString('utf8', 0, Math.min(length, PREVIEW_BYTES)) + (length > PREVIEW_BYTES ? '…' : ''),
      Count: count,
      LastSeen: Math.floor(lastMs / 1000),
    }));
  }

  #deliver(entry: FilterEntry, subscriber: Subscriber, message: Message): void {
    if (!subscriber.isListening) return;
    if (message.isRetained && entry.isExact && subscriber.hasReceived) return;
    subscriber.hasReceived = true;
    try {
      subscriber.listener(message);
    } catch (thrown) {
      this.#host.log.error({ err: thrown, topic: message.topic }, 'a listener failed');
    }
  }

  #entry(filter: string, qos: QoS): FilterEntry {
    const found = this.#entries.get(filter);
    if (found !== undefined) {
      if (qos > found.qos) found.qos = qos;
      return found;
    }
    const isExact = !hasWildcards(filter);
    const id = this.#nextId++;
    const entry: FilterEntry = { filter, id, isExact, qos, subscribers: new Set(), reply: undefined };
    this.#entries.set(filter, entry);
    if (!isExact) this.#wildcards.add(entry);
    this.#version += 1;
    return entry;
  }

  #drop(entry: FilterEntry): void {
    this.#entries.delete(entry.filter);
    this.#wildcards.delete(entry);
    this.#version += 1;
  }

  #route(topic: string): Route {
    let route = this.#routes.get(topic);
    if (route?.version === this.#version) return route;
    const exact = this.#entries.get(topic);
    const wild = [...this.#wildcards].filter(({ filter }) => matchesFilter(filter, topic));
    const entries = exact === undefined ? wild : [exact, ...wild];
    if (route === undefined) {
      route = { entries, version: 0, head: Buffer.alloc(PREVIEW_BYTES), length: 0, count: 0, lastMs: 0 };
      this.#addRoute(topic, route);
    }
    route.entries = entries;
    route.version = this.#version;
    return route;
  }

  #addRoute(topic: string, route: Route): void {
    if (topic.length > KNOWN_TOPIC_MAX_LENGTH) return;
    if (this.#routes.size >= KNOWN_TOPICS_LIMIT) {
      const [oldest = ''] = this.#routes.keys();
      this.#routes.delete(oldest);
    }
    this.#routes.set(topic, route);
  }

  /**
   * Sends the state of an entry to the broker in the next iteration of the event loop, together with all
   * other changed entries.
   */
  #scheduleUpdate(entry: FilterEntry): Promise<void> {
    entry.reply ??= Promise.withResolvers();
    this.#changed.add(entry);
    if (!this.#isFlushing) {
      this.#isFlushing = true;
      void yieldToEventLoop().then(() => this.#flush());
    }
    return entry.reply.promise;
  }

  async #flush(): Promise<void> {
    this.#isFlushing = false;
    const pending = [...this.#changed].map((entry) => ({ entry, reply: entry.reply }));
    this.#changed.clear();
    for (const { entry } of pending) entry.reply = undefined;
    const subscribed = pending.filter(({ entry }) => entry.subscribers.size > 0);
    const unsubscribed = pending.filter(({ entry }) => entry.subscribers.size === 0);
    for (const { entry } of unsubscribed) this.#drop(entry);
    try {
      const connection = this.#connected();
      const [granted] = await Promise.all([
        connection.subscribe(subscribed.map(({ entry }) => entry)),
        unsubscribed.length > 0 && connection.unsubscribe(unsubscribed.map(({ entry }) => entry.filter)),
      ]);
      for (const [index, { entry, reply }] of subscribed.entries()) {
        if (granted[index] === true) reply?.resolve();
        else
          reply?.reject(
            fault(
              'DEVICE_REFUSED',
              coded`BROKER_REJECTED_SUBSCRIPTION: the broker rejected the subscription to ${entry.filter}`,
            ),
          );
      }
    } catch (thrown) {
      for (const { reply } of pending) reply?.reject(thrown);
    }
    for (const { reply } of unsubscribed) reply?.resolve();
  }

  #connected(): BrokerConnection {
    if (this.#connection === undefined)
      throw fault(
        'DEVICE_OFFLINE',
        coded`CONNECTION_NOT_ESTABLISHED_YET: the connection is not established yet`,
      );
    return this.#connection;
  }
}
