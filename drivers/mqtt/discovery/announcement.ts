import { ABBREVIATIONS, DEVICE_ABBREVIATIONS, ORIGIN_ABBREVIATIONS } from './abbreviations.js';
import { isObject, textAt } from './readers.js';

/** A discovery topic: `<prefix>/<component>/[<node id>/]<object id>/config`. */
export interface DiscoveryTopic {
  /** `sensor`; `device` for all entities of a device in one payload. */
  readonly component: string;
  /** Identifies the announcement: node id and object id. */
  readonly id: string;
}

/** A JSON object with its keys in full. */
export type Settings = Readonly<Record<string, unknown>>;

/** What a payload says of the device itself. */
export interface AnnouncedDevice {
  /** The identifiers and connections as texts; two payloads that share one are of the same device. */
  readonly keys: readonly string[];
  readonly name: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly software: string;
}

/** One entity of a device. */
export interface AnnouncedEntity {
  /** `switch`, `sensor` … */
  readonly component: string;
  /** Stable over renames: the unique id, or the id of the topic if there is none. */
  readonly id: string;
  /** Where in its topic it was announced: the id of the topic, and the key of the component. */
  readonly place: string;
  readonly settings: Settings;
}

/** A payload that was understood. */
export interface Announcement {
  readonly device: AnnouncedDevice;
  /** The program that made the payload: `Zigbee2MQTT 2.1.0`. */
  readonly origin: string;
  readonly entities: readonly AnnouncedEntity[];
  /** The places of entities that were removed: components with their platform only. */
  readonly removed: readonly string[];
  /** What was not understood, each with the entity that it is about. */
  readonly problems: readonly string[];
}

/** A payload that announces nothing: what is wrong with it. */
export class InvalidAnnouncement extends Error {
  override readonly name = 'InvalidAnnouncement';
}

const ID = /^[a-zA-Z0-9_-]+$/;

/**
 * Levels of nesting: Home Assistant's announcements have up to six. What is nested some thousand levels deep can
 * be read, but not be written again.
 */
const NESTING_LIMIT = 32;

/** The parts of a discovery topic below `prefix`; undefined if it is none. */
export function parseDiscoveryTopic(prefix: string, topic: string): DiscoveryTopic | undefined {
  if (!topic.startsWith(`${prefix}/`) || !topic.endsWith('/config')) return undefined;
  const [component = '', ...ids] = topic.slice(prefix.length + 1, -'/config'.length).split('/');
  if (ids.length < 1 || ids.length > 2 || ![component, ...ids].every((one) => ID.test(one))) return undefined;
  return { component, id: ids.join(' ') };
}

/**
 * Reads a discovery payload. Keys are written in full, and `~` is replaced. Throws an
 * {@link InvalidAnnouncement}.
 */
export function readAnnouncement({ component, id }: DiscoveryTopic, text: string): Announcement {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    throw new InvalidAnnouncement('the payload is not JSON');
  }
  if (!isObject(payload)) throw new InvalidAnnouncement('the payload is not a JSON object');
  if (isNestedTooDeeply(payload))
    throw new InvalidAnnouncement(`the payload is nested more than ${NESTING_LIMIT} levels deep`);
  const root = expanded(payload, typeof payload['~'] === 'string' ? payload['~'] : undefined);
  const device = deviceOf(root['device'], component === 'device' ? undefined : id);
  const origin = isObject(root['origin'])
    ? [textAt(root['origin'], 'name'), textAt(root['origin'], 'sw_version')]
        .filter((one) => one !== '')
        .join(' ')
    : '';
  if (component !== 'device') {
    const { device: _device, origin: _origin, ...settings } = withoutCode(root);
    const entity = { component, id: textAt(root, 'unique_id') || id, place: id, settings };
    return { device, origin, entities: [entity], removed: [], problems: [] };
  }
  if (!isObject(root['components'])) throw new InvalidAnnouncement('a device payload needs components');
  return { device, origin, ...componentsOf(root, root['components'], id) };
}

