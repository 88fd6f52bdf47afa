import type { Clock } from '../../../src/base/clock.js';
import type { Entry, UntrustedTime } from './entry.js';

/**
 * How long historical values wait for the clock to be synchronised. A box without a clock of its own
 * synchronises it within a minute after it has a network.
 */
const CLOCK_WAIT_MS = 10 * 60_000;
/** Runs of the kernel whose clock is remembered. */
const BOOT_LIMIT = 16;

/** Corrects the times of values that arrived while the clock was not synchronised. */
export class ClockCorrection {
  readonly #clock: Clock;
  readonly #boot: string;
  readonly #startNs: bigint;
  #clocks: ReadonlyMap<string, number> = new Map();
  #hasChanged = false;
  #hasUntrusted = false;

  constructor(clock: Clock, boot: string) {
    this.#clock = clock;
    this.#boot = boot;
    this.#startNs = clock.monotonicNs();
  }

  restore(clocks: Readonly<Record<string, number>>): void {
    this.#clocks = new Map(Object.entries(clocks).slice(-BOOT_LIMIT));
  }

  stored(): Record<string, number> {
    this.#hasChanged = false;
    return Object.fromEntries(this.#clocks);
  }

  /** The value with its correct time, if that is known; `untrusted` stays if it is not. */
  corrected(entry: Entry): Entry {
    const { untrusted, ...rest } = entry;
    if (untrusted === undefined) return entry;
    this.#hasUntrusted = true;
    const offsetMs = this.#offsetMs(untrusted);
    return offsetMs === undefined ? entry : { ...rest, atMs: untrusted.monotonicMs + offsetMs };
  }

  #offsetMs({ boot }: UntrustedTime): number | undefined {
    const known = this.#clocks.get(boot);
    if (known !== undefined || boot !== this.#boot || !this.#clock.isTrusted()) return known;
    const offsetMs = Math.round(this.#clock.nowMs() - Number(this.#clock.monotonicNs() / 1_000_000n));
    this.#clocks = new Map([...this.#clocks, [boot, offsetMs] as const].slice(-BOOT_LIMIT));
    this.#hasChanged = true;
    return offsetMs;
  }

  /** Whether there is a correction that is not stored, for values of this boot that wait on the disk. */
  hasChanged(): boolean {
    if (this.#hasUntrusted) this.#offsetMs({ boot: this.#boot, monotonicMs: 0 });
    return this.#hasChanged;
  }

  /** Records that a value of an untrusted clock waits. */
  note(entry: Pick<Entry, 'untrusted'>): void {
    this.#hasUntrusted ||= entry.untrusted !== undefined;
  }

  /** Whether historical values should wait for the clock. */
  mustWait(): boolean {
    const ageMs = Number((this.#clock.monotonicNs() - this.#startNs) / 1_000_000n);
    return !this.#clock.isTrusted() && ageMs < CLOCK_WAIT_MS;
  }
}
