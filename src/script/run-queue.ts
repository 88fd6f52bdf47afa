/**
 * The owner of a run: the owner role with its scripts, events and devices, or the users of a web front.
 */
export type RunOwner = 'owner' | 'event' | `front ${number}`;

/** Most queued runs of the owner, and of events. */
export const QUEUED_RUNS_LIMIT = 1000;
/**
 * Most queued runs of all web fronts together and of one. Far below the limit of the owner, because users
 * start each run by hand.
 */
export const QUEUED_RUNS_OF_ALL_FRONTS = 500;
export const QUEUED_RUNS_PER_FRONT = 200;

/** Whether a run is for the users of a web front. */
export function isOfFront(whose: RunOwner): boolean {
  return whose.startsWith('front');
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
  limitFor(whose: RunOwner): string | undefined {
    const own = this.#queues.get(whose)?.size ?? 0;
    if (!isOfFront(whose))
      return own < QUEUED_RUNS_LIMIT ? undefined : `${QUEUED_RUNS_LIMIT} waiting scripts`;
    if (own >= QUEUED_RUNS_PER_FRONT) return `${QUEUED_RUNS_PER_FRONT} waiting scripts per front`;
    return this.#ofFronts < QUEUED_RUNS_OF_ALL_FRONTS
      ? undefined
      : `${QUEUED_RUNS_OF_ALL_FRONTS} waiting scripts of all fronts`;
  }

  add(whose: RunOwner, item: T): void {
    const queue = this.#queues.get(whose);
    if (queue === undefined) this.#queues.set(whose, new Set([item]));
    else queue.add(item);
    if (isOfFront(whose)) this.#ofFronts += 1;
  }

  /** Removes a queued run, if it is queued. */
  delete(whose: RunOwner, item: T): void {
    const queue = this.#queues.get(whose);
    if (queue?.delete(item) !== true) return;
    if (queue.size === 0) this.#queues.delete(whose);
    if (isOfFront(whose)) this.#ofFronts -= 1;
  }

  /** Takes the next run of those that may run. */
  take(mayRun: (whose: RunOwner) => boolean): { readonly whose: RunOwner; readonly item: T } | undefined {
    for (const [whose, queue] of this.#queues) {
      const [item] = queue;
      if (item === undefined || !mayRun(whose)) continue;
      this.delete(whose, item);
      // The rest of the queue moves behind the others.
      if (this.#queues.delete(whose)) this.#queues.set(whose, queue);
      return { whose, item };
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}
