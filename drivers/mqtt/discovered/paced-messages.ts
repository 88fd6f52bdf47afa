import type { Cancel, Clock } from '../../../src/base/clock.js';
import { onNextIteration } from '../../../src/base/event-loop.js';
import type { Message } from '../message.js';

/** Messages of one topic that are handled per iteration of the event loop; of further ones, only the last is. */
const MESSAGES_PER_ITERATION = 100;

/** How long messages of one device are handled per iteration: templates of a device may be slow. */
const ITERATION_NS = 20_000_000n;

/** The messages of one topic. */
interface PacedTopic {
  handled: number;
  held: Message | undefined;
  readonly handle: (message: Message) => void;
}

/**
 * Limits how much of an iteration of the event loop the messages of a device take. What is above the limit is
 * handled in the next one, and only the last message of each topic.
 */
export class PacedMessages {
  readonly #clock: Clock;
  #topics: PacedTopic[] = [];
  #spentNs = 0n;
  #cancel: Cancel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(topic: PacedTopic, message: Message): void {
    this.#cancel ??= onNextIteration(() => this.#next());
    if (topic.handled === 0) this.#topics.push(topic);
    topic.handled += 1;
    if (topic.handled > MESSAGES_PER_ITERATION || this.#spentNs > ITERATION_NS) topic.held = message.copy();
    else this.#handle(topic, message);
  }

  close(): void {
    this.#cancel?.();
  }

  #handle(topic: PacedTopic, message: Message): void {
    const fromNs = this.#clock.monotonicNs();
    topic.handle(message);
    this.#spentNs += this.#clock.monotonicNs() - fromNs;
  }

  #next(): void {
    const topics = this.#topics;
    this.#topics = [];
    this.#cancel = undefined;
    this.#spentNs = 0n;
    for (const topic of topics) topic.handled = 0;
    for (const topic of topics) {
      const { held } = topic;
      topic.held = undefined;
      if (held !== undefined) this.take(topic, held);
    }
  }
}
