import { coded } from '../../../src/base/codes/coded-text.js';
import type { Cancel } from '../../../src/base/clock.js';
import { type Host, quality, type QualityProblem } from '../../../src/device/module.js';
import type { Edge } from '../backends/line.js';

/** The rate of changes above which a line counts as oscillating: a token bucket. */
export interface RateLimit {
  readonly perS: number;
  readonly burst: number;
}

/**
 * No contact changes 25 times per second for long or bounces thousands of times; mains hum makes 100 changes
 * per second.
 */
export const CONTACT_LIMIT: RateLimit = { perS: 50, burst: 10_000 };
/** Nobody presses a button ten times per second for more than a moment. */
export const PUSH_BUTTON_LIMIT: RateLimit = { perS: 20, burst: 1_000 };

/** The quality of the values of an oscillating line. */
export const oscillating: QualityProblem = {
  state: quality.bad,
  reason: 'OSCILLATES',
  text: 'the line oscillates',
};

/** Interval at which an oscillating line is checked and reported. */
const TICK_MS = 1_000;
/** An oscillation is over after this many seconds in a row with less than half of the allowed rate. */
const QUIET_S = 10;

interface LineState {
  readonly name: string;
  /** Changes in excess of the allowed rate. */
  load: number;
  atS: number;
  isOscillating: boolean;
  /** Changes since the last tick. */
  changes: number;
  quietS: number;
}

/**
 * Detects lines that change far more often than their devices can, sets the problem OSCILLATES, and detects
 * the end.
 */
export class OscillationDetector {
  readonly #host: Host;
  readonly #limit: RateLimit;
  readonly #lines: readonly LineState[];
  readonly #onTick: (isOver: boolean) => void;
  #cancelTicks: Cancel | undefined;

  /** `onTick` is called once per second while a line oscillates, and with true when none does any more. */
  constructor(
    host: Host,
    { limit, names }: { limit: RateLimit; names: readonly string[] },
    onTick: (isOver: boolean) => void,
  ) {
    this.#host = host;
    this.#limit = limit;
    this.#lines = names.map((name) => ({
      name,
      load: 0,
      atS: 0,
      isOscillating: false,
      changes: 0,
      quietS: 0,
    }));
    this.#onTick = onTick;
  }

  /**
   * Takes the edges that were read from the line at this index (at least one). Returns whether the line
   * oscillates.
   */
  noteEdges(edges: readonly Edge[], index: number): boolean {
    const line = this.#lines[index];
    const last = edges.at(-1);
    if (line === undefined || last === undefined) return false;
    line.changes += edges.length;
    if (line.isOscillating) return true;
    const atS = Number(last.atNs) / 1e9;
    line.load = Math.max(0, line.load - (atS - line.atS) * this.#limit.perS) + edges.length;
    line.atS = atS;
    if (line.load > this.#limit.burst) this.#begin(line);
    return line.isOscillating;
  }

  get isOscillating(): boolean {
    return this.#lines.some(({ isOscillating }) => isOscillating);
  }

  close(): void {
    this.#cancelTicks?.();
  }

  #begin(line: LineState): void {
    line.isOscillating = true;
    line.quietS = 0;
    line.changes = 0;
    this.#updateProblem();
    this.#cancelTicks ??= this.#host.clock.every(TICK_MS, () => this.#tick());
  }

  #tick(): void {
    for (const line of this.#lines) {
      line.quietS = line.changes * 2 < this.#limit.perS ? line.quietS + 1 : 0;
      line.changes = 0;
      if (!line.isOscillating || line.quietS < QUIET_S) continue;
      line.isOscillating = false;
      line.load = 0;
      this.#updateProblem();
    }
    const isOver = !this.isOscillating;
    if (isOver) {
      this.#cancelTicks?.();
      this.#cancelTicks = undefined;
    }
    this.#onTick(isOver);
  }

  #updateProblem(): void {
    const names = this.#lines.flatMap(({ isOscillating, name }) => (isOscillating ? name : []));
    const text = coded`OSCILLATING_LINES: ${names.join(', ')}: oscillating, more than ${this.#limit.perS} changes per second; reported once per second until quiet for ${QUIET_S} s. Check for a loose contact or a missing pull-up (Bias), or raise DebounceUs; for fast pulses, use Counter or Frequency`;
    this.#host.setProblem('OSCILLATES', names.length === 0 ? undefined : text);
  }
}
