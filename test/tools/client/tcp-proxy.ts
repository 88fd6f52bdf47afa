import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy in front of a server on 127.0.0.1. A test can cut its connections or make it stop forwarding. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isFrozen = false;
  #target: number;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
  }

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, target);
    server.on('connection', (near) => proxy.#join(near, connect(proxy.#target, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Later connections go to another port: the server has been restarted. */
  redirect(target: number): void {
    this.#target = target;
  }

  /** Ends all connections immediately; held data is discarded. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /**
   * Holds all bytes, including those of later connections, without closing anything: an unplugged network
   * cable.
   */
  freeze(): void {
    this.#isFrozen = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(near: Socket, far: Socket): void {
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        this.#pairs.delete(pair);
      });
      if (this.#isFrozen) from.pause();
    }
  }
}
