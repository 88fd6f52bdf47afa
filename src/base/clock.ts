/** Cancels a timer. Calling it again, or after the timer fired, does nothing. */
export type Cancel = () => void;

/**
 * Time, timers and randomness, passed to whatever needs them, so that tests control the clock. Timers of the
 * system clock never keep the process alive.
 */
export interface Clock {
  /** Wall clock, unix milliseconds. May step; see `trusted`. */
  nowMs(): number;
  /** CLOCK_MONOTONIC in nanoseconds, as the kernel stamps GPIO events. */
  monotonicNs(): bigint;
  /** False until the wall clock is known to be synchronised. */
  isTrusted(): boolean;
  after(ms: number, callback: () => void): Cancel;
  every(ms: number, callback: () => void): Cancel;
  /** A number in [0, 1). */
  random(): number;
}

/** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
export function delay(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * The machine's clock. `trusted` is whether it is synchronised (on Linux: by systemd-timesyncd or another
 * NTP client).
 */
export function systemClock(trusted: () => boolean = () => true): Clock {
  return {
    nowMs: () => Date.now(),
    monotonicNs: () => process.hrtime.bigint(),
    isTrusted: trusted,
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
    every(ms, callback) {
      const timer = setInterval(callback, ms);
      timer.unref();
      return () => clearInterval(timer);
    },
    random: () => Math.random(),
  };
}

/** A larger difference to the monotonic clock is a step; NTP corrects smaller ones gradually. */
const JUMP_MS = 1000;

/** Detects steps of the wall clock by polling: the system does not report them. */
export class ClockStepDetector {
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicNs'>;
  #offsetMs: number;

  constructor(clock: Pick<Clock, 'nowMs' | 'monotonicNs'>) {
    this.#clock = clock;
    this.#offsetMs = this.#offset();
  }

  /** The step since the last call, ms: positive if the clock went forward, 0 if there was none. */
  takeStepMs(): number {
    const before = this.#offsetMs;
    this.#offsetMs = this.#offset();
    const jumpMs = this.#offsetMs - before;
    return Math.abs(jumpMs) > JUMP_MS ? jumpMs : 0;
  }

  #offset(): number {
    return this.#clock.nowMs() - Number(this.#clock.monotonicNs() / 1_000_000n);
  }
}

/** A clock for tests: time stands still until `advance`. */
export class ManualClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  #timers: { dueMs: number; everyMs: number | undefined; callback: () => void }[] = [];
  #random: () => number;
  hasTrustedTime = true;

  constructor(nowMs = 1_700_000_000_000, random: () => number = () => 0.5) {
    this.#nowMs = nowMs;
    this.#random = random;
  }

  nowMs = () => this.#nowMs;
  monotonicNs = () => BigInt(Math.round(this.#monotonicMs * 1e6));
  isTrusted = () => this.hasTrustedTime;
  random = () => this.#random();

  after(ms: number, callback: () => void): Cancel {
    return this.#add(ms, undefined, callback);
  }

  every(ms: number, callback: () => void): Cancel {
    return this.#add(ms, ms, callback);
  }

  /** Pending timers; one that is left at the end of a test is a leak. */
  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** Advances the clock and fires the timers that fall due, in order. */
  advance(ms: number): void {
    const end = this.#monotonicMs + ms;
    for (;;) {
      const [first, ...others] = this.#timers;
      if (first === undefined) break;
      const next = others.reduce((least, timer) => (timer.dueMs < least.dueMs ? timer : least), first);
      if (next.dueMs > end) break;
      this.#nowMs += next.dueMs - this.#monotonicMs;
      this.#monotonicMs = next.dueMs;
      if (next.everyMs === undefined) this.#timers = this.#timers.filter((t) => t !== next);
      else next.dueMs += next.everyMs;
      next.callback();
    }
    this.#nowMs += end - this.#monotonicMs;
    this.#monotonicMs = end;
  }

  /** Lets time pass as a suspended machine sees it: each timer that is due fires once, at the end. */
  sleep(ms: number): void {
    const end = this.#monotonicMs + ms;
    for (const timer of this.#timers) timer.dueMs = timer.dueMs <= end ? end : timer.dueMs;
    this.#nowMs += ms;
    this.#monotonicMs = end;
    this.advance(0);
  }

  /** Steps the wall clock only, as a late NTP synchronisation does. */
  stepWallClock(ms: number): void {
    this.#nowMs += ms;
  }

  #add(ms: number, everyMs: number | undefined, callback: () => void): Cancel {
    const timer = { dueMs: this.#monotonicMs + ms, everyMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((t) => t !== timer);
    };
  }
}
