import { readFile } from 'node:fs/promises';
import type { IClientOptions, IPublishPacket, MqttClient } from 'mqtt';
import { type Clock, systemClock } from '../../src/base/clock.js';
import { fault, faultFrom, messageOf } from '../../src/base/fault.js';
import { Semaphore } from '../../src/base/semaphore.js';
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
import { connectTransport, type Credentials } from './transport.js';

/** How long a broker may take to answer CONNECT; less than an opening's deadline, to tell what is wrong. */
const CONNECT_TIMEOUT_MS = 20_000;

/** Some brokers in clouds take no more filters in one SUBSCRIBE. */
const FILTERS_PER_PACKET = 8;

/** How long a broker of MQTT 5 keeps a session that is not clean; those of MQTT 3.1.1 decide for themselves. */
const SESSION_EXPIRY_S = 7 * 24 * 3600;

/** How long taking leave may take before the connection is dropped. */
const DISCONNECT_TIMEOUT_MS = 1_000;

/**
 * Publishes under way at a time. MQTT 5 brokers may name a smaller number; mosquitto takes 20 by default and cuts a
 * client of MQTT 3.1.1, which it can't tell, when it sends more.
 */
const MAX_IN_FLIGHT = 20;

/** Messages of QoS 1 and 2 that a broker of MQTT 5 may send before we have acknowledged one of them. */
const RECEIVE_MAXIMUM = 100;

