import type { Clock } from '../../base/clock.js';

/**
 * Spreads automatic switch-ons over time, so that the end of a power cut does not cause one inrush. One per
 * gateway.
 */
export class Stagger {
  readonly #clock: Clock;
  /** When the last caller switches on. */
  #lastNs: bigint | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The delay until this caller may switch on, ms: `gapMs` after the previous one, 0 for the first. */
  nextDelayMs(gapMs: number): number {
    const nowNs = this.#clock.monotonicNs();
    const turnNs = this.#lastNs === undefined ? nowNs : this.#lastNs + BigInt(Math.round(gapMs * 1e6));
    this.#lastNs = turnNs > nowNs ? turnNs : nowNs;
    return Number(this.#lastNs - nowNs) / 1e6;
  }
}
