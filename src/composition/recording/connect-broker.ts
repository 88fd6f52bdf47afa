import { NetworkConnector } from '../../../drivers/mqtt/network-connection.js';
import { matchesFilter, validateFilter } from '../../../drivers/mqtt/topic-filter.js';
import type { Peer } from '../../recording/player.js';

export { matchesFilter, validateFilter };

/** MQTT keep-alive interval, s. */
const KEEP_ALIVE_S = 30;

interface RecordedBroker {
  /** An `mqtt:`, `mqtts:`, `ws:` or `wss:` URL. */
  readonly url: string;
  /** Empty for none. */
  readonly userName: string;
  readonly password: string;
  /** A PEM file; empty for none. */
  readonly caFile: string;
  /** What to receive. */
  readonly filters: readonly string[];
  readonly onMessage: (message: { topic: string; payload: Buffer; isRetained: boolean }) => void;
  readonly onLost: (cause: Error) => void;
}

/**
 * Connects to a broker, subscribes, and publishes with QoS 1. Tries MQTT 5 first, because only
 * there the broker can keep the retain flag of new messages (Retain As Published). Rejects if the broker does
 * not grant a subscription.
 */
export async function connectBroker(options: RecordedBroker, signal: AbortSignal): Promise<Peer> {
  const { filters, onMessage, onLost, url, userName, password, caFile } = options;
  const connector = new NetworkConnector();
  const connect = (version: 4 | 5) =>
    connector.connect(
      {
        url,
        userName,
        password,
        caFile,
        version,
        clientId: `stellwerkx${crypto.randomUUID().slice(0, 8)}`,
        keepAliveS: KEEP_ALIVE_S,
        cleanSession: true,
        certificateFile: '',
        keyFile: '',
      },
      { onMessage, onLost },
      signal,
    );
  const connection = await connect(5).catch(() => {
    signal.throwIfAborted();
    return connect(4);
  });
  try {
    const requests = filters.map((filter, index) => ({
      filter,
      qos: 1 as const,
      id: index + 1,
      keepsRetain: true,
    }));
    const granted = await connection.subscribe(requests);
    const rejected = filters.find((_, index) => granted[index] !== true);
    if (rejected !== undefined)
      throw new Error(
        `the broker does not grant the subscription to ${rejected}: check the rights of the user`,
      );
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  return {
    send: ({ topic, payload, isRetained }) =>
      connection.publish(topic, payload, { qos: 1, retain: isRetained }),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}
