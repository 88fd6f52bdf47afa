import { type Static, Type } from '@sinclair/typebox';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import type { Cancel } from '../../../src/base/clock.js';
import { codedMessageOf, Fault } from '../../../src/base/fault.js';
import { searchMessage, type HardwareItem, type Search } from '../../../src/device/hardware-search.js';
import {
  moduleKind,
  variableType,
  type Host,
  type ModuleDefinition,
  type OpenInstance,
} from '../../../src/device/module.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import { parseDiscoveryTopic } from '../discovery/announcement.js';
import { NativeAnnouncements } from './native-announcements.js';
import { DiscoveryHub, discoveryFlow } from './discovery-hub.js';
import type { Message } from '../message.js';
import { mqttFlow, type Subscription } from '../subscription-router.js';
import { validateTopic } from '../topic-filter.js';

/** How long a search waits for devices to announce themselves. */
const SEARCH_MS = 3_000;

const ADOPT_RULES = ['none', 'listed', 'all'] as const;

const names = () => Type.Array(Type.String({ maxLength: 1000 }), { default: [], maxItems: 1000 });

const properties = Type.Object({
  Prefix: withHelp(
    Type.String({ default: 'homeassistant', minLength: 1, maxLength: 200 }),
    'Discovery',
    'The first part of the topics on which devices announce themselves.',
  ),
  Adopt: withHelp(
    enumProperty(ADOPT_RULES, 'none'),
    'Discovery',
    'Which devices become instances by themselves: none, those in Devices, or all.',
  ),
  Devices: withHelp(
    names(),
    'Discovery',
    'Names or identifiers of devices that become instances if Adopt is listed; * is any text.',
  ),
  Ignore: withAdvancedHelp(
    names(),
    'Discovery',
    'Names or identifiers of devices that never become instances by themselves; * is any text.',
  ),
  PublishBirth: withHelp(
    Type.Boolean({ default: true }),
    'Discovery',
    'Whether the gateway publishes online after connecting, so that devices announce themselves and their states.',
  ),
  StatusTopic: withAdvancedHelp(
    Type.String({ default: '', maxLength: 1000 }),
    'Discovery',
    'Where online is published; status below the prefix if empty.',
  ),
  Tasmota: withHelp(
    Type.Boolean({ default: true }),
    'Discovery',
    'Whether to find devices with Tasmota by their own announcements.',
  ),
  Shelly: withHelp(
    Type.Boolean({ default: true }),
    'Discovery',
    'Whether to find Shelly devices of generation 2 and later, which reply to requests.',
  ),
});
type Properties = Static<typeof properties>;

/** The module **MQTT Discovery**: the devices that announce themselves at a broker. */
export function mqttDiscovery(): ModuleDefinition<typeof properties> {
  const open = new Set<DiscoveryHub>();
  return {
    id: '{C2F0B0A7-5D1E-4B7A-9E35-7A4C1D8E6F03}',
    name: 'MQTT Discovery',
    description: 'Finds the devices that announce themselves at an MQTT broker.',
    icon: 'Database',
    page: 'hardware/mqtt-discovery.md',
    kind: moduleKind.configurator,
    prefix: 'MQTT',
    properties,
    requires: mqttFlow,
    provides: discoveryFlow,
    variables: () => [
      { ident: 'FOUND', name: 'Found', type: variableType.integer, role: 'diagnostic', position: 1 },
    ],
    findHardware: async () => [...open].flatMap((hub) => hub.items()),
    check,
    async open(host) {
      const { createTemplateEngine } = await import('./template-engine.js');
      const hub = new DiscoveryHub(host, host.parent(mqttFlow), createTemplateEngine(host.clock));
      const discovery = new Discovery(host, hub, () => open.delete(hub));
      open.add(hub);
      try {
        await discovery.subscribe();
        return discovery;
      } catch (thrown) {
        await discovery.close();
        throw thrown;
      }
    },
  };
}

function check({ Prefix, StatusTopic }: Properties): Text | undefined {
  const prefixError = validateTopic(Prefix);
  if (prefixError !== undefined) return coded`PREFIX_INVALID: Prefix: ${prefixError}`;
  const error = StatusTopic === '' ? undefined : validateTopic(StatusTopic);
  return error === undefined ? undefined : coded`STATUS_TOPIC_INVALID: StatusTopic: ${error}`;
}

class Discovery implements OpenInstance, Search {
  readonly search = this;
  readonly #host: Host<Properties>;
  readonly #hub: DiscoveryHub;
  readonly #onClose: () => void;
  readonly #subscriptions: Subscription[] = [];
  #searching: Cancel | undefined;

  constructor(host: Host<Properties>, hub: DiscoveryHub, onClose: () => void) {
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
      this.#subscriptions.push(this.#hub.topics.subscribe(filter, 0, (message) => this.#take(message)));
    const { Tasmota, Shelly } = this.#host.properties;
    const native = new NativeAnnouncements(this.#hub);
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
