import { type Static, Type } from '@sinclair/typebox';
import { messageOf } from '../../src/base/fault.js';
import type { Complaints } from '../../src/device/complaints.js';
import type { Host } from '../../src/device/module.js';
import { excerpt } from '../../src/device/reading.js';
import { topicMistake } from './filter.js';
import { jsonPath, valueAt } from './message.js';
import type { Subscription, Topics } from './topics.js';

/** Where a device, or the broker by the device's will, tells whether the device is there. */
export const availabilityProperties = {
  AvailabilityTopic: Type.String({ default: '', maxLength: 1000 }),
  /** Where in a JSON payload it stands; empty: the payload itself. */
  AvailabilityPath: Type.String({ default: '', maxLength: 500 }),
  Available: Type.String({ default: 'online', minLength: 1, maxLength: 200 }),
  Unavailable: Type.String({ default: 'offline', minLength: 1, maxLength: 200 }),
};
const properties = Type.Object(availabilityProperties);
type Availability = Static<typeof properties>;

/** What is wrong with these properties and what to do; undefined when nothing is. */
export function availabilityMistake(wished: Availability): string | undefined {
  const { AvailabilityTopic, AvailabilityPath, Available, Unavailable } = wished;
  if (Available === Unavailable) return `Available and Unavailable are both ${Available}`;
  try {
    jsonPath(AvailabilityPath);
  } catch (thrown) {
    return `AvailabilityPath: ${messageOf(thrown)}`;
  }
  const mistake = AvailabilityTopic === '' ? undefined : topicMistake(AvailabilityTopic);
  return mistake === undefined ? undefined : `AvailabilityTopic: ${mistake}`;
}

/** Tells the host when the device goes and comes; undefined where it does not say. */
export function watchAvailability(
  host: Host<Availability>,
  topics: Topics,
  complaints: Complaints,
): Subscription | undefined {
  const { AvailabilityTopic: topic, AvailabilityPath, Available, Unavailable } = host.properties;
  if (topic === '') return undefined;
  const path = jsonPath(AvailabilityPath);
  return topics.subscribe(topic, 1, (message) => {
    const said = AvailabilityPath === '' ? message.text : valueAt(message.json, path);
    if (said !== Available && said !== Unavailable) {
      const text = () => `${topic}: ${excerpt(said)} is neither ${Available} nor ${Unavailable}`;
      return complaints.add('UNREADABLE', text);
    }
    const away = said === Unavailable ? `${topic} says ${Unavailable}` : undefined;
    host.trouble('UNAVAILABLE', away);
    host.away(away);
  });
}
