import type { Cancel } from '../../base/clock.js';
import type { Host } from '../module.js';

/** How often the text of a trouble that goes on may change, so that a flood of bad input is no flood of changes. */
export const UPDATE_MS = 10_000;

/** A trouble is over when nothing was complained of for this long. */
export const CLEAR_AFTER_MS = 60_000;

interface TransientProblem {
  count: number;
  told: number;
  text: () => string;
  atNs: bigint;
}

/** What they are reported to. */
type ComplaintHost = Pick<Host, 'clock' | 'setProblem'> & Partial<Pick<Host, 'log' | 'id'>>;

/**
 * Troubles that come with single inputs: a line that can't be read, a message that is too long. The first is told and
 * logged at once, further ones of the same code are counted and told now and then, and after a minute without one it is over.
 */
export class TransientProblems {
  readonly #host: ComplaintHost;
  readonly #open = new Map<string, TransientProblem>();
  #cancel: Cancel | undefined;

  constructor(host: ComplaintHost) {
    this.#host = host;
  }

  /** `text` is asked for only when it is shown. */
  add(code: string, text: () => string): void {
    const atNs = this.#host.clock.monotonicNs();
    const complaint = this.#open.get(code);
    if (complaint !== undefined) {
      complaint.count += 1;
      complaint.text = text;
      complaint.atNs = atNs;
      return;
    }
    this.#open.set(code, { count: 1, told: 1, text, atNs });
    const first = text();
    this.#host.setProblem(code, first);
    // Once, until it was quiet for a while.
    this.#host.log?.warn({ instance: this.#host.id, code }, first);
    this.#cancel ??= this.#host.clock.every(UPDATE_MS, () => this.#renew());
  }

  /** How often this code was complained of since it was last quiet. */
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
    for (const [code, complaint] of this.#open) {
      if (nowNs - complaint.atNs >= BigInt(CLEAR_AFTER_MS) * 1_000_000n) {
        this.#open.delete(code);
        this.#host.setProblem(code, undefined);
      } else if (complaint.told !== complaint.count) {
        complaint.told = complaint.count;
        this.#host.setProblem(code, `${complaint.text()} (${complaint.count} times)`);
      }
    }
    if (this.#open.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
