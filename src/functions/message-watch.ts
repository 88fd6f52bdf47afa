import type { Clock } from '../base/clock.js';
import type { Change } from '../kernel/changes.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';

/** A message that took longer to be told to all who listen is a slow one, ms. */
export const SLOW_MS = 10;

/** How long the messages of one instance took to be told, ms: the last one, and at most. */
export interface DeliveryTimes {
  readonly lastMs: number;
  readonly maxMs: number;
}

/**
 * How long messages take to be told to all who listen, measured while the option MessageQueueWatch is 1: it costs two
 * looks at the clock a message.
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

  /** Messages that were slow, since it was switched on. */
  get slowCount(): number {
    return this.#slow;
  }

  /** Begins anew, or ends and forgets. */
  setEnabled(isOn: boolean): void {
    this.#instances.clear();
    this.#slow = 0;
    this.#kernel.changes.deliver = isOn ? (change, tell) => this.#measure(change, tell) : undefined;
  }

  /** By instance; the messages of its variables are an instance's too. */
  *deliveryTimes(): Generator<readonly [id: number, DeliveryTimes]> {
    for (const one of this.#instances) if (this.#kernel.tree.find(one[0]) !== undefined) yield one;
  }

  #measure({ SenderID }: Change, tell: () => void): void {
    const fromNs = this.#clock.monotonicNs();
    tell();
    const lastMs = Number(this.#clock.monotonicNs() - fromNs) / 1e6;
    if (lastMs > SLOW_MS) this.#slow++;
    const id = this.#instanceOf(SenderID);
    if (id === undefined) return;
    const { maxMs: mostMs = 0 } = this.#instances.get(id) ?? {};
    this.#instances.set(id, { lastMs, maxMs: Math.max(mostMs, lastMs) });
  }

  #instanceOf(id: number): number | undefined {
    const object = this.#kernel.tree.find(id);
    return [object, object?.parent].find((one) => one?.is(objectType.instance))?.id;
  }
}
