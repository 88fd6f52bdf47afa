import type { Cancel, Clock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import type { Edge } from '../backends/line.js';

interface DebouncerOptions {
  readonly clock: Clock;
  /** A value must last this long before it counts. */
  readonly periodUs: number;
  onEdges(edges: readonly Edge[]): void;
}

/**
 * Debounces one line if the kernel cannot, with the same result: each edge restarts the period, and a value
 * that outlasts it counts, timestamped with the end of its period. Only the timestamps of the edges matter:
 * the result is the same however late the edges are read.
 */
export class Debouncer {
  readonly #options: DebouncerOptions;
  readonly #periodNs: bigint;
  #active: boolean;
  /** The last edge, while its value differs from the debounced one. */
  #last: Edge | undefined;
  #cancelTimer: Cancel = () => undefined;
  /** Counts what happened, so that a pending check knows whether edges came meanwhile. */
  #revision = 0;

  /** `initial` counts until another value does. */
  constructor(options: DebouncerOptions, initial: boolean) {
    this.#options = options;
    this.#periodNs = BigInt(options.periodUs) * 1000n;
    this.#active = initial;
  }

  /** The debounced value. */
  get active(): boolean {
    return this.#active;
  }

  /** Takes edges as read from the line, in chronological order. */
  addEdges(edges: readonly Edge[]): void {
    const settled: Edge[] = [];
    for (const edge of edges) {
      this.#settle(edge.atNs, settled);
      this.#last = edge.active === this.#active ? undefined : edge;
    }
    this.#finish(settled);
  }

  close(): void {
    this.#revision++;
    this.#cancelTimer();
    this.#last = undefined;
  }

  /** Makes the last edge's value count if its period ended before `untilNs`. */
  #settle(untilNs: bigint, settled: Edge[]): void {
    if (this.#last === undefined) return;
    const atNs = this.#last.atNs + this.#periodNs;
    if (atNs > untilNs) return;
    this.#active = this.#last.active;
    settled.push({ ...this.#last, atNs });
    this.#last = undefined;
  }

  /** Delivers settled edges and waits for the end of the last edge's period. */
  #finish(settled: readonly Edge[]): void {
    this.#revision++;
    this.#cancelTimer();
    if (settled.length > 0) this.#options.onEdges(settled);
    if (this.#last === undefined) return;
    const { clock } = this.#options;
    const waitMs = Number(this.#last.atNs + this.#periodNs - clock.monotonicNs()) / 1e6;
    if (waitMs > 0) this.#cancelTimer = clock.after(Math.ceil(waitMs), () => void this.#onPeriodEnd());
    else void this.#onPeriodEnd();
  }

  /** Edges from within the period may be waiting to be read; they go first. */
  async #onPeriodEnd(): Promise<void> {
    const revision = this.#revision;
    const nowNs = this.#options.clock.monotonicNs();
    await yieldToEventLoop();
    if (revision !== this.#revision) return;
    const settled: Edge[] = [];
    this.#settle(nowNs, settled);
    this.#finish(settled);
  }
}
