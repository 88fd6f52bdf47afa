import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/serial-queue.js';
import { mapSocketError } from './socket-errors.js';

/** What may wait here for the other side to take it, in bytes; more is refused. */
export const QUEUE_LIMIT = 256 * 1024;

/** The other side is given up when it takes nothing for so long of what waits for it. */
export const STALL_TIMEOUT_MS = 5_000;

/** A silent connection is asked after so long whether it stands, and then once a second, ten times (the kernel's probes). */
export const KEEPALIVE_IDLE_MS = 15_000;

/** Chunks from this size on come from somebody who floods: after each one others have their turn. */
const LARGE_CHUNK_BYTES = 16 * 1024;

/** What a connection works with. */
export interface TcpConnectionOptions {
  readonly socket: Socket;
  /** For status texts: `192.168.1.5:23`. */
  readonly name: string;
  readonly clock: Clock;
  readonly onData: (bytes: Buffer) => void;
  /** Called with what the kernel has taken. */
  readonly onSent: (bytes: Uint8Array) => void;
  /** The connection is gone, and why; at most once, and not after `close()`. */
  readonly onLost: (cause: Error) => void;
}

/** One connection over TCP that stands. What was not taken when it ends is dropped: nothing is ever sent later. */
export class TcpConnection {
  readonly #with: TcpConnectionOptions;
  /** What rejects the sends that wait. */
  readonly #waiting = new Set<(cause: Error) => void>();
  #unwatch: Cancel | undefined;
  #cause: unknown;
  #isClosed = false;
  #isGivenUp = false;

  constructor(parts: TcpConnectionOptions) {
    this.#with = parts;
    const { socket, onData: received } = parts;
    socket.on('data', (bytes: Buffer) => {
      if (this.#isClosed) return;
      received(bytes);
      if (bytes.length < LARGE_CHUNK_BYTES) return;
      socket.pause();
      void yieldToEventLoop().then(() => socket.resume());
    });
    socket.on('error', (error) => (this.#cause ??= error));
    socket.on('close', () => this.#end());
  }

  /** Resolves when the kernel has taken all bytes. Rejects with `DEVICE_OFFLINE`, `TEXT_TOO_LONG`. */
  async send(bytes: Uint8Array): Promise<void> {
    const { socket, name, onSent: sent } = this.#with;
    if (!socket.writable) throw this.#gone();
    if (bytes.length > QUEUE_LIMIT) throw fault('TEXT_TOO_LONG', 'What is sent', QUEUE_LIMIT);
    const { writableLength } = socket;
    if (writableLength + bytes.length > QUEUE_LIMIT) {
      throw fault('DEVICE_OFFLINE', `${name} is behind: ${writableLength} bytes wait for it; send less`);
    }
    await new Promise<void>((resolve, reject) => {
      this.#waiting.add(reject);
      this.#unwatch ??= this.#stalled();
      socket.write(bytes, (error) => {
        this.#waiting.delete(reject);
        this.#taken();
        // A write that was under way when the socket was destroyed is called back as if it had gone well.
        if (error || socket.destroyed) return reject(this.#gone());
        sent(bytes);
        resolve();
      });
    });
  }

  /** False once it is ending: what the other side closed takes no more. */
  get isWritable(): boolean {
    return this.#with.socket.writable;
  }

  /** Resolves when it has ended, after `lost` was called. */
  async waitForClose(): Promise<void> {
    const { socket } = this.#with;
    if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  }

  /** Whether it is us who ended it, for the other side did not do its part. */
  get isAborted(): boolean {
    return this.#isGivenUp;
  }

  /** Ends it because of `cause`, which is told. */
  abort(cause: Error): void {
    this.#isGivenUp = true;
    this.#cause ??= cause;
    this.#with.socket.destroy();
  }

  /** Twice is fine, and waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#with.socket.destroy();
    await this.waitForClose();
  }

  /** While something waits, the time runs from when something was taken last; what is sent meanwhile changes nothing. */
  #taken(): void {
    this.#unwatch?.();
    this.#unwatch = this.#waiting.size === 0 ? undefined : this.#stalled();
  }

  #stalled(): Cancel {
    const { clock, name } = this.#with;
    return clock.after(STALL_TIMEOUT_MS, () =>
      this.abort(fault('DEVICE_OFFLINE', `${name} takes nothing of what is sent; look at the device`)),
    );
  }

  #end(): void {
    const gone = this.#gone();
    for (const reject of this.#waiting) reject(gone);
    this.#waiting.clear();
    this.#taken();
    if (!this.#isClosed) this.#with.onLost(gone);
  }

  #gone(): Error {
    const { name } = this.#with;
    if (this.#isClosed) return fault('DEVICE_OFFLINE', `${name} was closed meanwhile`);
    if (this.#cause === undefined)
      return fault('DEVICE_OFFLINE', `${name}: the other side closed the connection`);
    return mapSocketError(this.#cause, name);
  }
}
