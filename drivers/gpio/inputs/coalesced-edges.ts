import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import type { Host } from '../../../src/device/module.js';
import type { Edge, InputLine } from '../backends/line.js';
import { lastCount } from './last-count.js';

/**
 * Counts edges that coalesced before the kernel numbered them: there were more interrupts than numbered
 * edges. Both are compared while the line is idle, because an interrupt comes before its edge is read. MERGED
 * continues from its last known value.
 */
export class CoalescedEdges {
  readonly #host: Host;
  readonly #line: Pick<InputLine, 'countInterrupts'>;
  #coalesced: number;
  /** Edges that the kernel has numbered for this request, and the last one's number. */
  #numbered = 0;
  #seqno = 0;
  /** The counts of the previous sample. */
  #sample: { readonly interrupts: number; readonly numbered: number } | undefined;
  /** How many more interrupts than edges there were when the line was last idle. */
  #surplus: number | undefined;
  #isUnknown = false;

  constructor(host: Host, line: Pick<InputLine, 'countInterrupts'>) {
    this.#host = host;
    this.#line = line;
    this.#coalesced = lastCount(host, 'MERGED');
  }

  noteEdges(edges: readonly Edge[]): void {
    for (const { lineSeqno } of edges) {
      this.#numbered += (lineSeqno - this.#seqno) >>> 0;
      this.#seqno = lineSeqno;
    }
  }

  /** To be called at intervals. If a count differs from the previous sample, edges may be in flight. */
  async sample(): Promise<void> {
    if (this.#isUnknown) return;
    const numbered = this.#numbered;
    const interrupts = await this.#line.countInterrupts?.();
    if (interrupts === undefined)
      return this.#stop(
        coded`KERNEL_DOES_NOT_COUNT: the kernel does not count the interrupts of this line alone`,
      );
    const before = this.#sample;
    this.#sample = { interrupts, numbered };
    const isIdle = before?.interrupts === interrupts && before.numbered === numbered;
    if (isIdle && numbered === this.#numbered) this.#update(interrupts - numbered);
  }

  #update(surplus: number): void {
    const before = this.#surplus ?? surplus;
    if (surplus < before)
      return this.#stop(
        coded`KERNEL_NUMBERED_MORE_EDGES: the kernel numbered more edges than it counted interrupts`,
      );
    if (this.#surplus !== undefined && surplus === before) return;
    this.#surplus = surplus;
    this.#coalesced += surplus - before;
    this.#host.report('MERGED', this.#coalesced);
  }

  #stop(reason: Text): void {
    this.#isUnknown = true;
    this.#host.setProblem(
      'MERGED',
      coded`MERGED_CAN_NOT_COUNTED: MERGED cannot be counted here: ${reason}. Set CountMerged to false`,
    );
  }
}
