import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '../../tools/until.js';

/** A client of a server on 127.0.0.1 that records what it receives. */
export class TcpClient implements Disposable {
  readonly socket: Socket;
  #heard: Buffer[] = [];
  /** Whether the connection has ended. */
  isGone = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => this.#heard.push(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isGone = true));
  }

  static async connect(
    port: number,
    make: (port: number) => Socket = (to) => connect(to, '127.0.0.1'),
  ): Promise<TcpClient> {
    const socket = make(port);
    const guest = new TcpClient(socket);
    await once(socket, 'connect');
    return guest;
  }

  get port(): number {
    return this.socket.localPort ?? 0;
  }

  heard(): string {
    return Buffer.concat(this.#heard).toString('latin1');
  }

  say(bytes: Buffer | string): void {
    this.socket.write(bytes);
  }

  async hears(text: string): Promise<void> {
    await until(
      `it to receive ${JSON.stringify(text)}, not ${JSON.stringify(this.heard())}`,
      () => this.heard() === text,
    );
  }

  async ends(): Promise<void> {
    await until('its end', () => this.isGone);
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}
