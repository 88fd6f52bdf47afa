import { createSocket, type Socket } from 'node:dgram';
import { isIP, isIPv6, SocketAddress } from 'node:net';
import type { Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { peerName, type Peer } from '../../src/device/byte-stream.js';
import { withTimeout } from '../../src/device/toolkit/timeout.js';
import { mapSocketError } from './socket-errors.js';

/** The most that one datagram holds over IPv4: 65,535 bytes less two headers. */
export const DATAGRAM_LIMIT = 65_507;

/** What may wait for its name to be resolved and for the kernel, in bytes; more is refused. */
export const QUEUE_LIMIT = 256 * 1024;

/** What one counts for beside its bytes: those that are empty or short take memory too. */
const DATAGRAM_COST = 256;

/** How long one datagram may wait for its name, and then for the kernel; less than a write's deadline in all. */
export const SEND_TIMEOUT_MS = 4_500;

/** Of so many addresses that were sent to last answers are taken. */
export const RECENT_PEERS_LIMIT = 64;

/** How a socket for datagrams is opened. */
export interface DatagramOptions {
  /** Empty: any, and the kernel chooses. */
  readonly address: string;
  /** 0: the kernel chooses. */
  readonly port: number;
  /** Where most goes to, by which the kind of address follows where none is bound. */
  readonly host: string;
  readonly broadcast: boolean;
  readonly reuse: boolean;
}

/** What a socket works with. */
export interface DatagramContext {
  readonly clock: Clock;
  readonly names: Pick<NameResolver, 'addressesOf'>;
  /** At least one byte; nothing after `close()`. */
  onData(bytes: Buffer, from: Peer): void;
  /** Not after `close()`. */
  onLost(cause: Error): void;
}

/**
 * A socket for datagrams that is open. On a port that the kernel chose it takes answers alone: what comes from an
 * address that was sent to lately. With broadcasts allowed nobody can tell who answers, and all is taken.
 */
export class DatagramSocket {
  readonly #socket: Socket;
  readonly #with: DatagramContext;
  readonly #family: 4 | 6;
  readonly #takesAll: boolean;
  readonly #ending = new AbortController();
  /** Who was sent to, the last one last. */
  readonly #asked = new Set<string>();
  #waitingBytes = 0;
  #closing: Promise<void> | undefined;

  private constructor(
    socket: Socket,
    { address, port, host, broadcast }: DatagramOptions,
    parts: DatagramContext,
  ) {
    this.#socket = socket;
    this.#with = parts;
    this.#family = familyOf({ address, host });
    this.#takesAll = port !== 0 || broadcast;
    socket.on('message', (bytes, { address, port }) => {
      if (this.#closing !== undefined || bytes.length === 0) return;
      if (this.#takesAll || this.#asked.has(canonicalAddress(address)))
        parts.onData(bytes, { address, port });
    });
    socket.on('error', (error) => {
      if (this.#closing === undefined) parts.onLost(mapSocketError(error, 'the socket'));
    });
  }

  /** Rejects with a fault that says what to do. */
  static async open(binding: DatagramOptions, parts: DatagramContext): Promise<DatagramSocket> {
    const { address, port, broadcast, reuse } = binding;
    const socket = createSocket({ type: `udp${familyOf(binding)}`, reuseAddr: reuse });
    try {
      const isName = address !== '' && isIP(address) === 0;
      const [bound = ''] = isName ? await parts.names.addressesOf(address) : [address];
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
    return new DatagramSocket(socket, binding, parts);
  }

  /** The port that is bound. */
  get port(): number {
    return this.#socket.address().port;
  }

  /**
   * Resolves when the kernel has taken it. Rejects with `DEVICE_OFFLINE`, `DEVICE_CONFIGURATION`, `TEXT_TOO_LONG`; what
   * waited for its name by then is never sent.
   */
  async send(bytes: Uint8Array, to: Peer): Promise<void> {
    if (bytes.length > DATAGRAM_LIMIT) throw fault('TEXT_TOO_LONG', 'A datagram', DATAGRAM_LIMIT);
    if (this.#closing !== undefined) throw socketClosed();
    const cost = bytes.length + DATAGRAM_COST;
    if (this.#waitingBytes + cost > QUEUE_LIMIT)
      throw fault('DEVICE_OFFLINE', `the network is behind: ${this.#waitingBytes} bytes wait; send less`);
    this.#waitingBytes += cost;
    try {
      const address = await this.#inTime(to, this.#resolved(to.address));
      this.#ending.signal.throwIfAborted();
      this.#expect(address);
      await this.#inTime(to, this.#hand(bytes, { address, port: to.port }));
    } catch (thrown) {
      throw mapSocketError(thrown, peerName(to));
    } finally {
      this.#waitingBytes -= cost;
    }
  }

  /** What waits is rejected. Twice is fine, and waits. */
  close(): Promise<void> {
    return (this.#closing ??= new Promise((resolve) => {
      this.#ending.abort(socketClosed());
      this.#socket.close(resolve);
    }));
  }

  #inTime<T>(to: Peer, promise: Promise<T>): Promise<T> {
    return withTimeout(
      this.#with.clock,
      { ms: SEND_TIMEOUT_MS, what: peerName(to), signal: this.#ending.signal },
      promise,
    );
  }

  async #resolved(name: string): Promise<string> {
    if (isIP(name) !== 0) return name;
    const found = await this.#with.names.addressesOf(name);
    const address = found.find((one) => isIP(one) === this.#family);
    if (address === undefined) throw fault('DEVICE_OFFLINE', `the name has no address of IPv${this.#family}`);
    return address;
  }

  #expect(address: string): void {
    const asked = canonicalAddress(address);
    this.#asked.delete(asked);
    this.#asked.add(asked);
    for (const oldest of this.#asked) {
      if (this.#asked.size <= RECENT_PEERS_LIMIT) break;
      this.#asked.delete(oldest);
    }
  }

  #hand(bytes: Uint8Array, { address, port }: Peer): Promise<void> {
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

const socketClosed = () => fault('DEVICE_OFFLINE', 'the socket was closed meanwhile');

/** An address as it is compared: in IPv6 one has many spellings, and those of a link name the interface. */
function canonicalAddress(address: string): string {
  const [bare = ''] = address.split('%');
  return isIPv6(bare) ? new SocketAddress({ address: bare, family: 'ipv6' }).address : bare;
}
