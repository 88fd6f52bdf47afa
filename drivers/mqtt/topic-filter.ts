/** MQTT's own limit for topics and filters: bytes of UTF-8 (MQTT 3.1.1 §1.5.3). */
const MAX_TOPIC_BYTES = 65_535;

/** Why a text can't be a topic to publish to; undefined when it can. No wildcards [MQTT-3.3.2-2], no NUL [MQTT-4.7.3-2]. */
export function validateTopic(topic: string): string | undefined {
  if (/[+#]/.test(topic)) return `the topic ${topic} has wildcards; name one topic`;
  return validateText(topic);
}

/** Why a text can't be a filter to subscribe to; undefined when it can [MQTT-4.7.1-2, MQTT-4.7.1-3]. */
export function validateFilter(filter: string): string | undefined {
  const levels = filter.split('/');
  const isSound = levels.every(
    (level, index) => level === '+' || (level === '#' && index === levels.length - 1) || !/[+#]/.test(level),
  );
  if (!isSound) return `in ${filter}, + must be a whole level and # the whole last one`;
  return validateText(filter);
}

function validateText(text: string): string | undefined {
  if (text === '') return 'the topic is empty';
  if (text.includes('\0') || !text.isWellFormed()) return 'the topic has characters that MQTT does not allow';
  if (Buffer.byteLength(text) > MAX_TOPIC_BYTES) return `the topic is longer than ${MAX_TOPIC_BYTES} bytes`;
  return undefined;
}

export const hasWildcards = (filter: string): boolean => /[+#]/.test(filter);

/** Whether a topic matches a sound filter (MQTT 3.1.1 §4.7). Wildcards at the front never match `$…` [MQTT-4.7.2-1]. */
export function matchesFilter(filter: string, topic: string): boolean {
  if (topic.startsWith('$') && (filter.startsWith('+') || filter.startsWith('#'))) return false;
  const wanted = filter.split('/');
  const levels = topic.split('/');
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}
