import { LazyTemplate } from './lazy-template.js';
import type { Availability, AvailabilitySource } from './model.js';
import { SettingsReader } from './settings.js';
import { validateFilter } from '../topic-filter.js';

const MODES = ['all', 'any', 'latest'] as const;

/** The availability of an entity: one topic, or a list of topics with a mode. */
export function readAvailability(settings: SettingsReader): Availability {
  const word = settings.text('availability_mode') ?? 'latest';
  const mode = MODES.find((one) => one === word);
  if (mode === undefined) settings.problem(`availability_mode ${word} is not one of all, any and latest`);
  const listed = settings.raw('availability');
  const sources: (AvailabilitySource | undefined)[] = [];
  if (listed !== undefined && listed !== null) {
    // A single topic needs no list.
    for (const one of [listed].flat() as readonly unknown[]) {
      if (typeof one === 'object' && one !== null && !Array.isArray(one)) {
        const entry = new SettingsReader(one as Readonly<Record<string, unknown>>);
        const keys = { topic: 'topic', template: 'value_template' };
        sources.push(readSource(entry, keys));
        for (const problem of entry.problems) settings.problem(`availability: ${problem}`);
      } else settings.problem('availability contains something that is no object');
    }
  }
  if (settings.has('availability_topic'))
    sources.push(readSource(settings, { topic: 'availability_topic', template: 'availability_template' }));
  return { mode: mode ?? 'latest', sources: sources.filter((one) => one !== undefined) };
}

function readSource(
  settings: SettingsReader,
  keys: { readonly topic: string; readonly template: string },
): AvailabilitySource | undefined {
  const topic = settings.text(keys.topic);
  const error = topic === undefined ? 'it is missing' : validateFilter(topic);
  if (topic === undefined || error !== undefined) {
    settings.problem(`${keys.topic}: ${String(error)}`);
    return undefined;
  }
  const template = settings.text(keys.template);
  return {
    topic,
    template: template === undefined ? undefined : new LazyTemplate(template),
    available: settings.payload('payload_available', 'online'),
    notAvailable: settings.payload('payload_not_available', 'offline'),
  };
}

/**
 * Whether an entity is available, from what its topics said last, oldest first; undefined for a topic without a
 * message.
 */
export function isAvailable(
  mode: Availability['mode'],
  states: readonly (boolean | undefined)[],
  latest: boolean | undefined,
): boolean {
  if (states.length === 0) return true;
  if (mode === 'all') return states.every((one) => one === true);
  return mode === 'any' ? states.includes(true) : latest === true;
}
