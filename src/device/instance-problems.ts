import type { InstanceProblem } from './module.js';

/** What is wrong with an instance although it runs: with its variables, and what its driver reports. */
export class ProblemList {
  /** With its variables; stays until they are declared again. */
  declared: readonly InstanceProblem[] = [];
  readonly #reported = new Map<string, { readonly text: string; readonly shown: string }>();

  /** Sets or, with undefined, clears the one of this code that the driver reports. Returns whether that changed anything. */
  set(code: string, text: string | undefined, shown: string | undefined): boolean {
    if (this.#reported.get(code)?.text === text) return false;
    if (text === undefined || shown === undefined) this.#reported.delete(code);
    else this.#reported.set(code, { text, shown });
    return true;
  }

  /** Forgets what the driver reported. */
  clear(): void {
    this.#reported.clear();
  }

  all(): InstanceProblem[] {
    return [...this.declared, ...Array.from(this.#reported, ([code, { text }]) => ({ code, text }))];
  }

  /** The texts for STATUS. */
  shown(): string[] {
    return [
      ...this.declared.map(({ text }) => text),
      ...Array.from(this.#reported.values(), ({ shown }) => shown),
    ];
  }
}
