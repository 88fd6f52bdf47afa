import type { Socket } from 'node:net';
import type { Clock } from '../../src/base/clock.js';
import { codeOf, fault, messageOf } from '../../src/base/fault.js';
import { peerName, type Peer } from '../../src/device/byte-stream.js';
import { TcpConnection } from './tcp-connection.js';
import { findDeadPeers } from './dead-peers.js';

/** A client that was silent for so long may be dropped if there is no room for another one. */
export const MIN_SILENT_MS = 10_000;

/** What the clients of a server work with. */
export interface ServerClientsOptions {
  /** The server's, for status texts: `127.0.0.1:9000`. */
  readonly name: string;
  readonly clock: Clock;
  readonly onJoin: (who: Peer) => void;
  readonly onData: (bytes: Buffer, from: Peer) => void;
  readonly onSent: (bytes: Uint8Array, to: Peer) => void;
  /** One is gone, and why; `dropped`: it is us who ended it. */
  readonly onLeave: (who: Peer, why: string, dropped: boolean) => void;
}

/** A client as `HW_GetKnownDevices` shows it; times in unix seconds. */
export interface KnownClient {
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

/** Those who are connected to a server. Each is on its own: one that is slow or silent holds nobody up. */
export class ServerClients {
  readonly #with: ServerClientsOptions;
  readonly #all = new Map<string, ConnectedClient>();

  constructor(parts: ServerClientsOptions) {
    this.#with = parts;
  }

  /** Takes a connection that has come. */
  add(socket: Socket): void {
    const { remoteAddress, remotePort } = socket;
    // It was gone before we saw it.
    if (remoteAddress === undefined || remotePort === undefined) return void socket.destroy();
    const { clock, onJoin: joined, onData: received, onSent: sent, onLeave: left } = this.#with;
    const who: Peer = { address: normalizeAddress(remoteAddress), port: remotePort };
    const name = peerName(who);
    this.#replace(name);
    const connection = new TcpConnection({
      socket,
      name,
      clock,
      onData: (bytes) => {
        client.heardNs = clock.monotonicNs();
        received(bytes, who);
      },
      onSent: (bytes) => sent(bytes, who),
      onLost: (cause) => {
        // Another has come from there meanwhile, and this one was told of then.
        if (this.#all.get(name) !== client) return;
        this.#all.delete(name);
        left(who, messageOf(cause), connection.isAborted);
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
    joined(who);
  }

  /** Ends the one of this name, if there is one: where it came from there is another now. */
  #replace(name: string): void {
    const older = this.#all.get(name);
    if (older === undefined) return;
    this.#all.delete(name);
    const cause = fault('DEVICE_OFFLINE', `${name} has connected anew`);
    this.#with.onLeave(older.who, messageOf(cause), false);
    older.connection.abort(cause);
  }

  /**
   * Sends to all; resolves when the kernel has taken it for one of them. Who can't take it is dropped: what it is sent
   * would have a gap. Rejects with `DEVICE_OFFLINE` when there is nobody, `TEXT_TOO_LONG`.
   */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.#all.size === 0) throw fault('DEVICE_OFFLINE', `no client is connected to ${this.#with.name}`);
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

  /** Sends to one. Rejects with `DEVICE_OFFLINE`, also when it is not connected, and `TEXT_TOO_LONG`. */
  async sendTo(bytes: Uint8Array, to: Peer): Promise<void> {
    const name = peerName({ address: normalizeAddress(to.address), port: to.port });
    const client = this.#all.get(name);
    if (client === undefined)
      throw fault('DEVICE_OFFLINE', `no client ${name} is connected to ${this.#with.name}`);
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

  /** Drops those who have said nothing for so long. */
  dropSilent(idleS: number): void {
    const limitNs = this.#with.clock.monotonicNs() - BigInt(idleS) * 1_000_000_000n;
    for (const { who, connection, heardNs } of this.#all.values())
      if (heardNs <= limitNs)
        connection.abort(fault('DEVICE_OFFLINE', `${peerName(who)} said nothing for ${idleS} s`));
  }

  /**
   * Drops one to make room for another: of those who were silent for {@link MIN_SILENT_MS} at least, the longest silent one of the
   * address that has the most. False: there is none.
   */
  makeRoom(): boolean {
    const limitNs = this.#with.clock.monotonicNs() - BigInt(MIN_SILENT_MS) * 1_000_000n;
    const counts = new Map<string, number>();
    for (const { who } of this.#all.values()) counts.set(who.address, (counts.get(who.address) ?? 0) + 1);
    const countOf = ({ who }: ConnectedClient) => counts.get(who.address) ?? 0;
    const [victim] = [...this.#all.values()]
      .filter(({ heardNs }) => heardNs <= limitNs)
      .toSorted((a, b) => countOf(b) - countOf(a) || Number(a.heardNs - b.heardNs));
    if (victim === undefined) return false;
    const why = `${peerName(victim.who)} was silent for the longest, and another client came; raise Limit`;
    victim.connection.abort(fault('DEVICE_OFFLINE', why));
    return true;
  }

  /** Drops those who are gone without a word. */
  async dropDead(): Promise<void> {
    const gone = new Set(await findDeadPeers(Array.from(this.#all.values(), ({ socket }) => socket)));
    for (const { who, socket, connection } of this.#all.values())
      if (gone.has(socket))
        connection.abort(fault('DEVICE_OFFLINE', `${peerName(who)} does not answer any more`));
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const all = [...this.#all.values()];
    this.#all.clear();
    await Promise.all(all.map(({ connection }) => connection.close()));
  }
}

/** Over a socket for IPv6 those of IPv4 come in its clothes (RFC 4291 §2.5.5.2). */
function normalizeAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
