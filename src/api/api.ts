import { recordOf, type CodedText } from '../base/codes/coded-text.js';
import type { Cancel } from '../base/clock.js';
import { SerialQueue } from '../base/serial-queue.js';
import type { ConnectionsPort, SocketStatistics } from '../functions/ports.js';
import { Authenticator, type Account } from './access/authenticator.js';
import { Accounts } from './access/accounts.js';
import { isLoopbackHost, replacementOf } from '../base/addresses.js';
import { BrowserSessions } from './access/browser-sessions.js';
import { RejectedLogins } from './access/rejected-logins.js';
import { privateFile } from './private-file.js';
import { ConnectionTable } from './http/connection-table.js';
import { BODY_LIMIT, HttpApi } from './http/http-api.js';
import { TIMEOUTS, type ListenerOptions } from './http/listener.js';
import { ListenerSet, type ListenerConfig } from './http/listener-set.js';
import { RejectionLog } from './http/rejection-log.js';
import { BATCH_LIMIT, Rpc } from './rpc/rpc.js';
import { SocketApi } from './socket/socket-api.js';
import type { CertificateAuthority } from './http/certificate-authority.js';
import { loadTls } from './http/tls.js';
import { lazyWeb } from './http/lazy-web.js';
import { WebPush } from './push/web-push.js';
import type { ListenerTrust } from './web/trust-routes.js';
import type { WebContext } from './web/web-server.js';
import type { ApiContext, ApiOptions, Certificates, WebServerOptions } from './api-options.js';

/** How often certificates are reloaded: other programs renew theirs. */
const RENEW_MS = 12 * 60 * 60_000;
/** How often the gateway's own certificate is compared with the machine's names, and with the time. */
const CHECK_MS = 5 * 60_000;

