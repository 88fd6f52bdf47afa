import type { Clock } from '../base/clock.js';

/** How long something took that happens again and again, in milliseconds: the last time, and at most so far. */
export class LatencyStatistics {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  lastMs = 0;
  maxMs = 0;

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock;
  }

  /** It is over; it began then. */
  recordSince(fromNs: bigint): void {
    this.lastMs = Number(this.#clock.monotonicNs() - fromNs) / 1e6;
    if (this.lastMs > this.maxMs) this.maxMs = this.lastMs;
  }
}
