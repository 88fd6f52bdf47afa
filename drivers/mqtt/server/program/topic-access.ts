import { matchesFilter } from '../../topic-filter.js';

/** What a user may do: filters of topics. */
export interface TopicAccess {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/**
 * Whether a topic may be received. Topics that begin with $ belong to the broker; only a filter that begins
 * with $ matches them.
 */
export const canRead = ({ read }: TopicAccess, topic: string): boolean =>
  read.some((filter) => matchesFilter(filter, topic));

/** Whether a message may be published. Nobody publishes the broker's own topics. */
export const canWrite = ({ write }: TopicAccess, topic: string): boolean =>
  !topic.startsWith('$') && write.some((filter) => matchesFilter(filter, topic));

/**
 * Whether a subscription can deliver anything: a part of it is enough, because each message is checked as
 * well. Many programs subscribe to # and use what they get.
 */
export const canSubscribe = ({ read }: TopicAccess, filter: string): boolean =>
  read.some((permitted) => haveCommonTopic(permitted, filter));

/** Whether there is a topic that matches both filters. */
function haveCommonTopic(one: string, other: string): boolean {
  if (one.startsWith('$') !== other.startsWith('$')) return false;
  const [left, right] = [one.split('/'), other.split('/')];
  for (let at = 0; ; at++) {
    const [a, b] = [left[at], right[at]];
    if (a === '#' || b === '#') return true;
    if (a === undefined || b === undefined) return a === b || (a ?? b) === '#';
    if (a !== b && a !== '+' && b !== '+') return false;
  }
}
