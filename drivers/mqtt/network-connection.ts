import { coded } from '../../src/base/codes/coded-text.js';
import type { IClientOptions, IPublishPacket, MqttClient } from 'mqtt';
import { type Clock, systemClock } from '../../src/base/clock.js';
import { fault, faultFrom, messageOf } from '../../src/base/fault.js';
import { readPropertyFile } from '../../src/device/toolkit/property-file.js';
import { Semaphore } from '../../src/device/toolkit/semaphore.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { systemResolver } from '../../src/device/toolkit/system-resolver.js';
import type {
  BrokerConnector,
  BrokerConnection,
  ConnectionListener,
  ConnectOptions,
  PublishOptions,
  SubscriptionRequest,
} from './broker.js';
import { Message } from './message.js';
import { PacedStream } from './paced-stream.js';
import { PacketChecker } from './packet-checker.js';
import { PACKET_LIMIT } from './packet-reader.js';
import { mapBrokerError } from './broker-errors.js';
import { connectionError } from './protocol-error.js';
import { connectTransport, type Credentials } from './transport.js';

/**
 * How long connecting may take, until the reply to CONNECT. Shorter than the limit for opening an instance,
 * so that the error says what is wrong.
 */
const CONNECT_TIMEOUT_MS = 20_000;

/** Filters per SUBSCRIBE packet: some cloud brokers accept no more. */
const FILTERS_PER_PACKET = 8;

/** How long an MQTT 5 broker keeps a persistent session. MQTT 3.1.1 brokers use a setting of their own. */
const SESSION_EXPIRY_S = 7 * 24 * 3600;

/** How long a graceful disconnect may take before the connection is destroyed. */
const DISCONNECT_TIMEOUT_MS = 1_000;

/**
 * Limit of unacknowledged publishes. An MQTT 5 broker may announce a lower limit. Mosquitto's default is 20;
 * it disconnects an MQTT 3.1.1 client, which cannot know this limit, if it sends more.
 */
const MAX_IN_FLIGHT = 20;

/** Limit of unacknowledged QoS 1 and 2 messages that we announce to MQTT 5 brokers. */
const RECEIVE_MAXIMUM = 100;

/** Connects over TCP, TLS or WebSocket with the package `mqtt`, which is imported by the first connection. */
export class NetworkConnector implements BrokerConnector {
  readonly #clock: Clock;
  readonly #names: NameResolver;
  #held = 0;

  constructor(clock: Clock = systemClock(), names: NameResolver = systemResolver(clock)) {
    this.#clock = clock;
    this.#names = names;
  }

  get openCount(): number {
    return this.#held;
  }

