import { readSync, writeSync } from 'node:fs';
import { CHANNEL, type FromChild, type ToChild } from './protocol.js';

/** The child's end of the channel. Reads and writes synchronously, without the event loop. */
export class Channel {
  readonly #chunk = Buffer.alloc(65_536);
  #rest: Buffer[] = [];

  /** Waits for the next message. */
  receive(): ToChild {
    return JSON.parse(this.receiveText()) as ToChild;
  }

  /** Waits for the next message and returns its JSON. */
  receiveText(): string {
    for (;;) {
      const last = this.#rest.at(-1);
      const end = last?.indexOf(10) ?? -1;
      if (last !== undefined && end >= 0) {
        this.#rest[this.#rest.length - 1] = last.subarray(0, end);
        const line = Buffer.concat(this.#rest).toString('utf8');
        this.#rest = [last.subarray(end + 1)];
        return line;
      }
      const size = this.#read();
      // The gateway has closed the channel, because it no longer needs the process.
      if (size === 0) process.exit(0);
      this.#rest.push(Buffer.from(this.#chunk.subarray(0, size)));
    }
  }

  #read(): number {
    for (;;) {
      try {
        return readSync(CHANNEL, this.#chunk, 0, this.#chunk.length, null);
      } catch (thrown) {
        // A signal arrived, on which V8 prints the script's position.
        if ((thrown as NodeJS.ErrnoException).code !== 'EINTR') throw thrown;
      }
    }
  }

  send(message: FromChild): void {
    this.sendText(JSON.stringify(message));
  }

  /** Sends a JSON text. Throws a RangeError above the limit. */
  sendText(text: string, limit = Infinity): void {
    const bytes = Buffer.from(`${text}\n`);
    if (bytes.length > limit) throw new RangeError(`the script sent more than ${limit} bytes in one message`);
    for (let at = 0; at < bytes.length;) at += writeSync(CHANNEL, bytes, at);
  }
}
