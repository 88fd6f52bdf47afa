import type { Clock } from '../../src/base/clock.js';
import { fault, isAbort } from '../../src/base/fault.js';
import type { Log } from '../../src/base/log.js';
import { onNextIteration, SerialQueue, yieldToEventLoop } from '../../src/base/serial-queue.js';
import type { Flow } from '../../src/device/module.js';
import type { BrokerConnection, ConnectionListener, PublishOptions, QoS } from './broker.js';
import { hasWildcards, matchesFilter, validateTopic } from './topic-filter.js';
import type { Message } from './message.js';

/** What an MQTT Client offers to the devices connected to it. */
export const mqttFlow: Flow<SubscriptionRouter> = { id: '{043EA491-0325-4ADD-8FC2-A30C8EEB4D3F}' };

/** A publish that the broker has not acknowledged by then was not taken; shorter than what a caller is made to wait. */
export const PUBLISH_DEADLINE_MS = 8_000;

/** Topics that are remembered, to find the listeners at once and to be shown; the oldest are forgotten. */
export const KNOWN_TOPICS_LIMIT = 10_000;

/** Longer topics are not remembered, so that nobody can fill the memory with them. */
const KNOWN_TOPIC_MAX_LENGTH = 256;

/** For so long after connecting, and so many messages, what the broker had kept for us waits for its listeners. */
const EARLY_WINDOW_MS = 10_000;
const EARLY_MESSAGE_LIMIT = 1_000;

/** And so many bytes of them: one message may have 16 MiB. */
export const EARLY_BYTE_LIMIT = 16 * 1024 * 1024;

/** So much of each topic's last payload is kept to be shown. */
const PREVIEW_BYTES = 64;

export interface RouterOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** True for a session that the broker kept: its messages come before anybody could subscribe again. */
  readonly hasSession: boolean;
  /** Called with what the broker has taken. */
  readonly onSent: (topic: string, payload: Uint8Array) => void;
  /** Called when the broker does not answer; what waits for it is then dropped with the connection. */
  readonly onStalled: (cause: Error) => void;
  /** Makes another connection to the same broker, with the same rights. Whoever asks for it closes it. */
  readonly openSecondaryConnection: (listener: ConnectionListener) => Promise<BrokerConnection>;
  /** Aborts when this connection ends. */
  readonly signal: AbortSignal;
}

/** One listener's place at one filter. */
export interface Subscription {
  /** Settles when the broker has answered; rejects with `DEVICE_REFUSED` or `DEVICE_OFFLINE`. */
  readonly ready: Promise<void>;
  /** Asks the broker for the retained messages again. */
  renew(): Promise<void>;
  close(): void;
}

interface Subscriber {
  readonly listener: (message: Message) => void;
  /** Has had a message since it subscribed: a retained one that comes again for another is older than that. */
  hasReceived: boolean;
}

interface FilterEntry {
  readonly filter: string;
  readonly id: number;
  readonly isExact: boolean;
  qos: QoS;
  readonly subscribers: Set<Subscriber>;
  /** Settled by the next answer of the broker. */
  answer: PromiseWithResolvers<void> | undefined;
}

interface Route {
  entries: readonly FilterEntry[];
  /** Of the entries that these were found among. */
  version: number;
  readonly head: Buffer;
  length: number;
  count: number;
  lastMs: number;
}

/**
 * The topics of one connection, shared: many listeners on one filter are one subscription at the broker. Lives as long as
 * the connection; whatever subscribes after a reconnect gets the retained state again.
 */
export class SubscriptionRouter {
  /** For those who ask the broker aside: one at a time. */
  readonly queries = new SerialQueue();
  readonly #options: RouterOptions;
  readonly #entries = new Map<string, FilterEntry>();
  /** Of them, those with wildcards. */
  readonly #wild = new Set<FilterEntry>();
  /** Grows with every change of the entries. */
  #version = 0;
  /** Which entries a topic goes to, and what was last seen of it. */
  readonly #routes = new Map<string, Route>();
  readonly #dirty = new Set<FilterEntry>();
  #connection: BrokerConnection | undefined;
  #nextId = 1;
  #isFlushing = false;
  /** What came before its listeners did. */
  #early: Message[] | undefined;
  #earlyBytes = 0;
  #turn = 0;
  #isTurnOver = false;

