import type { Clock } from '../base/clock.js';

/** The latency of a recurring operation in milliseconds: the latest and the maximum. */
export class LatencyStatistics {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  lastMs = 0;
  maxMs = 0;

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock;
  }

  /** Records an operation that started at `fromNs` and has just ended. */
  recordSince(fromNs: bigint): void {
    this.lastMs = Number(this.#clock.monotonicNs() - fromNs) / 1e6;
    if (this.lastMs > this.maxMs) this.maxMs = this.lastMs;
  }
}
