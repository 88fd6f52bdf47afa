/** Quarter steps from one detent to the next. */
export type StepsPerDetent = 1 | 2 | 4;

/** The order of states when turned forward: neither line, A, both, B. */
const phaseOf = (a: boolean, b: boolean): number => (a ? (b ? 2 : 1) : b ? 3 : 0);

/**
 * Decodes two lines a quarter period apart into detents. The initial state is a detent. A detent counts when
 * it is reached, so bouncing or turning half way and back counts nothing, and a lost step is corrected at the
 * next detent.
 */
export class QuadratureDecoder {
  readonly #steps: StepsPerDetent;
  readonly #initialPhase: number;
  #a: boolean;
  #b: boolean;
  #quarters = 0;

  constructor(steps: StepsPerDetent, a: boolean, b: boolean) {
    this.#steps = steps;
    this.#a = a;
    this.#b = b;
    this.#initialPhase = phaseOf(a, b);
  }

  /** Takes a change of a line. Returns the detents passed: positive if forward (A before B); mostly 0. */
  edge(line: 'a' | 'b', active: boolean): number {
    const before = phaseOf(this.#a, this.#b);
    if (line === 'a') this.#a = active;
    else this.#b = active;
    const phase = phaseOf(this.#a, this.#b);
    if (phase === before) return 0;
    this.#quarters += (phase - before + 4) % 4 === 1 ? 1 : -1;
    if ((phase - this.#initialPhase + 4) % this.#steps !== 0) return 0;
    const detents = Math.round(this.#quarters / this.#steps);
    this.#quarters = 0;
    return detents;
  }
}
