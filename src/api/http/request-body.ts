import type { IncomingMessage } from 'node:http';

/**
 * The body of a request, read up to a limit; received bytes are kept, so that reading can continue with a
 * larger limit.
 */
export class RequestBody {
  readonly #request: IncomingMessage;
  #chunks: Buffer[] = [];
  #length = 0;
  #limit = 0;
  #isComplete = false;
  #isListening = false;
  #isCancelled = false;
  #done: ((body: Buffer | undefined) => void) | undefined;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  /**
   * Calls `done` with the complete body, or with undefined once it is longer than `limit` bytes: it may then
   * be read again with a larger limit. Not called if the client disconnects.
   */
  read(limit: number, done: (body: Buffer | undefined) => void): void {
    this.#limit = limit;
    this.#done = done;
    if (this.#isListening) {
      if (this.#length > limit) this.#over();
      else if (this.#isComplete) this.#end();
      else this.#request.resume();
      return;
    }
    this.#isListening = true;
    this.#request.on('data', (chunk: Buffer) => {
      if (this.#isCancelled) return;
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      if (this.#length > this.#limit) this.#over();
    });
    this.#request.on('end', this.#end);
  }

  /** See {@link read}. */
  readUpTo(limit: number): Promise<Buffer | undefined> {
    return new Promise((resolve) => this.read(limit, resolve));
  }

  /** What has arrived so far. */
  get received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Discards all bytes received so far and later; a pending `done` is not called. */
  cancel(): void {
    this.#isCancelled = true;
    this.#done = undefined;
    this.#chunks = [];
  }

  #over(): void {
    this.#request.pause();
    const done = this.#done;
    this.#done = undefined;
    done?.(undefined);
  }

  readonly #end = (): void => {
    this.#isComplete = true;
    const done = this.#done;
    this.#done = undefined;
    const [first] = this.#chunks;
    done?.(this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks));
  };
}
