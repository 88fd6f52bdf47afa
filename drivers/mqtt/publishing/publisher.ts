import { coded } from '../../../src/base/codes/coded-text.js';
import type { Cancel } from '../../../src/base/clock.js';
import { messageOf } from '../../../src/base/fault.js';
import type { Host, OpenInstance } from '../../../src/device/module.js';
import type { Message } from '../message.js';
import type { Subscription, SubscriptionRouter } from '../subscription-router.js';
import {
  availabilityTopic,
  commandFilter,
  deviceOf,
  retainedTopics,
  type PublishedDevice,
  type PublishingNames,
} from './announcement.js';
import type { CommandTopic, StateTopic } from './entities.js';
import type { PublisherProperties } from './mqtt-publisher.js';

/** Structure changes come in bursts: announcements are published once, this long after the first change. */
const ANNOUNCE_DELAY_MS = 1_000;
/** Messages that wait for the broker's acknowledgement. */
const IN_FLIGHT_LIMIT = 20;
/** A longer payload is not a command. */
const COMMAND_LIMIT = 4096;
const RETAINED = { qos: 1, retain: true } as const;
const EVENT = { qos: 1, retain: false } as const;

/** A message that waits. */
interface Outgoing {
  readonly topic: string;
  readonly payload: string;
  readonly isEvent: boolean;
}

/** Publishes objects of the tree, and performs the commands for them. */
export class Publisher implements OpenInstance {
  readonly #host: Host<PublisherProperties>;
  readonly #router: SubscriptionRouter;
  readonly #names: PublishingNames;
  readonly #subscriptions: Subscription[] = [];
  #devices = new Map<string, PublishedDevice>();
  /** Variable → where its value is published. */
  #states = new Map<number, StateTopic[]>();
  /** Variable → the topics of the availability of its entities. */
  #availability = new Map<number, string[]>();
  #commands = new Map<string, CommandTopic>();
  /** The topics of states and availabilities. */
  #retained: ReadonlySet<string> = new Set();
  /** By topic, because only the newest state counts; each event has a key of its own. */
  readonly #waiting = new Map<string, Outgoing>();
  #events = 0;
  #inFlight = 0;
  #stopWatching: Cancel | undefined;
  #scheduled: Cancel | undefined;

  constructor(host: Host<PublisherProperties>, router: SubscriptionRouter) {
    this.#host = host;
    this.#router = router;
    const { Prefix: prefix, Topic: topic } = host.properties;
    this.#names = { node: router.node, prefix, topic, connection: router.connectionTopic };
  }

