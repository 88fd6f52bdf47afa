/** Quarter steps from one detent to the next. */
export type StepsPerDetent = 1 | 2 | 4;

/** The order in which both lines change when it is turned forward: none, A, both, B. */
const phaseOf = (a: boolean, b: boolean): number => (a ? (b ? 2 : 1) : b ? 3 : 0);

/**
 * Two lines a quarter apart, read as detents. The state it is found in is a detent; a detent counts when it is reached, so
 * that bouncing and going half way and back are none, and a step that was lost is made good at the next one.
 */
export class QuadratureDecoder {
  readonly #steps: StepsPerDetent;
  readonly #rest: number;
  #a: boolean;
  #b: boolean;
  #quarters = 0;

  constructor(steps: StepsPerDetent, a: boolean, b: boolean) {
    this.#steps = steps;
    this.#a = a;
    this.#b = b;
    this.#rest = phaseOf(a, b);
  }

  /** A line changed. Gives the detents that this made: positive forward, A before B; mostly 0. */
  edge(line: 'a' | 'b', active: boolean): number {
    const before = phaseOf(this.#a, this.#b);
    if (line === 'a') this.#a = active;
    else this.#b = active;
    const phase = phaseOf(this.#a, this.#b);
    if (phase === before) return 0;
    this.#quarters += (phase - before + 4) % 4 === 1 ? 1 : -1;
    if ((phase - this.#rest + 4) % this.#steps !== 0) return 0;
    const detents = Math.round(this.#quarters / this.#steps);
    this.#quarters = 0;
    return detents;
  }
}
