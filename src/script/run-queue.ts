/** For whom a script runs: the owner and the owner's scripts, an event or a device, or the users of a web front. */
export type RunOwner = 'owner' | 'event' | `front ${number}`;

/** Runs of the owner that wait for their turn, and as many of events; more is a flood. */
export const QUEUED_RUNS_LIMIT = 1000;
/** The same of all fronts together, and of one: their users see each run, and press no button a hundred times. */
export const QUEUED_RUNS_OF_ALL_FRONTS = 500;
export const QUEUED_RUNS_PER_FRONT = 200;

/** Whether a run is for the users of a front. */
export function isOfFront(whose: RunOwner): boolean {
  return whose.startsWith('front');
}

/**
 * Runs that wait for a process. The owner, the events and each front have a queue of their own, and the queues take turns:
 * however many of one wait, the next of another waits for one at most.
 */
export class RunQueue<T> {
  /** The one whose turn is next comes first; none is empty. */
  readonly #queues = new Map<RunOwner, Set<T>>();
  #ofFronts = 0;

  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.size;
    return size;
  }

  /** The limit that keeps another run of these from waiting; undefined if it can wait. */
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

  /** Takes one out that no longer waits; fine if it is not in. */
  delete(whose: RunOwner, item: T): void {
    const queue = this.#queues.get(whose);
    if (queue?.delete(item) !== true) return;
    if (queue.size === 0) this.#queues.delete(whose);
    if (isOfFront(whose)) this.#ofFronts -= 1;
  }

  /** Takes the next whose turn it is, of those that may run. */
  take(mayRun: (whose: RunOwner) => boolean): { readonly whose: RunOwner; readonly item: T } | undefined {
    for (const [whose, queue] of this.#queues) {
      const [item] = queue;
      if (item === undefined || !mayRun(whose)) continue;
      this.delete(whose, item);
      // What is left of it goes behind the others.
      if (this.#queues.delete(whose)) this.#queues.set(whose, queue);
      return { whose, item };
    }
    return undefined;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}