/** Whether a value has too many levels. Without a recursion, which could exhaust the stack. */
function isNestedTooDeeply(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= NESTING_LIMIT; depth++) {
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

/** The entities of a device payload; what all of them have in common is in its root. */
function componentsOf(
  root: Settings,
  components: Settings,
  id: string,
): Pick<Announcement, 'entities' | 'removed' | 'problems'> {
  const entities: AnnouncedEntity[] = [];
  const removed: string[] = [];
  const problems: string[] = [];
  const { components: _components, device: _device, origin: _origin, ...common } = root;
  for (const [key, own] of Object.entries(components)) {
    const ownId = `${id} ${key}`;
    if (!isObject(own)) {
      problems.push(`${key}: not a JSON object`);
      continue;
    }
    const component = textAt(own, 'platform');
    if (component === '') problems.push(`${key}: it has no platform`);
    else if (Object.keys(own).length === 1) removed.push(ownId);
    else {
      const settings = withoutCode({ ...common, ...own });
      entities.push({ component, id: textAt(own, 'unique_id') || ownId, place: ownId, settings });
    }
  }
  return { entities, removed, problems };
}

function deviceOf(given: unknown, id: string | undefined): AnnouncedDevice {
  const device = isObject(given) ? given : {};
  const identifiers = [device['identifiers']]
    .flat()
    .filter((one) => isText(one))
    .map(String);
  const connections = Array.isArray(device['connections']) ? (device['connections'] as unknown[]) : [];
  const keys = [
    ...identifiers.map((one) => `id ${one}`),
    ...connections.filter((one) => Array.isArray(one)).map((one) => connectionKey(one as readonly unknown[])),
  ];
  if (keys.length === 0) {
    if (id === undefined || isObject(given))
      throw new InvalidAnnouncement('the device has neither identifiers nor connections');
    // An entity without a device is one of its own.
    keys.push(`entity ${id}`);
  }
  return {
    keys: [...new Set(keys)],
    name: textAt(device, 'name'),
    manufacturer: textAt(device, 'manufacturer'),
    model: textAt(device, 'model'),
    software: textAt(device, 'sw_version'),
  };
}

/** Codes of alarm panels are secrets: what is stored and shown only says that there is one. */
const withoutCode = (settings: Settings): Settings =>
  textAt(settings, 'code') === '' ? settings : { ...settings, code: '***' };

/** The key of a connection. Hardware addresses are written with different separators. */
function connectionKey([type, address]: readonly unknown[]): string {
  const [kind, text] = [
    isText(type) ? String(type) : '',
    (isText(address) ? String(address) : '').toLowerCase(),
  ];
  return `${kind} ${kind === 'mac' ? text.replaceAll(/[:\-.]/g, '') : text}`;
}

/** Keys in full, and topics with their base, of a payload or a component of one. */
function expanded(given: Settings, base: string | undefined): Settings {
  const entries = Object.entries(given).filter(([key]) => key !== '~');
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const name = nameOf(ABBREVIATIONS, key);
      return [name, expandedValue(name, value, base)];
    }),
  );
}

function expandedValue(name: string, value: unknown, base: string | undefined): unknown {
  if (name === 'device' && isObject(value)) return renamed(value, DEVICE_ABBREVIATIONS);
  if (name === 'origin' && isObject(value)) return renamed(value, ORIGIN_ABBREVIATIONS);
  if (name === 'availability')
    return [value].flat().map((one: unknown) => (isObject(one) ? expanded(one, base) : one));
  if (name === 'components' && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, isObject(one) ? expanded(one, base) : one]),
    );
  return name.endsWith('topic') && typeof value === 'string' ? withBase(value, base) : value;
}

/** `~` is the base at the beginning or the end of a topic. */
function withBase(topic: string, base: string | undefined): string {
  if (base === undefined) return topic;
  if (topic.startsWith('~')) return base + topic.slice(1);
  return topic.endsWith('~') ? topic.slice(0, -1) + base : topic;
}

const renamed = (given: Settings, names: Readonly<Record<string, string>>): Settings =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [nameOf(names, key), value]));

const nameOf = (names: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(names, key) ? (names[key] as string) : key;

const isText = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