/** The API on all its addresses: JSON-RPC over HTTP and WebSocket, and the web servers. */
export class Api implements AsyncDisposable, ConnectionsPort {
  readonly #context: ApiContext;
  readonly #access: Authenticator;
  readonly #rejections: RejectionLog;
  readonly #rpc: Rpc;
  readonly #http: HttpApi;
  readonly #sockets: SocketApi;
  readonly #listeners: ListenerSet;
  readonly #browsers: BrowserSessions;
  readonly #push: WebPush;
  #accounts: Accounts;
  #metrics: ApiOptions['metrics'];
  readonly #queue = new SerialQueue();
  readonly #authority: CertificateAuthority;
  readonly #stopRenewing: readonly Cancel[];
  /** What every listener has for browsers. It is loaded with the first request for it. */
  readonly #commonWeb = lazyWeb(async () => {
    const { openWeb } = await import('./web/web-server.js');
    return openWeb(this.#webContext(), { serve: undefined, basicAuth: undefined });
  });
  #closed: Promise<void> | undefined;
  /** Resolves when the sessions of the last run are verified. */
  #verified: Promise<unknown> | undefined;
  /** Fingerprint of the owner's credentials: when it changes, all temporary tokens are revoked. */
  #ownerFingerprint = '';

  private constructor(context: ApiContext, options: ApiOptions) {
    const { dispatcher, kernel, clock, limits } = context;
    const log = context.log.subject('api');
    this.#context = { ...context, log };
    const accounts = (this.#accounts = new Accounts(options.remoteAccess, context.configurators));
    const rejections = (this.#rejections = new RejectionLog(log, clock));
    const access = (this.#access = new Authenticator(log, clock, limits));
    const rejected = new RejectedLogins(clock, context.recordAudit);
    access.rejected.on((login) => rejected.add(login));
    const rpc = (this.#rpc = new Rpc({ dispatcher, log, limits, clock }));
    const connections = new ConnectionTable(limits);
    const http = (this.#http = new HttpApi(
      { ...this.#context, rpc, access, rejections, connections },
      accounts,
    ));
    const browsers = (this.#browsers = new BrowserSessions({
      clock,
      log,
      access,
      storage: privateFile(`${context.directory}/sessions.json`),
      isConnected: (id) => this.#sockets.isConnected(id),
    }));
    this.#push = new WebPush({
      clock,
      log,
      kernel,
      sessions: browsers,
      directory: context.directory,
      send: context.sendPush,
    });
    const { logged, tasks } = context;
    const sockets = {
      rpc,
      access,
      rejections,
      kernel,
      log,
      logged,
      tasks,
      clock,
      limits,
      connections,
      browsers,
    };
    this.#sockets = new SocketApi(sockets, accounts, options.bodyLimit ?? BODY_LIMIT);
    const timeouts = context.timeouts ?? TIMEOUTS;
    this.#listeners = new ListenerSet(
      { http, sockets: this.#sockets, clock, timeouts, connections, limits },
      log,
    );
    this.#authority = context.authority;
    this.#stopRenewing = [
      clock.every(RENEW_MS, () => void this.#queue.run(() => this.#listeners.renew())),
      clock.every(CHECK_MS, () => void this.checkCertificates()),
    ];
  }

  /**
   * Opens the listeners. Rejects with `LISTEN_FAILED` if the local listener cannot be opened; web servers
   * that cannot be opened are retried, and `problems` lists them.
   */
  static async start(context: ApiContext, options: ApiOptions): Promise<Api> {
    const api = new Api(context, options);
    try {
      await api.#browsers.load();
      await api.#push.load();
      await api.#queue.run(() => api.#apply(options));
      // A session is verified with its next request, but a lost phone gets push messages without one. Each
      // account takes a slow hash, so the start does not wait. Whatever fails here, each request verifies again.
      api.#verified = api.#browsers.list(api.#accounts).catch(() => undefined);
    } catch (thrown) {
      await api.close();
      throw thrown;
    }
    return api;
  }

  /**
   * Applies another configuration. Listeners that did not change stay open, sessions whose credentials have
   * changed are closed. What cannot be opened is retried, and `problems` lists it.
   */
  reload(options: ApiOptions): Promise<void> {
    return this.#queue.run(() => this.#apply(options));
  }

  /** Listeners that do not work as configured, for the health check. */
  problems = (): CodedText[] => this.#listeners.problems();

  /** The certificates of the listeners, for the health check. */
  certificates(): Certificates {
    const { certificate } = this.#authority;
    return {
      ...(certificate !== undefined && { authority: certificate }),
      listeners: this.#listeners.tls().map(({ name, untilMs }) => ({ name, untilMs })),
    };
  }

  /**
   * Renews the gateway's own certificate if it expires soon, or the machine has got another name or address.
   * To be called when the clock has been set.
   */
  async checkCertificates(): Promise<void> {
    if (this.#authority.isRenewalDue()) await this.#queue.run(() => this.#listeners.renew());
  }

  sockets(): SocketStatistics[] {
    return Array.from(this.#sockets.sessions, ({ remote, waiting }) => ({ remote, ...waiting }));
  }

  figures(): ReturnType<ConnectionsPort['figures']> {
    const { edgeToPush, losses } = this.#sockets.hub;
    const authFailures = { password: this.#access.failed, ...this.#rejections.counts };
    return { edgeToPush, losses, authFailures };
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

  async browserSessions(): ReturnType<ConnectionsPort['browserSessions']> {
    const sessions = await this.#browsers.list(this.#accounts);
    return sessions.map(({ id, kind, view, configurator = 0, device, remote, times }) => ({
      ID: id,
      Kind: kind,
      IsOwnerView: view !== undefined,
      ConfiguratorID: configurator,
      Device: device,
      Address: remote,
      CreatedMs: times.createdMs,
      LastSeenMs: times.usedMs,
      ValidUntilMs: times.validUntilMs,
      Connected: this.#sockets.isConnected(id),
    }));
  }

  listeners(): ReturnType<ConnectionsPort['listeners']> {
    return this.#listeners.all().map(({ name, host, port, tls, problem }) => ({
      Name: name,
      Host: host,
      Port: port ?? 0,
      HasTls: tls !== undefined,
      CertificateNames: [...(tls?.names ?? [])],
      ValidUntilMs: tls?.untilMs ?? 0,
      Problem: problem.toString(),
      CodedProblem: recordOf(problem),
    }));
  }

  createFrontTicket(configurator: number, owner: string): string {
    return this.#browsers.createTicket(configurator, owner);
  }

  endBrowserSession(id: string): Promise<boolean> {
    return this.#browsers.end(id);
  }

  pushDevices(configurator: number): ReturnType<ConnectionsPort['pushDevices']> {
    return this.#push.devices(configurator);
  }

  removePushDevice(id: string): Promise<boolean> {
    return this.#push.unsubscribe(id);
  }

  /** The port of the local listener (`api`) or of a web server; undefined while it isn't open. */
  port(name = 'api'): number | undefined {
    return this.#listeners.port(name);
  }

  /** Accepts no more calls, waits briefly for those in flight, and closes all sessions. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    for (const stop of this.#stopRenewing) stop();
    this.#access.close();
    await Promise.all([this.#sockets.close(), this.#listeners.close()]);
    await this.#verified;
    await this.#push.close();
    await this.#browsers.close();
  }

  async #apply(options: ApiOptions): Promise<void> {
    const accounts = (this.#accounts = new Accounts(options.remoteAccess, this.#context.configurators));
    this.#browsers.reconfigure(accounts);
    const ownerFingerprint = this.#access.fingerprint(accounts.owner);
    if (ownerFingerprint !== this.#ownerFingerprint) this.#access.tokens.clear();
    this.#ownerFingerprint = ownerFingerprint;
    const bodyLimit = options.bodyLimit ?? BODY_LIMIT;
    const { dispatcher, counted = dispatcher } = this.#context;
    this.#metrics = options.metrics;
    this.#rpc.setDispatcher(options.metrics === undefined ? dispatcher : counted);
    this.#rpc.setBatchLimit(options.batchLimit ?? BATCH_LIMIT);
    this.#http.reconfigure(accounts, bodyLimit);
    this.#sockets.reconfigure(accounts, { bodyLimit, isOpenLocally: options.local === 'open' });
    const { remoteAccess } = options;
    if (remoteAccess?.password === undefined && remoteAccess?.passwordHash === undefined)
      this.#context.log.warn(
        {},
        'remoteAccess has no password, so all calls except WFC_GetConfigurators are rejected; set remoteAccess.password or passwordHash in gateway.yaml, or set the first password in the console: sudo stellwerk setup --claim prints the code',
      );
    await this.#listeners.configure(this.#listenerConfigs(options));
  }

  #listenerConfigs(options: ApiOptions): ListenerConfig[] {
    const { host, port, tls, webServers = [] } = options;
    const all = webServers.map((server) => this.#webServer(server, options));
    if (replacementOf(options, webServers) !== undefined) return all;
    return [{ ...this.#listener({ name: 'api', host, port, tls }, options), isVital: true }, ...all];
  }

  #webServer(server: WebServerOptions, options: ApiOptions): ListenerConfig {
    const context = this.#webContext();
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
        web: await (await import('./web/web-server.js')).openWeb(context, { serve, basicAuth: account }),
      }),
    };
  }

  /** The listener that other machines reach is preferred. */
  #trust(): ListenerTrust {
    const listeners = this.#listeners.tls();
    const { port } = listeners.find(({ host }) => !isLoopbackHost(host)) ?? listeners[0] ?? {};
    return { authority: this.#authority.certificate, port };
  }

  #webContext(): WebContext {
    const [access, sessions] = [this.#access, this.#browsers];
    return {
      ...this.#context,
      access,
      sessions,
      push: this.#push,
      accounts: () => this.#accounts,
      metricsAccess: () => this.#metrics,
      trust: () => this.#trust(),
    };
  }

  #listener({ name, host, port, tls }: Omit<WebServerOptions, 'serve'>, options: ApiOptions): ListenerConfig {
    const { allowedOrigins = [], allowedHosts = [], local } = options;
    const isOpenLocally = local === 'open' && isLoopbackHost(host);
    return {
      name,
      host,
      port,
      isTls: tls !== undefined,
      isVital: false,
      options: async (): Promise<ListenerOptions> => ({
        host,
        port,
        tls: tls && (await loadTls(tls, this.#authority, allowedHosts)),
        web: this.#commonWeb,
        rules: { allowedOrigins, allowedHosts, isOpenLocally },
      }),
    };
  }
}
