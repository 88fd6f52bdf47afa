import type { Cancel, Clock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/serial-queue.js';
import type { Edge } from '../backends/line.js';

/** What is debounced, by whose time, and who hears of it. */
export interface DebouncerOptions {
  readonly clock: Clock;
  /** A value must last this long before it counts. */
  readonly periodUs: number;
  tell(edges: readonly Edge[]): void;
}

/**
 * Debounces one line where the kernel can't, with the same outcome: each edge begins the period anew, and the value that
 * outlasts it counts, with the end of its period as its time. Goes by the times of the edges alone: what is told, and with
 * which time, is the same however late they are read.
 */
export class Debouncer {
  readonly #with: DebouncerOptions;
  readonly #periodNs: bigint;
  #active: boolean;
  /** The last edge, while its value is another than the one that counts. */
  #last: Edge | undefined;
  #cancel: Cancel = () => undefined;
  /** Moves on with all that happens, so that who has waited for a turn of the loop knows whether something did. */
  #moves = 0;

  /** `initial`: the value that counts until another does. */
  constructor(debouncing: DebouncerOptions, initial: boolean) {
    this.#with = debouncing;
    this.#periodNs = BigInt(debouncing.periodUs) * 1000n;
    this.#active = initial;
  }

  /** The value that counts. */
  get active(): boolean {
    return this.#active;
  }

  /** What was read of the line; times must not go back. */
  addEdges(edges: readonly Edge[]): void {
    const sure: Edge[] = [];
    for (const edge of edges) {
      this.#settle(edge.atNs, sure);
      this.#last = edge.active === this.#active ? undefined : edge;
    }
    this.#end(sure);
  }

  close(): void {
    this.#moves++;
    this.#cancel();
    this.#last = undefined;
  }

  /** The last edge's value counts if nothing came before its period was over. */
  #settle(untilNs: bigint, sure: Edge[]): void {
    if (this.#last === undefined) return;
    const atNs = this.#last.atNs + this.#periodNs;
    if (atNs > untilNs) return;
    this.#active = this.#last.active;
    sure.push({ ...this.#last, atNs });
    this.#last = undefined;
  }

  #end(sure: readonly Edge[]): void {
    this.#moves++;
    this.#cancel();
    if (sure.length > 0) this.#with.tell(sure);
    if (this.#last === undefined) return;
    const { clock } = this.#with;
    const waitMs = Number(this.#last.atNs + this.#periodNs - clock.monotonicNs()) / 1e6;
    if (waitMs > 0) this.#cancel = clock.after(Math.ceil(waitMs), () => void this.#isDue());
    else void this.#isDue();
  }

  /** Edges that happened within the period may still wait to be read: they go first. */
  async #isDue(): Promise<void> {
    const moves = this.#moves;
    const nowNs = this.#with.clock.monotonicNs();
    await yieldToEventLoop();
    if (moves !== this.#moves) return;
    const sure: Edge[] = [];
    this.#settle(nowNs, sure);
    this.#end(sure);
  }
}