/** Connections over TCP, TLS or WebSocket through the package `mqtt`, which is imported at the first one. */
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
    const transport = await connectTransport(options.url, { lookup: this.#names.lookup, ...credentials });
    const checker = new PacketChecker(options);
    const stream = new PacedStream(transport, checker);
    if (signal.aborted) {
      stream.destroy();
      throw signal.reason;
    }
    const client = new MqttClient(() => stream, clientOptions(options));
    client.on('packetsend', (packet) => checker.sent(packet));
    const connection = new NetworkConnection(
      { client, options, listener, clock: this.#clock },
      () => (this.#held -= 1),
    );
    this.#held += 1;
    const abort = () => void connection.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await connection.made;
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
    connectTimeout: CONNECT_TIMEOUT_MS,
    // The supervisor reconnects, with a new client: nothing outlives a connection, least of all a command.
    reconnectPeriod: 0,
    queueQoSZero: false,
    resubscribe: false,
    log: () => undefined,
  };
}

async function readCertificates({ caFile, certificateFile, keyFile }: ConnectOptions): Promise<Credentials> {
  const read = async (property: string, path: string) => {
    try {
      return await readFile(path);
    } catch (thrown) {
      throw faultFrom(thrown, 'DEVICE_CONFIGURATION', `${property} can't be read: ${messageOf(thrown)}`);
    }
  };
  return {
    ...(caFile === '' ? {} : { ca: await read('CaFile', caFile) }),
    ...(certificateFile === '' ? {} : { cert: await read('CertificateFile', certificateFile) }),
    ...(keyFile === '' ? {} : { key: await read('KeyFile', keyFile) }),
  };
}

interface ConnectionAttempt {
  readonly client: MqttClient;
  readonly options: ConnectOptions;
  readonly listener: ConnectionListener;
  readonly clock: Clock;
}

class NetworkConnection implements BrokerConnection {
  /** Resolves when the broker has taken us. */
  readonly made: Promise<void>;
  readonly #client: MqttClient;
  readonly #options: ConnectOptions;
  readonly #listener: ConnectionListener;
  readonly #clock: Clock;
  readonly #released: () => void;
  readonly #making = Promise.withResolvers<void>();
  /** What rejects everything under way when the connection ends. */
  readonly #pending = new Set<(cause: Error) => void>();
  /** Limits the publishes of QoS 1 and 2 in flight. */
  #publishes = new Semaphore(MAX_IN_FLIGHT);
  #isMade = false;
  #isOver = false;
  #cause: unknown;
  #closing: Promise<void> | undefined;

  constructor({ client, options, listener, clock }: ConnectionAttempt, released: () => void) {
    this.#client = client;
    this.#options = options;
    this.#listener = listener;
    this.#clock = clock;
    this.#released = released;
    this.made = this.#making.promise;
    client.once('connect', ({ properties }) => {
      this.#publishes = new Semaphore(Math.min(properties?.receiveMaximum ?? MAX_IN_FLIGHT, MAX_IN_FLIGHT));
      this.#isMade = true;
      this.#making.resolve();
    });
    client.on('message', (topic: string, payload: Buffer, packet: IPublishPacket) => {
      if (this.#closing === undefined) listener.onMessage(new Message(topic, payload, packet));
    });
    client.on('error', (error) => {
      const isSilence = error.message === 'Keepalive timeout';
      this.#cause ??= isSilence ? Object.assign(error, { code: 141 }) : error;
      // `mqtt` goes on after an error of its parser, and after some of the broker's.
      client.stream.destroy();
    });
    client.on('disconnect', ({ reasonCode }) => {
      this.#cause ??= Object.assign(new Error('the broker ended the connection'), { code: reasonCode });
      // It should close the connection itself; until then we would wait for messages that never come.
      client.stream.destroy();
    });
    client.once('close', () => this.#lose());
  }

  async subscribe(wishes: readonly SubscriptionRequest[]): Promise<boolean[]> {
    this.#check();
    const granted = new Set<string>();
    const answers = this.#packets(wishes).map((packet) => this.#subscribe(packet, granted));
    await this.#unlessOver(Promise.all(answers));
    return wishes.map(({ filter }) => granted.has(filter));
  }

  async unsubscribe(filters: readonly string[]): Promise<void> {
    this.#check();
    await this.#unlessOver(this.#client.unsubscribeAsync([...filters]).catch(() => undefined));
  }

  async publish(topic: string, payload: Buffer, { qos, retain }: PublishOptions): Promise<void> {
    this.#check();
    if (qos === 0) return this.#unlessOver(this.#publish(topic, payload, { qos, retain }));
    const publish = async () => {
      // A publish that has waited until the connection ended must not be sent.
      this.#check();
      await this.#publish(topic, payload, { qos, retain });
    };
    return this.#unlessOver(this.#publishes.run(publish));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const client = this.#client;
    this.#released();
    this.#over(closedByUs());
    if (!client.connected) {
      client.end(true);
      client.stream.destroy();
      return;
    }
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    // The acknowledgements that are still to come are of no use any more, and would hold DISCONNECT back.
    client.outgoing = {};
    client.end(false);
    const cancel = this.#clock.after(DISCONNECT_TIMEOUT_MS, () => client.stream.destroy());
    await closed;
    cancel();
  }

  /** Wishes that fit into one packet: of one QoS, and where there are identifiers one for each, as it is one a packet. */
  #packets(wishes: readonly SubscriptionRequest[]): SubscriptionRequest[][] {
    const size = this.#hasIds() ? 1 : FILTERS_PER_PACKET;
    return [...Map.groupBy(wishes, ({ qos }) => qos).values()].flatMap((alike) =>
      Array.from({ length: Math.ceil(alike.length / size) }, (_, index) =>
        alike.slice(index * size, (index + 1) * size),
      ),
    );
  }

  /** The identifiers of a kept session would be those of an earlier connection. */
  #hasIds(): boolean {
    const { version, cleanSession } = this.#options;
    const isKnown = this.#client.serverProperties?.subscriptionIdentifiersAvailable !== false;
    return version === 5 && cleanSession && isKnown;
  }

  async #subscribe(wishes: readonly SubscriptionRequest[], granted: Set<string>): Promise<void> {
    const [first] = wishes;
    if (first === undefined) return;
    const filters = wishes.map(({ filter }) => filter);
    const { qos, id } = first;
    const options = this.#hasIds() ? { qos, properties: { subscriptionIdentifier: id } } : { qos };
    const codes = await new Promise<readonly unknown[]>((resolve, reject) =>
      this.#client.subscribe(filters, options, (error, _granted, packet) => {
        // A refusal is an error to `mqtt`; which of the filters it is about only the packet tells.
        if (packet?.granted.length === filters.length) resolve(packet.granted);
        else reject(faultFrom(error, 'DEVICE_OFFLINE', 'the broker did not answer the subscription'));
      }),
    );
    for (const [index, filter] of filters.entries()) if (Number(codes[index]) < 0x80) granted.add(filter);
  }

  #publish(topic: string, payload: Buffer, options: PublishOptions): Promise<void> {
    return new Promise<void>((resolve, reject) =>
      this.#client.publish(topic, payload, options, (error) => {
        if (!error) return resolve();
        const why = `${topic} was not taken: ${messageOf(error)}`;
        // Only the broker's own refusal has a reason code; all else is the connection.
        const isRefusal = 'code' in error && typeof error.code === 'number';
        reject(faultFrom(error, isRefusal ? 'DEVICE_REFUSED' : 'DEVICE_OFFLINE', why));
      }),
    );
  }

  /** The promise, or the connection's end: `mqtt` does not call back for all that was under way then. */
  #unlessOver<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      promise.then(resolve, reject).finally(() => this.#pending.delete(reject));
    });
  }

  #lose(): void {
    if (this.#isOver) return;
    const when = this.#isMade ? '' : ' before it answered';
    const cause = this.#cause ?? new Error(`the broker closed the connection${when}`);
    const lost = mapBrokerError(cause, this.#options);
    this.#over(lost);
    if (this.#isMade) this.#listener.onLost(lost);
  }

  #over(cause: Error): void {
    this.#isOver = true;
    this.#making.reject(cause);
    for (const reject of this.#pending) reject(cause);
    this.#pending.clear();
  }

  #check(): void {
    if (this.#closing !== undefined) throw closedByUs();
    if (!this.#isMade || this.#isOver || !this.#client.connected) {
      throw fault('DEVICE_OFFLINE', 'the broker is not connected');
    }
  }
}

function closedByUs(): Error {
  return new DOMException('the connection was closed', 'AbortError');
}
