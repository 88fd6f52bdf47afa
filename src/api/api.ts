import type { Cancel, Clock } from '../base/clock.js';
import type { LimitReporter } from '../base/limit-reporter.js';
import type { Log } from '../base/log.js';
import { SerialQueue } from '../base/serial-queue.js';
import type { ConnectionsPort, SocketStatistics } from '../functions/ports.js';
import type { Kernel } from '../kernel/kernel.js';
import { Authenticator, type Account } from './access/authenticator.js';
import { Accounts, type Configurators, type RemoteAccess } from './access/accounts.js';
import { isLoopback } from './access/addresses.js';
import { ConnectionTable } from './http/connection-table.js';
import type { Dispatcher } from './rpc/dispatcher.js';
import { BODY_LIMIT, HttpApi } from './http/http-api.js';
import { TIMEOUTS, type ListenerOptions, type Timeouts } from './http/listener.js';
import { ListenerSet, type ListenerConfig } from './http/listener-set.js';
import { RejectionLog } from './http/rejection-log.js';
import { BATCH_LIMIT, Rpc } from './rpc/rpc.js';
import { SocketApi } from './socket/socket-api.js';
import { loadTls, type TlsSource } from './http/tls.js';
import type { Pages, ServedContent } from './web/web-server.js';

/** One of `webServers`: the API, and files or the front beside it. */
export interface WebServerOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsSource | undefined;
  readonly serve: ServedContent;
  readonly basicAuth?: RemoteAccess | undefined;
}

/** The configuration of the API. */
export interface ApiOptions {
  /** The local listener; `port` 0 takes a free one. */
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsSource | undefined;
  /** Without it every call but `WFC_GetConfigurators` is refused. */
  readonly remoteAccess?: RemoteAccess | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
  /** `open`: calls of this machine without credentials act as the owner (decision 3). */
  readonly local?: 'open' | undefined;
  /** Bytes of a request; 25,165,824 unless said. */
  readonly bodyLimit?: number | undefined;
  /** Calls in a batch; 1,000 unless said. */
  readonly batchLimit?: number | undefined;
  readonly webServers?: readonly WebServerOptions[] | undefined;
}

/** What the API is made of and needs. */
export interface ApiParts {
  readonly dispatcher: Dispatcher;
  readonly kernel: Kernel;
  readonly log: Log;
  readonly clock: Clock;
  readonly configurators: Configurators;
  readonly pages: Pages;
  /** Told of limits that take effect. */
  readonly limits: LimitReporter;
  /** The data directory. */
  readonly directory: string;
  /** Where certificates that the gateway makes are kept. */
  readonly tlsDirectory: string;
  /** For tests. */
  readonly timeouts?: Timeouts;
}

/** Certificates are read again so often. */
const RENEW_MS = 12 * 60 * 60_000;

/** The API on all its addresses: JSON-RPC over HTTP and WebSocket, web servers beside it. */
export class Api implements AsyncDisposable, ConnectionsPort {
  readonly #parts: ApiParts;
  readonly #access: Authenticator;
  readonly #rpc: Rpc;
  readonly #http: HttpApi;
  readonly #sockets: SocketApi;
  readonly #listeners: ListenerSet;
  readonly #turn = new SerialQueue();
  readonly #stopRenewing: Cancel;
  #closed: Promise<void> | undefined;
  /** Of what opens all: when it changes, tokens made by it end. */
  #ownerIs = '';

