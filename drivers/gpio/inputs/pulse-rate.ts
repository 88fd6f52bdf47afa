/** Pulses are counted for this long at least before they make a rate. */
const WINDOW_NS = 1_000_000_000n;

/** How fast pulses come, by their own times: exact for slow ones, over a second for fast ones. */
export class PulseRate {
  readonly #timeoutNs: bigint;
  /** The pulse at which counting began, and how many came since. */
  #fromNs: bigint | undefined;
  #pulses = 0;
  #lastNs = 0n;
  #perS = 0;

  /** After `timeoutS` without a pulse the rate is 0. */
  constructor(timeoutS: number) {
    this.#timeoutNs = BigInt(timeoutS) * 1_000_000_000n;
  }

  /** A pulse; times must not go back. */
  addPulse(atNs: bigint): void {
    // After a long pause nothing is known but that it was long.
    if (this.#fromNs === undefined || atNs - this.#lastNs > this.#timeoutNs) this.#begin(atNs);
    else {
      this.#pulses++;
      this.#lastNs = atNs;
      if (atNs - this.#fromNs >= WINDOW_NS) this.#end();
    }
  }

  /** Pulses a second, as of now: falling while none comes, as the next can't be sooner. */
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
    const tookNs = Number(this.#lastNs - (this.#fromNs ?? 0n));
    this.#perS = tookNs > 0 ? (this.#pulses * 1e9) / tookNs : 0;
    this.#fromNs = this.#lastNs;
    this.#pulses = 0;
  }
}
