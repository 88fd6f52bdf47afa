import { coded } from '../../base/codes/coded-text.js';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { fault, faultFrom, messageOf } from '../../base/fault.js';
import type { LimitReporter } from '../../base/limit-reporter.js';
import type { ConnectionTable } from './connection-table.js';
import { Connection } from './exchange.js';
import type { HttpApi } from './http-api.js';
import { createServer, createTlsServer } from './node-http.js';
import { OriginPolicy, type OriginRules } from './origin-policy.js';
import { badRequest, endWithError, errorResponse, type ErrorResponse } from './error-response.js';
import type { SocketApi } from '../socket/socket-api.js';
import type { LoadedTls } from './tls.js';

/** Time-outs of HTTP connections, ms. */
export interface Timeouts {
  /** For the head of a request, and a TLS handshake. */
  readonly headMs: number;
  /** For all of a request other than an upload: the largest body takes this long at 400 KB/s. */
  readonly requestMs: number;
  /** How often the two are checked. */
  readonly checkMs: number;
  /** Without a request: longer than clients that poll every minute. */
  readonly idleMs: number;
  /** Without progress while a response is being sent. */
  readonly stallMs: number;
}

export const TIMEOUTS: Timeouts = {
  headMs: 10_000,
  requestMs: 60_000,
  checkMs: 5_000,
  idleMs: 65_000,
  stallMs: 60_000,
};

/**
 * Connections to one address of ours at a time, sessions and the owner's among them: see {@link
 * ConnectionTable} for the others.
 */
const MAX_CONNECTIONS = 4096;
/** A request's head: no client sends more than some hundred bytes, browsers with cookies a few KB. */
const HEAD_LIMIT = 16 * 1024;
const HEADERS_LIMIT = 100;
/** How long calls in flight may take when the gateway stops, ms. */
const FINISH_MS = 2000;

/** Handles requests other than API calls; `reject` responds with an error instead. */
export type WebHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  reject: (thrown: unknown) => void,
) => void;

export interface ListenerContext {
  readonly http: HttpApi;
  readonly sockets: SocketApi;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly connections: ConnectionTable;
  /** Counts limits that take effect. */
  readonly limits: LimitReporter;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: LoadedTls | undefined;
  readonly web: WebHandler | undefined;
  readonly rules: Omit<OriginRules, 'certificateNames'>;
}

/** A listening address with the API and, for a web server, its content. */
export class Listener implements AsyncDisposable {
  readonly #context: ListenerContext;
  readonly #server: Server;
  /** Connections that have become WebSockets: the server no longer knows them. */
  readonly #upgraded = new Set<Duplex>();
  #web: WebHandler | undefined;
  #origins: OriginPolicy;
  #isClosing = false;
  /** The certificate in use; undefined without TLS. */
  tls: LoadedTls | undefined;

  private constructor(context: ListenerContext, { tls, web, rules }: ListenerOptions) {
    this.#context = context;
    this.#web = web;
    this.#origins = new OriginPolicy({ ...rules, certificateNames: tls?.names ?? [] });
    this.#server = this.#create(tls);
    this.tls = tls;
  }

