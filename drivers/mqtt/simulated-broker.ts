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

/** A message as the broker forwarded it, for inspection by tests. */
export interface PublishedMessage {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

/**
 * A simulated broker with other clients: it can be stopped and started, checks passwords, retains messages
 * and publishes wills.
 */
export class SimulatedBroker implements BrokerConnector {
  readonly #connections = new Set<SimulatedConnection>();
  readonly #retained = new Map<string, Buffer>();
  /** Persistent sessions: their filters, and the messages missed while disconnected. */
  readonly #sessions = new Map<string, Session>();
  /** All published messages, in order. */
  readonly published: PublishedMessage[] = [];
  /** Passwords by user; if empty, anyone may connect. */
  readonly users = new Map<string, string>();
  /** Filters that are always rejected. */
  readonly forbidden = new Set<string>();
  /** If true, publishes are accepted but never acknowledged. */
  isMute = false;
  #isRunning = true;

  get openCount(): number {
    return this.#connections.size;
  }

  /** Stops without DISCONNECT; retained messages are kept by default. */
  stop(keep: 'keeps retained' | 'forgets' = 'keeps retained'): void {
    this.#isRunning = false;
    if (keep === 'forgets') this.#retained.clear();
    for (const connection of this.#connections) this.cut(connection);
  }

  start(): void {
    this.#isRunning = true;
  }

  /** Cuts a connection without DISCONNECT: its will is published. */
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
    if (!this.#isRunning) throw fault('DEVICE_OFFLINE', `${options.url}: connection refused`);
    if (this.users.size > 0 && this.users.get(options.userName) !== options.password) {
      throw fault('DEVICE_OFFLINE', `${options.url}: the broker rejected the user ${options.userName}`);
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

  /** Removes a connection; called by the connection. */
  leave(connection: SimulatedConnection): void {
    this.#connections.delete(connection);
    const { cleanSession, clientId } = connection.options;
    if (!cleanSession) this.#sessions.set(clientId, { filters: connection.filters, missed: [] });
  }

  /** The retained messages that match a filter; called by connections. */
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

  /**
   * MQTT 3.1.1 brokers send one copy, whichever filters match; MQTT 5 brokers send one per filter, with its
   * identifier.
   */
  deliver(topic: string, payload: Buffer): void {
    if (this.#state !== 'open') return;
    const ids = [...this.filters].filter(([filter]) => matchesFilter(filter, topic)).map(([, id]) => id);
    const copies = this.#hasIds ? ids : ids.slice(0, 1);
    for (const id of copies) this.#forward(topic, payload, { id, retain: false });
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

  async subscribe(requests: readonly SubscriptionRequest[]): Promise<boolean[]> {
    await Promise.resolve();
    this.#requireOpen();
    const granted = requests.filter(({ filter }) => !this.#broker.forbidden.has(filter));
    for (const { filter, id } of granted) this.filters.set(filter, id);
    queueMicrotask(() => {
      for (const { filter, id } of granted) {
        for (const [topic, payload] of this.#broker.retained(filter)) {
          this.#forward(topic, payload, { id, retain: true });
        }
      }
    });
    return requests.map((request) => granted.includes(request));
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    await Promise.resolve();
    this.#requireOpen();
    for (const filter of filters) this.filters.delete(filter);
  }

  async publish(topic: string, payload: Buffer, { qos, retain }: PublishOptions): Promise<void> {
    await Promise.resolve();
    this.#requireOpen();
    if (this.#broker.isMute && qos > 0) {
      await new Promise<void>((_resolve, reject) => this.#pending.add(reject));
    }
    this.#broker.publish(topic, payload, retain);
  }

  async close(): Promise<void> {
    await Promise.resolve();
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    if (this.#pending.size > 0) this.#broker.cut(this);
    else this.#broker.leave(this);
    this.#reject(closedByUs());
  }

  #forward(topic: string, payload: Buffer, { id, retain }: { id: number; retain: boolean }): void {
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

  #requireOpen(): void {
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
