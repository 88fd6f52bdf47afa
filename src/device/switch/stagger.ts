import type { Clock } from '../../base/clock.js';

/** Spreads what switches on by itself over time, so that a power cut's end is not one inrush: one for each gateway. */
export class Stagger {
  readonly #clock: Clock;
  /** When the last one that asked goes on. */
  #lastNs: bigint | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long to wait, milliseconds, so as to be `gapMs` after the one that asked before; 0 for the first. */
  nextDelayMs(gapMs: number): number {
    const nowNs = this.#clock.monotonicNs();
    const turnNs = this.#lastNs === undefined ? nowNs : this.#lastNs + BigInt(Math.round(gapMs * 1e6));
    this.#lastNs = turnNs > nowNs ? turnNs : nowNs;
    return Number(this.#lastNs - nowNs) / 1e6;
  }
}