  /** Starts to listen. Throws `LISTEN_FAILED`. */
  static async open(context: ListenerContext, options: ListenerOptions): Promise<Listener> {
    const { host, port } = options;
    try {
      const listener = new Listener(context, options);
      await new Promise<void>((resolve, reject) => {
        listener.#server.once('error', reject);
        listener.#server.listen({ host, port }, () => {
          listener.#server.off('error', reject);
          // A connection could not be accepted because no descriptor is free; later ones can be.
          listener.#server.on('error', () => undefined);
          resolve();
        });
      });
      return listener;
    } catch (thrown) {
      throw faultFrom(thrown, 'LISTEN_FAILED', `${host}:${port}`, messageOf(thrown));
    }
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The number of open connections other than WebSockets. */
  connections(): Promise<number> {
    return new Promise((resolve) =>
      this.#server.getConnections((error, count) =>
        resolve(error === null ? Math.max(0, count - this.#upgraded.size) : 0),
      ),
    );
  }

  /**
   * Applies what can change without closing: rules, pages, and the certificate. Throws `LISTEN_FAILED` if the
   * certificate is invalid.
   */
  reconfigure({ host, port, tls, web, rules }: ListenerOptions): void {
    this.#web = web;
    this.#origins = new OriginPolicy({ ...rules, certificateNames: tls?.names ?? [] });
    if (tls === undefined || !('setSecureContext' in this.#server)) return;
    try {
      (this.#server as ReturnType<typeof createTlsServer>).setSecureContext(secureContext(tls));
      this.tls = tls;
    } catch (thrown) {
      throw faultFrom(thrown, 'LISTEN_FAILED', `${host}:${port}`, messageOf(thrown));
    }
  }

  /**
   * Accepts no more connections, waits briefly for responses in progress, then closes all, including
   * WebSockets.
   */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#server.closeIdleConnections();
      const cancel = this.#context.clock.after(FINISH_MS, () => {
        this.#server.closeAllConnections();
        for (const socket of this.#upgraded) socket.destroy();
      });
      void closed.then(cancel);
    }
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #create(tls: LoadedTls | undefined): Server {
    const { headMs, requestMs, checkMs, idleMs, stallMs } = this.#context.timeouts;
    const options: ServerOptions = {
      headersTimeout: headMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: idleMs,
      maxHeaderSize: HEAD_LIMIT,
      // Node's own response has no explanation.
      requireHostHeader: false,
      // Other upgrades (h2c, which Java offers with every call) are ignored, as HTTP requires (RFC 9110
      // §7.8).
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    };
    const server =
      tls === undefined
        ? createServer(options)
        : createTlsServer({ ...options, ...secureContext(tls), handshakeTimeout: headMs });
    server.maxConnections = MAX_CONNECTIONS;
    const { connections, limits } = this.#context;
    server.on('connection', (socket: Socket) => connections.add(socket));
    server.on('secureConnection', (socket: Socket) => connections.secured(socket));
    server.on('drop', (drop?: { remoteAddress?: string }) =>
      limits.report(
        coded`CONNECTIONS_ALL: ${MAX_CONNECTIONS} connections in all`,
        drop?.remoteAddress ?? '',
        coded`CLOSE_SOME_THEM: close some of them`,
      ),
    );
    server.maxHeadersCount = HEADERS_LIMIT;
    // A client that has closed its sending side may still read (`nc -N`); Node replies only with this
    // setting.
    Object.assign(server, { httpAllowHalfOpen: true });
    // With this listener, Node does not close idle connections.
    server.setTimeout(stallMs, (socket) => {
      if (socket.writableLength > 0 || Connection.of(socket).openRequests === 0) socket.destroy();
    });
    server.on('request', this.#request);
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
      this.#request(request, response, true),
    );
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (hasTwoHosts(request)) {
        const why = badRequest(400, 'it has two Host headers (RFC 9112 §3.2)');
        return endWithError(
          socket.on('error', () => socket.destroy()),
          why,
          this.#context.clock,
        );
      }
      this.#upgraded.add(socket);
      socket.once('close', () => this.#upgraded.delete(socket));
      this.#context.sockets.handleUpgrade({
        request,
        socket: socket as Socket,
        head,
        origins: this.#origins,
      });
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) =>
      this.#onClientError(error, socket),
    );
    return server;
  }

  readonly #request = (request: IncomingMessage, response: ServerResponse, expects = false): void => {
    const { http, connections } = this.#context;
    connections.touch(request.socket);
    const connection = Connection.of(request.socket);
    connection.openRequests += 1;
    response.once('close', () => (connection.openRequests -= 1));
    const url = request.url ?? '';
    if (this.#isClosing) return http.sendError({ request, response }, errorResponse(fault('STOPPING')));
    if (request.headers.host === undefined && request.httpVersion === '1.1')
      return http.sendError({ request, response }, badRequest(400, 'it has no Host header (RFC 9112 §3.2)'));
    if (hasTwoHosts(request))
      return http.sendError(
        { request, response },
        badRequest(400, 'it has two Host headers (RFC 9112 §3.2)'),
      );
    if (url === '/health/live' && (request.method === 'GET' || request.method === 'HEAD'))
      return void http.sendLive(response);
    if (url === '/api/' || url.startsWith('/api/?'))
      return http.handle(request, response, { origins: this.#origins, expects });
    // Pages, media and files too: a page of another site whose name is resolved to this address could read
    // them (DNS rebinding).
    if (!this.#origins.allowsHost(request.headers.host))
      return http.rejectPage(request, response, this.#origins);
    if (this.#web === undefined || /^\/api(?:[/?]|$)/.test(url))
      return http.sendError({ request, response }, errorResponse(fault('NOT_FOUND')));
    if (expects) response.writeContinue();
    this.#web(request, response, (thrown) => http.sendError({ request, response }, errorResponse(thrown)));
  };

  /** Handles input that is not HTTP, exceeds a limit of the parser, or does not arrive in time. */
  #onClientError({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // The time for a request is over, but not for an upload, which ends if it stalls.
    const isUploading = Connection.of(socket as Socket).upload?.complete === false;
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading) return;
    endWithError(socket, parserErrorResponse(code), this.#context.clock);
  }
}

/** Node exposes only the first one, and a proxy in front of the gateway may use the other. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  return count > 1;
}

function parserErrorResponse(code: string): ErrorResponse {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errorResponse(fault('BODY_TIMEOUT'));
  if (code === 'HPE_HEADER_OVERFLOW')
    return badRequest(431, `the head of the request is larger than ${HEAD_LIMIT} bytes`);
  return badRequest(400, 'this is not HTTP');
}

function secureContext({ cert, key }: LoadedTls): { cert: string; key: string; minVersion: 'TLSv1.2' } {
  return { cert, key, minVersion: 'TLSv1.2' };
}
