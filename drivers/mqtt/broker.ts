import type { Message } from './message.js';

/**
 * What the MQTT modules require of a broker. Network connections (`network-connection.ts`) and a simulated
 * broker (`simulated-broker.ts`) implement this contract; the suite in `test/contract/mqtt/` checks both.
 *
 * Failures reject with a `Fault` whose text says what to do: `DEVICE_OFFLINE` if waiting can help (no broker,
 * unknown host name, login rejected), `DEVICE_CONFIGURATION` if a setting must be changed, `DEVICE_REFUSED`
 * if the broker accepts the connection but not this request. After `close()`, calls reject with an
 * `AbortError`.
 *
 * Nothing is queued across connections: a message that could not be sent on this connection is never sent,
 * not even on the next one.
 */

export type QoS = 0 | 1 | 2;

interface Will {
  readonly topic: string;
  readonly payload: string | Buffer;
  readonly qos: QoS;
  readonly retain: boolean;
}

export interface ConnectOptions {
  /** An `mqtt:`, `mqtts:`, `ws:` or `wss:` URL without user name or password. */
  readonly url: string;
  readonly clientId: string;
  /** Empty for none. */
  readonly userName: string;
  readonly password: string;
  readonly keepAliveS: number;
  /** 4 is MQTT 3.1.1. */
  readonly version: 4 | 5;
  /** If false, the broker keeps our subscriptions and queues messages for us while we are disconnected. */
  readonly cleanSession: boolean;
  /** Paths of PEM files; empty for none. */
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly will?: Will;
}

/** Receives the events of a connection, but none before `connect()` has resolved and none after `close()`. */
export interface ConnectionListener {
  onMessage(message: Message): void;
  /** The connection is lost, and all requests in flight have been rejected. Called at most once. */
  onLost(cause: Error): void;
}

export interface SubscriptionRequest {
  readonly filter: string;
  readonly qos: QoS;
  /**
   * Subscription identifier, which the broker returns with each message if it supports them (MQTT 5
   * §3.8.2.1.2).
   */
  readonly id: number;
  /**
   * With MQTT 5, new messages say whether the broker retains them (§3.8.3.1, Retain As Published); otherwise only
   * messages that it had retained are marked.
   */
  readonly keepsRetain?: boolean;
}

export interface PublishOptions {
  readonly qos: QoS;
  readonly retain: boolean;
}

export interface BrokerConnection {
  /**
   * Subscribes. Repeating a subscription makes the broker send its retained messages again [MQTT-3.8.4-3].
   * Returns for each request, in order, whether the broker granted it.
   */
  subscribe(requests: readonly SubscriptionRequest[]): Promise<boolean[]>;
  unsubscribe(filters: readonly string[]): Promise<void>;
  /**
   * Resolves when the broker has acknowledged the message (QoS 1 and 2) or the kernel has accepted it (QoS
   * 0). Rejects if the connection is lost first.
   */
  publish(topic: string, payload: Buffer, options: PublishOptions): Promise<void>;
  /**
   * Sends DISCONNECT, so that the broker discards our will. If a publish is not acknowledged, resets the
   * connection instead, so that the message is not delivered later; the broker then publishes the will. A
   * second call waits for the first.
   */
  close(): Promise<void>;
}

/** Opens connections to brokers, and counts them. */
export interface BrokerConnector {
  /** Number of open connections. */
  readonly openCount: number;
  connect(
    options: ConnectOptions,
    listener: ConnectionListener,
    signal: AbortSignal,
  ): Promise<BrokerConnection>;
}
