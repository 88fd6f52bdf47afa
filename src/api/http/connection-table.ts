import type { Socket } from 'node:net';
import type { LimitReporter } from '../../base/limit-reporter.js';
import { clientKey } from '../access/addresses.js';

/**
 * Connections at a time that nobody has shown to be the owner's or a session's, each of some 15 KB: twice the panels of a
 * large house. The owner's are not limited, and sessions have a limit of their own.
 */
export const CONNECTIONS_LIMIT = 1024;
/** The same from one address. A proxy's address stands for many, but it keeps few connections open to each server. */
export const CONNECTIONS_PER_ADDRESS = 256;

const WHAT_TO_DO =
  'look for a client that leaves connections open; those that were idle longest are closed by themselves';

/**
 * The connections of all listeners. A new one always gets in: at a limit, the one makes room that has asked for nothing
 * for the longest time.
 */
export class ConnectionTable {
  readonly #limits: LimitReporter;
  /** Those that count, by address; in each, and among the addresses, the one that was idle longest comes first. */
  readonly #idle = new Map<Socket, string>();
  readonly #byAddress = new Map<string, Set<Socket>>();

  constructor(limits: LimitReporter) {
    this.#limits = limits;
  }

  /** Those that count. */
  get size(): number {
    return this.#idle.size;
  }

  add(socket: Socket): void {
    const { remoteAddress } = socket;
    // Closed already.
    if (remoteAddress === undefined) return;
    const who = whoOf(remoteAddress);
    const own = this.#byAddress.get(who);
    const [oldest] = own ?? [];
    if (own !== undefined && oldest !== undefined && own.size >= CONNECTIONS_PER_ADDRESS) {
      this.#limits.report(`${CONNECTIONS_PER_ADDRESS} connections per address`, who, WHAT_TO_DO);
      this.#close(oldest);
    } else if (this.#idle.size >= CONNECTIONS_LIMIT) {
      this.#limits.report(`${CONNECTIONS_LIMIT} connections`, who, WHAT_TO_DO);
      for (const [first] of this.#idle) {
        this.#close(first);
        break;
      }
    }
    this.#enter(socket, who);
    socket.once('close', () => this.release(socket));
  }

  /** TLS is spoken on a connection that was added: it counts as this socket from now on. */
  secured(socket: Socket): void {
    const { remoteAddress, remotePort } = socket;
    if (remoteAddress === undefined) return;
    const who = whoOf(remoteAddress);
    for (const bare of this.#byAddress.get(who) ?? []) {
      if (bare.remotePort !== remotePort) continue;
      this.release(bare);
      break;
    }
    this.#enter(socket, who);
    socket.once('close', () => this.release(socket));
  }

  /** A request came over it: it is the last to make room. Nothing for one that does not count. */
  touch(socket: Socket): void {
    const who = this.#idle.get(socket);
    if (who === undefined) return;
    this.release(socket);
    this.#enter(socket, who);
  }

  /** It is the owner's, or a session with a limit of its own: it counts no more. */
  release(socket: Socket): void {
    const who = this.#idle.get(socket);
    if (who === undefined) return;
    this.#idle.delete(socket);
    const own = this.#byAddress.get(who);
    own?.delete(socket);
    if (own?.size === 0) this.#byAddress.delete(who);
  }

  #enter(socket: Socket, who: string): void {
    this.#idle.set(socket, who);
    const own = this.#byAddress.get(who);
    if (own === undefined) this.#byAddress.set(who, new Set([socket]));
    else own.add(socket);
  }

  #close(socket: Socket): void {
    this.release(socket);
    socket.destroy();
  }
}

const whoOf = (remoteAddress: string): string => clientKey(remoteAddress.replace(/^::ffff:(?=\d+\.)/, ''));
