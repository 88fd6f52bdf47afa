import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to the broker that can be cut: connections are reset, and new ones closed immediately. */
export class Partition {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      if (this.#isCut) return void client.destroy();
      const broker = connect({ port: target, host: '127.0.0.1' });
      for (const [from, to] of [
        [client, broker],
        [broker, client],
      ] as const) {
        this.#sockets.add(from);
        // The peer closes the other side as well.
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
  }

  static async open(target: number): Promise<Partition> {
    const partition = new Partition(target);
    partition.#server.listen(0, '127.0.0.1');
    await once(partition.#server, 'listening');
    return partition;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  heal(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
