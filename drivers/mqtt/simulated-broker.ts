import { fault } from '../../src/base/fault.js';
import type {
  BrokerConnector,
  BrokerConnection,
  ConnectionListener,
  ConnectOptions,
  PublishOptions,
  SubscriptionRequest,
} from './broker.js';
import { matchesFilter } from './topic-filter.js';
import { Message } from './message.js';

/** What a broker passes on, for those who look at it from outside. */
export interface PublishedMessage {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

/** A broker with other clients on it: it can be stopped and started, asks for passwords, keeps messages, sends wills. */
export class SimulatedBroker implements BrokerConnector {
  readonly #connections = new Set<SimulatedConnection>();
  readonly #retained = new Map<string, Buffer>();
  /** What is kept for clients without a clean session: their filters, and what came by while they were away. */
  readonly #sessions = new Map<string, Session>();
  /** All that was published by whomever, in order. */
  readonly published: PublishedMessage[] = [];
  /** Passwords by user; anybody may come while it is empty. */
  readonly users = new Map<string, string>();
  /** Filters that it grants nobody. */
  readonly forbidden = new Set<string>();
  /** While true it takes publishes and never acknowledges them. */
  isMute = false;
  #isRunning = true;

  get openCount(): number {
    return this.#connections.size;
  }

  /** Goes away without a word, forgetting what was retained unless told otherwise. */
  stop(keep: 'keeps retained' | 'forgets' = 'keeps retained'): void {
    this.#isRunning = false;
    if (keep === 'forgets') this.#retained.clear();
    for (const connection of this.#connections) this.cut(connection);
  }

  start(): void {
    this.#isRunning = true;
  }

  /** Ends a connection without a word: its will is published. */
  cut(connection: SimulatedConnection): void {
    if (!this.#connections.has(connection)) return;
    this.leave(connection);
    const { will } = connection.options;
    if (will !== undefined) this.publish(will.topic, will.payload, will.retain);
    connection.end();
  }

  /** Another client publishes. */
  publish(topic: string, payload: string | Buffer, retain = false): void {
    const bytes = Buffer.from(payload);
    this.published.push({ topic, payload: bytes.toString(), retain });
    if (retain && bytes.length === 0) this.#retained.delete(topic);
    else if (retain) this.#retained.set(topic, bytes);
    for (const connection of this.#connections) connection.deliver(topic, bytes);
    for (const { filters, missed } of this.#sessions.values()) {
      if ([...filters.keys()].some((filter) => matchesFilter(filter, topic))) missed.push([topic, bytes]);
    }
  }

  async connect(
    options: ConnectOptions,
    listener: ConnectionListener,
    signal: AbortSignal,
  ): Promise<BrokerConnection> {
    await Promise.resolve();
    signal.throwIfAborted();
    if (!this.#isRunning) throw fault('DEVICE_OFFLINE', `${options.url}: nobody listens there`);
    if (this.users.size > 0 && this.users.get(options.userName) !== options.password) {
      throw fault('DEVICE_OFFLINE', `${options.url}: the broker refused the user ${options.userName}`);
    }
    const namesake = [...this.#connections].find((one) => one.options.clientId === options.clientId);
    if (namesake !== undefined) this.cut(namesake);
    const connection = new SimulatedConnection(this, options, listener);
    this.#connections.add(connection);
    const session = this.#sessions.get(options.clientId);
    this.#sessions.delete(options.clientId);
    if (session !== undefined && !options.cleanSession) connection.resume(session);
    return connection;
  }

  /** For connections: their leave. */
  leave(connection: SimulatedConnection): void {
    this.#connections.delete(connection);
    const { cleanSession, clientId } = connection.options;
    if (!cleanSession) this.#sessions.set(clientId, { filters: connection.filters, missed: [] });
  }

  /** For connections: what is retained under a filter. */
  retained(filter: string): [string, Buffer][] {
    return [...this.#retained].filter(([topic]) => matchesFilter(filter, topic));
  }
}

interface Session {
  readonly filters: Map<string, number>;
  readonly missed: [string, Buffer][];
}

class SimulatedConnection implements BrokerConnection {
  readonly options: ConnectOptions;
  readonly #broker: SimulatedBroker;
  readonly #listener: ConnectionListener;
  readonly filters = new Map<string, number>();
  readonly #pending = new Set<(cause: Error) => void>();
  #state: 'open' | 'lost' | 'closed' = 'open';

  constructor(broker: SimulatedBroker, options: ConnectOptions, listener: ConnectionListener) {
    this.#broker = broker;
    this.options = options;
    this.#listener = listener;
  }

  /** MQTT 3.1.1 brokers send one copy, whichever filters fit; MQTT 5 brokers one for each, with its identifier. */
  deliver(topic: string, payload: Buffer): void {
    if (this.#state !== 'open') return;
    const ids = [...this.filters].filter(([filter]) => matchesFilter(filter, topic)).map(([, id]) => id);
    const copies = this.#hasIds ? ids : ids.slice(0, 1);
    for (const id of copies) this.#send(topic, payload, { id, retain: false });
  }

  resume({ filters, missed }: Session): void {
    for (const [filter, id] of filters) this.filters.set(filter, id);
    queueMicrotask(() => {
      for (const [topic, payload] of missed) this.deliver(topic, payload);
    });
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'lost';
    this.#reject(offline());
    this.#listener.onLost(offline());
  }

  async subscribe(wishes: readonly SubscriptionRequest[]): Promise<boolean[]> {
    await Promise.resolve();
    this.#check();
    const granted = wishes.filter(({ filter }) => !this.#broker.forbidden.has(filter));
    for (const { filter, id } of granted) this.filters.set(filter, id);
    queueMicrotask(() => {
      for (const { filter, id } of granted) {
        for (const [topic, payload] of this.#broker.retained(filter)) {
          this.#send(topic, payload, { id, retain: true });
        }
      }
    });
    return wishes.map((wish) => granted.includes(wish));
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    await Promise.resolve();
    this.#check();
    for (const filter of filters) this.filters.delete(filter);
  }

  async publish(topic: string, payload: Buffer, { qos, retain }: PublishOptions): Promise<void> {
    await Promise.resolve();
    this.#check();
    if (this.#broker.isMute && qos > 0) {
      await new Promise<void>((_resolve, reject) => this.#pending.add(reject));
    }
    this.#broker.publish(topic, payload, retain);
  }

  async close(): Promise<void> {
    await Promise.resolve();
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#broker.leave(this);
    this.#reject(closedByUs());
  }

  #send(topic: string, payload: Buffer, { id, retain }: { id: number; retain: boolean }): void {
    if (this.#state !== 'open') return;
    const properties = this.#hasIds ? { properties: { subscriptionIdentifier: id } } : {};
    this.#listener.onMessage(new Message(topic, payload, { retain, ...properties }));
  }

  get #hasIds(): boolean {
    return this.options.version === 5 && this.options.cleanSession;
  }

  #reject(cause: Error): void {
    for (const reject of this.#pending) reject(cause);
    this.#pending.clear();
  }

  #check(): void {
    if (this.#state === 'closed') throw closedByUs();
    if (this.#state === 'lost') throw offline();
  }
}

function offline(): Error {
  return fault('DEVICE_OFFLINE', 'the broker closed the connection');
}

function closedByUs(): Error {
  return new DOMException('the connection was closed', 'AbortError');
}
