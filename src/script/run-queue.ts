import { coded, type Text } from '../base/codes/coded-text.js';

/**
 * The owner of a run: the owner role with its scripts, events and devices, or the users of a web front.
 */
export type RunOwner = 'owner' | 'event' | `front ${number}`;

/** Maximum number of queued runs of the owner, and of events. */
export const QUEUED_RUNS_LIMIT = 1000;
/**
 * Maximum number of queued runs of all web fronts together and of one. Far below the limit of the owner,
 * because users start each run by hand.
 */
export const QUEUED_RUNS_OF_ALL_FRONTS = 500;
export const QUEUED_RUNS_PER_FRONT = 200;

/** Whether a run is for the users of a web front. */
export function isOfFront(owner: RunOwner): boolean {
  return owner.startsWith('front');
}

/**
 * Queues runs until a process is free. The owner, the events and each web front have separate queues, which
 * are served in turn (round robin), so that a long queue delays another by one run at most.
 */
export class RunQueue<T> {
  /** In round-robin order; none is empty. */
  readonly #queues = new Map<RunOwner, Set<T>>();
  #ofFronts = 0;

  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.size;
    return size;
  }

  /** The limit that rejects another run of this owner; undefined if it can be queued. */
  limitFor(owner: RunOwner): Text | undefined {
    const queued = this.#queues.get(owner)?.size ?? 0;
    if (!isOfFront(owner))
      return queued < QUEUED_RUNS_LIMIT
        ? undefined
        : coded`WAITING_SCRIPTS: ${QUEUED_RUNS_LIMIT} waiting scripts`;
    if (queued >= QUEUED_RUNS_PER_FRONT)
      return coded`WAITING_SCRIPTS_PER_FRONT: ${QUEUED_RUNS_PER_FRONT} waiting scripts per front`;
    return this.#ofFronts < QUEUED_RUNS_OF_ALL_FRONTS
      ? undefined
      : coded`WAITING_SCRIPTS_ALL_FRONTS: ${QUEUED_RUNS_OF_ALL_FRONTS} waiting scripts of all fronts`;
  }

  add(owner: RunOwner, item: T): void {
    const queue = this.#queues.get(owner);
    if (queue === undefined) this.#queues.set(owner, new Set([item]));
    else queue.add(item);
    if (isOfFront(owner)) this.#ofFronts += 1;
  }

  /** Removes a queued run, if it is queued. */
  delete(owner: RunOwner, item: T): void {
    const queue = this.#queues.get(owner);
    if (queue?.delete(item) !== true) return;
    if (queue.size === 0) this.#queues.delete(owner);
    if (isOfFront(owner)) this.#ofFronts -= 1;
  }

  /** Takes the next run of those that may run. */
  take(canRun: (owner: RunOwner) => boolean): { readonly owner: RunOwner; readonly item: T } | undefined {
    for (const [owner, queue] of this.#queues) {
      const [item] = queue;
      if (item === undefined || !canRun(owner)) continue;
      this.delete(owner, item);
      // The rest of the queue moves behind the others.
      if (this.#queues.delete(owner)) this.#queues.set(owner, queue);
      return { owner, item };
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}
