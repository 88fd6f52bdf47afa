import type {
  BrokerLink,
  BrokerListener,
  BrokerOptions,
  BrokerPort,
} from '../../../drivers/bridge/mqtt/broker-port.js';
import { decodePayload, type Metric } from '../../../drivers/bridge/sparkplug/payload.js';

/** A message as the broker received it. */
export interface ObservedMessage {
  readonly topic: string;
  /** NBIRTH, DDATA … */
  readonly kind: string;
  readonly bytes: Buffer;
  readonly qos: number;
  readonly retain: boolean;
  readonly seq: number | undefined;
  readonly timestamp: number | undefined;
  readonly metrics: readonly Metric[];
}

interface Subscribed {
  readonly filter: string;
  readonly qos: number;
}

/** What one connection did, in order. */
export interface ObservedSession {
  readonly options: BrokerOptions;
  readonly will: ObservedMessage;
  readonly events: (ObservedMessage | Subscribed | 'disconnect')[];
  readonly messages: ObservedMessage[];
  readonly subscriptions: Subscribed[];
  readonly listener: BrokerListener;
}

export function observed(
  topic: string,
  bytes: Buffer,
  options: { qos: number; retain: boolean },
): ObservedMessage {
  const payload = decodePayload(bytes);
  if (payload === undefined) throw new Error(`${topic}: not a payload`);
  const { seq, timestamp, metrics } = payload;
  return { topic, kind: topic.split('/')[2] ?? '', bytes, ...options, seq, timestamp, metrics };
}

/** A broker that observes each packet of an edge node. */
export class SparkplugObserver implements BrokerPort {
  readonly sessions: ObservedSession[] = [];
  /** Messages that the broker has for subscribers, by topic. */
  readonly retained = new Map<string, Buffer>();
  open = 0;
  maxOpen = 0;

  async connect(options: BrokerOptions, listener: BrokerListener, signal: AbortSignal): Promise<BrokerLink> {
    await Promise.resolve();
    signal.throwIfAborted();
    const { will } = options;
    const session: ObservedSession = {
      options,
      will: observed(will.topic, will.payload, will),
      events: [],
      messages: [],
      subscriptions: [],
      listener,
    };
    this.sessions.push(session);
    this.maxOpen = Math.max(this.maxOpen, ++this.open);
    let isOpen = true;
    return {
      subscribe: async (requests) => {
        await Promise.resolve();
        for (const { filter, qos } of requests) {
          session.subscriptions.push({ filter, qos });
          session.events.push({ filter, qos });
          const payload = this.retained.get(filter);
          if (payload !== undefined)
            setImmediate(
              () => isOpen && listener.onMessage({ topic: filter, payload, isRetained: true, qos: 1 }),
            );
        }
        return requests.map(() => true);
      },
      publish: async (topic, payload, flags) => {
        const message = observed(topic, payload, flags);
        session.messages.push(message);
        session.events.push(message);
        await Promise.resolve();
      },
      close: async () => {
        if (isOpen) session.events.push('disconnect');
        if (isOpen) this.open -= 1;
        isOpen = false;
        await Promise.resolve();
      },
    };
  }

  get last(): ObservedSession {
    const last = this.sessions.at(-1);
    if (last === undefined) throw new Error('there was no connection');
    return last;
  }

  /** A host application publishes. */
  send(topic: string, payload: Buffer, isRetained = false): void {
    this.last.listener.onMessage({ topic, payload, isRetained, qos: 1 });
  }
}

export const kindsOf = (messages: readonly ObservedMessage[]): string[] => messages.map(({ kind }) => kind);
