import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { messageOf } from '../../src/base/fault.js';
import type { TransientProblems } from '../../src/device/toolkit/transient-problems.js';
import type { Host } from '../../src/device/module.js';
import { excerpt } from '../../src/device/toolkit/notation.js';
import { validateTopic } from './topic-filter.js';
import { parseJsonPath, valueAtPath } from './message.js';
import type { Subscription, SubscriptionRouter } from './subscription-router.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/**
 * The topic on which a device, or the broker through the device's will, publishes whether the device is
 * online.
 */
export const availabilityProperties = {
  AvailabilityTopic: withHelp(
    Type.String({ default: '', maxLength: 1000 }),
    'Availability',
    'The topic on which the device, or the broker for it, reports whether it is online.',
  ),
  AvailabilityPath: withAdvancedHelp(
    Type.String({ default: '', maxLength: 500 }),
    'Availability',
    'The path of the state in a JSON payload; empty if the payload is the state.',
  ),
  Available: withAdvancedHelp(
    Type.String({ default: 'online', minLength: 1, maxLength: 200 }),
    'Availability',
    'The payload that means online.',
  ),
  Unavailable: withAdvancedHelp(
    Type.String({ default: 'offline', minLength: 1, maxLength: 200 }),
    'Availability',
    'The payload that means offline.',
  ),
};
const properties = Type.Object(availabilityProperties);
type Availability = Static<typeof properties>;

/** Returns what is wrong with these properties and what to do, or undefined. */
export function validateAvailability(settings: Availability): Text | undefined {
  const { AvailabilityTopic, AvailabilityPath, Available, Unavailable } = settings;
  if (Available === Unavailable)
    return coded`AVAILABLE_UNAVAILABLE_BOTH: Available and Unavailable are both ${Available}`;
  try {
    parseJsonPath(AvailabilityPath);
  } catch (thrown) {
    return `AvailabilityPath: ${messageOf(thrown)}`;
  }
  const error = AvailabilityTopic === '' ? undefined : validateTopic(AvailabilityTopic);
  return error === undefined ? undefined : coded`AVAILABILITY_TOPIC_INVALID: AvailabilityTopic: ${error}`;
}

/**
 * Reports to the host when the device goes offline or comes back; returns undefined without an availability
 * topic.
 */
export function watchAvailability(
  host: Host<Availability>,
  topics: SubscriptionRouter,
  problems: TransientProblems,
): Subscription | undefined {
  const { AvailabilityTopic: topic, AvailabilityPath, Available, Unavailable } = host.properties;
  if (topic === '') return undefined;
  const path = parseJsonPath(AvailabilityPath);
  return topics.subscribe(host, { filter: topic, qos: 1 }, (message) => {
    const state = AvailabilityPath === '' ? message.text : valueAtPath(message.json, path);
    if (state !== Available && state !== Unavailable) {
      const text = () =>
        coded`NEITHER_NOR: ${topic}: ${excerpt(state)} is neither ${Available} nor ${Unavailable}`;
      return problems.add('UNREADABLE', text);
    }
    const away = state === Unavailable ? coded`REPORTS: ${topic} reports ${Unavailable}` : undefined;
    host.setProblem('UNAVAILABLE', away);
    host.setUnavailable(away);
  });
}
