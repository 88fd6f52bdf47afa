/**
 * A value that is created on first use and kept. Callers that ask while it is created share it. If creating
 * fails, they get the error, and the next call tries again.
 */
export class Lazy<T> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** Rejects if creating the value fails. */
  readonly get = (): Promise<T> =>
    (this.#made ??= Promise.resolve()
      .then(this.#make)
      .catch((thrown: unknown) => {
        this.#made = undefined;
        throw thrown;
      }));

  /** The value if it was requested and could be created, otherwise undefined. Creates nothing. */
  async current(): Promise<T | undefined> {
    // Whoever requested it got the error.
    return this.#made?.catch(() => undefined);
  }
}
