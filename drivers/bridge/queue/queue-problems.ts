/** What the disk does not accept: values, the state and the removal of files, or the file in memory. */
type QueuePart = 'values' | 'files' | 'memory';

/** The errors of the disk, of which the first is a problem of the bridge. */
export class QueueProblems {
  readonly #errors = new Map<QueuePart, unknown>();
  readonly #onChange: (first: unknown) => void;

  /** `onChange` is called with the first error, and with undefined when there is none any more. */
  constructor(onChange: (first: unknown) => void) {
    this.#onChange = onChange;
  }

  has(part: QueuePart): boolean {
    return this.#errors.has(part);
  }

  /** Undefined: the part accepts writes again. */
  set(part: QueuePart, thrown: unknown): void {
    const [before] = this.#errors.values();
    if (thrown === undefined) this.#errors.delete(part);
    else this.#errors.set(part, thrown);
    const [first] = this.#errors.values();
    if (first !== before) this.#onChange(first);
  }
}
