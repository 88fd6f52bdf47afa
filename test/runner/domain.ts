/**
 * Replaces `async-hook-domain` in the processes of the tests. The original follows every promise with an async
 * hook, which takes a third of their processor time, to find the test that an uncaught error belongs to; here
 * worker.ts passes it to the test that is running.
 */
export class Domain {
  readonly parent = undefined;
  readonly onerror: (error: unknown, type: string) => void;

  constructor(onerror: (error: unknown, type: string) => void) {
    this.onerror = onerror;
  }

  destroy(): void {
    // Nothing was followed.
  }
}
