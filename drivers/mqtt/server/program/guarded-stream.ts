import { Duplex } from 'node:stream';
import { PacketGate } from './packet-gate.js';

/**
 * Bytes that wait for a client. A client that reads more slowly than it is sent to is disconnected: aedes would
 * make the senders wait for it.
 */
export const UNSENT_LIMIT = 1024 * 1024;
/** Unsent bytes at which the next message of a queue waits; the rest of the limit is for new messages. */
const PACED_BYTES = UNSENT_LIMIT / 4;

/** The connection of a client as aedes sees it: packets of acceptable size, and a limit of unsent bytes. */
export class GuardedStream extends Duplex {
  readonly #socket: Duplex;
  readonly #gate: PacketGate;
  readonly #onRejected: (why: string) => void;
  #isPaced = false;
  /** Whether a paced write expects `drain`. */
  #isExpected = false;

  constructor(socket: Duplex, packetBytes: number, onRejected: (why: string) => void) {
    super({ emitClose: true, writableHighWaterMark: 2 * UNSENT_LIMIT });
    this.#socket = socket;
    this.#gate = new PacketGate(packetBytes);
    this.#onRejected = onRejected;
    socket.on('data', (chunk: Buffer) => {
      const why = this.#gate.check(chunk);
      if (why !== undefined) return this.reject(why);
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  /** Closes the connection because of what the client does. */
  reject(why: string): void {
    if (this.destroyed) return;
    this.#onRejected(why);
    this.destroy();
  }

  /** Until the next microtask, a write of a message waits for the client as soon as few bytes are unsent. */
  pace(): void {
    this.#isPaced = true;
    queueMicrotask(() => (this.#isPaced = false));
  }

  override write(chunk: unknown, ...more: unknown[]): boolean {
    const hasRoom = super.write(chunk, ...(more as []));
    if (!this.#isPaced || this.writableLength < PACED_BYTES) return hasRoom;
    this.#isExpected = true;
    return false;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, (error) => this.#sent(done, error));
  }

  override _writev(chunks: readonly { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), (error) => this.#sent(done, error));
  }

  #sent(done: (error?: Error | null) => void, error?: Error | null): void {
    done(error);
    if (!this.#isExpected || this.writableLength >= PACED_BYTES) return;
    this.#isExpected = false;
    this.emit('drain');
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
