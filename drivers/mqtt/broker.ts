import type { Message } from './message.js';

/**
 * What the MQTT modules need of a broker: one contract, kept by the real connections (`connection.ts`) and by a simulated
 * broker (`fake.ts`), and held to it by `test/contract/mqtt.ts`.
 *
 * What is wrong rejects with a `Fault` whose text says what to do: `DEVICE_OFFLINE` when waiting can help (nobody there,
 * name unknown, refused by the broker), `DEVICE_CONFIGURATION` when only another setting can, `DEVICE_REFUSED` when the
 * broker takes us but not this. After `close()` calls reject with an `AbortError`.
 *
 * Nothing is kept for later: what could not be sent while the connection stands is never sent, also not by the next one.
 */

export type QoS = 0 | 1 | 2;

export interface Will {
  readonly topic: string;
  readonly payload: string;
  readonly qos: QoS;
  readonly retain: boolean;
}

export interface ConnectOptions {
  /** `mqtt:`, `mqtts:`, `ws:` or `wss:`; without user or password in it. */
  readonly url: string;
  readonly clientId: string;
  /** Empty: none. */
  readonly userName: string;
  readonly password: string;
  readonly keepAliveS: number;
  /** 4 is MQTT 3.1.1. */
  readonly version: 4 | 5;
  /** False: the broker keeps our subscriptions, and messages for us, while we are away. */
  readonly cleanSession: boolean;
  /** Files in PEM; empty: none. */
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly will?: Will;
}

/** Who connects hears of it here. Neither is called before the connecting resolved, nor after `close()`. */
export interface ConnectionListener {
  onMessage(message: Message): void;
  /** The connection is gone; everything under way has been rejected. At most once. */
  onLost(cause: Error): void;
}

export interface SubscriptionRequest {
  readonly filter: string;
  readonly qos: QoS;
  /** Comes back with each message of this subscription, where the broker knows identifiers (MQTT 5 §3.8.2.1.2). */
  readonly id: number;
}

export interface PublishOptions {
  readonly qos: QoS;
  readonly retain: boolean;
}

export interface BrokerConnection {
  /**
   * Subscribes, also again: retained messages then come again [MQTT-3.8.4-3]. Gives for each wish, in their order,
   * whether the broker granted it.
   */
  subscribe(wishes: readonly SubscriptionRequest[]): Promise<boolean[]>;
  unsubscribe(filters: readonly string[]): Promise<void>;
  /** Resolves when the broker has it (QoS 1, 2), or the kernel (QoS 0). Rejects when the connection is lost before. */
  publish(topic: string, payload: Buffer, options: PublishOptions): Promise<void>;
  /** Takes leave: the broker drops our will. Twice is fine, and waits. */
  close(): Promise<void>;
}

/** A way to brokers. Holds nothing but the connections that were made through it. */
export interface BrokerConnector {
  /** Connections made and not yet closed. */
  readonly openCount: number;
  connect(
    options: ConnectOptions,
    listener: ConnectionListener,
    signal: AbortSignal,
  ): Promise<BrokerConnection>;
}
