import type { Cancel, Clock } from '../../../src/base/clock.js';
import { onNextIteration } from '../../../src/base/serial-queue.js';
import {
  type Edge,
  EDGES_PER_TURN,
  EVENT_BUFFER_SIZE,
  type InputListener,
  type InputOptions,
} from './line.js';

/**
 * The simulated kernel's side of a requested input: debounces, numbers the edges, keeps a bounded number of them (the
 * oldest go first, which leaves a gap in the numbers), and delivers them a batch a turn.
 */
export class EventQueue {
  readonly #wish: InputOptions;
  readonly #listener: InputListener;
  readonly #clock: Clock;
  #level: boolean | undefined;
  #kept: Edge[] = [];
  #numbered = 0;
  #turn: Cancel | undefined;
  #settling: Cancel | undefined;

  constructor(wish: InputOptions, listener: InputListener, clock: Clock) {
    this.#wish = wish;
    this.#listener = listener;
    this.#clock = clock;
  }

  /** The level that counts: the debounced one. */
  get level(): boolean | undefined {
    return this.#level;
  }

  /** From now on changes are edges; this level is what the line was found with. */
  start(level: boolean): void {
    this.#level = level;
  }

  levelChanged(level: boolean, atNs: bigint): void {
    if (this.#level === undefined) return;
    if (this.#wish.debounceUs === 0) return this.#number(level, atNs);
    this.#settling?.();
    this.#settling = this.#clock.after(this.#wish.debounceUs / 1000, () => {
      if (level !== this.#level) this.#number(level, this.#clock.monotonicNs());
    });
  }

  stop(): void {
    this.#settling?.();
    this.#turn?.();
    this.#kept = [];
    this.#level = undefined;
  }

  #number(level: boolean, atNs: bigint): void {
    this.#level = level;
    this.#kept.push({ active: level !== this.#wish.activeLow, atNs, lineSeqno: ++this.#numbered });
    if (this.#kept.length > (this.#wish.eventBuffer ?? EVENT_BUFFER_SIZE)) this.#kept.shift();
    this.#turn ??= onNextIteration(() => this.#deliver());
  }

  #deliver(): void {
    const batch = this.#kept.splice(0, EDGES_PER_TURN);
    this.#turn = this.#kept.length > 0 ? onNextIteration(() => this.#deliver()) : undefined;
    this.#listener.edges(batch);
  }
}