  private constructor(parts: ApiParts, options: ApiOptions) {
    const { dispatcher, kernel, clock, limits } = parts;
    const log = parts.log.subject('api');
    this.#parts = { ...parts, log };
    const accounts = new Accounts(options.remoteAccess, parts.configurators);
    const refused = new RejectionLog(log, clock);
    const access = (this.#access = new Authenticator(log, clock, limits));
    const rpc = (this.#rpc = new Rpc({ dispatcher, log, limits, clock }));
    const connections = new ConnectionTable(limits);
    const http = (this.#http = new HttpApi(
      { rpc, dispatcher, access, clock, refused, log, limits, connections },
      accounts,
    ));
    const sockets = { rpc, access, refused, kernel, log, clock, limits, connections };
    this.#sockets = new SocketApi(sockets, accounts, options.bodyLimit ?? BODY_LIMIT);
    const timeouts = parts.timeouts ?? TIMEOUTS;
    this.#listeners = new ListenerSet(
      { http, sockets: this.#sockets, clock, timeouts, connections, limits },
      log,
    );
    this.#stopRenewing = clock.every(RENEW_MS, () => void this.#turn.run(() => this.#listeners.renew()));
  }

  /**
   * Begins to listen. Rejects with `LISTEN_FAILED` when the local listener can't; web servers that can't yet are tried
   * again and again, and stand in `troubles`.
   */
  static async start(parts: ApiParts, options: ApiOptions): Promise<Api> {
    const api = new Api(parts, options);
    try {
      await api.#turn.run(() => api.#apply(options));
    } catch (thrown) {
      await api.close();
      throw thrown;
    }
    return api;
  }

  /**
   * Takes over another configuration; what stays the same stays open, sessions whose access has changed are ended. What
   * cannot be opened is tried again and again, and stands in `troubles`.
   */
  reload(options: ApiOptions): Promise<void> {
    return this.#turn.run(() => this.#apply(options));
  }

  /** What is not as configured, for the health check. */
  problems(): string[] {
    return this.#listeners.problems();
  }

  sockets(): SocketStatistics[] {
    return Array.from(this.#sockets.sessions, ({ remote, waiting }) => ({ remote, ...waiting }));
  }

  calls(): number {
    return this.#http.inFlight;
  }

  webServers(): Promise<number> {
    return this.#listeners.connections();
  }

  createToken(validForS: number): string {
    return this.#access.tokens.create(validForS);
  }

  /** The port of the local listener (`api`) or of a web server; undefined while it isn't open. */
  port(name = 'api'): number | undefined {
    return this.#listeners.port(name);
  }

  /** Takes no more calls, lets those under way be finished for a moment, says goodbye to all sessions. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#stopRenewing();
    this.#access.close();
    await Promise.all([this.#sockets.close(), this.#listeners.close()]);
  }

  async #apply(options: ApiOptions): Promise<void> {
    const accounts = new Accounts(options.remoteAccess, this.#parts.configurators);
    const ownerIs = this.#access.fingerprint(accounts.owner);
    if (ownerIs !== this.#ownerIs) this.#access.tokens.clear();
    this.#ownerIs = ownerIs;
    const bodyLimit = options.bodyLimit ?? BODY_LIMIT;
    this.#rpc.setBatchLimit(options.batchLimit ?? BATCH_LIMIT);
    this.#http.reconfigure(accounts, bodyLimit);
    this.#sockets.reconfigure(accounts, { bodyLimit, isOpenLocally: options.local === 'open' });
    const { remoteAccess } = options;
    if (remoteAccess?.password === undefined && remoteAccess?.passwordHash === undefined)
      this.#parts.log.warn(
        {},
        'remoteAccess has no password, so all calls but WFC_GetConfigurators are refused: give it one in gateway.yaml',
      );
    await this.#listeners.configure(this.#wanted(options));
  }

  #wanted(options: ApiOptions): ListenerConfig[] {
    const { host, port, tls, webServers = [] } = options;
    const all = webServers.map((server) => this.#webServer(server, options));
    // A web server on the same port of all addresses takes the local listener's place.
    const isTaken = webServers.some(
      (server) => port !== 0 && server.port === port && [host, '0.0.0.0', '::'].includes(server.host),
    );
    if (isTaken) return all;
    return [{ ...this.#listener({ name: 'api', host, port, tls }, options), isVital: true }, ...all];
  }

  #webServer(server: WebServerOptions, options: ApiOptions): ListenerConfig {
    const parts = { ...this.#parts, access: this.#access };
    const listener = this.#listener(server, options);
    const { name, serve, basicAuth } = server;
    const account: Account | undefined = basicAuth && {
      name: `web server ${name}`,
      username: basicAuth.username,
      secret: basicAuth,
      byToken: true,
    };
    return {
      ...listener,
      options: async () => ({
        ...(await listener.options()),
        web: await (await import('./web/web-server.js')).openWeb(parts, { serve, basicAuth: account }),
      }),
    };
  }

  #listener({ name, host, port, tls }: Omit<WebServerOptions, 'serve'>, options: ApiOptions): ListenerConfig {
    const { allowedOrigins = [], allowedHosts = [], local } = options;
    const isOpenLocally = local === 'open' && (host === 'localhost' || isLoopback(host));
    const { clock, log, tlsDirectory: directory } = this.#parts;
    const unsaved = (why: string) =>
      log.warn(
        { server: name },
        `the new certificate is not kept in ${directory}: ${why}; clients see another one after the next start`,
      );
    return {
      name,
      host,
      port,
      isTls: tls !== undefined,
      isVital: false,
      options: async (): Promise<ListenerOptions> => ({
        host,
        port,
        tls: tls && (await loadTls(tls, { directory, nowMs: clock.nowMs(), unsaved })),
        web: undefined,
        rules: { allowedOrigins, allowedHosts, isOpenLocally },
      }),
    };
  }
}
