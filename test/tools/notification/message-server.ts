import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request that the server got. */
interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A server as ntfy, Gotify, Telegram and webhooks have it: it records what is posted. */
export class MessageServer implements AsyncDisposable {
  readonly received: ReceivedRequest[] = [];
  /** The statuses of the next replies; then 200. Undefined: no reply. */
  readonly statuses: (number | undefined)[] = [];
  readonly #server;
  readonly #scheme: string;

  private constructor(tls: { readonly certificate: string; readonly key: string } | undefined) {
    const handle: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
        this.received.push({ path: request.url ?? '', headers: request.headers, body });
        const status = this.statuses.length > 0 ? this.statuses.shift() : 200;
        if (status !== undefined) response.writeHead(status, { Location: '/elsewhere' }).end('{}');
      });
    };
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server =
      tls === undefined
        ? createServer(handle)
        : createSecureServer({ cert: tls.certificate, key: tls.key }, handle);
  }

  static async start(tls?: { readonly certificate: string; readonly key: string }): Promise<MessageServer> {
    const server = new MessageServer(tls);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
