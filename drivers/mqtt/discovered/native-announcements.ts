import {
  announcedShelly,
  isShellyId,
  readShelly,
  SHELLY_REPLY,
  shellyStatusRequest,
} from '../discovery/native/shelly.js';
import { readTasmota, type TasmotaParts } from '../discovery/native/tasmota.js';
import type { SubscriptionOwner } from '../early-messages.js';
import type { Message } from '../message.js';
import type { Subscription } from '../subscription-router.js';
import type { DiscoveryHub } from './discovery-hub.js';

const TASMOTA = 'tasmota/discovery';

/** Devices whose announcements are kept until both of their parts are there. */
const PART_LIMIT = 2_000;

/** Longer announcements are not read, bytes. */
const NATIVE_LIMIT = 256 * 1024;

/** The announcements of devices in formats of their own, for the discovery of one broker. */
export class NativeAnnouncements {
  readonly #owner: SubscriptionOwner;
  readonly #hub: DiscoveryHub;
  /** The last payloads of Tasmota devices, by hardware address. */
  readonly #parts = new Map<string, TasmotaParts>();

  constructor(owner: SubscriptionOwner, hub: DiscoveryHub) {
    this.#owner = owner;
    this.#hub = hub;
  }

  subscribeTasmota(): Subscription[] {
    return [this.#subscribe(`${TASMOTA}/+/+`, (message, text) => this.#takeTasmota(message.topic, text))];
  }

  subscribeShelly(): Subscription[] {
    return [
      this.#subscribe('+/announce', ({ topic }, text) => {
        const prefix = announcedShelly(topic, text);
        if (prefix !== undefined) this.#requestShelly(prefix);
      }),
      this.#subscribe('+/online', ({ topic }, text) => {
        const [prefix = ''] = topic.split('/');
        if (isShellyId(prefix) && text === 'true') this.#requestShelly(prefix);
      }),
      this.#subscribe(`+/${SHELLY_REPLY}`, ({ topic }, text) => {
        const [prefix = ''] = topic.split('/');
        this.#hub.change(topic, () => {
          const announcement = readShelly(prefix, text);
          if (announcement !== undefined) this.#hub.registry.translate(topic, announcement);
          return announcement?.problems;
        });
      }),
    ];
  }

  #subscribe(filter: string, take: (message: Message, text: string) => void): Subscription {
    return this.#hub.topics.subscribe(this.#owner, { filter, qos: 0 }, (message) => {
      if (message.payload.length <= NATIVE_LIMIT && message.text !== undefined) take(message, message.text);
    });
  }

  #takeTasmota(topic: string, text: string): void {
    const [mac = '', kind = ''] = topic.slice(TASMOTA.length + 1).split('/');
    if (kind !== 'config' && kind !== 'sensors') return;
    if (!this.#parts.has(mac) && this.#parts.size >= PART_LIMIT) return;
    const parts = this.#parts.get(mac) ?? { config: '', sensors: '' };
    if (parts[kind] === text && text !== '') return;
    parts[kind] = text;
    this.#parts.set(mac, parts);
    // Sensors do not say to which topics they belong.
    if (kind === 'sensors' && parts.config === '') return;
    const announced = `${TASMOTA}/${mac}/config`;
    this.#hub.change(topic, () => {
      const announcement = parts.config === '' ? undefined : readTasmota(parts);
      this.#hub.registry.translate(announced, announcement);
      return announcement?.problems;
    });
    if (parts.config === '' && parts.sensors === '') this.#parts.delete(mac);
  }

  #requestShelly(prefix: string): void {
    const { topic, payload } = shellyStatusRequest(prefix);
    // If it fails, the connection is lost, and everything is requested again.
    this.#hub.topics.publish(topic, payload, { qos: 0, retain: false }).catch(() => undefined);
  }
}
