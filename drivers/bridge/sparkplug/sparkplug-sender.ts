import type { Cancel } from '../../../src/base/clock.js';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
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
import type { Delivery, Receiver } from '../queue/receiver.js';
import { EdgeNode, type NodeMessage } from './edge-node.js';
import { PrimaryHost } from './primary-host.js';
import type { SparkplugProperties } from './sparkplug-edge-node.js';

/** Values per batch; each batch costs the broker one acknowledgement. */
const BATCH = 200;
/** How long the state of the primary host may take before the next server is tried. */
const HOST_TIMEOUT_MS = 30_000;
/** Requests for a rebirth within this time after a rebirth cause one more, at its end. */
const REBIRTH_INTERVAL_MS = 1_000;
const DATA = { qos: 0, retain: false } as const;

/** Sends values as an edge node of Sparkplug B. */
export class SparkplugSender implements Sender, ConnectionHandler, Receiver {
  readonly batch = BATCH;
  readonly window = 1;
  readonly #host: Host<SparkplugProperties>;
  readonly #parts: BridgeParts;
  readonly #node: EdgeNode;
  readonly #primary: PrimaryHost | undefined;
  readonly #connections: BrokerConnections;
  #connection: BrokerConnection | undefined;
  #isBorn = false;
  /** Waits for the state of the primary host. */
  #waiting: Cancel | undefined;
  /** The time after a rebirth. */
  #rebirth: Cancel | undefined;
  /** Another rebirth was requested within that time. */
  #isRebirthPending = false;

