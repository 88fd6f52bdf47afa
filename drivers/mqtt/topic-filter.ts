import { coded, type Text } from '../../src/base/codes/coded-text.js';

/** Longest topic or filter, bytes of UTF-8 (MQTT 3.1.1 §1.5.3). */
const MAX_TOPIC_BYTES = 65_535;

/**
 * Returns why a text is not a topic to publish to, or undefined: no wildcards [MQTT-3.3.2-2], no NUL
 * [MQTT-4.7.3-2].
 */
export function validateTopic(topic: string): Text | undefined {
  if (/[+#]/.test(topic))
    return coded`TOPIC_CONTAINS_WILDCARDS_GIVE: the topic ${topic} contains wildcards; give a single topic`;
  return validateText(topic);
}

/** Returns why a text is not a filter to subscribe to, or undefined [MQTT-4.7.1-2, MQTT-4.7.1-3]. */
export function validateFilter(filter: string): Text | undefined {
  const levels = filter.split('/');
  const isValid = levels.every(
    (level, index) => level === '+' || (level === '#' && index === levels.length - 1) || !/[+#]/.test(level),
  );
  if (!isValid)
    return coded`MUST_COMPLETE_LEVEL_COMPLETE: in ${filter}, + must be a complete level and # the complete last level`;
  return validateText(filter);
}

function validateText(text: string): Text | undefined {
  if (text === '') return coded`TOPIC_EMPTY: the topic is empty`;
  if (text.includes('\0') || !text.isWellFormed())
    return coded`TOPIC_CONTAINS_CHARACTERS_MQTT: the topic contains characters that MQTT does not allow`;
  if (Buffer.byteLength(text) > MAX_TOPIC_BYTES)
    return coded`TOPIC_LONGER_THAN_BYTES: the topic is longer than ${MAX_TOPIC_BYTES} bytes`;
  return undefined;
}

export const hasWildcards = (filter: string): boolean => /[+#]/.test(filter);

/**
 * Whether a topic matches a valid filter (MQTT 3.1.1 §4.7). A leading wildcard never matches `$…`
 * [MQTT-4.7.2-1].
 */
export function matchesFilter(filter: string, topic: string): boolean {
  if (topic.startsWith('$') && (filter.startsWith('+') || filter.startsWith('#'))) return false;
  const filterLevels = filter.split('/');
  const levels = topic.split('/');
  for (const [index, level] of filterLevels.entries()) {
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return filterLevels.length === levels.length;
}
