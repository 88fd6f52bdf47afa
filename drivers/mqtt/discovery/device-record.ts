import { type AnnouncedDevice, type AnnouncedEntity, type Settings } from './announcement.js';
import { isObject } from './readers.js';

/** An entity with the topic that announced it last. */
export interface RecordedEntity extends AnnouncedEntity {
  readonly topic: string;
}

/** A message that makes a device report its state. */
export interface StateRequest {
  readonly topic: string;
  readonly payload: string;
}

/** What an instance stores of its device, so that its variables exist without a broker. */
export interface DeviceRecord extends AnnouncedDevice {
  /** The program that announced it. */
  readonly origin: string;
  readonly entities: readonly RecordedEntity[];
  /** What is published when the device is opened. */
  readonly requests: readonly StateRequest[];
}

/** A record as text. It is equal for equal records; what all entities have in common is in it once. */
export function packRecord({ entities, requests, ...device }: DeviceRecord): string {
  const sorted = entities.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const common = commonSettings(sorted);
  const own = sorted.map(({ component, id, place, topic, settings }) => ({
    component,
    id,
    place,
    topic,
    settings: ordered(Object.entries(settings).filter(([key]) => !Object.hasOwn(common, key))),
  }));
  return JSON.stringify({ ...device, requests, common, entities: own });
}

/** The identity of an entity, over all topics. */
export const keyOf = ({ component, id }: Pick<AnnouncedEntity, 'component' | 'id'>): string =>
  `${component} ${id}`;

/** Reads a stored record; undefined if the text is none. */
export function unpackRecord(text: string): DeviceRecord | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(json) || !Array.isArray(json['entities'])) return undefined;
  const common = isObject(json['common']) ? json['common'] : {};
  const entities: RecordedEntity[] = [];
  for (const one of json['entities'] as readonly unknown[]) {
    if (!isObject(one) || !isObject(one['settings'])) return undefined;
    const [component, id, place, topic] = ['component', 'id', 'place', 'topic'].map((key) => one[key]);
    if (typeof component !== 'string' || typeof id !== 'string') return undefined;
    if (typeof place !== 'string' || typeof topic !== 'string') return undefined;
    entities.push({ component, id, place, topic, settings: { ...common, ...one['settings'] } });
  }
  const wordsAt = (key: string): string => (typeof json[key] === 'string' ? json[key] : '');
  const keys = Array.isArray(json['keys'])
    ? (json['keys'] as unknown[]).filter((one) => typeof one === 'string')
    : [];
  if (keys.length === 0) return undefined;
  const requests = (Array.isArray(json['requests']) ? (json['requests'] as unknown[]) : []).filter(isRequest);
  return {
    keys,
    name: wordsAt('name'),
    manufacturer: wordsAt('manufacturer'),
    model: wordsAt('model'),
    software: wordsAt('software'),
    origin: wordsAt('origin'),
    entities,
    requests,
  };
}

const isRequest = (value: unknown): value is StateRequest =>
  isObject(value) && typeof value['topic'] === 'string' && typeof value['payload'] === 'string';

/** The settings that all entities have with the same value. */
function commonSettings(entities: readonly AnnouncedEntity[]): Settings {
  const [first, ...others] = entities;
  if (first === undefined || others.length === 0) return {};
  const shared = Object.entries(first.settings).filter(([key, value]) => {
    const text = JSON.stringify(value);
    return others.every(
      ({ settings }) => Object.hasOwn(settings, key) && JSON.stringify(settings[key]) === text,
    );
  });
  return ordered(shared);
}

const ordered = (entries: readonly (readonly [string, unknown])[]): Settings =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
