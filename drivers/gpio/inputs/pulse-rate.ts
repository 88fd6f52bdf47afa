/** Minimum time over which pulses are counted for a rate. */
const WINDOW_NS = 1_000_000_000n;

/**
 * The rate of pulses by their own timestamps: exact for slow pulses, averaged over a second for fast ones.
 */
export class PulseRate {
  readonly #timeoutNs: bigint;
  /** The pulse that began the measurement. */
  #fromNs: bigint | undefined;
  /** Pulses since then. */
  #pulses = 0;
  #lastNs = 0n;
  #perS = 0;

  /** The rate is 0 after `timeoutS` without a pulse. */
  constructor(timeoutS: number) {
    this.#timeoutNs = BigInt(timeoutS) * 1_000_000_000n;
  }

  /** Takes the timestamp of a pulse; chronological order is required. */
  addPulse(atNs: bigint): void {
    // After a timeout the interval says nothing about the rate.
    if (this.#fromNs === undefined || atNs - this.#lastNs > this.#timeoutNs) this.#begin(atNs);
    else {
      this.#pulses++;
      this.#lastNs = atNs;
      if (atNs - this.#fromNs >= WINDOW_NS) this.#end();
    }
  }

  /** Pulses per second; falls while no pulse comes, because the next one cannot be sooner than now. */
  at(nowNs: bigint): number {
    const idleNs = nowNs - this.#lastNs;
    if (this.#fromNs === undefined || idleNs > this.#timeoutNs) return 0;
    if (idleNs < WINDOW_NS) return this.#perS;
    if (this.#pulses > 0) this.#end();
    return Math.min(this.#perS, 1e9 / Number(idleNs));
  }

  #begin(atNs: bigint): void {
    this.#fromNs = atNs;
    this.#lastNs = atNs;
    this.#pulses = 0;
    this.#perS = 0;
  }

  #end(): void {
    const elapsedNs = Number(this.#lastNs - (this.#fromNs ?? 0n));
    this.#perS = elapsedNs > 0 ? (this.#pulses * 1e9) / elapsedNs : 0;
    this.#fromNs = this.#lastNs;
    this.#pulses = 0;
  }
}
