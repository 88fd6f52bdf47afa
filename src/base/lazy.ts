/**
 * What is made when it is first asked for, and then kept: whoever asks meanwhile gets the same. A failure goes to those who
 * asked, and is forgotten: the next who asks has it made anew.
 */
export class Lazy<T> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** Rejects as making it does. */
  readonly get = (): Promise<T> =>
    (this.#made ??= Promise.resolve()
      .then(this.#make)
      .catch((thrown: unknown) => {
        this.#made = undefined;
        throw thrown;
      }));

  /** What there is, when that which is being made is done; undefined where nobody has asked, or it failed. Makes nothing. */
  async current(): Promise<T | undefined> {
    return this.#made?.catch(() => undefined);
  }
}
