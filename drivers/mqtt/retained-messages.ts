import { coded } from '../../src/base/codes/coded-text.js';
import { delay } from '../../src/base/clock.js';
import { fault, isAbort } from '../../src/base/fault.js';
import type { BrokerConnection, ConnectionListener } from './broker.js';
import { validateTopic } from './topic-filter.js';
import type { Message } from './message.js';
import type { SubscriptionRouter } from './subscription-router.js';

/** A list is complete if nothing new arrives for this long and until one further reply of the broker. */
const LIST_QUIET_MS = 250;

/** How long a list may take in total. */
export const LIST_DEADLINE_MS = 10_000;

/**
 * Limit of messages, and of their bytes, before a list is cancelled: the memory of a small machine is
 * limited.
 */
export const LIST_MESSAGE_LIMIT = 10_000;
const LIST_BYTE_LIMIT = 64 * 1024 * 1024;

/** Limit of parallel publishes while messages are removed; each has its own acknowledgement timeout. */
const MAX_PARALLEL_REMOVALS = 20;

/**
 * A topic without subscribers. Unsubscribing from it is a request that every broker acknowledges and that
 * changes nothing.
 */
const PROBE_TOPIC = 'stellwerk/nothing';

/**
 * The topics with a retained message among those subscribed to on this connection, sorted. Rejects with
 * `DEVICE_OFFLINE`, `DEVICE_REFUSED` (a filter), `TIMED_OUT`, or `DEVICE_CONFIGURATION` if there are too
 * many.
 */
export async function listRetainedTopics(topics: SubscriptionRouter): Promise<string[]> {
  return (await collectTopics(topics, topics.filters())).toSorted();
}

/**
 * The retained message of a topic. Rejects with `RETAINED_MISSING`, or like {@link listRetainedTopics} does.
 */
export async function getRetainedMessage(topics: SubscriptionRouter, topic: string): Promise<Message> {
  requireValidTopic(topic);
  const message = await lookUpTopic(topics, topic);
  if (message === undefined) throw fault('RETAINED_MISSING', topic);
  return message;
}

/**
 * Removes the retained message of a topic and checks that it is gone. Nothing is published if there is none:
 * an empty message could act as a command. Rejects with `RETAINED_MISSING`, with `DEVICE_REFUSED` if the
 * message is still there, or like publishing.
 */
export async function removeRetainedMessage(topics: SubscriptionRouter, topic: string): Promise<void> {
  requireValidTopic(topic);
  requireRemovableTopic(topic);
  await getRetainedMessage(topics, topic);
  await publishEmpty(topics, topic);
  if ((await lookUpTopic(topics, topic)) !== undefined) throw stillRetained(topic);
}

/**
 * Removes all retained messages that {@link listRetainedTopics} lists, except those of topics that begin with
 * `$`, which belong to the broker. Rejects before anything is removed if a filter covers the entire broker;
 * otherwise like {@link removeRetainedMessage} does, with some messages already removed.
 */
