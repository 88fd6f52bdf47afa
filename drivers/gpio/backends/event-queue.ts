import type { Cancel, Clock } from '../../../src/base/clock.js';
import { onNextIteration } from '../../../src/base/event-loop.js';
import {
  type Edge,
  EDGES_PER_TURN,
  EVENT_BUFFER_SIZE,
  type InputListener,
  type InputOptions,
} from './line.js';

/**
 * The kernel's side of a requested input, simulated: debounces, numbers edges, buffers a limited number of
 * them (the oldest are dropped first, which leaves a gap in the numbers), and delivers them in batches, one
 * per turn.
 */
export class EventQueue {
  readonly #options: InputOptions;
  readonly #listener: InputListener;
  readonly #clock: Clock;
  #level: boolean | undefined;
  #buffer: Edge[] = [];
  #lastSeqno = 0;
  #delivery: Cancel | undefined;
  #cancelDebounce: Cancel | undefined;

  constructor(options: InputOptions, listener: InputListener, clock: Clock) {
    this.#options = options;
    this.#listener = listener;
    this.#clock = clock;
  }

  /** The debounced level; undefined while stopped. */
  get level(): boolean | undefined {
    return this.#level;
  }

  /** Starts with the initial level; from now on changes are edges. */
  start(level: boolean): void {
    this.#level = level;
  }

  levelChanged(level: boolean, atNs: bigint): void {
    if (this.#level === undefined) return;
    if (this.#options.debounceUs === 0) return this.#addEdge(level, atNs);
    this.#cancelDebounce?.();
    this.#cancelDebounce = this.#clock.after(this.#options.debounceUs / 1000, () => {
      if (level !== this.#level) this.#addEdge(level, this.#clock.monotonicNs());
    });
  }

  stop(): void {
    this.#cancelDebounce?.();
    this.#delivery?.();
    this.#buffer = [];
    this.#level = undefined;
  }

  #addEdge(level: boolean, atNs: bigint): void {
    this.#level = level;
    this.#buffer.push({ active: level !== this.#options.activeLow, atNs, lineSeqno: ++this.#lastSeqno });
    if (this.#buffer.length > (this.#options.eventBuffer ?? EVENT_BUFFER_SIZE)) this.#buffer.shift();
    this.#delivery ??= onNextIteration(() => this.#deliver());
  }

  #deliver(): void {
    const batch = this.#buffer.splice(0, EDGES_PER_TURN);
    this.#delivery = this.#buffer.length > 0 ? onNextIteration(() => this.#deliver()) : undefined;
    this.#listener.onEdges(batch);
  }
}
