import type { Clock } from '../base/clock.js';

/** A recurring operation: how often it ended and failed, and its latency in milliseconds. */
export class LatencyStatistics {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  lastMs = 0;
  maxMs = 0;
  count = 0;
  failures = 0;

  constructor(clock: Pick<Clock, 'monotonicNs'>) {
    this.#clock = clock;
  }

  /** Records an operation that started at `fromNs` and has just ended, perhaps with a failure. */
  recordSince(fromNs: bigint, hasFailed = false): void {
    this.count += 1;
    if (hasFailed) this.failures += 1;
    this.lastMs = Number(this.#clock.monotonicNs() - fromNs) / 1e6;
    if (this.lastMs > this.maxMs) this.maxMs = this.lastMs;
  }
}
