import type { Message } from './message.js';
import { matchesFilter } from './topic-filter.js';

/** How long after connecting, and how many, queued messages of the session wait for their subscribers. */
export const EARLY_WINDOW_MS = 10_000;
const EARLY_MESSAGE_LIMIT = 1_000;

/** Limit of their total size: one message may have 16 MiB. */
export const EARLY_BYTE_LIMIT = 16 * 1024 * 1024;

/** Who subscribes: one opening of the instance with this id. A reopened instance is another owner. */
export interface SubscriptionOwner {
  readonly id: number;
}

/** An early message. */
class EarlyMessage {
  readonly message: Message;
  /** Instance → the opening in which it received the message. */
  readonly #receivers = new Map<number, SubscriptionOwner>();

  constructor(message: Message) {
    this.message = message;
  }

  /** Returns false if the instance has received the message in an earlier opening. */
  take(owner: SubscriptionOwner): boolean {
    const receiver = this.#receivers.get(owner.id);
    if (receiver === undefined) this.#receivers.set(owner.id, owner);
    return receiver === undefined || receiver === owner;
  }
}

/** The messages that arrived shortly after connecting, for subscribers that are not there yet. */
export class EarlyMessages {
  readonly #messages: EarlyMessage[] = [];
  #bytes = 0;

  /** Keeps a copy of a message; returns undefined if the limit is reached. */
  add(message: Message): EarlyMessage | undefined {
    const bytes = message.payload.length + message.topic.length;
    if (this.#messages.length >= EARLY_MESSAGE_LIMIT || this.#bytes + bytes > EARLY_BYTE_LIMIT)
      return undefined;
    this.#bytes += bytes;
    const early = new EarlyMessage(message.copy());
    this.#messages.push(early);
    return early;
  }

  /** The messages that match a filter, without those that an earlier opening of the instance has received. */
  take(owner: SubscriptionOwner, filter: string): Message[] {
    return this.#messages
      .filter((early) => matchesFilter(filter, early.message.topic) && early.take(owner))
      .map(({ message }) => message);
  }
}
