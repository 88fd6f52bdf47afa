import { createHash } from 'node:crypto';
import {
  InvalidAnnouncement,
  readAnnouncement,
  type AnnouncedDevice,
  type Announcement,
  type DiscoveryTopic,
} from './announcement.js';
import { keyOf, type DeviceRecord, type RecordedEntity, type StateRequest } from './device-record.js';
import { isObject, jsonIn } from './readers.js';

/** More is an error or an attack: a house has a few hundred devices with some ten entities each. */
const DEVICE_LIMIT = 2_000;
const ENTITY_LIMIT = 500;
const TOTAL_ENTITY_LIMIT = 40_000;
/** Topics with entities, also those whose entities another topic has announced since. */
const TOPIC_LIMIT = 40_000;
/** Identifiers and connections of one device. */
const KEY_LIMIT = 64;

/** A longer discovery topic, identifier or connection is not stored, characters. */
const NAME_LIMIT = 1000;

/** A longer announcement is not read, characters. */
const ANNOUNCEMENT_LIMIT = 512 * 1024;

/** A device, with everything that was announced of it. */
interface KnownDevice {
  /** Stable as long as the device is announced: the first of its keys that was seen. */
  readonly id: string;
  readonly keys: Set<string>;
  about: Omit<AnnouncedDevice, 'keys'>;
  origin: string;
  requests: readonly StateRequest[];
  readonly entities: Map<string, RecordedEntity>;
}

interface KnownTopic {
  digest: string;
  /** The identity of the entity at each place. */
  readonly places: Map<string, string>;
}

/** An announcement that was translated from another program's format. */
export interface TranslatedAnnouncement extends Announcement {
  readonly requests: readonly StateRequest[];
  /** Whether an entity that it does not contain no longer exists. */
  readonly isComplete: boolean;
}

/**
 * The devices that are announced, put together from all topics. An announcement that is repeated changes
 * nothing. Pure: it neither subscribes nor publishes.
 */
export class DeviceRegistry {
  readonly #devices = new Map<string, KnownDevice>();
  readonly #byKey = new Map<string, KnownDevice>();
  readonly #byEntity = new Map<string, KnownDevice>();
  readonly #topics = new Map<string, KnownTopic>();
  /** Topics whose announcement was removed: what an instance has stored of them is out of date. */
  readonly #removed = new Set<string>();
  #changed = new Set<string>();

