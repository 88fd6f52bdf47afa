import { coded } from '../../src/base/codes/coded-text.js';
import type { Socket } from 'node:net';
import { delay, type Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { TcpConnection, QUEUE_LIMIT } from './tcp-connection.js';

/**
 * Minimum time between two connections. It allows about fifteen requests per second to a device that closes
 * after each reply, and limits the cost of a peer that accepts and closes immediately.
 */
const RECONNECT_INTERVAL_MS = 50;

/**
 * A connection that ends sooner, before anything was sent over it, was rejected, even with a message ("Port
 * already in use"): reconnecting immediately would loop.
 */
const REJECTED_WITHIN_MS = 1_000;

/** The dependencies of a reconnecting client. */
interface ReconnectingClientOptions {
  /** For messages: `192.168.1.5:23`. */
  readonly name: string;
  readonly clock: Clock;
  /** Opens a connection; rejects with a fault that says what to do. */
  readonly connect: () => Promise<Socket>;
  /** Aborts to prevent further connections. */
  readonly signal: AbortSignal;
  readonly onData: (bytes: Buffer) => void;
  readonly onSent: (bytes: Uint8Array) => void;
  /** The peer closed the connection, and a new one is being opened: incomplete data will not be completed. */
  readonly onDisconnect: () => void;
  /** The connection is lost for good; called at most once, and not after `close()`. */
  readonly onLost: (cause: Error) => void;
}

/**
 * A connection that is reopened immediately if the peer closes it after having sent something: some devices
 * close after each reply. Any other end, including a rejected connection, is a loss.
 */
export class ReconnectingClient {
  readonly #options: ReconnectingClientOptions;
  /** The current connection, or the next one; rejects if it cannot be opened. */
  #connecting: Promise<TcpConnection>;
  #socket: Socket | undefined;
  #connectedMs = 0;
  #waitingBytes = 0;
  #isClosed = false;

  constructor(options: ReconnectingClientOptions, socket: Socket) {
    this.#options = options;
    this.#connecting = Promise.resolve(this.#attach(socket));
  }

  /** The socket of the current connection, if any. */
  get socket(): Socket | undefined {
    return this.#socket;
  }

  /**
   * As `Connection.send`. Bytes that wait for the next connection count against the limit, and fail with it.
   */
  async send(bytes: Uint8Array): Promise<void> {
    const { name } = this.#options;
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes.length > QUEUE_LIMIT)
      throw fault(
        'DEVICE_OFFLINE',
        coded`TOO_SLOW_BYTES_QUEUED: ${name} is too slow: ${this.#waitingBytes} bytes are queued; send less`,
      );
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

  /** A second call waits for the first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connecting.catch(() => undefined); // reported as lost
    await connection?.close();
  }

  #attach(socket: Socket): TcpConnection {
    const { name, clock, onData, onSent, onLost } = this.#options;
    let hasReceived = false;
    let hasSent = false;
    this.#socket = socket;
    this.#connectedMs = this.#nowMs();
    const connection = new TcpConnection({
      socket,
      name,
      clock,
      onSent: (bytes) => {
        hasSent = true;
        onSent(bytes);
      },
      onData: (bytes) => {
        hasReceived = true;
        onData(bytes);
      },
      onLost: (cause) => {
        this.#socket = undefined;
        if (this.#isClosed) return;
        const isRejection = !hasSent && this.#nowMs() < this.#connectedMs + REJECTED_WITHIN_MS;
        if (!hasReceived || isRejection || connection.isAborted) return onLost(cause);
        this.#connecting = this.#reconnect();
        this.#connecting.catch((thrown: Error) => {
          if (!this.#isClosed) onLost(thrown);
        });
        this.#options.onDisconnect();
      },
    });
    return connection;
  }

  async #reconnect(): Promise<TcpConnection> {
    const { clock, signal, connect } = this.#options;
    const waitMs = this.#connectedMs + RECONNECT_INTERVAL_MS - this.#nowMs();
    if (waitMs > 0) await delay(clock, Math.ceil(waitMs), signal);
    const socket = await connect();
    const connection = this.#attach(socket);
    if (this.#isClosed) await connection.close();
    return connection;
  }

  #nowMs(): number {
    return Number(this.#options.clock.monotonicNs()) / 1e6;
  }
}
