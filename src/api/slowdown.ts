import { type Clock, delay } from '../base/clock.js';
import { ipv6Groups } from './addresses.js';

/** How guesses are slowed down. */
export interface SlowdownLimits {
  /** Failures that cost nothing but themselves. */
  readonly free: number;
  /** The delay of the first check after those, ms; it doubles with each failure. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Failures are forgotten so long after the last one, ms. */
  readonly forgetMs: number;
  /** Who would have to wait longer than this, ms, is turned away. */
  readonly patienceMs: number;
}

/** Decision 3: ten failures of an address are plain, then a delay grows to 5 s. */
export const PER_ADDRESS: SlowdownLimits = {
  free: 10,
  firstMs: 250,
  mostMs: 5000,
  forgetMs: 15 * 60_000,
  patienceMs: 30_000,
};

/** All addresses together: many guessers get four guesses a second, while a person who is new waits half a minute at most. */
export const IN_ALL: SlowdownLimits = {
  free: 100,
  firstMs: 50,
  mostMs: 250,
  forgetMs: 15 * 60_000,
  patienceMs: 30_000,
};

/** How many guessers are kept in mind; beyond it the one that has been quiet longest is forgotten. */
const GUESSERS_LIMIT = 10_000;

interface Guesser {
  failures: number;
  /** Checks that are under way; each may turn out a failure. */
  pending: number;
  /** The next delayed check may not begin earlier. */
  nextMs: number;
  lastMs: number;
}

/** Slows down those who guess: after some failures each further check waits, one after the other. */
export class Slowdown {
  readonly #clock: Pick<Clock, 'monotonicNs' | 'after'>;
  readonly #limits: SlowdownLimits;
  /** The one that has been quiet longest comes first. */
  readonly #guessers = new Map<string, Guesser>();

  constructor(clock: Pick<Clock, 'monotonicNs' | 'after'>, limits: SlowdownLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Waits until this one may be checked, and gives what must be called with the outcome (undefined: there was none).
   * Undefined at once when too many wait before it. Rejects with the signal's reason.
   */
  async turn(who: string, signal: AbortSignal): Promise<((good: boolean | undefined) => void) | undefined> {
    const nowMs = this.#nowMs();
    const guesser = this.#get(who, nowMs);
    const waitMs = this.#waitMs(guesser, nowMs);
    if (waitMs > this.#limits.patienceMs) return undefined;
    guesser.pending += 1;
    if (waitMs > 0) {
      guesser.nextMs = nowMs + waitMs;
      try {
        await delay(this.#clock, waitMs, signal);
      } catch (stopped) {
        guesser.pending -= 1;
        throw stopped;
      }
    }
    return (good) => {
      guesser.pending -= 1;
      if (good === undefined) return;
      guesser.failures = good ? 0 : guesser.failures + 1;
      guesser.lastMs = this.#nowMs();
    };
  }

  /** Failures that are still held against it. */
  failures(who: string): number {
    return this.#guessers.get(who)?.failures ?? 0;
  }

  #waitMs(guesser: Guesser, nowMs: number): number {
    const { free, firstMs, mostMs } = this.#limits;
    const over = guesser.failures + guesser.pending - free;
    if (over < 0) return 0;
    return Math.max(guesser.nextMs - nowMs, 0) + Math.min(firstMs * 2 ** over, mostMs);
  }

  #get(who: string, nowMs: number): Guesser {
    let guesser = this.#guessers.get(who);
    this.#guessers.delete(who);
    const over =
      guesser !== undefined && guesser.pending === 0 && nowMs - guesser.lastMs > this.#limits.forgetMs;
    if (guesser === undefined || over) guesser = { failures: 0, pending: 0, nextMs: 0, lastMs: nowMs };
    this.#guessers.set(who, guesser);
    if (this.#guessers.size > GUESSERS_LIMIT) {
      const [quietest] = this.#guessers.keys();
      if (quietest !== undefined) this.#guessers.delete(quietest);
    }
    return guesser;
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs() / 1_000_000n);
  }
}

/** Under what name an address is remembered: an IPv6 host has a network of 64 bits to guess from. */
export function guesserOf(remote: string): string {
  const groups = ipv6Groups(remote);
  return groups === undefined ? remote : groups.slice(0, 4).join(':');
}
