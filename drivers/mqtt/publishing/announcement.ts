import type { TreeGroup } from '../../../src/device/tree-view.js';
import { entitiesOf, type PublishedEntity } from './entities.js';

/** Where and under what names a gateway publishes. */
export interface PublishingNames {
  /** Unique at the broker: `stellwerk_12345`. */
  readonly node: string;
  /** The first part of the topics of announcements. */
  readonly prefix: string;
  /** The first part of all other topics. */
  readonly topic: string;
  /** Whether the connection is up, if the MQTT Client publishes it. */
  readonly connection: AvailabilityTopic | undefined;
}

export interface AvailabilityTopic {
  readonly topic: string;
  readonly available: string;
  readonly notAvailable: string;
}

/** An object as a device of Home Assistant. */
export interface PublishedDevice {
  /** The topic of its announcement. */
  readonly topic: string;
  /** The announcement. */
  readonly payload: string;
  readonly entities: readonly PublishedEntity[];
}

/** The topic of the announcement of an object. */
const announcementTopic = ({ prefix, node }: Pick<PublishingNames, 'prefix' | 'node'>, id: number): string =>
  `${prefix}/device/${node}_${id}/config`;

/** The topic on which an entity's availability is published. */
export const availabilityTopic = (names: PublishingNames, { main }: PublishedEntity): string =>
  `${names.topic}/${names.node}/${main}/availability`;

/** The filter of all command topics. */
export const commandFilter = ({ topic, node }: PublishingNames): string => `${topic}/${node}/+/set`;

/** The announcement of a device with all its entities (Home Assistant's MQTT discovery, device payload). */
export function deviceOf(group: TreeGroup, names: PublishingNames): PublishedDevice {
  const id = `${names.node}_${group.id}`;
  const entities = entitiesOf(
    group,
    (variable, part) => `${names.topic}/${names.node}/${variable.id}/${part}`,
  );
  const { connection } = names;
  const components = entities.map(({ isTrigger = false, ...entity }) => [
    entity.key,
    isTrigger
      ? { ...entity.settings, qos: 1 }
      : {
          ...entity.settings,
          unique_id: `${id}_${entity.key}`,
          qos: 1,
          availability_mode: 'all',
          availability: [
            { topic: availabilityTopic(names, entity) },
            ...(connection === undefined
              ? []
              : [
                  {
                    topic: connection.topic,
                    payload_available: connection.available,
                    payload_not_available: connection.notAvailable,
                  },
                ]),
          ],
        },
  ]);
  const payload = {
    device: {
      identifiers: [id],
      name: group.name,
      manufacturer: 'stellwerk',
      ...(group.module !== '' && { model: group.module }),
    },
    origin: { name: 'stellwerk' },
    components: Object.fromEntries(components) as Record<string, unknown>,
  };
  return { topic: announcementTopic(names, group.id), payload: JSON.stringify(payload), entities };
}

/** The topics of a gateway's own announcement on which states and availabilities are retained. */
export function retainedTopics(announcement: string, { topic, node }: PublishingNames): string[] {
  const found = new Set<string>();
  try {
    JSON.parse(announcement, (_key, value: unknown) => {
      if (typeof value !== 'string' || !value.startsWith(`${topic}/${node}/`)) return value;
      if (value.endsWith('/state') || value.endsWith('/availability')) found.add(value);
      return value;
    });
  } catch {
    // Somebody else has published this on the gateway's topic.
  }
  return [...found];
}
