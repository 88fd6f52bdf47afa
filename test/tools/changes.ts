/** Wakes those who wait for a change of something. */
export class Changes {
  #next = Promise.withResolvers<void>();

  notify(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Waits until `probe`, which is called now and after each change, returns true. */
  async until(probe: () => boolean): Promise<void> {
    while (!probe()) await this.#next.promise;
  }
}
