import { type Static, Type } from '@sinclair/typebox';
import { messageOf } from '../../src/base/fault.js';
import type { TransientProblems } from '../../src/device/toolkit/transient-problems.js';
import type { Host } from '../../src/device/module.js';
import { excerpt } from '../../src/device/toolkit/notation.js';
import { validateTopic } from './topic-filter.js';
import { parseJsonPath, valueAtPath } from './message.js';
import type { Subscription, SubscriptionRouter } from './subscription-router.js';

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
export function validateAvailability(wished: Availability): string | undefined {
  const { AvailabilityTopic, AvailabilityPath, Available, Unavailable } = wished;
  if (Available === Unavailable) return `Available and Unavailable are both ${Available}`;
  try {
    parseJsonPath(AvailabilityPath);
  } catch (thrown) {
    return `AvailabilityPath: ${messageOf(thrown)}`;
  }
  const mistake = AvailabilityTopic === '' ? undefined : validateTopic(AvailabilityTopic);
  return mistake === undefined ? undefined : `AvailabilityTopic: ${mistake}`;
}

/** Tells the host when the device goes and comes; undefined where it does not say. */
export function watchAvailability(
  host: Host<Availability>,
  topics: SubscriptionRouter,
  complaints: TransientProblems,
): Subscription | undefined {
  const { AvailabilityTopic: topic, AvailabilityPath, Available, Unavailable } = host.properties;
  if (topic === '') return undefined;
  const path = parseJsonPath(AvailabilityPath);
  return topics.subscribe(topic, 1, (message) => {
    const said = AvailabilityPath === '' ? message.text : valueAtPath(message.json, path);
    if (said !== Available && said !== Unavailable) {
      const text = () => `${topic}: ${excerpt(said)} is neither ${Available} nor ${Unavailable}`;
      return complaints.add('UNREADABLE', text);
    }
    const away = said === Unavailable ? `${topic} says ${Unavailable}` : undefined;
    host.setProblem('UNAVAILABLE', away);
    host.setUnavailable(away);
  });
}