  async connect(
    options: ConnectOptions,
    listener: ConnectionListener,
    signal: AbortSignal,
  ): Promise<BrokerConnection> {
    const credentials = await readCertificates(options);
    const { MqttClient } = await import('mqtt');
    const clock = this.#clock;
    const startNs = clock.monotonicNs();
    const transport = await connectTransport(options.url, {
      lookup: this.#names.lookup,
      clock,
      signal,
      timeoutMs: CONNECT_TIMEOUT_MS,
      ...credentials,
    }).catch((thrown: unknown) => {
      throw signal.aborted ? signal.reason : mapBrokerError(thrown, options);
    });
    const leftMs = CONNECT_TIMEOUT_MS - Number(clock.monotonicNs() - startNs) / 1e6;
    const checker = new PacketChecker(options);
    const stream = new PacedStream(transport, checker);
    const client = new MqttClient(() => stream, { ...clientOptions(options), connectTimeout: leftMs });
    client.on('packetsend', (packet) => checker.sent(packet));
    const connection = new NetworkConnection({ client, options, listener, clock }, () => (this.#held -= 1));
    this.#held += 1;
    const abort = () => void connection.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await connection.connected;
      return connection;
    } catch (thrown) {
      await connection.close();
      throw signal.aborted ? signal.reason : thrown;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}

function clientOptions(options: ConnectOptions): IClientOptions {
  const { clientId, userName, password, keepAliveS, version, cleanSession, will } = options;
  const expiry = cleanSession ? {} : { sessionExpiryInterval: SESSION_EXPIRY_S };
  return {
    clientId,
    keepalive: keepAliveS,
    protocolVersion: version,
    clean: cleanSession,
    ...(userName === '' ? {} : { username: userName }),
    ...(password === '' ? {} : { password }),
    ...(will === undefined ? {} : { will: { ...will, payload: Buffer.from(will.payload) } }),
    ...(version === 5
      ? { properties: { maximumPacketSize: PACKET_LIMIT, receiveMaximum: RECEIVE_MAXIMUM, ...expiry } }
      : {}),
    // The supervisor reconnects with a new client: nothing outlives a connection, least of all a command.
    reconnectPeriod: 0,
    queueQoSZero: false,
    resubscribe: false,
    log: () => undefined,
  };
}

async function readCertificates({ caFile, certificateFile, keyFile }: ConnectOptions): Promise<Credentials> {
  return {
    ...(caFile === '' ? {} : { ca: await readPropertyFile('CaFile', caFile) }),
    ...(certificateFile === '' ? {} : { cert: await readPropertyFile('CertificateFile', certificateFile) }),
    ...(keyFile === '' ? {} : { key: await readPropertyFile('KeyFile', keyFile) }),
  };
}

interface ConnectionAttempt {
  readonly client: MqttClient;
  readonly options: ConnectOptions;
  readonly listener: ConnectionListener;
  readonly clock: Clock;
}

class NetworkConnection implements BrokerConnection {
  /** Resolves when the broker has accepted the connection. */
  readonly connected: Promise<void>;
  readonly #client: MqttClient;
  readonly #options: ConnectOptions;
  readonly #listener: ConnectionListener;
  readonly #clock: Clock;
  readonly #onRelease: () => void;
  readonly #attempt = Promise.withResolvers<void>();
  /** Reject callbacks of all requests in flight. */
  readonly #pending = new Set<(cause: Error) => void>();
  /** Limits the publishes of QoS 1 and 2 in flight. */
  #publishes = new Semaphore(MAX_IN_FLIGHT);
  /** Publishes that were passed to `mqtt` and are not acknowledged. */
  #unacknowledged = 0;
  #isConnected = false;
  #hasEnded = false;
  #cause: unknown;
  #closing: Promise<void> | undefined;

  constructor({ client, options, listener, clock }: ConnectionAttempt, onRelease: () => void) {
    this.#client = client;
    this.#options = options;
    this.#listener = listener;
    this.#clock = clock;
    this.#onRelease = onRelease;
    this.connected = this.#attempt.promise;
    client.once('connect', ({ properties }) => {
      this.#publishes = new Semaphore(Math.min(properties?.receiveMaximum ?? MAX_IN_FLIGHT, MAX_IN_FLIGHT));
      this.#isConnected = true;
      this.#attempt.resolve();
    });
    client.on('message', (topic: string, payload: Buffer, packet: IPublishPacket) => {
      if (this.#closing === undefined) listener.onMessage(new Message(topic, payload, packet));
    });
    client.on('error', (error) => {
      const isTimeout = error.message === 'Keepalive timeout';
      this.#cause ??= isTimeout ? Object.assign(error, { code: 141 }) : error;
      // `mqtt` continues after parser errors and after some errors of the broker.
      client.stream.destroy();
    });
    client.on('disconnect', ({ reasonCode }) => {
      this.#cause ??= Object.assign(new Error('the broker ended the connection'), { code: reasonCode });
      // The broker should close the connection itself, but a broken one may not.
      client.stream.destroy();
    });
    client.once('close', () => this.#handleClose());
  }

  async subscribe(requests: readonly SubscriptionRequest[]): Promise<boolean[]> {
    this.#requireConnected();
    const granted = new Set<string>();
    const replies = this.#packets(requests).map((packet) => this.#subscribe(packet, granted));
    await this.#untilEnd(Promise.all(replies));
    return requests.map(({ filter }) => granted.has(filter));
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    this.#requireConnected();
    // A negative UNSUBACK (MQTT 5) means that there was no such subscription.
    await this.#untilEnd(this.#client.unsubscribeAsync([...filters]).catch(() => undefined));
  }

  async publish(topic: string, payload: Buffer, { qos, retain }: PublishOptions): Promise<void> {
    this.#requireConnected();
    if (qos === 0) return this.#untilEnd(this.#publish(topic, payload, { qos, retain }));
    const publish = async () => {
      // A publish that has waited until the connection ended must not be sent.
      this.#requireConnected();
      await this.#publish(topic, payload, { qos, retain });
    };
    return this.#untilEnd(this.#publishes.run(publish));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const client = this.#client;
    this.#onRelease();
    this.#end(closedByUs());
    // Without DISCONNECT the broker publishes the will, and the reset discards what it has not received.
    if (!client.connected || this.#unacknowledged > 0) {
      client.end(true);
      client.stream.destroy();
      return;
    }
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    // `mqtt` delays DISCONNECT until all outstanding acknowledgements have arrived; they no longer matter.
    client.outgoing = {};
    client.end(false);
    const cancel = this.#clock.after(DISCONNECT_TIMEOUT_MS, () => client.stream.destroy());
    await closed;
    cancel();
  }

  /**
   * Splits requests into packets: one QoS per packet, and one request per packet if identifiers are used,
   * because a packet has only one.
   */
  #packets(requests: readonly SubscriptionRequest[]): SubscriptionRequest[][] {
    const size = this.#hasIds() ? 1 : FILTERS_PER_PACKET;
    return [...Map.groupBy(requests, ({ qos }) => qos).values()].flatMap((group) =>
      Array.from({ length: Math.ceil(group.length / size) }, (_, index) =>
        group.slice(index * size, (index + 1) * size),
      ),
    );
  }

  /**
   * Whether subscription identifiers are used; those of a resumed session would be from an earlier
   * connection.
   */
  #hasIds(): boolean {
    const { version, cleanSession } = this.#options;
    const isKnown = this.#client.serverProperties?.subscriptionIdentifiersAvailable !== false;
    return version === 5 && cleanSession && isKnown;
  }

  async #subscribe(requests: readonly SubscriptionRequest[], granted: Set<string>): Promise<void> {
    const [first] = requests;
    if (first === undefined) return;
    const filters = requests.map(({ filter }) => filter);
    const { qos, id, keepsRetain = false } = first;
    const options = this.#hasIds()
      ? { qos, rap: keepsRetain, properties: { subscriptionIdentifier: id } }
      : { qos };
    const codes = await new Promise<readonly unknown[]>((resolve, reject) =>
      this.#client.subscribe(filters, options, (error, _granted, packet) => {
        // `mqtt` reports a rejection as an error; only the packet shows which filters were rejected.
        if (packet?.granted.length === filters.length) resolve(packet.granted);
        else
          reject(
            faultFrom(
              error,
              'DEVICE_OFFLINE',
              coded`BROKER_DID_NOT_REPLY: the broker did not reply to the subscription`,
            ),
          );
      }),
    );
    for (const [index, filter] of filters.entries()) if (Number(codes[index]) < 0x80) granted.add(filter);
  }