  constructor(options: RouterOptions) {
    this.#options = options;
    if (!options.hasSession) return;
    this.#early = [];
    options.clock.after(EARLY_WINDOW_MS, () => (this.#early = undefined));
  }

  /** For whoever made the connection, once. */
  attach(connection: BrokerConnection): void {
    this.#connection = connection;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** See {@link RouterOptions.openSecondaryConnection}. */
  openSecondaryConnection(listener: ConnectionListener): Promise<BrokerConnection> {
    return this.#options.openSecondaryConnection(listener);
  }

  /** Grows when the event loop has turned: what came since is one flood, however many messages. */
  get loopIteration(): number {
    return this.#turn;
  }

  /**
   * Listens to a filter. The listener is called for each message, while the connection lives, and before this returns for
   * those that the broker kept for it.
   */
  subscribe(filter: string, qos: QoS, listener: (message: Message) => void): Subscription {
    const entry = this.#entry(filter, qos);
    const subscriber: Subscriber = { listener, hasReceived: false };
    entry.subscribers.add(subscriber);
    for (const message of this.#early ?? []) {
      if (matchesFilter(filter, message.topic)) this.#tell(entry, subscriber, message);
    }
    const renew = async () => {
      subscriber.hasReceived = false;
      await this.#ask(entry);
    };
    const ready = this.#ask(entry);
    ready.catch(() => undefined);
    const close = () => {
      entry.subscribers.delete(subscriber);
      if (entry.subscribers.size === 0) this.#ask(entry).catch(() => undefined);
    };
    return { ready, renew, close };
  }

  /**
   * Resolves when the broker has it. Rejects with `DEVICE_OFFLINE`, `DEVICE_REFUSED`, `TIMED_OUT` or `PARAMETER_TYPE`
   * when it does not, and then it is never sent later.
   */
  async publish(topic: string, payload: string | Buffer, options: PublishOptions): Promise<void> {
    const mistake = validateTopic(topic);
    if (mistake !== undefined) throw fault('PARAMETER_TYPE', 'Topic', mistake);
    const { clock, onSent: sent, onStalled: stuck } = this.#options;
    const bytes = Buffer.from(payload);
    // Dropping the connection is what keeps the kernel from delivering it when the network is back.
    const cancel = clock.after(PUBLISH_DEADLINE_MS, () =>
      stuck(fault('TIMED_OUT', 'The answer of the broker')),
    );
    try {
      await this.#connected().publish(topic, bytes, options);
      sent(topic, bytes);
    } catch (thrown) {
      throw isAbort(thrown) ? fault('DEVICE_OFFLINE', 'the connection was closed meanwhile') : thrown;
    } finally {
      cancel();
    }
  }

  /** For the connection: hands a message to those who listen. */
  dispatch(message: Message): void {
    if (!this.#isTurnOver) {
      this.#isTurnOver = true;
      onNextIteration(() => {
        this.#turn += 1;
        this.#isTurnOver = false;
      });
    }
    this.#keepEarly(message);
    const route = this.#route(message.topic);
    route.count += 1;
    route.lastMs = this.#options.clock.nowMs();
    route.length = message.payload.length;
    message.payload.copy(route.head);
    for (const entry of route.entries) {
      if (message.subscriptionIds !== undefined && !message.subscriptionIds.includes(entry.id)) continue;
      for (const subscriber of entry.subscribers) this.#tell(entry, subscriber, message);
    }
  }

  #keepEarly(message: Message): void {
    const bytes = message.payload.length + message.topic.length;
    if (this.#early === undefined || this.#early.length >= EARLY_MESSAGE_LIMIT) return;
    if (this.#earlyBytes + bytes > EARLY_BYTE_LIMIT) return;
    this.#earlyBytes += bytes;
    this.#early.push(message.copy());
  }

  /** What somebody listens to. */
  filters(): string[] {
    return [...this.#entries.values()]
      .filter(({ subscribers }) => subscribers.size > 0)
      .map(({ filter }) => filter);
  }

  /** Forgets the topics seen; those of messages that come are known again. */
  clearKnownTopics(): void {
    this.#routes.clear();
  }

  /** Topics seen since the connection was made or they were forgotten, at most {@link KNOWN_TOPICS_LIMIT}. */
  knownTopics() {
    return [...this.#routes].map(([Topic, { head, length, count, lastMs }]) => ({
      Topic,
      LastPayload:
        head.toString('utf8', 0, Math.min(length, PREVIEW_BYTES)) + (length > PREVIEW_BYTES ? '…' : ''),
      Count: count,
      LastSeen: Math.floor(lastMs / 1000),
    }));
  }

  #tell(entry: FilterEntry, subscriber: Subscriber, message: Message): void {
    if (message.isRetained && entry.isExact && subscriber.hasReceived) return;
    subscriber.hasReceived = true;
    try {
      subscriber.listener(message);
    } catch (thrown) {
      this.#options.log.error({ err: thrown, topic: message.topic }, 'a listener failed');
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
    const made: FilterEntry = { filter, id, isExact, qos, subscribers: new Set(), answer: undefined };
    this.#entries.set(filter, made);
    if (!isExact) this.#wild.add(made);
    this.#version += 1;
    return made;
  }

  #drop(entry: FilterEntry): void {
    this.#entries.delete(entry.filter);
    this.#wild.delete(entry);
    this.#version += 1;
  }

  #route(topic: string): Route {
    let route = this.#routes.get(topic);
    if (route?.version === this.#version) return route;
    const exact = this.#entries.get(topic);
    const wild = [...this.#wild].filter(({ filter }) => matchesFilter(filter, topic));
    const entries = exact === undefined ? wild : [exact, ...wild];
    if (route === undefined) {
      route = { entries, version: 0, head: Buffer.alloc(PREVIEW_BYTES), length: 0, count: 0, lastMs: 0 };
      this.#remember(topic, route);
    }
    route.entries = entries;
    route.version = this.#version;
    return route;
  }

  #remember(topic: string, route: Route): void {
    if (topic.length > KNOWN_TOPIC_MAX_LENGTH) return;
    if (this.#routes.size >= KNOWN_TOPICS_LIMIT) {
      const [oldest = ''] = this.#routes.keys();
      this.#routes.delete(oldest);
    }
    this.#routes.set(topic, route);
  }

  /** Has the broker told of an entry at the end of this turn, together with all others that changed in it. */
  #ask(entry: FilterEntry): Promise<void> {
    entry.answer ??= Promise.withResolvers();
    this.#dirty.add(entry);
    if (!this.#isFlushing) {
      this.#isFlushing = true;
      void yieldToEventLoop().then(() => this.#flush());
    }
    return entry.answer.promise;
  }

  async #flush(): Promise<void> {
    this.#isFlushing = false;
    const asked = [...this.#dirty].map((entry) => ({ entry, answer: entry.answer }));
    this.#dirty.clear();
    for (const { entry } of asked) entry.answer = undefined;
    const wanted = asked.filter(({ entry }) => entry.subscribers.size > 0);
    const unwanted = asked.filter(({ entry }) => entry.subscribers.size === 0);
    for (const { entry } of unwanted) this.#drop(entry);
    try {
      const connection = this.#connected();
      const [granted] = await Promise.all([
        connection.subscribe(wanted.map(({ entry }) => entry)),
        unwanted.length > 0 && connection.unsubscribe(unwanted.map(({ entry }) => entry.filter)),
      ]);
      for (const [index, { entry, answer }] of wanted.entries()) {
        if (granted[index] === true) answer?.resolve();
        else
          answer?.reject(fault('DEVICE_REFUSED', `the broker refused the subscription to ${entry.filter}`));
      }
    } catch (thrown) {
      for (const { answer } of asked) answer?.reject(thrown);
    }
    for (const { answer } of unwanted) answer?.resolve();
  }

  #connected(): BrokerConnection {
    if (this.#connection === undefined) throw fault('DEVICE_OFFLINE', 'the connection is being made');
    return this.#connection;
  }
}
