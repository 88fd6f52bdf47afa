import { coded } from '../../src/base/codes/coded-text.js';
import { createSocket, type Socket } from 'node:dgram';
import { isIP, isIPv6, SocketAddress } from 'node:net';
import type { Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { peerName, type Peer } from '../../src/device/byte-stream.js';
import { withTimeout } from '../../src/device/toolkit/timeout.js';
import { mapSocketError } from './socket-errors.js';

/** Largest payload of a datagram over IPv4: 65,535 bytes minus two headers. */
export const DATAGRAM_LIMIT = 65_507;

/** Limit of bytes that wait for name resolution and for the kernel. */
export const QUEUE_LIMIT = 256 * 1024;

/** Overhead that each datagram counts in addition to its bytes, because empty ones take memory too. */
const DATAGRAM_COST = 256;

/**
 * How long a datagram may wait for name resolution, and then for the kernel. Both together are shorter than
 * the limit of a write.
 */
export const SEND_TIMEOUT_MS = 4_500;

/** Number of recent destinations from which replies are accepted. */
export const RECENT_PEERS_LIMIT = 64;

/** Options for opening a datagram socket. */
interface DatagramOptions {
  /** Local address; empty for any. */
  readonly address: string;
  /** Local port; 0 for an ephemeral port. */
  readonly port: number;
  /** Default destination, which determines the address family if no local address is set. */
  readonly host: string;
  readonly broadcast: boolean;
  readonly reuse: boolean;
}

/** The dependencies of a datagram socket. */
interface DatagramContext {
  readonly clock: Clock;
  readonly names: Pick<NameResolver, 'addressesOf'>;
  /** Called with at least one byte, but not after `close()`. */
  onData(bytes: Buffer, from: Peer): void;
  /** Called if the socket fails, but not after `close()`. */
  onLost(cause: Error): void;
}

/**
 * An open datagram socket. On an ephemeral port, it only accepts replies from recent destinations, unless
 * broadcasts are enabled, whose replies may come from any address.
 */
export class DatagramSocket {
  readonly #socket: Socket;
  readonly #context: DatagramContext;
  readonly #family: 4 | 6;
  readonly #acceptsAll: boolean;
  readonly #ending = new AbortController();
  /** Recent destinations, the latest last. */
  readonly #recentPeers = new Set<string>();
  #waitingBytes = 0;
  #closing: Promise<void> | undefined;

  private constructor(
    socket: Socket,
    { address, port, host, broadcast }: DatagramOptions,
    context: DatagramContext,
  ) {
    this.#socket = socket;
    this.#context = context;
    this.#family = familyOf({ address, host });
    this.#acceptsAll = port !== 0 || broadcast;
    socket.on('message', (bytes, { address, port }) => {
      if (this.#closing !== undefined || bytes.length === 0) return;
      if (this.#acceptsAll || this.#recentPeers.has(canonicalAddress(address)))
        context.onData(bytes, { address, port });
    });
    socket.on('error', (error) => {
      if (this.#closing === undefined) context.onLost(mapSocketError(error, coded`SOCKET: the socket`));
    });
  }

  /** Rejects with a fault that says what to do. */
  static async open(binding: DatagramOptions, context: DatagramContext): Promise<DatagramSocket> {
    const { address, port, broadcast, reuse } = binding;
    const socket = createSocket({ type: `udp${familyOf(binding)}`, reuseAddr: reuse });
    try {
      const isName = address !== '' && isIP(address) === 0;
      const [bound = ''] = isName ? await context.names.addressesOf(address) : [address];
      await new Promise<void>((resolve, reject) => {
        socket.once('listening', resolve);
        socket.once('error', reject);
        socket.bind({ port, exclusive: true, ...(bound === '' ? {} : { address: bound }) });
      });
      if (broadcast) socket.setBroadcast(true);
    } catch (thrown) {
      socket.close();
      throw mapSocketError(thrown, peerName({ address, port }));
    }
    return new DatagramSocket(socket, binding, context);
  }

  /** The port that is bound. */
  get port(): number {
    return this.#socket.address().port;
  }

  /**
   * Resolves when the kernel has accepted the datagram. Rejects with `DEVICE_OFFLINE`, `DEVICE_CONFIGURATION`
   * or `TEXT_TOO_LONG`; the datagram is then never sent.
   */
  async send(bytes: Uint8Array, to: Peer): Promise<void> {
    if (bytes.length > DATAGRAM_LIMIT)
      throw fault('TEXT_TOO_LONG', coded`WHAT_DATAGRAM: A datagram`, DATAGRAM_LIMIT, 'bytes');
    if (this.#closing !== undefined) throw socketClosed();
    const cost = bytes.length + DATAGRAM_COST;
    if (this.#waitingBytes + cost > QUEUE_LIMIT)
      throw fault(
        'DEVICE_OFFLINE',
        coded`NETWORK_TOO_SLOW_BYTES: the network is too slow: ${this.#waitingBytes} bytes are queued; send less`,
      );
    this.#waitingBytes += cost;
    try {
      const address = await this.#withTimeout(to, this.#resolved(to.address));
      this.#ending.signal.throwIfAborted();
      this.#addRecentPeer(address);
      await this.#withTimeout(to, this.#sendTo(bytes, { address, port: to.port }));
    } catch (thrown) {
      throw mapSocketError(thrown, peerName(to));
    } finally {
      this.#waitingBytes -= cost;
    }
  }

  /** Rejects waiting sends. A second call waits for the first. */
  close(): Promise<void> {
    return (this.#closing ??= new Promise((resolve) => {
      this.#ending.abort(socketClosed());
      this.#socket.close(resolve);
    }));
  }

  #withTimeout<T>(to: Peer, promise: Promise<T>): Promise<T> {
    return withTimeout(
      this.#context.clock,
      { ms: SEND_TIMEOUT_MS, what: peerName(to), signal: this.#ending.signal },
      promise,
    );
  }

  async #resolved(name: string): Promise<string> {
    if (isIP(name) !== 0) return name;
    const found = await this.#context.names.addressesOf(name);
    const address = found.find((one) => isIP(one) === this.#family);
    if (address === undefined)
      throw fault('DEVICE_OFFLINE', coded`NO_ADDRESS_OF_FAMILY: the name has no IPv${this.#family} address`);
    return address;
  }

  #addRecentPeer(address: string): void {
    const canonical = canonicalAddress(address);
    this.#recentPeers.delete(canonical);
    this.#recentPeers.add(canonical);
    for (const oldest of this.#recentPeers) {
      if (this.#recentPeers.size <= RECENT_PEERS_LIMIT) break;
      this.#recentPeers.delete(oldest);
    }
  }

  #sendTo(bytes: Uint8Array, { address, port }: Peer): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#socket.send(bytes, port, address, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }
}

function familyOf({ address, host }: Pick<DatagramOptions, 'address' | 'host'>): 4 | 6 {
  return isIPv6(address === '' ? host : address) ? 6 : 4;
}

const socketClosed = () => fault('DEVICE_OFFLINE', coded`SOCKET_CLOSED: the socket was closed`);

/**
 * Canonical form of an address for comparison: an IPv6 address has several spellings, and link-local ones may
 * name an interface.
 */
function canonicalAddress(address: string): string {
  const [bare = ''] = address.split('%');
  return isIPv6(bare) ? new SocketAddress({ address: bare, family: 'ipv6' }).address : bare;
}
