/**
 * One event with any number of listeners, which are called synchronously in the order they were added. An
 * error of a listener goes to `onFault` and does not affect the others.
 */
export class Signal<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onFault: (thrown: unknown) => void;

  constructor(onFault: (thrown: unknown) => void = rethrowLater) {
    this.#onFault = onFault;
  }

  /** Adds a listener; returns a function that removes it. */
  on(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get size(): number {
    return this.#listeners.size;
  }

  emit(value: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(value);
      } catch (thrown) {
        this.#onFault(thrown);
      }
    }
  }
}

function rethrowLater(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown;
  });
}