  /** The ids of the devices that changed since the last call. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  ids(): IterableIterator<string> {
    return this.#devices.keys();
  }

  /** The id of the device with one of these keys. */
  find(keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const device = this.#byKey.get(key);
      if (device !== undefined) return device.id;
    }
    return undefined;
  }

  /** All that is known of a device; undefined if there is no such device, or it has no entities. */
  record(id: string): DeviceRecord | undefined {
    const device = this.#devices.get(id);
    if (device === undefined || device.entities.size === 0) return undefined;
    const { keys, about, origin, requests, entities } = device;
    return { keys: [...keys].toSorted(), ...about, origin, requests, entities: [...entities.values()] };
  }

  /** Adds what an instance stored in an earlier run; what was announced in this one is newer. */
  restore({ entities, keys, origin, requests, ...about }: DeviceRecord): void {
    const valid = entities.filter(({ topic }) => !this.#removed.has(topic));
    if (valid.length === 0) return;
    const newer = this.#devices.get(this.find(keys) ?? '')?.about;
    const device = this.#deviceOf({ keys, ...about });
    if (device === undefined) return;
    if (newer !== undefined) device.about = { ...device.about, ...nonEmpty(newer) };
    if (device.origin === '') device.origin = origin;
    if (device.requests.length === 0) device.requests = requests;
    for (const entity of valid) {
      const key = keyOf(entity);
      const isPlaceKnown = this.#topics.get(entity.topic)?.places.has(entity.place) === true;
      if (this.#byEntity.has(key) || isPlaceKnown || this.#isFull(device)) continue;
      device.entities.set(key, entity);
      this.#byEntity.set(key, device);
      this.#topicOf(entity.topic).places.set(entity.place, key);
    }
    this.#forgetIfEmpty(device);
  }

  /** Takes a discovery message. Throws an {@link InvalidAnnouncement}; then nothing has changed. */
  announce(topic: string, parts: DiscoveryTopic, payload: string): readonly string[] {
    if (topic.length > NAME_LIMIT)
      throw new InvalidAnnouncement(`the topic is longer than ${NAME_LIMIT} characters`);
    if (payload === '') {
      this.#remove(topic);
      return [];
    }
    if (payload.length > ANNOUNCEMENT_LIMIT)
      throw new InvalidAnnouncement(`the payload is longer than ${ANNOUNCEMENT_LIMIT} characters`);
    const digest = createHash('sha1').update(payload).digest('base64');
    const known = this.#topics.get(topic);
    if (known?.digest === digest) return [];
    if (isMigration(payload)) {
      // What this topic announced stays until another topic announces it, or an empty payload removes it.
      if (known !== undefined) known.digest = '';
      return [];
    }
    const announcement = readAnnouncement(parts, payload);
    this.#take(topic, announcement, []);
    this.#setDigest(topic, digest);
    return announcement.problems;
  }

  /** Takes an announcement in another format; undefined removes what the topic announced. */
  translate(topic: string, announcement: TranslatedAnnouncement | undefined): void {
    if (announcement === undefined) return this.#remove(topic);
    const digest = createHash('sha1').update(JSON.stringify(announcement)).digest('base64');
    if (this.#topics.get(topic)?.digest === digest) return;
    this.#take(topic, announcement, announcement.requests);
    if (announcement.isComplete) {
      const places = new Set(announcement.entities.map(({ place }) => place));
      for (const place of this.#topicOf(topic).places.keys())
        if (!places.has(place)) this.#removePlace(topic, place);
    }
    this.#setDigest(topic, digest);
  }

  /** A topic that has announced nothing is not stored: there can be any number of them. */
  #setDigest(topic: string, digest: string): void {
    const known = this.#topicOf(topic);
    known.digest = digest;
    if (known.places.size === 0) this.#topics.delete(topic);
  }

  #take(
    topic: string,
    { device: about, origin, entities, removed }: Announcement,
    requests: readonly StateRequest[],
  ): void {
    if (this.#exceedsLimit(about.keys, entities))
      throw new InvalidAnnouncement(
        `the device has more than ${ENTITY_LIMIT} entities, or there are too many`,
      );
    if (about.keys.length > KEY_LIMIT || about.keys.some((key) => key.length > NAME_LIMIT))
      throw new InvalidAnnouncement(
        `the device has more than ${KEY_LIMIT} identifiers and connections, or one of more than ${NAME_LIMIT} characters`,
      );
    if (!this.#topics.has(topic) && this.#topics.size >= TOPIC_LIMIT)
      throw new InvalidAnnouncement(`there are more than ${TOPIC_LIMIT} topics`);
    const device = this.#deviceOf(about);
    if (device === undefined) throw new InvalidAnnouncement(`there are more than ${DEVICE_LIMIT} devices`);
    const known = this.#topicOf(topic);
    this.#removed.delete(topic);
    if (origin !== '') device.origin = origin;
    if (requests.length > 0) device.requests = requests;
    const replaced: string[] = [];
    for (const entity of entities) {
      const key = keyOf(entity);
      const before = known.places.get(entity.place);
      if (before !== undefined && before !== key) replaced.push(before);
      const owner = this.#byEntity.get(key);
      if (owner !== undefined && owner !== device) this.#drop(owner, key);
      device.entities.set(key, { ...entity, topic });
      this.#byEntity.set(key, device);
      known.places.set(entity.place, key);
    }
    for (const key of replaced) this.#removeEntity(topic, key);
    for (const place of removed) this.#removePlace(topic, place);
    this.#changed.add(device.id);
    this.#forgetIfEmpty(device);
  }

  /** Whether the device with these keys, or all devices, would have too many entities. */
  #exceedsLimit(keys: readonly string[], entities: Announcement['entities']): boolean {
    const device = this.#devices.get(this.find(keys) ?? '');
    const added = new Set(entities.map((entity) => keyOf(entity))).difference(
      new Set(device?.entities.keys()),
    ).size;
    return (
      added > 0 &&
      ((device?.entities.size ?? 0) + added > ENTITY_LIMIT ||
        this.#byEntity.size + added > TOTAL_ENTITY_LIMIT)
    );
  }

  #isFull({ entities }: KnownDevice): boolean {
    return entities.size >= ENTITY_LIMIT || this.#byEntity.size >= TOTAL_ENTITY_LIMIT;
  }

  #remove(topic: string): void {
    for (const place of this.#topics.get(topic)?.places.keys() ?? []) this.#removePlace(topic, place);
    this.#topics.delete(topic);
    if (this.#removed.size < TOTAL_ENTITY_LIMIT) this.#removed.add(topic);
  }

  /** Removes the entity at a place of a topic, unless another topic has announced it since. */
  #removePlace(topic: string, place: string): void {
    const places = this.#topics.get(topic)?.places;
    const key = places?.get(place);
    places?.delete(place);
    if (key !== undefined) this.#removeEntity(topic, key);
  }

  #removeEntity(topic: string, key: string): void {
    const device = this.#byEntity.get(key);
    if (device?.entities.get(key)?.topic === topic) this.#drop(device, key);
  }

  #drop(device: KnownDevice, key: string): void {
    device.entities.delete(key);
    this.#byEntity.delete(key);
    this.#changed.add(device.id);
    this.#forgetIfEmpty(device);
  }

  /** A device without entities does not exist. */
  #forgetIfEmpty(device: KnownDevice): void {
    if (device.entities.size > 0 || this.#devices.get(device.id) !== device) return;
    this.#devices.delete(device.id);
    for (const one of device.keys) if (this.#byKey.get(one) === device) this.#byKey.delete(one);
  }

  #topicOf(topic: string): KnownTopic {
    let known = this.#topics.get(topic);
    if (known === undefined) this.#topics.set(topic, (known = { digest: '', places: new Map() }));
    return known;
  }

  /** The device with these keys; a new one if there is none, undefined if there are too many. */
  #deviceOf({ keys, ...about }: AnnouncedDevice): KnownDevice | undefined {
    const [first = ''] = keys.toSorted();
    let device = keys.map((key) => this.#byKey.get(key)).find((one) => one !== undefined);
    if (device === undefined) {
      if (this.#devices.size >= DEVICE_LIMIT) return undefined;
      device = { id: first, keys: new Set(), about, origin: '', requests: [], entities: new Map() };
      this.#devices.set(device.id, device);
    }
    for (const key of keys) {
      if (device.keys.size >= KEY_LIMIT) break;
      if (!this.#byKey.has(key)) this.#byKey.set(key, device);
      if (this.#byKey.get(key) === device) device.keys.add(key);
    }
    // A payload may omit what an earlier one contained.
    device.about = { ...device.about, ...nonEmpty(about) };
    return device;
  }
}

/** What is not empty. */
const nonEmpty = (about: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(about).filter(([, text]) => text !== ''));

/** Whether a topic passes its entities to another one. */
function isMigration(payload: string): boolean {
  if (payload.length > 200) return false;
  const json = jsonIn(payload);
  return isObject(json) && json['migrate_discovery'] === true;
}