  #publish(topic: string, payload: Buffer, options: PublishOptions): Promise<void> {
    this.#unacknowledged += 1;
    return new Promise<void>((resolve, reject) =>
      this.#client.publish(topic, payload, options, (error) => {
        this.#unacknowledged -= 1;
        if (!error) return resolve();
        const why = coded`TOPIC_NOT_ACCEPTED: ${topic} was not accepted: ${messageOf(error)}`;
        // Only a rejection by the broker has a reason code; all other errors are connection failures.
        const isRejected = 'code' in error && typeof error.code === 'number';
        reject(faultFrom(error, isRejected ? 'DEVICE_REFUSED' : 'DEVICE_OFFLINE', why));
      }),
    );
  }

  /**
   * Settles like `promise`, or rejects when the connection ends: `mqtt` does not call back for every request
   * in flight.
   */
  #untilEnd<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      promise.then(resolve, reject).finally(() => this.#pending.delete(reject));
    });
  }

  #handleClose(): void {
    if (this.#hasEnded) return;
    const closed = this.#isConnected
      ? coded`BROKER_CLOSED_CONNECTION: the broker closed the connection`
      : coded`BROKER_CLOSED_BEFORE_REPLY: the broker closed the connection before it replied`;
    const cause = this.#cause ?? connectionError(closed);
    const lost = mapBrokerError(cause, this.#options);
    this.#end(lost);
    if (this.#isConnected) this.#listener.onLost(lost);
  }

  #end(cause: Error): void {
    this.#hasEnded = true;
    this.#attempt.reject(cause);
    for (const reject of this.#pending) reject(cause);
    this.#pending.clear();
  }

  #requireConnected(): void {
    if (this.#closing !== undefined) throw closedByUs();
    if (!this.#isConnected || this.#hasEnded || !this.#client.connected) {
      throw fault('DEVICE_OFFLINE', coded`BROKER_NOT_CONNECTED: the broker is not connected`);
    }
  }
}

function closedByUs(): Error {
  return new DOMException('the connection was closed', 'AbortError');
}
