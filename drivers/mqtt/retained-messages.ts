import { delay } from '../../src/base/clock.js';
import { fault, isAbort } from '../../src/base/fault.js';
import type { BrokerConnection, ConnectionListener } from './broker.js';
import { validateTopic } from './topic-filter.js';
import type { Message } from './message.js';
import type { SubscriptionRouter } from './subscription-router.js';

/** A list that has nothing new for so long, and over one answer of the broker, is taken as whole. */
export const LIST_QUIET_MS = 250;

/** For so long a list may take. */
export const LIST_DEADLINE_MS = 10_000;

/** Above so many messages, or bytes of them, a list is given up: a small box has no room for more. */
export const LIST_MESSAGE_LIMIT = 10_000;
const LIST_BYTE_LIMIT = 64 * 1024 * 1024;

/** Publishes at a time while many are removed: each has its own time for the broker's answer. */
const MAX_PARALLEL_REMOVALS = 20;

/** Nobody subscribes to it: taking it back is a question that any broker answers and that changes nothing. */
const PROBE_TOPIC = 'stellwerk/nothing';

/**
 * The topics at which the broker has a message retained, of those that somebody listens to on this connection, sorted. Rejects
 * with `DEVICE_OFFLINE`, `DEVICE_REFUSED` (a filter), `TIMED_OUT`, or `DEVICE_CONFIGURATION` when there are too many.
 */
export async function listRetainedTopics(topics: SubscriptionRouter): Promise<string[]> {
  return (await collectTopics(topics, topics.filters())).toSorted();
}

/** What the broker has retained at a topic. Rejects with `RETAINED_MISSING`, or as {@link listRetainedTopics} does. */
export async function getRetainedMessage(topics: SubscriptionRouter, topic: string): Promise<Message> {
  requireValidTopic(topic);
  const message = await lookUpTopic(topics, topic);
  if (message === undefined) throw fault('RETAINED_MISSING', topic);
  return message;
}

/**
 * Has the broker forget what it retained at a topic, and sees that it did. Where nothing is retained nothing is published: an
 * empty message could be a command. Rejects with `RETAINED_MISSING`, `DEVICE_REFUSED` when it is still there, or as publishing does.
 */
export async function removeRetainedMessage(topics: SubscriptionRouter, topic: string): Promise<void> {
  requireValidTopic(topic);
  requireOwnTopic(topic);
  await getRetainedMessage(topics, topic);
  await publishEmpty(topics, topic);
  if ((await lookUpTopic(topics, topic)) !== undefined) throw stillRetained(topic);
}

/**
 * Has the broker forget all that {@link listRetainedTopics} lists, but for what begins with `$`, which is the broker's. Rejects before
 * anything is removed where a filter takes in the whole broker; else as {@link removeRetainedMessage} does, with a part removed.
 */
export async function clearRetainedMessages(topics: SubscriptionRouter): Promise<void> {
  const filters = topics.filters().filter((filter) => !filter.startsWith('$'));
  const all = filters.find((filter) => /^[+#]/.test(filter));
  if (all !== undefined) {
    const why = `a subscription to ${all} takes in what other devices retain at the broker`;
    throw fault('DEVICE_CONFIGURATION', `${why}; remove it, or remove single messages`);
  }
  const removed = new Set<string>();
  // Brokers send no more than a queue holds at a time (mosquitto 1000): asked again until nothing is left.
  for (;;) {
    const found = await collectTopics(topics, filters);
    const [stubborn] = found.filter((topic) => removed.has(topic));
    if (stubborn !== undefined) throw stillRetained(stubborn);
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
 * Asks over a connection of its own, one after the other: on the one that exists, the broker would send to all who listen there
 * what they know already. A broker marks no end of what it retains (MQTT 3.1.1 §3.8.4), and may send some of it after its answer
 * to the subscription: the list ends when a pause and another answer of the broker brought nothing.
 */
function queryRetained(
  topics: SubscriptionRouter,
  filters: readonly string[],
  heard: MessageHandler,
): Promise<void> {
  return topics.queries.run(async () => {
    const { clock, signal } = topics;
    const end = Promise.withResolvers<void>();
    const over = new AbortController();
    const tally = { messages: 0, bytes: 0 };
    const connection = await openConnection(topics, {
      onMessage(message) {
        if (!message.isRetained) return;
        tally.messages += 1;
        tally.bytes += message.payload.length;
        if (tally.messages > LIST_MESSAGE_LIMIT || tally.bytes > LIST_BYTE_LIMIT)
          end.reject(tooManyMessages());
        else heard(message, end.resolve);
      },
      onLost: end.reject,
    });
    const stop = () => end.reject(connectionClosed());
    const cancel = clock.after(LIST_DEADLINE_MS, () =>
      end.reject(fault('TIMED_OUT', 'What the broker retains')),
    );
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([end.promise, whole()]);
    } finally {
      cancel();
      over.abort();
      signal.removeEventListener('abort', stop);
      await connection.close();
    }

    async function whole(): Promise<void> {
      await subscribeAll(connection, filters);
      for (let before = -1; before !== tally.messages;) {
        before = tally.messages;
        await delay(clock, LIST_QUIET_MS, over.signal);
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
  const wishes = filters.map((filter, index) => ({ filter, qos: 0 as const, id: index + 1 }));
  const granted = await connection.subscribe(wishes);
  // A filter that is refused among others is a trouble of its device's, and brings nothing.
  if (!granted.includes(true)) {
    throw fault('DEVICE_REFUSED', `the broker refused the subscription to ${filters.join(', ')}`);
  }
}

/** An empty retained message is what makes a broker forget the one before (MQTT 3.1.1 §3.3.1.3). */
function publishEmpty(topics: SubscriptionRouter, topic: string): Promise<void> {
  return topics.publish(topic, '', { qos: 1, retain: true });
}

function requireValidTopic(topic: string): void {
  const mistake = validateTopic(topic);
  if (mistake !== undefined) throw fault('PARAMETER_TYPE', 'Topic', mistake);
}

function requireOwnTopic(topic: string): void {
  if (topic.startsWith('$')) {
    throw fault('PARAMETER_TYPE', 'Topic', 'what begins with $ belongs to the broker and is not removed');
  }
}

const connectionClosed = () => fault('DEVICE_OFFLINE', 'the connection was closed meanwhile');

const tooManyMessages = () =>
  fault(
    'DEVICE_CONFIGURATION',
    `The broker retains more than ${LIST_MESSAGE_LIMIT} messages, or 64 MiB, at the subscribed topics; narrow Subscriptions`,
  );

const stillRetained = (topic: string) =>
  fault(
    'DEVICE_REFUSED',
    `the broker still retains a message at ${topic}; its access list forbids it, or somebody published anew`,
  );
