import { coded, type Text } from '../../base/codes/coded-text.js';
import type { Cancel } from '../../base/clock.js';
import type { Host } from '../module.js';

/**
 * How often the text of a persisting problem may change, so that a flood of bad input does not become a flood
 * of changes.
 */
export const UPDATE_MS = 10_000;

/** A problem is cleared after this time without a new occurrence. */
export const CLEAR_AFTER_MS = 60_000;

interface TransientProblem {
  count: number;
  reported: number;
  text: () => Text;
  atNs: bigint;
}

/** The part of a host that problems are reported to. */
type ProblemHost = Pick<Host, 'clock' | 'setProblem'> & Partial<Pick<Host, 'log' | 'id'>>;

/**
 * Problems caused by single inputs: an unreadable line, a message that is too long. The first is reported and
 * logged immediately. Further ones with the same code are counted and reported every 10 s. After a minute
 * without a new one the problem is cleared.
 */
export class TransientProblems {
  readonly #host: ProblemHost;
  readonly #open = new Map<string, TransientProblem>();
  #cancel: Cancel | undefined;

  constructor(host: ProblemHost) {
    this.#host = host;
  }

  /** Adds one occurrence. `text` is called only when the text is reported. */
  add(code: string, text: () => Text): void {
    const atNs = this.#host.clock.monotonicNs();
    const problem = this.#open.get(code);
    if (problem !== undefined) {
      problem.count += 1;
      problem.text = text;
      problem.atNs = atNs;
      return;
    }
    this.#open.set(code, { count: 1, reported: 1, text, atNs });
    const first = text();
    this.#host.setProblem(code, first);
    // Logged once until the problem is cleared.
    this.#host.log?.warn({ instance: this.#host.id, code }, first.toString());
    this.#cancel ??= this.#host.clock.every(UPDATE_MS, () => this.#renew());
  }

  /** Number of occurrences of this code since it was last cleared. */
  count(code: string): number {
    return this.#open.get(code)?.count ?? 0;
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#open.clear();
  }

  #renew(): void {
    const nowNs = this.#host.clock.monotonicNs();
    for (const [code, problem] of this.#open) {
      if (nowNs - problem.atNs >= BigInt(CLEAR_AFTER_MS) * 1_000_000n) {
        this.#open.delete(code);
        this.#host.setProblem(code, undefined);
      } else if (problem.reported !== problem.count) {
        problem.reported = problem.count;
        this.#host.setProblem(code, coded`REPEATED: ${problem.text()} (${problem.count} times)`);
      }
    }
    if (this.#open.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
