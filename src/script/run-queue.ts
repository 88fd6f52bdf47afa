/**
 * For whom a script runs: the owner and the owner's scripts, an event or a device, or the users of a web
 * front.
 */
export type RunOwner = 'owner' | 'event' | `front ${number}`;

/** The limit of queued runs of the owner, and of events. */
export const QUEUED_RUNS_LIMIT = 1000;
/**
 * The limits for all web fronts together and for one: their users see each run, and press no button a hundred
 * times.
 */
export const QUEUED_RUNS_OF_ALL_FRONTS = 500;
export const QUEUED_RUNS_PER_FRONT = 200;

/** Whether a run is for the users of a web front. */
export function isOfFront(whose: RunOwner): boolean {
  return whose.startsWith('front');
}

/**
 * Runs that wait for a process. The owner, the events and each web front have a queue of their own. The
 * queues take turns, so a long queue delays the next run of another by one run at most.
 */
export class RunQueue<T> {
  /** In the order of their turns; none is empty. */
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
      // The rest of the queue goes behind the others.
      if (this.#queues.delete(whose)) this.#queues.set(whose, queue);
      return { whose, item };
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}
