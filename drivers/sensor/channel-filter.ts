/** How the values of a channel are smoothed. */
interface FilterSettings {
  /** Median of this many values; 1 for none. */
  readonly Median?: number;
  /** Time constant of the exponential filter, s; 0 for none. */
  readonly SmoothS?: number;
  /** Smaller changes of the value are not reported. */
  readonly DeadBand?: number;
}

/** Smooths the values of one channel: median, then exponential filter, then dead band. */
export class ChannelFilter {
  readonly #settings: FilterSettings;
  #window: number[] = [];
  #smoothed: number | undefined;
  #atMs = 0;
  #reported: number | undefined;

  constructor(settings: FilterSettings) {
    this.#settings = settings;
  }

  /** Adds a value of a time on the monotonic clock, ms; returns the value to report. */
  add(value: number, atMs: number): number {
    const { DeadBand = 0 } = this.#settings;
    const smoothed = this.#smooth(this.#median(value), atMs);
    if (this.#reported === undefined || Math.abs(smoothed - this.#reported) >= DeadBand)
      this.#reported = smoothed;
    return this.#reported;
  }

  /** Forgets all values: those before a broken wire say nothing about those after it. */
  reset(): void {
    this.#window = [];
    this.#smoothed = undefined;
    this.#reported = undefined;
  }

  #median(value: number): number {
    const { Median = 1 } = this.#settings;
    if (Median <= 1) return value;
    this.#window = [...this.#window, value].slice(-Median);
    const sorted = this.#window.toSorted((one, other) => one - other);
    const middle = Math.floor(sorted.length / 2);
    const upper = sorted[middle] as number;
    return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
  }

  #smooth(value: number, atMs: number): number {
    const { SmoothS = 0 } = this.#settings;
    const passedS = (atMs - this.#atMs) / 1000;
    this.#atMs = atMs;
    const before = this.#smoothed;
    this.#smoothed =
      SmoothS <= 0 || before === undefined
        ? value
        : before + (value - before) * (1 - Math.exp(-passedS / SmoothS));
    return this.#smoothed;
  }
}
