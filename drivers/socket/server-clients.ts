import { coded } from '../../src/base/codes/coded-text.js';
import type { Socket } from 'node:net';
import type { Clock } from '../../src/base/clock.js';
import { codeOf, fault, messageOf } from '../../src/base/fault.js';
import { peerName, type Peer } from '../../src/device/byte-stream.js';
import { TcpConnection } from './tcp-connection.js';
import { findDeadPeers } from './dead-peers.js';

/** A client that was silent for this long may be dropped to make room for a new one. */
export const MIN_SILENT_MS = 10_000;

/** The dependencies of the clients of a server. */
interface ServerClientsOptions {
  /** Name of the server for messages: `127.0.0.1:9000`. */
  readonly name: string;
  readonly clock: Clock;
  readonly onJoin: (who: Peer) => void;
  readonly onData: (bytes: Buffer, from: Peer) => void;
  readonly onSent: (bytes: Uint8Array, to: Peer) => void;
  /** A client has left, and why; `dropped` if we closed the connection. */
  readonly onLeave: (who: Peer, why: string, dropped: boolean) => void;
}

/** A client as returned by `HW_GetKnownDevices`; times in unix seconds. */
interface KnownClient {
  readonly ClientIP: string;
  readonly ClientPort: number;
  readonly Since: number;
  readonly BytesReceived: number;
  readonly BytesSent: number;
}

interface ConnectedClient {
  readonly who: Peer;
  readonly socket: Socket;
  readonly connection: TcpConnection;
  readonly sinceMs: number;
  heardNs: bigint;
}

/** The clients of a server. They are independent: a slow or silent client does not block the others. */
export class ServerClients {
  readonly #options: ServerClientsOptions;
  readonly #all = new Map<string, ConnectedClient>();

  constructor(options: ServerClientsOptions) {
    this.#options = options;
  }

  /** Adds an accepted connection. */
  add(socket: Socket): void {
    const { remoteAddress, remotePort } = socket;
    // The client has already disconnected.
    if (remoteAddress === undefined || remotePort === undefined) return void socket.destroy();
    const { clock, onJoin, onData, onSent, onLeave } = this.#options;
    const who: Peer = { address: normalizeAddress(remoteAddress), port: remotePort };
    const name = peerName(who);
    this.#replace(name);
    const connection = new TcpConnection({
      socket,
      name,
      clock,
      onData: (bytes) => {
        client.heardNs = clock.monotonicNs();
        onData(bytes, who);
      },
      onSent: (bytes) => onSent(bytes, who),
      onLost: (cause) => {
        // It was replaced by a new connection from the same address and port, and has been reported.
        if (this.#all.get(name) !== client) return;
        this.#all.delete(name);
        onLeave(who, messageOf(cause), connection.isAborted);
      },
    });
    const client: ConnectedClient = {
      who,
      socket,
      connection,
      sinceMs: clock.nowMs(),
      heardNs: clock.monotonicNs(),
    };
    this.#all.set(name, client);
    onJoin(who);
  }

  /** Closes the client of this name, if any: there is a new connection from its address and port. */
  #replace(name: string): void {
    const older = this.#all.get(name);
    if (older === undefined) return;
    this.#all.delete(name);
    const cause = fault('DEVICE_OFFLINE', coded`RECONNECTED: ${name} has reconnected`);
    this.#options.onLeave(older.who, messageOf(cause), false);
    older.connection.abort(cause);
  }

  /**
   * Sends to all clients; resolves when the kernel has accepted the data for one of them. A client that
   * cannot accept it is dropped, because its data would have a gap. Rejects with `DEVICE_OFFLINE` if there
   * are no clients, or `TEXT_TOO_LONG`.
   */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.#all.size === 0)
      throw fault(
        'DEVICE_OFFLINE',
        coded`NO_CLIENT_CONNECTED: no client is connected to ${this.#options.name}`,
      );
    const sends = Array.from(this.#all.values(), async ({ connection }) => {
      try {
        await connection.send(bytes);
      } catch (thrown) {
        if (codeOf(thrown) === 'DEVICE_OFFLINE') connection.abort(thrown as Error);
        throw thrown;
      }
    });
    await Promise.any(sends).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
  }

  /** Sends to one client. Rejects with `DEVICE_OFFLINE`, also if it is not connected, or `TEXT_TOO_LONG`. */
  async sendTo(bytes: Uint8Array, to: Peer): Promise<void> {
    const name = peerName({ address: normalizeAddress(to.address), port: to.port });
    const client = this.#all.get(name);
    if (client === undefined)
      throw fault(
        'DEVICE_OFFLINE',
        coded`CLIENT_NOT_CONNECTED_TO: no client ${name} is connected to ${this.#options.name}`,
      );
    await client.connection.send(bytes);
  }

  knownClients(): KnownClient[] {
    return Array.from(this.#all.values(), ({ who, socket, sinceMs }) => ({
      ClientIP: who.address,
      ClientPort: who.port,
      Since: Math.floor(sinceMs / 1000),
      BytesReceived: socket.bytesRead,
      BytesSent: socket.bytesWritten,
    }));
  }

  /** Drops clients that were silent for `idleS` seconds. */
  dropSilent(idleS: number): void {
    const limitNs = this.#options.clock.monotonicNs() - BigInt(idleS) * 1_000_000_000n;
    for (const { who, connection, heardNs } of this.#all.values())
      if (heardNs <= limitNs)
        connection.abort(
          fault('DEVICE_OFFLINE', coded`SILENT_S: ${peerName(who)} was silent for ${idleS} s`),
        );
  }

  /**
   * Drops a client to make room for a new one. Among those that were silent for at least {@link
   * MIN_SILENT_MS}, it is the one that was silent for longest, from the address with most clients. Returns
   * false if there is none.
   */
  makeRoom(): boolean {
    const limitNs = this.#options.clock.monotonicNs() - BigInt(MIN_SILENT_MS) * 1_000_000n;
    const counts = new Map<string, number>();
    for (const { who } of this.#all.values()) counts.set(who.address, (counts.get(who.address) ?? 0) + 1);
    const clientsAt = ({ who }: ConnectedClient) => counts.get(who.address) ?? 0;
    const [silent] = [...this.#all.values()]
      .filter(({ heardNs }) => heardNs <= limitNs)
      .toSorted((a, b) => clientsAt(b) - clientsAt(a) || Number(a.heardNs - b.heardNs));
    if (silent === undefined) return false;
    const why = coded`SILENT_LONGEST_WHEN_NEW: ${peerName(silent.who)} was silent for longest when a new client connected; raise Limit`;
    silent.connection.abort(fault('DEVICE_OFFLINE', why));
    return true;
  }

  /** Drops clients that no longer acknowledge data. */
  async dropDead(): Promise<void> {
    const gone = new Set(await findDeadPeers(Array.from(this.#all.values(), ({ socket }) => socket)));
    for (const { who, socket, connection } of this.#all.values())
      if (gone.has(socket))
        connection.abort(
          fault('DEVICE_OFFLINE', coded`NO_LONGER_RESPONDS: ${peerName(who)} no longer responds`),
        );
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    const all = [...this.#all.values()];
    this.#all.clear();
    await Promise.all(all.map(({ connection }) => connection.close()));
  }
}

/** On an IPv6 socket, IPv4 clients have IPv4-mapped addresses (RFC 4291 §2.5.5.2). */
function normalizeAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
