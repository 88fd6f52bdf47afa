import { coded } from '../../base/codes/coded-text.js';
import type { Socket } from 'node:net';
import type { LimitReporter } from '../../base/limit-reporter.js';
import { clientKey } from '../../base/addresses.js';

/**
 * Open connections that are neither a verified owner's nor a session, each of some 15 KB: twice the panels of
 * a large building. Connections of the owner are not limited, and sessions have a limit of their own.
 */
export const CONNECTIONS_LIMIT = 1024;
/**
 * The same for one address. A proxy's address represents many clients, but a proxy keeps few connections
 * open.
 */
export const CONNECTIONS_PER_ADDRESS = 256;

const WHAT_TO_DO = coded`FIND_CLIENT_LEAVES_CONNECTIONS: find the client that leaves connections open; the longest idle ones are closed`;

/**
 * The connections of all listeners that count towards the limits. A new connection is always accepted: at a
 * limit, the connection that has been idle longest is closed for it.
 */
export class ConnectionTable {
  readonly #limits: LimitReporter;
  /** The longest idle one first; with its client's key once that has been needed. */
  readonly #idle = new Map<Socket, string | undefined>();

  constructor(limits: LimitReporter) {
    this.#limits = limits;
  }

  /** How many connections count. */
  get size(): number {
    return this.#idle.size;
  }

  add(socket: Socket): void {
    // With fewer connections no address can be at its limit, and the addresses are not needed.
    if (this.#idle.size >= CONNECTIONS_PER_ADDRESS) this.#makeRoomFor(socket);
    this.#enter(socket);
  }

  /** Counts a TLS socket in place of the TCP socket below it, which was added before. */
  secured(socket: Socket): void {
    const { remoteAddress, remotePort } = socket;
    for (const bare of this.#idle.keys()) {
      if (bare.remotePort !== remotePort || bare.remoteAddress !== remoteAddress) continue;
      this.release(bare);
      break;
    }
    this.#enter(socket);
  }

  /**
   * A request has arrived on the connection: it is now the last one to be closed. Ignored if it does not
   * count.
   */
  touch(socket: Socket): void {
    if (!this.#idle.has(socket)) return;
    const key = this.#idle.get(socket);
    this.#idle.delete(socket);
    this.#idle.set(socket, key);
  }

  /** The connection no longer counts: it is closed, a verified owner's, or a session. */
  release(socket: Socket): void {
    this.#idle.delete(socket);
  }

  #enter(socket: Socket): void {
    if (socket.destroyed) return;
    this.#idle.set(socket, undefined);
    socket.once('close', () => this.release(socket));
  }

  #makeRoomFor({ remoteAddress = '' }: Socket): void {
    const client = clientKey(remoteAddress);
    let [count, oldest] = [0, undefined as Socket | undefined];
    for (const [socket, key = clientKey(socket.remoteAddress ?? '')] of this.#idle) {
      this.#idle.set(socket, key);
      if (key !== client) continue;
      count += 1;
      oldest ??= socket;
    }
    if (count >= CONNECTIONS_PER_ADDRESS) {
      this.#limits.report(
        coded`CONNECTIONS_PER_ADDRESS: ${CONNECTIONS_PER_ADDRESS} connections per address`,
        client,
        WHAT_TO_DO,
      );
    } else {
      if (this.#idle.size < CONNECTIONS_LIMIT) return;
      this.#limits.report(coded`CONNECTIONS: ${CONNECTIONS_LIMIT} connections`, client, WHAT_TO_DO);
      [oldest] = this.#idle.keys();
    }
    if (oldest === undefined) return;
    this.release(oldest);
    oldest.destroy();
  }
}
