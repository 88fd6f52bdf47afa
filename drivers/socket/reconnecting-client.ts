import type { Socket } from 'node:net';
import { delay, type Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { TcpConnection, QUEUE_LIMIT } from './tcp-connection.js';

/**
 * The shortest time from one connection to the next: fifteen a second are what a device manages that closes after each
 * reply, and what a peer may cost that does nothing but accept and close.
 */
export const RECONNECT_INTERVAL_MS = 50;

/**
 * What ends sooner, without anything sent over it, was refused however politely ("Port already in use"): reconnecting at
 * once would have no end.
 */
const REJECTED_WITHIN_MS = 1_000;

/** What a client socket works with. */
export interface ReconnectingClientOptions {
  /** For status texts: `192.168.1.5:23`. */
  readonly name: string;
  readonly clock: Clock;
  /** Connects; rejects with a fault that says what to do. */
  readonly connect: () => Promise<Socket>;
  /** Aborts when no other connection is to be made. */
  readonly signal: AbortSignal;
  readonly onData: (bytes: Buffer) => void;
  readonly onSent: (bytes: Uint8Array) => void;
  /** The peer closed the connection, and another is being made: what was begun is over. */
  readonly onDisconnect: () => void;
  /** There is no connection any more, and why; at most once, and not after `close()`. */
  readonly onLost: (cause: Error) => void;
}

/**
 * A connection that is made again immediately if the peer closes it after it has said something: some devices close after
 * each reply. Any other end of a connection is a loss, and so is that of one that was refused.
 */
export class ReconnectingClient {
  readonly #with: ReconnectingClientOptions;
  /** The present connection, or the next one; rejects if it can't be made. */
  #connecting: Promise<TcpConnection>;
  #socket: Socket | undefined;
  #connectedMs = 0;
  #waitingBytes = 0;
  #isClosed = false;

  constructor(parts: ReconnectingClientOptions, socket: Socket) {
    this.#with = parts;
    this.#connecting = Promise.resolve(this.#use(socket));
  }

  /** The socket of the present connection, if there is one. */
  get socket(): Socket | undefined {
    return this.#socket;
  }

  /** As `Connection.send`; what waits for the next connection counts to the limit, and fails with it. */
  async send(bytes: Uint8Array): Promise<void> {
    const { name } = this.#with;
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes.length > QUEUE_LIMIT)
      throw fault('DEVICE_OFFLINE', `${name} is behind: ${this.#waitingBytes} bytes wait for it; send less`);
    this.#waitingBytes += bytes.length;
    let connection: TcpConnection;
    try {
      connection = await this.#connecting;
      if (!connection.isWritable) {
        await connection.waitForClose();
        connection = await this.#connecting;
      }
    } finally {
      this.#waitingBytes -= bytes.length;
    }
    await connection.send(bytes);
  }

  /** Twice is fine, and waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connecting.catch(() => undefined);
    await connection?.close();
  }

  #use(socket: Socket): TcpConnection {
    const { name, clock, onData: received, onSent: sent, onLost: lost } = this.#with;
    let hasSpoken = false;
    let hasAsked = false;
    this.#socket = socket;
    this.#connectedMs = this.#nowMs();
    const connection = new TcpConnection({
      socket,
      name,
      clock,
      onSent: (bytes) => {
        hasAsked = true;
        sent(bytes);
      },
      onData: (bytes) => {
        hasSpoken = true;
        received(bytes);
      },
      onLost: (cause) => {
        this.#socket = undefined;
        if (this.#isClosed) return;
        const isRefusal = !hasAsked && this.#nowMs() < this.#connectedMs + REJECTED_WITHIN_MS;
        if (!hasSpoken || isRefusal || connection.isAborted) return lost(cause);
        this.#connecting = this.#again();
        this.#connecting.catch((thrown: Error) => {
          if (!this.#isClosed) lost(thrown);
        });
        this.#with.onDisconnect();
      },
    });
    return connection;
  }

  async #again(): Promise<TcpConnection> {
    const { clock, signal, connect: dial } = this.#with;
    const waitMs = this.#connectedMs + RECONNECT_INTERVAL_MS - this.#nowMs();
    if (waitMs > 0) await delay(clock, Math.ceil(waitMs), signal);
    const socket = await dial();
    const connection = this.#use(socket);
    if (this.#isClosed) await connection.close();
    return connection;
  }

  #nowMs(): number {
    return Number(this.#with.clock.monotonicNs()) / 1e6;
  }
}
