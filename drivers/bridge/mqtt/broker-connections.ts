import type { Clock } from '../../../src/base/clock.js';
import { delay } from '../../../src/base/clock.js';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { codedMessageOf, isAbort } from '../../../src/base/fault.js';
import { backoffMs } from '../../../src/device/backoff.js';
import type { Host } from '../../../src/device/module.js';
import { Semaphore } from '../../../src/device/toolkit/semaphore.js';
import { withTimeout } from '../../../src/device/toolkit/timeout.js';
import type { BrokerLink, BrokerListener, BrokerOptions, BrokerPort } from './broker-port.js';

/** If the broker does not acknowledge a message within this time, the connection is closed. */
const ACKNOWLEDGEMENT_DEADLINE_MS = 10_000;
/**
 * The time for the last message, with the messages in flight before it: DISCONNECT (1 s) and the files of the
 * queue follow, before the supervisor opens the next instance (5 s).
 */
const LAST_MESSAGE_DEADLINE_MS = 2_000;
/**
 * Limit of unacknowledged messages of QoS 1, that of the MQTT driver's connections: the time limit of a
 * message begins when it is sent, not while it waits for others.
 */
const MESSAGES_IN_FLIGHT = 20;
/** The longest delay between two attempts. */
const RETRY_LIMIT_MS = 60_000;

/** What a bridge does with its connections, one after the other. */
export interface ConnectionHandler {
  /** The options of the next attempt. */
  optionsOf(attempt: number): BrokerOptions;
  /** Called when the connection is open. Must reject if it cannot be used; it is then closed. */
  onConnected(connection: BrokerConnection): Promise<void>;
  onMessage: BrokerListener['onMessage'];
  /** The connection is closed, with the reason; or could not be opened. */
  onClosed(why: Text): void;
}

type ConnectionHost = Pick<Host, 'clock' | 'log' | 'countMessage'>;

interface PublishOptions {
  readonly qos: 0 | 1;
  readonly retain: boolean;
}

/** One open connection. */
export interface BrokerConnection {
  /** Resolves to false if the broker does not acknowledge the message; the connection is then closed. */
  publish(topic: string, payload: Buffer, options: PublishOptions): Promise<boolean>;
  /**
   * Like `publish` with QoS 1, without the messages that are not sent yet: these resolve to false. Resolves
   * within 2 s. The connection must be closed then.
   */
  publishLast(topic: string, payload: Buffer, options: Pick<PublishOptions, 'retain'>): Promise<boolean>;
  /** See {@link BrokerLink}. Rejects if the broker does not reply in time. */
  readonly subscribe: BrokerLink['subscribe'];
  /** Repeats subscriptions; the reply shows that the broker has received what was sent before. */
  confirm(requests: Parameters<BrokerLink['subscribe']>[0]): Promise<boolean>;
  /** Closes it; the next attempt follows. */
  end(why: Text): void;
}

/** Keeps a connection to a broker open, and connects again after a failure. */
export class BrokerConnections {
  readonly #port: BrokerPort;
  readonly #handler: ConnectionHandler;
  readonly #clock: Clock;
  readonly #host: ConnectionHost;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** The last reason in the log; undefined after a connection that lasted. */
  #logged: string | undefined;

  constructor(port: BrokerPort, handler: ConnectionHandler, host: ConnectionHost) {
    this.#port = port;
    this.#handler = handler;
    this.#clock = host.clock;
    this.#host = host;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Closes the connection and ends the attempts. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let failures = 0;
    for (let attempt = 0; !signal.aborted; attempt++) {
      const startNs = this.#clock.monotonicNs();
      const why = await this.#hold(attempt);
      if (signal.aborted) return;
      this.#handler.onClosed(why);
      const hasLasted = Number(this.#clock.monotonicNs() - startNs) / 1e6 > RETRY_LIMIT_MS;
      if (hasLasted) this.#logged = undefined;
      this.#logFailure(String(why));
      failures = hasLasted ? 1 : failures + 1;
      const pauseMs = backoffMs(failures - 1, this.#clock.random(), RETRY_LIMIT_MS);
      await delay(this.#clock, pauseMs, signal).catch(() => undefined); // the loop ends by itself
    }
  }

  /** Logs a reason that differs from the previous one: a broker that is off for a year takes one line. */
  #logFailure(why: string): void {
    if (why !== this.#logged) this.#host.log.info({ why }, 'the bridge is not connected');
    this.#logged = why;
  }

  /** Opens a connection and holds it until it ends. Returns why it ended. */
  async #hold(attempt: number): Promise<Text> {
    const { signal } = this.#stop;
    const ended = Promise.withResolvers<Text>();
    let link: BrokerLink | undefined;
    try {
      const listener: BrokerListener = {
        onMessage: (message) => {
          this.#host.countMessage('received', message.qos);
          this.#handler.onMessage(message);
        },
        onLost: (cause) => ended.resolve(codedMessageOf(cause)),
      };
      link = await this.#port.connect(this.#handler.optionsOf(attempt), listener, signal);
      if (signal.aborted) return '';
      const stop = () => ended.resolve('');
      signal.addEventListener('abort', stop, { once: true });
      try {
        const connection = this.#connectionOf(link, (why) => ended.resolve(why));
        await Promise.race([this.#handler.onConnected(connection), ended.promise]);
        return await ended.promise;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    } catch (thrown) {
      return isAbort(thrown) ? '' : codedMessageOf(thrown);
    } finally {
      await link?.close();
    }
  }

  #connectionOf(link: BrokerLink, end: (why: Text) => void): BrokerConnection {
    const what = coded`BROKER_ACKNOWLEDGEMENT: the acknowledgement of the broker`;
    const inTime = <T>(request: Promise<T>): Promise<T> =>
      withTimeout(this.#clock, { ms: ACKNOWLEDGEMENT_DEADLINE_MS, what }, request);
    let isEnding = false;
    const acknowledged = async (request: Promise<unknown>): Promise<boolean> => {
      try {
        await inTime(request);
        return true;
      } catch (thrown) {
        isEnding = true;
        end(codedMessageOf(thrown));
        return false;
      }
    };
    const publish = (topic: string, payload: Buffer, options: PublishOptions): Promise<boolean> => {
      this.#host.countMessage('sent', options.qos);
      return acknowledged(link.publish(topic, payload, options));
    };
    const inFlight = new Semaphore(MESSAGES_IN_FLIGHT);
    return {
      end,
      publish: (topic, payload, options) => {
        if (options.qos === 0) return publish(topic, payload, options);
        return inFlight.run(async () => !isEnding && publish(topic, payload, options));
      },
      publishLast: (topic, payload, { retain }) => {
        isEnding = true;
        const sent = inFlight.run(() => publish(topic, payload, { qos: 1, retain }));
        const limit = { ms: LAST_MESSAGE_DEADLINE_MS, what };
        return withTimeout(this.#clock, limit, sent).catch(() => false); // the connection ends either way
      },
      subscribe: (requests) => inTime(link.subscribe(requests)),
      confirm: (requests) => acknowledged(link.subscribe(requests)),
    };
  }
}
