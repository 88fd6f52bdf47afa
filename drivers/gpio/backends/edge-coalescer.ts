import { type Edge, EDGES_PER_TURN } from './line.js';

/** Edges that are closer than this on average make a line busy. */
const BUSY_NS = 500_000;
/** So many of them: more than any contact bounces. */
const BUSY_EDGES = 64;
/** What is to gather while a busy line is left alone: half of what is read at once, as it may become faster. */
const GATHERED = EDGES_PER_TURN / 2;
/** How late an edge of a busy line may be told for that. */
const LINGER_MOST_MS = 5;

/**
 * Knows whether a line is busy, by the kernel's times of its edges, and how long to leave it alone so that what comes
 * meanwhile is read at once: that halves what an edge costs where 10,000 come in a second.
 */
export class EdgeCoalescer {
  #edges = 0;
  #lastNs = 0n;

  /** What was read of the line just now, at least one edge. Gives for how many milliseconds it is best left alone; mostly 0. */
  noteBatch(edges: readonly Edge[]): number {
    const atNs = edges.at(-1)?.atNs ?? this.#lastNs;
    const eachNs = Number(atNs - this.#lastNs) / edges.length;
    this.#lastNs = atNs;
    this.#edges = eachNs < BUSY_NS ? this.#edges + edges.length : 0;
    if (this.#edges < BUSY_EDGES || edges.length >= EDGES_PER_TURN) return 0; // more waits to be read
    return Math.min(LINGER_MOST_MS, Math.floor((GATHERED * eachNs) / 1e6));
  }
}