  constructor(host: Host<SparkplugProperties>, brokers: BrokerPort, parts: BridgeParts) {
    this.#host = host;
    this.#parts = parts;
    const { GroupID, EdgeNodeID, PrimaryHostID } = host.properties;
    const { source } = parts;
    this.#node = new EdgeNode({
      groupId: GroupID,
      nodeId: EdgeNodeID,
      groups: () => source.groups,
      atPath: (path) => source.atPath(path),
      entryOf: (forwarded) => source.entryOf(forwarded),
      isAvailable: (id) => host.tree.valueOf(id).isAvailable,
      nowMs: () => host.clock.nowMs(),
    });
    this.#primary = PrimaryHostID === '' ? undefined : new PrimaryHost(PrimaryHostID);
    this.#connections = new BrokerConnections(brokers, this, host);
  }

  start(): void {
    this.#connections.start();
  }

  async close(): Promise<void> {
    this.#rebirth?.();
    this.#waiting?.();
    await this.#die();
    await this.#connections.close();
  }

  onStructure(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#subscribe(connection).then(
      () =>
        this.#isBorn && this.#publish(connection, [...this.#node.removedDevices(), ...this.#node.births()]),
      (thrown: unknown) => connection.end(messageOf(thrown)),
    );
  }

  onFigures(): void {
    // A host receives values only.
  }

  optionsOf(attempt: number): BrokerOptions {
    const { Url, MoreUrls } = this.#host.properties;
    const urls = [Url, ...MoreUrls];
    const { topic, payload } = this.#node.nextWill();
    return brokerOptions(this.#host.properties, {
      url: urls[attempt % urls.length] ?? Url,
      // At most 23 letters and digits, which every broker accepts [MQTT-3.1.3-5].
      clientId: `stellwerk${this.#host.id}x${crypto.randomUUID().slice(0, 8)}`,
      will: { topic, payload, qos: 1, retain: false },
    });
  }

  async onConnected(connection: BrokerConnection): Promise<void> {
    this.#connection = connection;
    this.#primary?.reset();
    await this.#subscribe(connection);
    if (this.#primary === undefined) this.#bear(connection);
    else if (!this.#isBorn)
      this.#waiting = this.#host.clock.after(HOST_TIMEOUT_MS, () =>
        connection.end(
          coded`PRIMARY_HOST_SILENT: the primary host has not reported its state to this server`,
        ),
      );
  }

  onClosed(why: Text): void {
    this.#waiting?.();
    this.#connection = undefined;
    this.#isBorn = false;
    // The birth certificates of the next connection count as the rebirth.
    this.#isRebirthPending = false;
    this.#parts.queue.detach();
    this.#parts.setConnected(false, why);
  }

  readonly onMessage: BrokerListener['onMessage'] = ({ topic, payload, isRetained }) => {
    if (topic === this.#primary?.topic) return this.#takeState(topic, payload);
    if (isRetained || !this.#isBorn) return;
    const command = this.#node.commandOf(topic, payload);
    if (command === undefined)
      return this.#host.log.warn({ instance: this.#host.id, topic }, 'a message was not a command');
    if (command.isRebirth) this.#scheduleRebirth();
    if (!this.#host.properties.Commands) return;
    for (const { variableId, value } of command.requests)
      this.#host.tree.request(variableId, value).catch((thrown: unknown) => {
        this.#host.log.warn({ instance: this.#host.id, topic }, `not performed: ${messageOf(thrown)}`);
      });
  };

  async send(entries: readonly Entry[], isHistorical: boolean): Promise<Delivery> {
    const connection = this.#connection;
    if (connection === undefined || !this.#isBorn) return { failed: entries, rejected: [] };
    const { messages, rejected } = this.#node.data(entries, isHistorical);
    const areSent = await this.#publish(connection, messages);
    const isConfirmed = areSent && (await this.#confirm(connection));
    return isConfirmed ? { failed: [], rejected } : { failed: entries, rejected: [] };
  }

  /** All messages in one turn, so that no other is between them. */
  async #publish(connection: BrokerConnection, messages: readonly NodeMessage[]): Promise<boolean> {
    const sent = await Promise.all(
      messages.map(({ topic, payload }) => connection.publish(topic, payload, DATA)),
    );
    return sent.every(Boolean);
  }

  /**
   * Sparkplug requires QoS 0, which has no acknowledgement. The reply to a subscription that exists already
   * shows that the broker has received what was sent before on this connection.
   */
  async #confirm(connection: BrokerConnection): Promise<boolean> {
    return connection.confirm([{ filter: this.#node.commandTopic, qos: 1, id: 1 }]);
  }

  async #subscribe(connection: BrokerConnection): Promise<void> {
    const { Commands } = this.#host.properties;
    const filters = [
      this.#node.commandTopic,
      ...(Commands ? this.#node.deviceCommandTopics() : []),
      ...(this.#primary === undefined ? [] : [this.#primary.topic]),
    ];
    const granted = await connection.subscribe(filters.map((filter, n) => ({ filter, qos: 1, id: n + 1 })));
    const rejected = filters.find((_, n) => granted[n] !== true);
    if (rejected !== undefined)
      throw fault('DEVICE_REFUSED', `the broker rejected the subscription to ${rejected}`);
  }

  #bear(connection: BrokerConnection): void {
    this.#waiting?.();
    this.#isBorn = true;
    void this.#publish(connection, this.#node.births());
    this.#parts.queue.attach(this);
    this.#parts.setConnected(true);
  }

  /**
   * Publishes the birth certificates again: immediately, or, if that was done within the interval, at its
   * end. Many requests thus cause few rebirths, and the last request is never lost.
   */
  #scheduleRebirth(): void {
    this.#isRebirthPending = this.#rebirth !== undefined;
    const connection = this.#connection;
    if (this.#isRebirthPending || connection === undefined || !this.#isBorn) return;
    void this.#publish(connection, this.#node.births());
    this.#rebirth = this.#host.clock.after(REBIRTH_INTERVAL_MS, () => {
      this.#rebirth = undefined;
      if (this.#isRebirthPending) this.#scheduleRebirth();
    });
  }

  #takeState(topic: string, payload: Buffer): void {
    const connection = this.#connection;
    const isOnline = this.#primary?.take(topic, payload);
    if (connection === undefined || isOnline === undefined) return;
    if (isOnline && !this.#isBorn) this.#bear(connection);
    if (isOnline) return;
    const why = coded`PRIMARY_HOST_OFFLINE: the primary host is not connected to this server`;
    void this.#die().then(() => connection.end(why));
  }

  /** Before an intended disconnect: the broker does not publish the will then. */
  async #die(): Promise<void> {
    const connection = this.#connection;
    const wasBorn = this.#isBorn;
    this.#isBorn = false;
    this.#parts.queue.detach();
    const { topic, payload } = this.#node.death();
    if (wasBorn) await connection?.publishLast(topic, payload, { retain: false });
  }
}
