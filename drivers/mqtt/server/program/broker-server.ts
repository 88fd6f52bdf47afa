import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls';
import type { Clock } from '../../../../src/base/clock.js';
import type { BrokerCertificate, BrokerOptions } from '../messages.js';
import type { Broker } from './broker.js';
import { GuardedStream } from './guarded-stream.js';

const HANDSHAKE_TIMEOUT_MS = 10_000;
/**
 * When the kernel begins to probe an idle connection, ms: its peer may have disappeared without closing it.
 */
const KEEPALIVE_IDLE_MS = 60_000;
/** Limit of connections that have not logged in; a further one closes the oldest of them. */
const MAX_PENDING = 64;

/** Listens for clients of a broker. */
export class BrokerServer {
  readonly #server: Server;
  readonly #broker: Broker;
  readonly #options: BrokerOptions;
  readonly #sockets = new Set<Socket>();
  /** In the order in which they connected. */
  readonly #pending = new Set<Socket>();
  #secureContext: SecureContext | undefined;

  readonly #clock: Pick<Clock, 'after'>;

  /** Throws if the certificate cannot be used. */
  constructor(broker: Broker, options: BrokerOptions, clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
    this.#broker = broker;
    this.#options = options;
    if (options.certificate !== undefined) this.setCertificate(options.certificate);
    const keepAlive = { keepAlive: true, keepAliveInitialDelay: KEEPALIVE_IDLE_MS };
    this.#server = createServer({ noDelay: true, ...keepAlive }, (socket) => {
      if (this.#admit(socket)) this.#receive(socket);
    });
  }

  /** Rejects with the system's error. */
  async listen(): Promise<number> {
    const { address: host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('listening', resolve);
      this.#server.once('error', reject);
      this.#server.listen({ host, port });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Uses a renewed certificate for the next connections. */
  setCertificate(certificate: BrokerCertificate): void {
    this.#secureContext = createSecureContext(certificate);
  }

  /** Stops listening and closes all connections. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Whether there is room for a connection. */
  #admit(socket: Socket): boolean {
    socket.on('error', () => undefined);
    const { limits } = this.#options;
    if (this.#sockets.size >= limits.clients + MAX_PENDING) {
      this.#broker.reject(
        `a connection from ${addressOf(socket)}: there are ${this.#sockets.size} connections`,
      );
      socket.destroy();
      return false;
    }
    if (this.#pending.size >= MAX_PENDING) {
      const [oldest] = this.#pending;
      this.#broker.reject(`a connection from ${oldest && addressOf(oldest)}: too many have not logged in`);
      oldest?.destroy();
    }
    this.#sockets.add(socket);
    this.#pending.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#pending.delete(socket);
    });
    return true;
  }

  #receive(socket: Socket): void {
    if (this.#secureContext === undefined) return this.#serve(socket, socket);
    const secure = new TLSSocket(socket, { isServer: true, secureContext: this.#secureContext });
    const cancel = this.#clock.after(HANDSHAKE_TIMEOUT_MS, () => socket.destroy());
    secure.on('error', () => socket.destroy());
    socket.once('close', cancel);
    secure.once('secure', () => {
      cancel();
      this.#serve(secure, socket);
    });
  }

  #serve(socket: Socket, admitted: Socket): void {
    if (socket.destroyed) return;
    const { packetBytes, clients } = this.#options.limits;
    const stream = new GuardedStream(socket, packetBytes, (why) =>
      this.#broker.reject(`a connection from ${addressOf(admitted)}: ${why}`),
    );
    const client = this.#broker.handle(stream);
    client.on('connected', () => {
      this.#pending.delete(admitted);
      if (this.#sockets.size - this.#pending.size > clients) stream.reject(`there are ${clients} clients`);
    });
  }
}

function addressOf({ remoteAddress = 'an address that is gone' }: Socket): string {
  return remoteAddress;
}
