import { coded } from '../../src/base/codes/coded-text.js';
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/event-loop.js';
import { mapSocketError } from './socket-errors.js';

/** Limit of queued bytes that the peer has not accepted yet. */
export const QUEUE_LIMIT = 256 * 1024;

/** How long the peer may accept none of the queued data before the connection is closed. */
export const STALL_TIMEOUT_MS = 5_000;

/** How long the peer may take to receive what was sent before, and to close its side. */
export const CLOSE_LIMIT_MS = 1_000;

/**
 * When the kernel starts to send TCP keepalive probes on an idle connection; ten probes follow, one per
 * second.
 */
export const KEEPALIVE_IDLE_MS = 15_000;

/** Chunks of at least this size indicate a flood; after each one, reading yields to the event loop. */
const LARGE_CHUNK_BYTES = 16 * 1024;

/** The dependencies of a connection. */
interface TcpConnectionOptions {
  readonly socket: Socket;
  /** For messages: `192.168.1.5:23`. */
  readonly name: string;
  readonly clock: Clock;
  readonly onData: (bytes: Buffer) => void;
  /** Called with the bytes that the kernel accepted. */
  readonly onSent: (bytes: Uint8Array) => void;
  /** The connection is lost; called at most once, and not after `close()`. */
  readonly onLost: (cause: Error) => void;
}

/** Makes `resetAndDestroy` work for a TLS socket over `socket`: Node itself resets TCP sockets only. */
export function withReset(tlsSocket: Socket, socket: Socket): Socket {
  const resetAndDestroy = () => {
    socket.resetAndDestroy();
    return tlsSocket.destroy();
  };
  return Object.assign(tlsSocket, { resetAndDestroy });
}

/**
 * An open TCP connection. Data that was not accepted before its end is discarded, and never sent later: the
 * connection is reset, because the kernel retransmits the data of a closed one for minutes (tcp(7),
 * tcp_orphan_retries).
 */
export class TcpConnection {
  readonly #options: TcpConnectionOptions;
  /** Reject callbacks of the sends in flight. */
  readonly #inFlight = new Set<(cause: Error) => void>();
  #cancelStallTimeout: Cancel | undefined;
  #cause: unknown;
  #closing: Promise<void> | undefined;
  #isAborted = false;

  constructor(options: TcpConnectionOptions) {
    this.#options = options;
    const { socket, onData } = options;
    socket.on('data', (bytes: Buffer) => {
      if (this.#closing !== undefined) return;
      onData(bytes);
      if (bytes.length < LARGE_CHUNK_BYTES) return;
      socket.pause();
      void yieldToEventLoop().then(() => socket.resume());
    });
    socket.on('error', (error) => (this.#cause ??= error));
    socket.on('close', () => this.#end());
  }

  /** Resolves when the kernel has accepted all bytes. Rejects with `DEVICE_OFFLINE`, `TEXT_TOO_LONG`. */
  async send(bytes: Uint8Array): Promise<void> {
    const { socket, name, onSent } = this.#options;
    if (!socket.writable) throw this.#endedFault();
    if (bytes.length > QUEUE_LIMIT)
      throw fault('TEXT_TOO_LONG', coded`WHAT_DATA: The data`, QUEUE_LIMIT, 'bytes');
    const { writableLength } = socket;
    if (writableLength + bytes.length > QUEUE_LIMIT) {
      throw fault(
        'DEVICE_OFFLINE',
        coded`TOO_SLOW_BYTES_QUEUED: ${name} is too slow: ${writableLength} bytes are queued; send less`,
      );
    }
    await new Promise<void>((resolve, reject) => {
      this.#inFlight.add(reject);
      this.#cancelStallTimeout ??= this.#startStallTimeout();
      socket.write(bytes, (error) => {
        this.#inFlight.delete(reject);
        this.#restartStallTimeout();
        // A write in flight when the socket is destroyed calls back without an error.
        if (error || socket.destroyed) return reject(this.#endedFault());
        onSent(bytes);
        resolve();
      });
    });
  }

  /** False once the connection is closing: nothing can be sent after the peer has closed it. */
  get isWritable(): boolean {
    return this.#options.socket.writable;
  }

  /** Resolves when the connection has ended, after `onLost` was called. */
  async waitForClose(): Promise<void> {
    const { socket } = this.#options;
    if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  }

  /** Whether we closed the connection because of the peer's behaviour. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Closes the connection, and reports `cause`. */
  abort(cause: Error): void {
    this.#isAborted = true;
    this.#cause ??= cause;
    this.#options.socket.resetAndDestroy();
  }

  /** Waits until the peer has closed its side too, for a limited time. A second call waits for the first. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { socket, clock } = this.#options;
    if (this.#inFlight.size > 0) socket.resetAndDestroy();
    else socket.end().resume();
    const cancel = clock.after(CLOSE_LIMIT_MS, () => {
      // libuv does not reset a socket while its shutdown is in progress.
      if (socket.writableFinished) socket.resetAndDestroy();
      else socket.destroy();
    });
    await this.waitForClose();
    cancel();
  }

  /** Restarts the stall timeout when the peer accepts data; sending more data does not extend it. */
  #restartStallTimeout(): void {
    this.#cancelStallTimeout?.();
    this.#cancelStallTimeout = this.#inFlight.size === 0 ? undefined : this.#startStallTimeout();
  }

  #startStallTimeout(): Cancel {
    const { clock, name } = this.#options;
    return clock.after(STALL_TIMEOUT_MS, () =>
      this.abort(
        fault(
          'DEVICE_OFFLINE',
          coded`STOPPED_READING_CHECK_DEVICE: ${name} has stopped reading; check the device`,
        ),
      ),
    );
  }

  #end(): void {
    const gone = this.#endedFault();
    for (const reject of this.#inFlight) reject(gone);
    this.#inFlight.clear();
    this.#restartStallTimeout();
    if (this.#closing === undefined) this.#options.onLost(gone);
  }

  #endedFault(): Error {
    const { name } = this.#options;
    if (this.#closing !== undefined) return fault('DEVICE_OFFLINE', coded`CLOSED: ${name} was closed`);
    if (this.#cause === undefined)
      return fault('DEVICE_OFFLINE', coded`PEER_CLOSED_CONNECTION: ${name}: the peer closed the connection`);
    return mapSocketError(this.#cause, name);
  }
}
