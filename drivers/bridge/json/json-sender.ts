import type { Text } from '../../../src/base/codes/coded-text.js';
import { fault, messageOf } from '../../../src/base/fault.js';
import type { Host } from '../../../src/device/module.js';
import type { BridgeParts, Sender } from '../bridge.js';
import { brokerOptions } from '../mqtt/broker-properties.js';
import type { BrokerListener, BrokerOptions, BrokerPort } from '../mqtt/broker-port.js';
import {
  BrokerConnections,
  type BrokerConnection,
  type ConnectionHandler,
} from '../mqtt/broker-connections.js';
import type { Entry } from '../queue/entry.js';
import type { Delivery, QueueFigures, Receiver } from '../queue/receiver.js';
import { encodeReply, encodeValue, parseCommand, valueFor } from './json-payload.js';
import type { JsonBridgeProperties } from './mqtt-bridge.js';

/** Values per batch; the connection has a limit of messages in flight. */
const BATCH = 50;
/** Batches in flight. */
const WINDOW = 4;
/** The will: what the broker publishes if the connection is lost. */
const WILL = '{"online":false}';
/** Commands that are performed at the same time; a further one is rejected. */
const COMMANDS_IN_FLIGHT = 20;

/** Sends each value as a JSON message, and performs commands. */
export class JsonSender implements Sender, ConnectionHandler {
  readonly #host: Host<JsonBridgeProperties>;
  readonly #parts: BridgeParts;
  readonly #connections: BrokerConnections;
  readonly #topic: string;
  #connection: BrokerConnection | undefined;
  #commands = 0;

  constructor(host: Host<JsonBridgeProperties>, brokers: BrokerPort, parts: BridgeParts) {
    this.#host = host;
    this.#parts = parts;
    this.#topic = host.properties.Topic;
    this.#connections = new BrokerConnections(brokers, this, host);
  }

  start(): void {
    this.#connections.start();
  }

  async close(): Promise<void> {
    this.#parts.queue.detach();
    // After a graceful disconnect the broker does not publish the will.
    await this.#connection?.publishLast(this.#statusTopic, this.#status(false), { retain: true });
    await this.#connections.close();
  }

  onStructure(): void {
    this.#publishAll();
  }

  onFigures(): void {
    void this.#connection?.publish(this.#statusTopic, this.#status(true), { qos: 1, retain: true });
  }

  optionsOf(): BrokerOptions {
    const will = {
      topic: this.#statusTopic,
      payload: Buffer.from(WILL),
      qos: 1,
      retain: true,
    } as const;
    // At most 23 letters and digits, which every broker accepts [MQTT-3.1.3-5].
    const clientId = `stellwerk${this.#host.id}x${crypto.randomUUID().slice(0, 8)}`;
    return brokerOptions(this.#host.properties, { clientId, will });
  }

  async onConnected(connection: BrokerConnection): Promise<void> {
    this.#connection = connection;
    const status = { filter: this.#statusTopic, qos: 1, id: 1 } as const;
    const commands = { filter: `${this.#topic}/set/#`, qos: 1, id: 2 } as const;
    const { Commands } = this.#host.properties;
    const granted = await connection.subscribe(Commands ? [status, commands] : [status]);
    if (Commands && granted[1] !== true)
      throw fault('DEVICE_REFUSED', `the broker rejected the subscription to ${commands.filter}`);
    void connection.publish(this.#statusTopic, this.#status(true), { qos: 1, retain: true });
    // Before the live values, in the same turn: the last message of a topic is the newest.
    this.#publishAll();
    this.#parts.queue.attach(new ConnectionReceiver(connection, this.#topic));
    this.#parts.setConnected(true);
  }

  onClosed(why: Text): void {
    this.#connection = undefined;
    this.#parts.queue.detach();
    this.#parts.setConnected(false, why);
  }

  readonly onMessage: BrokerListener['onMessage'] = ({ topic, payload, isRetained }) => {
    // The broker may notice the end of an earlier connection only now, and publish its will.
    if (topic === this.#statusTopic && !isRetained && payload.toString() === WILL) return this.onFigures();
    const prefix = `${this.#topic}/set/`;
    if (isRetained || !topic.startsWith(prefix)) return;
    const command = parseCommand(payload);
    if (command === undefined) {
      this.#host.log.warn({ instance: this.#host.id, topic }, 'a message was not a command');
      return;
    }
    const path = topic.slice(prefix.length);
    this.#perform(path, command.value).then(
      () => this.#reply(command.response, encodeReply(command.id)),
      (thrown: unknown) => {
        this.#host.log.warn({ instance: this.#host.id, topic }, `not performed: ${messageOf(thrown)}`);
        this.#reply(command.response, encodeReply(command.id, thrown));
      },
    );
  };

  async #perform(path: string, requested: unknown): Promise<void> {
    const { variable } = this.#parts.source.atPath(path) ?? {};
    if (variable === undefined) throw fault('NAME_NOT_FOUND', path);
    const value = valueFor(variable.type, requested);
    if (value === undefined) throw fault('VARIABLE_TYPE', variable.id);
    if (this.#commands >= COMMANDS_IN_FLIGHT)
      throw fault('DEVICE_OFFLINE', 'too many commands at the same time');
    this.#commands += 1;
    try {
      await this.#host.tree.request(variable.id, value);
    } finally {
      this.#commands -= 1;
    }
  }

  /** Only below the bridge's own topic: the sender of a command lacks the gateway's rights. */
  #reply(topic: string | undefined, payload: Buffer): void {
    if (topic?.startsWith(`${this.#topic}/response/`) !== true || /[+#\0]/.test(topic)) return;
    void this.#connection?.publish(topic, payload, { qos: 1, retain: false });
  }

  /** Publishes the present values, each with the sequence number of the last value. */
  #publishAll(): void {
    const { source } = this.#parts;
    for (const forwarded of source.variables) {
      const payload = encodeValue(source.entryOf(forwarded), forwarded.lastSeq);
      void this.#connection?.publish(`${this.#topic}/value/${forwarded.variable.path}`, payload, {
        qos: 1,
        retain: true,
      });
    }
  }

  get #statusTopic(): string {
    return `${this.#topic}/status`;
  }

  #status(online: boolean): Buffer {
    const { nextSeq, waiting, counters }: QueueFigures = this.#parts.queue.figures;
    const dropped = counters.droppedByReason();
    return Buffer.from(JSON.stringify({ online, seq: nextSeq - 1, waiting, dropped }));
  }
}

/** Sends over one connection. */
class ConnectionReceiver implements Receiver {
  readonly batch = BATCH;
  readonly window = WINDOW;
  readonly #connection: BrokerConnection;
  readonly #topic: string;

  constructor(connection: BrokerConnection, topic: string) {
    this.#connection = connection;
    this.#topic = topic;
  }

  async send(entries: readonly Entry[], isHistorical: boolean): Promise<Delivery> {
    const topic = `${this.#topic}/${isHistorical ? 'history' : 'value'}`;
    const options = { qos: 1, retain: !isHistorical } as const;
    const acknowledged = await Promise.all(
      entries.map((entry) =>
        this.#connection.publish(`${topic}/${entry.path}`, encodeValue(entry, entry.seq), options),
      ),
    );
    return { failed: entries.filter((_, index) => acknowledged[index] !== true), rejected: [] };
  }
}
