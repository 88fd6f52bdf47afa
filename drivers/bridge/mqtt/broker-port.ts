/** What a bridge requires of MQTT. The connections of the MQTT driver provide it. */

interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** True for a retained message: the last known state, not a new event. */
  readonly isRetained: boolean;
  readonly qos: number;
}

export interface BrokerOptions {
  readonly url: string;
  readonly clientId: string;
  readonly userName: string;
  readonly password: string;
  readonly keepAliveS: number;
  /** 4 is MQTT 3.1.1. */
  readonly version: 4;
  readonly cleanSession: boolean;
  /** Paths of PEM files; empty for none. */
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly will: {
    readonly topic: string;
    readonly payload: Buffer;
    readonly qos: 0 | 1;
    readonly retain: boolean;
  };
}

export interface BrokerListener {
  onMessage(message: BrokerMessage): void;
  onLost(cause: Error): void;
}

export interface BrokerLink {
  /** Returns for each request whether the broker granted it. */
  subscribe(requests: readonly { filter: string; qos: 0 | 1; id: number }[]): Promise<boolean[]>;
  /** Resolves when the broker has acknowledged the message (QoS 1), or the kernel has accepted it (QoS 0). */
  publish(topic: string, payload: Buffer, options: { qos: 0 | 1; retain: boolean }): Promise<void>;
  /** Sends DISCONNECT. */
  close(): Promise<void>;
}

/** Opens connections to brokers. */
export interface BrokerPort {
  connect(options: BrokerOptions, listener: BrokerListener, signal: AbortSignal): Promise<BrokerLink>;
}
