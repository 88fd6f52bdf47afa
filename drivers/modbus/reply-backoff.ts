import type { Clock } from '../../src/base/clock.js';

/** The first and the longest pause. */
const FIRST_MS = 5_000;
const MAX_MS = 300_000;

/**
 * The pause of a request without a reply while its unit replies to others: each timeout delays all of them. It
 * doubles with each timeout.
 */
export class ReplyBackoff {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  #count = 0;
  #untilNs = 0n;

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock;
  }

  get isActive(): boolean {
    return this.#clock.monotonicNs() < this.#untilNs;
  }

  /** Begins a pause, after a timeout. */
  begin(): void {
    const pauseMs = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(this.#count, 10));
    this.#count += 1;
    this.#untilNs = this.#clock.monotonicNs() + BigInt(pauseMs) * 1_000_000n;
  }

  /** The next pause is the first one again, after a reply. */
  reset(): void {
    this.#count = 0;
  }

  /** Ends the pause; the next one is as long as it would be otherwise. */
  end(): void {
    this.#untilNs = 0n;
  }
}
