import type { Clock } from '../base/clock.js';
import type { Change } from '../kernel/changes.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';

/** A message is slow if its delivery to all listeners takes longer than this, ms. */
const SLOW_MS = 10;

/** Delivery times of one instance's messages, ms: the last one and the maximum. */
interface DeliveryTimes {
  readonly lastMs: number;
  readonly maxMs: number;
}

/**
 * Measures how long the delivery of messages to all listeners takes, while the option MessageQueueWatch is 1.
 * It costs two clock readings per message.
 */
export class MessageWatch {
  readonly #kernel: Kernel;
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  readonly #instances = new Map<number, DeliveryTimes>();
  #slow = 0;

  constructor(kernel: Kernel, clock: Pick<Clock, 'monotonicNs'>) {
    this.#kernel = kernel;
    this.#clock = clock;
  }

  /** Number of slow messages since measuring was enabled. */
  get slowCount(): number {
    return this.#slow;
  }

  /** Starts measuring from zero, or stops and discards the results. */
  setEnabled(isOn: boolean): void {
    this.#instances.clear();
    this.#slow = 0;
    this.#kernel.changes.deliver = isOn ? (change, deliver) => this.#measure(change, deliver) : undefined;
  }

  /** Delivery times by instance; the messages of its variables count for the instance. */
  *deliveryTimes(): Generator<readonly [id: number, DeliveryTimes]> {
    for (const one of this.#instances) if (this.#kernel.tree.find(one[0]) !== undefined) yield one;
  }

  #measure({ SenderID }: Change, deliver: () => void): void {
    const fromNs = this.#clock.monotonicNs();
    deliver();
    const lastMs = Number(this.#clock.monotonicNs() - fromNs) / 1e6;
    if (lastMs > SLOW_MS) this.#slow++;
    const id = this.#instanceOf(SenderID);
    if (id === undefined) return;
    const { maxMs = 0 } = this.#instances.get(id) ?? {};
    this.#instances.set(id, { lastMs, maxMs: Math.max(maxMs, lastMs) });
  }

  #instanceOf(id: number): number | undefined {
    const object = this.#kernel.tree.find(id);
    return [object, object?.parent].find((one) => one?.is(objectType.instance))?.id;
  }
}