export async function clearRetainedMessages(topics: SubscriptionRouter): Promise<void> {
  const filters = topics.filters().filter((filter) => !filter.startsWith('$'));
  const coveringFilter = filters.find((filter) => /^[+#]/.test(filter));
  if (coveringFilter !== undefined) {
    const why = coded`SUBSCRIPTION_COVERS_RETAINED_MESSAGES: a subscription to ${coveringFilter} covers retained messages of other devices`;
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`REMOVE_SUBSCRIPTION_REMOVE_MESSAGES: ${why}; remove the subscription, or remove messages one at a time`,
    );
  }
  const removed = new Set<string>();
  // A broker sends at most as many messages as its queue holds (mosquitto: 1000), so this repeats until none
  // is left.
  for (;;) {
    const found = await collectTopics(topics, filters);
    const [remaining] = found.filter((topic) => removed.has(topic));
    if (remaining !== undefined) throw stillRetained(remaining);
    if (found.length === 0) return;
    for (let at = 0; at < found.length; at += MAX_PARALLEL_REMOVALS) {
      const some = found.slice(at, at + MAX_PARALLEL_REMOVALS);
      await Promise.all(some.map((topic) => publishEmpty(topics, topic)));
    }
    for (const topic of found) removed.add(topic);
  }
}

async function collectTopics(topics: SubscriptionRouter, filters: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  if (filters.length > 0) await queryRetained(topics, filters, ({ topic }) => void found.add(topic));
  return [...found];
}

async function lookUpTopic(topics: SubscriptionRouter, topic: string): Promise<Message | undefined> {
  let found: Message | undefined;
  await queryRetained(topics, [topic], (message, done) => {
    found = message;
    done();
  });
  return found;
}

type MessageHandler = (message: Message, done: () => void) => void;

/**
 * Queries the broker over a secondary connection, one query at a time: on the primary connection, the broker
 * would send the messages again to all subscribers. A broker does not mark the end of its retained messages
 * (MQTT 3.1.1 §3.8.4) and may send some of them after the SUBACK. The query ends when a pause and one further
 * reply of the broker brought nothing new.
 */
function queryRetained(
  topics: SubscriptionRouter,
  filters: readonly string[],
  handle: MessageHandler,
): Promise<void> {
  return topics.queries.run(async () => {
    const { clock, signal } = topics;
    const end = Promise.withResolvers<void>();
    const finished = new AbortController();
    const received = { messages: 0, bytes: 0 };
    const connection = await openConnection(topics, {
      onMessage(message) {
        if (!message.isRetained) return;
        received.messages += 1;
        received.bytes += message.payload.length;
        if (received.messages > LIST_MESSAGE_LIMIT || received.bytes > LIST_BYTE_LIMIT)
          end.reject(tooManyMessages());
        else handle(message, end.resolve);
      },
      onLost: end.reject,
    });
    const stop = () => end.reject(connectionClosed());
    const cancel = clock.after(LIST_DEADLINE_MS, () =>
      end.reject(fault('TIMED_OUT', coded`WHAT_LISTING_RETAINED: Listing the retained messages`)),
    );
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([end.promise, complete()]);
    } finally {
      cancel();
      finished.abort();
      signal.removeEventListener('abort', stop);
      await connection.close();
    }

    async function complete(): Promise<void> {
      await subscribeAll(connection, filters);
      for (let before = -1; before !== received.messages;) {
        before = received.messages;
        await delay(clock, LIST_QUIET_MS, finished.signal);
        await connection.unsubscribe([PROBE_TOPIC]);
      }
    }
  });
}

async function openConnection(
  topics: SubscriptionRouter,
  listener: ConnectionListener,
): Promise<BrokerConnection> {
  try {
    return await topics.openSecondaryConnection(listener);
  } catch (thrown) {
    throw isAbort(thrown) ? connectionClosed() : thrown;
  }
}

async function subscribeAll(connection: BrokerConnection, filters: readonly string[]): Promise<void> {
  const requests = filters.map((filter, index) => ({ filter, qos: 0 as const, id: index + 1 }));
  const granted = await connection.subscribe(requests);
  // A single rejected filter is a problem of its device, and yields nothing.
  if (!granted.includes(true)) {
    throw fault(
      'DEVICE_REFUSED',
      coded`BROKER_REJECTED_SUBSCRIPTION: the broker rejected the subscription to ${filters.join(', ')}`,
    );
  }
}

/** An empty retained message makes the broker remove the previous one (MQTT 3.1.1 §3.3.1.3). */
function publishEmpty(topics: SubscriptionRouter, topic: string): Promise<void> {
  return topics.publish(topic, '', { qos: 1, retain: true });
}

function requireValidTopic(topic: string): void {
  const error = validateTopic(topic);
  if (error !== undefined) throw fault('PARAMETER_TYPE', 'Topic', error);
}

function requireRemovableTopic(topic: string): void {
  if (topic.startsWith('$')) {
    throw fault(
      'PARAMETER_TYPE',
      'Topic',
      coded`BROKER_TOPICS: topics that begin with $ belong to the broker and are not removed`,
    );
  }
}

const connectionClosed = () => fault('DEVICE_OFFLINE', coded`CONNECTION_CLOSED: the connection was closed`);

const tooManyMessages = () =>
  fault(
    'DEVICE_CONFIGURATION',
    coded`BROKER_RETAINS_MORE_THAN: The broker retains more than ${LIST_MESSAGE_LIMIT} messages, or 64 MiB, at the subscribed topics; narrow Subscriptions`,
  );

const stillRetained = (topic: string) =>
  fault(
    'DEVICE_REFUSED',
    coded`BROKER_STILL_RETAINS_MESSAGE: the broker still retains a message at ${topic}; its access control list forbids removal, or a client published a new message`,
  );
