import type { Host } from '../../../src/device/module.js';
import { lastCount } from './dropped-edges.js';
import type { Edge, InputLine } from '../backends/line.js';

/**
 * Edges that were one before the kernel numbered them: it was interrupted more often than it numbered edges. Both are looked
 * at while the line rests, as an interrupt comes before its edge is read. MERGED goes on from where it stood.
 */
export class Merges {
  readonly #host: Host;
  readonly #line: Pick<InputLine, 'interrupts'>;
  #merged: number;
  /** Edges that the kernel numbered on this request, and the last one's number. */
  #numbered = 0;
  #seqno = 0;
  /** What was seen at the last look, and how many interrupts more than edges there were when the line last rested. */
  #seen: { readonly interrupts: number; readonly numbered: number } | undefined;
  #surplus: number | undefined;
  #isUnknown = false;

  constructor(host: Host, line: Pick<InputLine, 'interrupts'>) {
    this.#host = host;
    this.#line = line;
    this.#merged = lastCount(host, 'MERGED');
  }

  note(edges: readonly Edge[]): void {
    for (const { lineSeqno } of edges) {
      this.#numbered += (lineSeqno - this.#seqno) >>> 0;
      this.#seqno = lineSeqno;
    }
  }

  /** To be called now and then. What has changed between two looks may be under way. */
  async look(): Promise<void> {
    if (this.#isUnknown) return;
    const numbered = this.#numbered;
    const interrupts = await this.#line.interrupts?.();
    if (interrupts === undefined) return this.#giveUp('the kernel counts no interrupts of this line alone');
    const before = this.#seen;
    this.#seen = { interrupts, numbered };
    const isResting = before?.interrupts === interrupts && before.numbered === numbered;
    if (isResting && numbered === this.#numbered) this.#rested(interrupts - numbered);
  }

  #rested(surplus: number): void {
    const before = this.#surplus ?? surplus;
    if (surplus < before) return this.#giveUp('the kernel numbered more edges than it was interrupted for');
    if (this.#surplus !== undefined && surplus === before) return;
    this.#surplus = surplus;
    this.#merged += surplus - before;
    this.#host.report('MERGED', this.#merged);
  }

  #giveUp(why: string): void {
    this.#isUnknown = true;
    this.#host.setProblem('MERGED', `MERGED can't be known here: ${why}. Set CountMerged to false`);
  }
}
