import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { reservePort } from '../../tools/reserve-port.js';
import { withinPatience, until } from '../../tools/until.js';

/** A device with a TCP port on 127.0.0.1 that records what it receives, and sends what a test requires. */
export class TcpPeer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #heard: Buffer[] = [];
  #connections = 0;

  /** Uses TLS if options for it are given. */
  constructor(tls?: TlsOptions) {
    this.#server = tls === undefined ? createServer() : createTlsServer(tls);
    this.#server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      this.#connections += 1;
      this.#sockets.add(socket);
      socket.on('data', (bytes: Buffer) => this.#heard.push(bytes));
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(tls?: TlsOptions): Promise<TcpPeer> {
    const far = new TcpPeer(tls);
    await far.plug();
    return far;
  }

  get port(): number {
    return this.#port;
  }

  /** Number of accepted connections. */
  get connections(): number {
    return this.#connections;
  }

  get sockets(): readonly Socket[] {
    return [...this.#sockets];
  }

  /** Everything received since it was last plugged in. */
  received(): Buffer {
    return Buffer.concat(this.#heard);
  }

  say(bytes: Buffer | string): void {
    for (const socket of this.#sockets) socket.write(bytes);
  }

  /** Stops reading. */
  deaf(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /** Listens, on the same port as before. */
  async plug(): Promise<void> {
    this.#heard = [];
    if (this.#port === 0) this.#port = await reservePort();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Ends all connections, and stops listening. */
  async unplug(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await withinPatience('the peer to be gone', closed);
  }

  /** Waits until this number of connections is open. */
  async connected(count = 1): Promise<void> {
    await until(`${count} connections`, () => this.#sockets.size >= count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.unplug();
  }
}
