import type { Text } from '../base/codes/coded-text.js';
import type { InstanceProblem } from './module.js';

/** The problems of an open instance: those of its variables and those reported by its driver. */
export class ProblemList {
  /** Problems of its variables; replaced when the variables are declared the next time. */
  declared: readonly InstanceProblem[] = [];
  readonly #reported = new Map<string, { readonly text: Text; readonly shown: Text }>();

  /**
   * Sets a problem reported by the driver, or clears it if `text` is undefined. Returns whether that changed
   * anything.
   */
  set(code: string, text: Text | undefined, shown: Text | undefined): boolean {
    const before = this.#reported.get(code)?.text;
    if (before?.toString() === text?.toString()) return false;
    if (text === undefined || shown === undefined) this.#reported.delete(code);
    else this.#reported.set(code, { text, shown });
    return true;
  }

  /** Whether the driver has reported a problem with this code. */
  has(code: string): boolean {
    return this.#reported.has(code);
  }

  /** Clears all problems reported by the driver. */
  clear(): void {
    this.#reported.clear();
  }

  all(): InstanceProblem[] {
    return [...this.declared, ...Array.from(this.#reported, ([code, { text }]) => ({ code, text }))];
  }

  /** The texts for the STATUS variable. */
  shown(): Text[] {
    return [
      ...this.declared.map(({ text }) => text),
      ...Array.from(this.#reported.values(), ({ shown }) => shown),
    ];
  }
}
