import { coded } from '../../../src/base/codes/coded-text.js';
import { type Host, type VariableDeclaration, variableType } from '../../../src/device/module.js';
import type { Edge } from '../backends/line.js';
import { lastCount } from './last-count.js';
import { Throttle } from './throttle.js';

/** Minimum interval between two reports of LOST. */
const REPORT_INTERVAL_MS = 200;

export const lostVariable = (position: number): VariableDeclaration => ({
  ident: 'LOST',
  name: 'Lost',
  type: variableType.integer,
  role: 'diagnostic',
  position,
});

/**
 * Counts the edges of all lines of a module that the kernel dropped. LOST continues from its last known
 * value.
 */
export class DroppedEdges {
  readonly #host: Host;
  #lost: number;
  /** The number of the last edge of each line. */
  readonly #seqnos: number[] = [];
  #hasOverflowed = false;
  readonly #throttle: Throttle;

  constructor(host: Host) {
    this.#host = host;
    this.#lost = lastCount(host, 'LOST');
    this.#throttle = new Throttle(host.clock, REPORT_INTERVAL_MS, () => this.report());
  }

  report(): void {
    this.#host.report('LOST', this.#lost);
  }

  /** Takes the edges that were read from the line at this index. */
  noteEdges(edges: readonly Edge[], index: number): void {
    const before = this.#lost;
    let seqno = this.#seqnos[index] ?? 0;
    for (const { lineSeqno } of edges) {
      if (lineSeqno !== 0) this.#lost += droppedBetween(seqno, lineSeqno);
      seqno = lineSeqno;
    }
    this.#seqnos[index] = seqno;
    if (this.#lost === before) return;
    this.#throttle.schedule();
    if (!this.#hasOverflowed)
      this.#host.setProblem(
        'OVERFLOW',
        coded`LINE_CHANGES_FASTER_THAN: The line changes faster than it can be read: ${this.#lost - before} changes were lost`,
      );
    this.#hasOverflowed = true;
  }

  /** Clears the problem if nothing was dropped since the last call. */
  clearOverflow(): void {
    if (!this.#hasOverflowed) this.#host.setProblem('OVERFLOW', undefined);
    this.#hasOverflowed = false;
  }

  /** Reports a count that is not reported yet. */
  flush(): void {
    this.#throttle.flush();
  }

  close(): void {
    this.#throttle.close();
  }
}

/** Edges that the kernel dropped between two numbers, which are unsigned 32-bit numbers and wrap. */
const droppedBetween = (before: number, seqno: number): number => (seqno - before - 1) >>> 0;
