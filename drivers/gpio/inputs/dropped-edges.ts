import type { Host } from '../../../src/device/module.js';
import type { Edge } from '../backends/line.js';
import { Throttle } from './throttle.js';

/** However much is lost, it is told no more often than this. */
const TELL_EVERY_MS = 200;

/** The count that a variable had when the gateway last knew it; 0 before that. */
export function lastCount(host: Host, ident: string): number {
  const value = host.lastValue(ident);
  return typeof value === 'number' ? value : 0;
}

/** Edges of all of a module's lines that were dropped, exactly: LOST goes on from where it stood when the gateway last knew it. */
export class DroppedEdges {
  readonly #host: Host;
  #lost: number;
  /** The last edge's number on each line's request. */
  readonly #seqnos: number[] = [];
  #lostSinceLook = false;
  readonly #pace: Throttle;

  constructor(host: Host) {
    this.#host = host;
    this.#lost = lastCount(host, 'LOST');
    this.#pace = new Throttle(host.clock, TELL_EVERY_MS, () => host.report('LOST', this.#lost));
  }

  /** How many it is at the start. */
  report(): void {
    this.#host.report('LOST', this.#lost);
  }

  /** What was read of the line at this place. */
  noteEdges(edges: readonly Edge[], at: number): void {
    const before = this.#lost;
    let seqno = this.#seqnos[at] ?? 0;
    for (const { lineSeqno } of edges) {
      if (lineSeqno !== 0) this.#lost += dropped(seqno, lineSeqno);
      seqno = lineSeqno;
    }
    this.#seqnos[at] = seqno;
    if (this.#lost === before) return;
    this.#pace.schedule();
    if (!this.#lostSinceLook)
      this.#host.setProblem(
        'OVERFLOW',
        `The line changes faster than it can be read: ${this.#lost - before} changes were lost at once`,
      );
    this.#lostSinceLook = true;
  }

  /** Takes the trouble away when nothing was lost since the last look. */
  clearOverflow(): void {
    if (!this.#lostSinceLook) this.#host.setProblem('OVERFLOW', undefined);
    this.#lostSinceLook = false;
  }

  /** Tells what is not told yet. */
  flush(): void {
    this.#pace.flush();
  }

  close(): void {
    this.#pace.close();
  }
}

/** Edges between two numbers that the kernel dropped; the numbers are unsigned 32-bit ones and wrap. */
const dropped = (before: number, seqno: number): number => (seqno - before - 1) >>> 0;
