import type { Cancel } from '../../../src/base/clock.js';
import { type QualityProblem, type Host, quality } from '../../../src/device/module.js';
import type { Edge } from '../backends/line.js';

/** What a line may do without being taken for one that oscillates: so many changes a second for ever, and so many at once on top. */
export interface RateLimit {
  readonly perS: number;
  readonly burst: number;
}

/** No contact is worked 25 times a second for long, nor bounces thousands of times; a line that hums with the mains makes 100. */
export const CONTACT_LIMIT: RateLimit = { perS: 50, burst: 10_000 };
/** Nobody presses a button ten times a second for more than a moment. */
export const PUSH_BUTTON_LIMIT: RateLimit = { perS: 20, burst: 1_000 };

/** What a value of such a line is worth. */
export const oscillating: QualityProblem = {
  state: quality.bad,
  reason: 'OSCILLATES',
  text: 'the line oscillates',
};

/** While a line oscillates, what it is told of is told this often. */
const LOOK_EVERY_MS = 1_000;
/** It is over when for so many seconds in a row less than half of what is allowed has come. */
const QUIET_S = 10;

interface LineState {
  readonly name: string;
  /** Changes that are not yet paid for by time. */
  load: number;
  atS: number;
  isOn: boolean;
  /** Since the last look. */
  seen: number;
  quietS: number;
}

/** Recognises lines that change far more often than what is behind them can, says so in STATUS, and sees when it is over. */
export class OscillationDetector {
  readonly #host: Host;
  readonly #limit: RateLimit;
  readonly #lines: readonly LineState[];
  readonly #glance: (isOver: boolean) => void;
  #cancel: Cancel | undefined;

  /** `glance` is called once a second while a line oscillates, and with true when none does any more. */
  constructor(
    host: Host,
    { limit, names }: { limit: RateLimit; names: readonly string[] },
    glance: (isOver: boolean) => void,
  ) {
    this.#host = host;
    this.#limit = limit;
    this.#lines = names.map((name) => ({ name, load: 0, atS: 0, isOn: false, seen: 0, quietS: 0 }));
    this.#glance = glance;
  }

  /** What was read of the line at this place, at least one edge. */
  noteEdges(edges: readonly Edge[], at: number): void {
    const line = this.#lines[at];
    const last = edges.at(-1);
    if (line === undefined || last === undefined) return;
    line.seen += edges.length;
    if (line.isOn) return;
    const atS = Number(last.atNs) / 1e9;
    line.load = Math.max(0, line.load - (atS - line.atS) * this.#limit.perS) + edges.length;
    line.atS = atS;
    if (line.load > this.#limit.burst) this.#begin(line);
  }

  /** Whether the line at this place oscillates. */
  isOscillating(at: number): boolean {
    return this.#lines[at]?.isOn ?? false;
  }

  close(): void {
    this.#cancel?.();
  }

  #begin(line: LineState): void {
    line.isOn = true;
    line.quietS = 0;
    line.seen = 0;
    this.#tell();
    this.#cancel ??= this.#host.clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    for (const line of this.#lines) {
      line.quietS = line.seen * 2 < this.#limit.perS ? line.quietS + 1 : 0;
      line.seen = 0;
      if (!line.isOn || line.quietS < QUIET_S) continue;
      line.isOn = false;
      line.load = 0;
      this.#tell();
    }
    const isOver = this.#lines.every(({ isOn }) => !isOn);
    if (isOver) {
      this.#cancel?.();
      this.#cancel = undefined;
    }
    this.#glance(isOver);
  }

  #tell(): void {
    const names = this.#lines.flatMap(({ isOn, name }) => (isOn ? name : []));
    const text =
      `${names.join(', ')} oscillates, changing more than ${this.#limit.perS} times a second: it is told of once a second ` +
      `until it is quiet for ${QUIET_S} s. Look for a loose contact or a missing pull-up (Bias), or raise DebounceUs; ` +
      'for fast pulses there are Counter and Frequency';
    this.#host.setProblem('OSCILLATES', names.length === 0 ? undefined : text);
  }
}
