import type { Cancel } from '../../../src/base/clock.js';
import { coded } from '../../../src/base/codes/coded-text.js';
import { codedMessageOf, Fault } from '../../../src/base/fault.js';
import { searchMessage, type HardwareItem, type Search } from '../../../src/device/hardware-search.js';
import type { Host, OpenInstance } from '../../../src/device/module.js';
import { parseDiscoveryTopic } from '../discovery/announcement.js';
import type { Message } from '../message.js';
import { mqttFlow, type Subscription } from '../subscription-router.js';
import { DiscoveryHub } from './discovery-hub.js';
import type { DiscoveryProperties } from './mqtt-discovery.js';
import { NativeAnnouncements } from './native-announcements.js';
import { createTemplateEngine } from './template-engine.js';

/** How long a search waits for devices to announce themselves. */
const SEARCH_MS = 3_000;

/** Opens the discovery of one broker; its hub is in `hubs` until it is closed. */
export async function openDiscovery(
  host: Host<DiscoveryProperties>,
  hubs: Set<DiscoveryHub>,
): Promise<OpenInstance> {
  const hub = new DiscoveryHub(host, host.parent(mqttFlow), createTemplateEngine(host.clock));
  const discovery = new Discovery(host, hub, () => hubs.delete(hub));
  hubs.add(hub);
  try {
    await discovery.subscribe();
    return discovery;
  } catch (thrown) {
    await discovery.close();
    throw thrown;
  }
}

class Discovery implements OpenInstance, Search {
  readonly search = this;
  readonly #host: Host<DiscoveryProperties>;
  readonly #hub: DiscoveryHub;
  readonly #onClose: () => void;
  readonly #subscriptions: Subscription[] = [];
  #searching: Cancel | undefined;

  constructor(host: Host<DiscoveryProperties>, hub: DiscoveryHub, onClose: () => void) {
    this.#host = host;
    this.#hub = hub;
    this.#onClose = onClose;
  }

  /** What connected devices get. */
  get provided(): DiscoveryHub {
    return this.#hub;
  }

  async subscribe(): Promise<void> {
    const { Prefix } = this.#host.properties;
    for (const filter of [`${Prefix}/+/+/config`, `${Prefix}/+/+/+/config`])
      this.#subscriptions.push(
        this.#hub.topics.subscribe(this.#host, { filter, qos: 0 }, (message) => this.#take(message)),
      );
    const { Tasmota, Shelly } = this.#host.properties;
    const native = new NativeAnnouncements(this.#host, this.#hub);
    if (Tasmota) this.#subscriptions.push(...native.subscribeTasmota());
    if (Shelly) this.#subscriptions.push(...native.subscribeShelly());
    for (const { ready } of this.#subscriptions) await this.#granted(ready);
    await this.#publishBirth();
  }

  get isSearching(): boolean {
    return this.#searching !== undefined;
  }

  /** Devices announce themselves when they receive the birth message; retained announcements are known already. */
  start(): boolean {
    if (this.#searching !== undefined) return false;
    this.#searching = this.#host.clock.after(SEARCH_MS, () => void this.stop());
    this.#host.emitMessage(searchMessage.start, []);
    // If it fails, the connection is lost, and the instance is opened again.
    this.#publishBirth().catch(() => undefined);
    return true;
  }

  stop(): boolean {
    if (this.#searching === undefined) return false;
    this.#searching();
    this.#searching = undefined;
    this.#host.emitMessage(searchMessage.update, []);
    this.#host.emitMessage(searchMessage.stop, []);
    return true;
  }

  found(): readonly HardwareItem[] {
    return this.#hub.items();
  }

  async close(): Promise<void> {
    this.#onClose();
    this.#searching?.();
    for (const subscription of this.#subscriptions) subscription.close();
    this.#hub.close();
    await Promise.resolve();
  }

  /** A rejected subscription is a problem of what it is for; the others work. */
  async #granted(ready: Promise<void>): Promise<void> {
    try {
      await ready;
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'DEVICE_REFUSED') throw thrown;
      this.#host.setProblem(
        'SUBSCRIPTION',
        coded`CHECK_ACCESS_CONTROL_LIST: ${codedMessageOf(thrown)}; check the broker's access control list`,
      );
    }
  }

  async #publishBirth(): Promise<void> {
    const { PublishBirth, Prefix, Shelly, StatusTopic } = this.#host.properties;
    if (Shelly) await this.#hub.topics.publish('shellies/command', 'announce', { qos: 0, retain: false });
    if (!PublishBirth) return;
    const topic = StatusTopic === '' ? `${Prefix}/status` : StatusTopic;
    await this.#hub.topics.publish(topic, 'online', { qos: 0, retain: false });
  }

  #take(message: Message): void {
    const parts = parseDiscoveryTopic(this.#host.properties.Prefix, message.topic);
    // What this gateway announces itself is not a device of others.
    if (parts === undefined || parts.id.startsWith(`${this.#hub.topics.node}_`)) return;
    this.#hub.change(message.topic, () =>
      this.#hub.registry.announce(message.topic, parts, message.text ?? '\u0000'),
    );
  }
}
