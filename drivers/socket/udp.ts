import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { fault } from '../../src/base/fault.js';
import { peerName, type Peer } from '../../src/device/stream.js';
import { refusal } from './refusal.js';

/** The most that one datagram holds over IPv4: 65,535 bytes less two headers. */
export const DATAGRAM_LIMIT = 65_507;

/** What may wait for the kernel, in bytes; more is refused. */
const QUEUE_LIMIT = 256 * 1024;

/** How a socket for datagrams is opened. */
export interface Binding {
  /** Empty: any, and the kernel chooses. */
  readonly address: string;
  /** 0: the kernel chooses. */
  readonly port: number;
  /** Where most goes to, by which the kind of address follows where none is bound. */
  readonly host: string;
  readonly broadcast: boolean;
  readonly reuse: boolean;
}

/** Who opens one hears of it here; nothing after `close()`. */
export interface DatagramListener {
  /** At least one byte. */
  received(bytes: Buffer, from: Peer): void;
  lost(cause: Error): void;
}

/** A socket for datagrams that is open. */
export class DatagramSocket {
  readonly #socket: Socket;
  #closing: Promise<void> | undefined;

  private constructor(socket: Socket, { received, lost }: DatagramListener) {
    this.#socket = socket;
    socket.on('message', (bytes, { address, port }) => {
      if (this.#closing === undefined && bytes.length > 0) received(bytes, { address, port });
    });
    socket.on('error', (error) => {
      if (this.#closing === undefined) lost(refusal(error, 'the socket'));
    });
  }

  /** Rejects with a fault that says what to do. */
  static async open(binding: Binding, listener: DatagramListener): Promise<DatagramSocket> {
    const { address, port, host, broadcast, reuse } = binding;
    const type = isIPv6(address === '' ? host : address) ? 'udp6' : 'udp4';
    const socket = createSocket({ type, reuseAddr: reuse });
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('listening', resolve);
        socket.once('error', reject);
        socket.bind({ port, exclusive: true, ...(address === '' ? {} : { address }) });
      });
      if (broadcast) socket.setBroadcast(true);
    } catch (thrown) {
      socket.close();
      throw refusal(thrown, peerName({ address, port }));
    }
    return new DatagramSocket(socket, listener);
  }

  /** The port that is bound. */
  get port(): number {
    return this.#socket.address().port;
  }

  /** Resolves when the kernel has taken it. Rejects with `DEVICE_OFFLINE`, `DEVICE_CONFIGURATION`, `TEXT_TOO_LONG`. */
  async send(bytes: Uint8Array, { address, port }: Peer): Promise<void> {
    if (bytes.length > DATAGRAM_LIMIT) throw fault('TEXT_TOO_LONG', 'A datagram', DATAGRAM_LIMIT);
    if (this.#closing !== undefined) throw fault('DEVICE_OFFLINE', 'the socket was closed meanwhile');
    if (this.#socket.getSendQueueSize() > QUEUE_LIMIT)
      throw fault('DEVICE_OFFLINE', `the network is behind: more than ${QUEUE_LIMIT} bytes wait; send less`);
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(bytes, port, address, (error) => {
        if (error === null) resolve();
        else reject(refusal(error, peerName({ address, port })));
      });
    });
  }

  /** Twice is fine, and waits. */
  close(): Promise<void> {
    return (this.#closing ??= new Promise((resolve) => this.#socket.close(resolve)));
  }
}
