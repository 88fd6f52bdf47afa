import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { reservePort } from '../reserve-port.js';

interface LineRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly lines: readonly string[];
}

/** A time-series database as far as a bridge sees it. */
export class LineServer implements AsyncDisposable {
  readonly requests: LineRequest[] = [];
  /** The lines of requests that were accepted. */
  readonly stored: string[] = [];
  /** The status of the reply to these lines; 204 stores them. */
  statusOf: (lines: readonly string[]) => number = () => 204;
  retryAfter: string | undefined;
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<LineServer> {
    const server = new LineServer();
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/write?db=home`;
  }

  async start(): Promise<void> {
    this.#server = createServer((request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
        this.requests.push({ path: request.url ?? '', headers: request.headers, lines });
        const status = this.statusOf(lines);
        if (status === 204) this.stored.push(...lines);
        const headers = this.retryAfter === undefined ? {} : { 'Retry-After': this.retryAfter };
        reply.writeHead(status, headers).end();
      });
    });
    if (this.#port === 0) this.#port = await reservePort();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
