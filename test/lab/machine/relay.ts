/**
 * The host's end of the relay (see guest/relay.ts): makes TCP ports of the guest reachable on 127.0.0.1 of
 * the host, so that clients here reach the gateway there over real sockets.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { encodeFrame, FrameReader, KIND } from '../guest/frames.js';
import type { Machine } from './machine.js';

/** One machine's relay; at most one at a time. It ends with the machine, or earlier by itself. */
export class Relay implements AsyncDisposable {
  readonly #port: Socket;
  readonly #servers: Server[] = [];
  readonly #channels = new Map<number, Socket>();
  #lastChannel = 0;
  #reader = new FrameReader();

  private constructor(port: Socket) {
    this.#port = port;
    port.on('data', (bytes) => {
      for (const { kind, channel, payload } of this.#reader.read(bytes)) {
        const socket = this.#channels.get(channel);
        if (kind === KIND.data) socket?.write(payload);
        else if (kind === KIND.end) socket?.end();
        else if (kind === KIND.close) socket?.destroySoon();
      }
    });
    port.on('close', () => this.#closeAll());
    this.again();
  }

  /** The guest's end has been started or restarted: connections in progress are closed on both sides. */
  again(): void {
    this.#closeAll();
    this.#reader = new FrameReader();
    this.#port.write(encodeFrame(KIND.reset, 0));
  }

  static async open(machine: Machine): Promise<Relay> {
    return new Relay(await machine.relayPort());
  }

  /** Makes a TCP port of the guest reachable and returns its port on 127.0.0.1. */
  async forward(guestPort: number): Promise<number> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#accept(socket, guestPort),
    );
    this.#servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  #accept(socket: Socket, guestPort: number): void {
    const channel = ++this.#lastChannel;
    this.#channels.set(channel, socket);
    this.#port.write(encodeFrame(KIND.open, channel, Uint8Array.of(guestPort >> 8, guestPort & 0xff)));
    socket.on('data', (bytes) => this.#port.write(encodeFrame(KIND.data, channel, bytes)));
    socket.on('end', () => this.#port.write(encodeFrame(KIND.end, channel)));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#channels.delete(channel);
      this.#port.write(encodeFrame(KIND.close, channel));
    });
  }

  #closeAll(): void {
    for (const socket of this.#channels.values()) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closeAll();
    for (const server of this.#servers) server.close();
    this.#port.destroy();
  }
}