  async start(): Promise<void> {
    const { prefix, node } = this.#names;
    const router = this.#router;
    router.publishers.add(this);
    this.#stopWatching = this.#host.tree.watch({
      onValue: (id, hasChanged) => this.#publishVariable(id, !hasChanged),
      onStructure: () => this.#schedule(),
    });
    this.#host.setProblem(
      'NO_WILL',
      this.#names.connection === undefined
        ? coded`NO_WILL_TOPIC: WillTopic of the MQTT Client is empty: Home Assistant will not notice when the gateway is off`
        : undefined,
    );
    // QoS 0 and skipsQueued: a relay must not switch because of a command that the broker queued hours ago.
    const commands = { filter: commandFilter(this.#names), qos: 0, skipsQueued: true } as const;
    this.#subscriptions.push(router.subscribe(this.#host, commands, (message) => this.#perform(message)));
    // Home Assistant's birth message.
    this.#subscribe(`${prefix}/status`, ({ text, isRetained }) => {
      if (text === 'online' && !isRetained) this.#publishAll();
    });
    // Announcements of an earlier configuration: those that are not published any more are removed.
    this.#subscribe(`${prefix}/device/+/config`, ({ topic, payload, text }) => {
      const isOwn = topic.startsWith(`${prefix}/device/${node}_`);
      if (isOwn && payload.length > 0 && !this.#isPublished(topic)) {
        this.#send(topic, '');
        this.#clear(text ?? '');
      }
    });
    this.#refresh();
    for (const { ready } of this.#subscriptions) await ready;
  }

  /** Clears the retained messages before the instance is deleted: nothing would do so later. */
  async withdraw(): Promise<void> {
    this.#stopWatching?.();
    // The scheduled refresh would publish everything again.
    this.#scheduled?.();
    this.#waiting.clear();
    const topics = [...this.#devices.keys(), ...this.#retained];
    this.#devices = new Map();
    this.#index();
    for (const topic of topics)
      if (!this.#isPublished(topic)) await this.#router.publish(topic, '', RETAINED);
  }

  isPublishing(topic: string): boolean {
    return this.#devices.has(topic) || this.#retained.has(topic);
  }

  async close(): Promise<void> {
    this.#router.publishers.delete(this);
    this.#stopWatching?.();
    this.#scheduled?.();
    for (const subscription of this.#subscriptions) subscription.close();
    this.#waiting.clear();
    await Promise.resolve();
  }

  #subscribe(filter: string, listener: (message: Message) => void): void {
    this.#subscriptions.push(this.#router.subscribe(this.#host, { filter, qos: 1 }, listener));
  }

  /** Whether this or another publisher of the connection publishes a topic. */
  #isPublished(topic: string): boolean {
    return this.#router.publishers.values().some((one) => one.isPublishing(topic));
  }

  #schedule(): void {
    this.#scheduled ??= this.#host.clock.after(ANNOUNCE_DELAY_MS, () => {
      this.#scheduled = undefined;
      this.#refresh();
    });
  }

  /** Publishes what changed in the tree: new and changed announcements, and the removal of others. */
  #refresh(): void {
    const { tree, properties } = this.#host;
    const before = this.#devices;
    const { Paths, Rules } = properties;
    const all = Rules ? tree.groupsFor('home-assistant', Paths) : tree.groupsBelow(Paths);
    const groups = all.filter(({ id }) => id !== this.#host.id);
    this.#devices = new Map(
      groups.map((group) => {
        const device = deviceOf(group, this.#names);
        return [device.topic, device];
      }),
    );
    this.#index();
    for (const topic of before.keys()) if (!this.#isPublished(topic)) this.#send(topic, '');
    for (const [topic, { payload }] of before)
      if (this.#devices.get(topic)?.payload !== payload) this.#clear(payload);
    for (const [topic, device] of this.#devices)
      if (before.get(topic)?.payload !== device.payload) this.#publishDevice(device);
    const [missing] = tree.missing(Paths);
    this.#host.setProblem(
      'NO_OBJECT',
      missing === undefined ? undefined : coded`NO_OBJECT_AT_PATH: there is no object at ${missing}`,
    );
    this.#host.report('PUBLISHED', this.#devices.size);
  }

  /** Removes the retained states and availabilities of an announcement that are not published any more. */
  #clear(announcement: string): void {
    for (const topic of retainedTopics(announcement, this.#names))
      if (!this.#isPublished(topic)) this.#send(topic, '');
  }

  #index(): void {
    this.#states = new Map();
    this.#availability = new Map();
    this.#commands = new Map();
    for (const device of this.#devices.values())
      for (const entity of device.entities) {
        for (const state of entity.states)
          this.#states.set(state.variable, [...(this.#states.get(state.variable) ?? []), state]);
        for (const command of entity.commands) this.#commands.set(command.topic, command);
        const topics = this.#availability.get(entity.main) ?? [];
        this.#availability.set(entity.main, [...topics, availabilityTopic(this.#names, entity)]);
      }
    const devices = [...this.#devices.values()];
    this.#retained = new Set(devices.flatMap(({ payload }) => retainedTopics(payload, this.#names)));
  }

  #publishAll(): void {
    for (const device of this.#devices.values()) this.#publishDevice(device);
  }

  /** The announcement before the states: until then nobody reads them. */
  #publishDevice({ topic, payload, entities }: PublishedDevice): void {
    this.#send(topic, payload);
    const variables = new Set(
      entities.flatMap(({ main, states }) => [main, ...states.map((one) => one.variable)]),
    );
    for (const id of variables) this.#publishVariable(id, true);
  }

  #publishVariable(id: number, isRepeated = false): void {
    const states = this.#states.get(id);
    const availability = this.#availability.get(id);
    if (states === undefined && availability === undefined) return;
    const { value, isAvailable } = this.#host.tree.valueOf(id);
    for (const topic of availability ?? []) this.#send(topic, isAvailable ? 'online' : 'offline');
    if (value === undefined) return;
    for (const { topic, encode, isEvent = false } of states ?? []) {
      const payload = isEvent && isRepeated ? undefined : encode(value);
      if (payload !== undefined) this.#send(topic, payload, isEvent);
    }
  }

  #send(topic: string, payload: string, isEvent = false): void {
    // A message that waits is replaced and keeps its place.
    this.#waiting.set(isEvent ? `${topic} ${(this.#events += 1)}` : topic, { topic, payload, isEvent });
    this.#flush();
  }

  #flush(): void {
    for (const [key, { topic, payload, isEvent }] of this.#waiting) {
      if (this.#inFlight >= IN_FLIGHT_LIMIT || this.#host.signal.aborted) return;
      this.#waiting.delete(key);
      this.#inFlight += 1;
      this.#router
        .publish(topic, payload, isEvent ? EVENT : RETAINED)
        .catch((thrown: unknown) => {
          // If the connection is lost, everything is published again with the next one.
          if (!this.#host.signal.aborted)
            this.#host.log.warn({ instance: this.#host.id, topic }, `not published: ${messageOf(thrown)}`);
        })
        .finally(() => {
          this.#inFlight -= 1;
          this.#flush();
        });
    }
  }

  /** A command is not a state: the value is published when the device reports it. */
  #perform({ topic, text, payload, isRetained }: Message): void {
    const command = this.#commands.get(topic);
    // A retained command would be performed again with each connection.
    if (command === undefined || isRetained) return;
    const value = payload.length > COMMAND_LIMIT || text === undefined ? undefined : command.decode(text);
    if (value === undefined) {
      this.#host.log.warn({ instance: this.#host.id, topic }, 'the payload is not a valid command');
      return;
    }
    this.#host.tree.request(command.variable, value).catch((thrown: unknown) => {
      this.#host.log.warn({ instance: this.#host.id, topic }, `rejected: ${messageOf(thrown)}`);
      // Shows that nothing has changed.
      this.#publishVariable(command.variable, true);
    });
  }
}
