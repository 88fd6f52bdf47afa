import { coded } from '../../base/codes/coded-text.js';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type * as ws from 'ws';
import type { WebSocket, WebSocketServer } from 'ws';
import { type Clock, delay } from '../../base/clock.js';
import { fault } from '../../base/fault.js';
import { Lazy } from '../../base/lazy.js';
import type { LimitReporter } from '../../base/limit-reporter.js';
import type { Log, LogRecord } from '../../base/log.js';
import type { Signal } from '../../base/signal.js';
import type { TaskState } from '../../base/tasks/task-list.js';
import { LOCAL_USER, TOKEN_USER, type Caller } from '../../device/declare.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { Authenticator, Account, LoginOrigin } from '../access/authenticator.js';
import { WEBFRONT, type Accounts } from '../access/accounts.js';
import type { BrowserSession } from '../access/session-state.js';
import type { BrowserSessions } from '../access/browser-sessions.js';
import { renewedCookie, sessionOf } from '../access/session-cookies.js';
import type { ConnectionTable } from '../http/connection-table.js';
import { hasNoCredentials, readAuthorization, readProtocol, type Login } from '../access/credentials.js';
import { UNKNOWN_BODY_LIMIT, remoteOf } from '../http/exchange.js';
import { WEBFRONT_BODY_LIMIT } from '../http/http-api.js';
import { ChangeHub, type Resumption } from './change-hub.js';
import type { OriginPolicy } from '../http/origin-policy.js';
import type { OutboxLimits } from './outbox.js';
import { endWithError, errorResponse } from '../http/error-response.js';
import type { RejectionLog } from '../http/rejection-log.js';
import type { Rpc } from '../rpc/rpc.js';
import { closeRejected } from './rejected-upgrade.js';
import { SESSION_ENDED, Session, closeCode } from './session.js';
import { Quotas, type QuotaLimits } from '../access/quotas.js';
import { AreaFilter, unfiltered, type ChangeFilter } from './change-filter.js';

/**
 * Sessions at a time: each takes some 20 KB, and wall panels number in the tens. 200 of them are reserved for
 * the owner.
 */
export const SESSIONS: QuotaLimits = {
  what: coded`WHAT_SESSIONS: sessions`,
  total: 1000,
  fronts: 800,
  perFront: 400,
  perAddress: 200,
  whatToDo: coded`FIND_CLIENTS_OPEN_MANY: find the clients that open many sessions (SVC_GetConnectionList), and set a password for open fronts`,
};
/** Queue limits of a client without credentials, bytes: see {@link OUTBOX_LIMIT} for the others. */
const GUEST_OUTBOX: OutboxLimits = { budget: 128 * 1024, limit: 1024 * 1024 };
/** How long to wait for the closing handshakes when the gateway stops, ms. */
const CLOSE_MS = 1000;

interface SocketContext {
  readonly rpc: Rpc;
  readonly access: Authenticator;
  readonly rejections: RejectionLog;
  readonly kernel: Kernel;
  readonly log: Log;
  readonly clock: Clock;
  readonly limits: LimitReporter;
  readonly connections: ConnectionTable;
  readonly browsers: BrowserSessions;
  readonly logged: Signal<LogRecord> | undefined;
  readonly tasks: Signal<TaskState> | undefined;
}

/** An upgrade request, as received from the server. */
interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly origins: OriginPolicy;
}

/** The target of an upgrade: everything, or a configurator's area, and from which counters on. */
interface Target extends Resumption {
  readonly configurator: number | undefined;
  /** It gets the gateway's time now and then. */
  readonly isAlive: boolean;
}

/** An admitted client. */
interface Admission {
  readonly caller: Caller;
  readonly proof: Proof;
  readonly target: Target;
  /** The remaining validity of a token, ms; 0 if it is not a login by token. */
  readonly leftMs: number;
  /** Releases its share of the session limit. */
  readonly leave: () => void;
  readonly server: WebSocketServer;
}

/**
 * The credentials that a session was accepted with; when the configuration changes them, the session is
 * closed.
 */
interface Proof {
  readonly configurator: number | undefined;
  readonly fingerprint: string;
  /** Accepted as the owner by `api.local: open`. */
  readonly isLocal: boolean;
  readonly browser: BrowserSession | undefined;
}

/** What may be changed while sessions are open. */
interface SocketOptions {
  readonly bodyLimit: number;
  /** `api.local: open`. */
  readonly isOpenLocally: boolean;
}

/**
 * The API over WebSocket (E3, E4): authenticates clients and creates their sessions. One serves all listeners
 * of a gateway.
 */
export class SocketApi {
  readonly #context: SocketContext;
  readonly #hub: ChangeHub;
  readonly #sessions = new Map<Session, Proof>();
  readonly #shares: Quotas;
  /**
   * The sub-protocol to be echoed. The header is hidden from the library, which would reject it (interface,
   * decision 19).
   */
  readonly #echoes = new WeakMap<IncomingMessage, string>();
  /** The cookie to be renewed: a page that is never loaded again sends no other request. */
  readonly #cookies = new WeakMap<IncomingMessage, string>();
  /** Loaded with the first client: it brings TLS with it, 10 MB together. */
  readonly #library = new Lazy(() => import('ws'));
  /** By the maximum message length of its clients. */
  readonly #servers = new Map<number, WebSocketServer>();
  #bodyLimit: number;
  #accounts: Accounts;
  /** One filter per configurator, shared by its sessions. */
  #views = new Map<number, AreaFilter>();
  #isClosing = false;

  constructor(context: SocketContext, accounts: Accounts, bodyLimit: number) {
    this.#context = context;
    this.#shares = new Quotas(SESSIONS, context.limits);
    this.#hub = new ChangeHub(context);
    this.#accounts = accounts;
    this.#bodyLimit = bodyLimit;
    context.browsers.ended.on((id) => this.#endSession(id));
  }

  /** Replaces the accounts; sessions whose account has changed are closed. */
  reconfigure(accounts: Accounts, { bodyLimit, isOpenLocally }: SocketOptions): void {
    this.#accounts = accounts;
    if (bodyLimit !== this.#bodyLimit) this.#servers.delete(this.#bodyLimit);
    this.#bodyLimit = bodyLimit;
    this.#views = new Map();
    for (const [session, proof] of this.#sessions) {
      const isSame = this.#fingerprint(proof.configurator) === proof.fingerprint;
      if (isSame && (isOpenLocally || !proof.isLocal)) continue;
      session.close(closeCode.policy, 'the access has changed; sign in again');
    }
  }

  /** What the hub of the sessions has measured and lost. */
  get hub(): Pick<ChangeHub, 'edgeToPush' | 'losses'> {
    return this.#hub;
  }

  /** All sessions. */
  get sessions(): Iterable<Session> {
    return this.#sessions.keys();
  }

  /** Whether a browser with this session is connected. */
  isConnected(id: string): boolean {
    return [...this.#sessions.values()].some(({ browser }) => browser?.id === id);
  }

  /** Handles an upgrade request: opens a session, or sends an error response. */
  handleUpgrade(upgrade: UpgradeRequest): void {
    const { request, socket, head } = upgrade;
    const fail = () => socket.destroy();
    // Until the library takes over, nothing else handles a connection error.
    socket.on('error', fail);
    this.#admit(upgrade).then(
      (admission) => {
        socket.off('error', fail).once('close', admission.leave);
        if (socket.destroyed) return admission.leave();
        this.#context.connections.release(socket);
        admission.server.handleUpgrade(request, socket, head, (webSocket) =>
          this.#open(webSocket, socket, admission),
        );
      },
      (thrown: unknown) => {
        if (request.headers.origin === undefined || socket.destroyed)
          return endWithError(socket, errorResponse(thrown, request.headers), this.#context.clock);
        this.#reject(upgrade, thrown, fail);
      },
    );
  }

  /** Rejects the upgrade of a browser so that its page sees why. `fail` handles errors until then. */
  #reject({ request, socket, head }: UpgradeRequest, thrown: unknown, fail: () => void): void {
    this.#library.get().then((library) => {
      socket.off('error', fail);
      this.#server(library, UNKNOWN_BODY_LIMIT).handleUpgrade(request, socket, head, (webSocket) =>
        closeRejected(webSocket, thrown, this.#context.clock),
      );
    }, fail);
  }

  #endSession(id: string): void {
    for (const [session, { browser }] of this.#sessions)
      if (browser?.id === id) session.close(closeCode.unauthorized, SESSION_ENDED);
  }

  /** Closes all sessions and waits briefly for the peers to close theirs. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#hub.close();
    const sessions = [...this.#sessions.keys()];
    for (const session of sessions) session.close(closeCode.goingAway, 'the gateway is stopping');
    if (sessions.length > 0) {
      const stop = new AbortController();
      const gone = Promise.all(sessions.map((session) => session.closed)).then(() => stop.abort());
      // The delay ends early, with an AbortError, when all have closed.
      await Promise.race([gone, delay(this.#context.clock, CLOSE_MS, stop.signal).catch(() => undefined)]);
    }
    for (const session of sessions) session.terminate();
  }

  /** Authenticates an upgrade. Rejects with the fault to respond with. */
  async #admit({ request, origins }: UpgradeRequest): Promise<Admission> {
    const { headers, url = '' } = request;
    const remote = remoteOf(request.socket);
    const offered = readProtocol(headers['sec-websocket-protocol']);
    delete headers['sec-websocket-protocol'];
    if (offered.echo !== undefined) this.#echoes.set(request, offered.echo);
    const target = targetOf(url);
    if (target === undefined) throw fault('NOT_FOUND');
    if (!origins.allowsHost(headers.host) || !origins.allowsOrigin(headers.origin, headers.host))
      throw this.#context.rejections.rejectOrigin(headers, origins, remote);
    const { configurator } = target;
    // Which fronts there are is no secret: WFC_GetConfigurators lists them.
    const isPage = headers.origin !== undefined && configurator !== undefined;
    if (isPage && this.#accounts.baseOf(configurator) === undefined) throw fault('NOT_FOUND');
    const login = readAuthorization(headers.authorization) ?? offered.login;
    const browser = login === undefined ? await this.#browserOf(request, configurator) : undefined;
    const isLocal =
      configurator === undefined &&
      login === undefined &&
      browser === undefined &&
      hasNoCredentials(headers.authorization) &&
      origins.isLocalRequest(request);
    const proof = { configurator, fingerprint: this.#fingerprint(configurator), isLocal, browser };
    // Before the check: if the token expires in between, the login is rejected.
    const leftMs =
      login === undefined || configurator !== undefined ? 0 : this.#context.access.tokens.remainingMs(login);
    if (!isLocal && browser === undefined)
      await this.#check(configurator, login, { remote, socket: request.socket });
    const server = this.#serverFor(await this.#library.get(), target);
    if (this.#isClosing) throw fault('STOPPING');
    const known = { remote, ...(browser && { session: browser }) };
    // The audit shows that the owner acted, not a resident.
    const residentName = browser?.view === undefined ? WEBFRONT : this.#accounts.owner.username;
    const caller: Caller =
      configurator === undefined
        ? {
            role: 'owner',
            user: isLocal ? LOCAL_USER : leftMs > 0 ? TOKEN_USER : this.#accounts.owner.username,
            ...known,
          }
        : { role: 'webfront', user: residentName, ...known, configurator };
    return { caller, proof, target, leftMs, server, leave: this.#shares.take(caller) };
  }

  /** The session of the browser that opens what was requested. */
  async #browserOf(
    request: IncomingMessage,
    configurator: number | undefined,
  ): Promise<BrowserSession | undefined> {
    const { browsers } = this.#context;
    const account = this.#accountOf(configurator);
    const browser = await sessionOf(browsers, request, account);
    // The console is in use while it is called, not while it is open.
    if (browser?.kind !== 'front') return browser;
    if (!browsers.use(browser, remoteOf(request.socket))) return undefined;
    if (browser.view === undefined) this.#cookies.set(request, renewedCookie(request, account));
    return browser;
  }

  #accountOf(configurator: number | undefined): Account {
    const accounts = this.#accounts;
    return configurator === undefined ? accounts.owner : accounts.configurator(configurator);
  }

  /** Resolves when the login opens what was requested. */
  async #check(configurator: number | undefined, login: Login | undefined, from: LoginOrigin): Promise<void> {
    const accounts = this.#accounts;
    if (configurator !== undefined && accounts.isOpen(configurator)) return;
    const isWebfront = login?.username === WEBFRONT;
    if (login === undefined || isWebfront !== (configurator !== undefined)) throw fault('UNAUTHORIZED');
    if (!(await this.#context.access.verify(this.#accountOf(configurator), login, from)))
      throw fault('UNAUTHORIZED');
  }

  #open(webSocket: WebSocket, socket: Socket, admission: Admission): void {
    const { caller, proof, target, leftMs } = admission;
    const { rpc, log, clock, browsers } = this.#context;
    // The configuration may have changed while the password was checked.
    if (this.#fingerprint(proof.configurator) !== proof.fingerprint) return webSocket.terminate();
    const { configurator } = target;
    const view = this.#viewOf(configurator);
    const isGuest = configurator !== undefined && this.#accounts.isOpen(configurator);
    const outbox = isGuest ? GUEST_OUTBOX : undefined;
    const { browser } = proof;
    if (browser !== undefined && !browsers.has(browser))
      return closeRejected(webSocket, fault('UNAUTHORIZED'), clock);
    const use = browser && (() => browsers.use(browser, caller.remote));
    const session = new Session({ webSocket, socket, hub: this.#hub, rpc, log, view, caller, outbox, use });
    this.#sessions.set(session, proof);
    void session.closed.then(() => this.#sessions.delete(session));
    if (leftMs > 0)
      void session.closed.then(
        clock.after(leftMs, () => session.close(closeCode.policy, 'the token is no longer valid')),
      );
    this.#hub.join(session, view, target);
    if (target.isAlive) this.#hub.keepAlive(session, view);
  }

  #viewOf(configurator: number | undefined): ChangeFilter {
    if (configurator === undefined) return unfiltered;
    let view = this.#views.get(configurator);
    if (view === undefined) {
      // If the base does not exist, the area is empty.
      view = new AreaFilter(
        this.#context.kernel.tree,
        this.#accounts.baseOf(configurator) ?? -1,
        configurator,
      );
      this.#views.set(configurator, view);
    }
    return view;
  }

  #fingerprint(configurator: number | undefined): string {
    const accounts = this.#accounts;
    if (configurator === undefined) return this.#context.access.fingerprint(accounts.owner);
    const base = accounts.baseOf(configurator);
    const account = this.#context.access.fingerprint(this.#accountOf(configurator));
    return `${account} ${base} ${accounts.isOpen(configurator)}`;
  }

  #serverFor(library: typeof ws, { configurator }: Target): WebSocketServer {
    if (configurator === undefined) return this.#server(library, this.#bodyLimit);
    const limit = this.#accounts.isOpen(configurator) ? UNKNOWN_BODY_LIMIT : WEBFRONT_BODY_LIMIT;
    return this.#server(library, limit);
  }

  #server({ WebSocketServer }: typeof ws, maxPayload: number): WebSocketServer {
    const known = this.#servers.get(maxPayload);
    if (known !== undefined) return known;
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Per-client compression costs 300 MB with 1,000 clients, and a frame could not be shared.
      perMessageDeflate: false,
      maxPayload,
    });
    server.on('headers', (headers, request) => {
      const echo = this.#echoes.get(request);
      if (echo !== undefined) headers.push(`Sec-WebSocket-Protocol: ${echo}`);
      const cookie = this.#cookies.get(request);
      if (cookie !== undefined) headers.push(`Set-Cookie: ${cookie}`);
    });
    this.#servers.set(maxPayload, server);
    return server;
  }
}

/** The paths of versions 5.1 and of 5.2 and later are served alike (interface, decision 19). */
function targetOf(url: string): Target | undefined {
  const [path = '', query] = url.split('?', 2);
  const match = /^\/api\/wfc\/(\d{1,9})\/?$|^\/wfc\/(\d{1,9})\/api\/$/.exec(path);
  if (path !== '/api/' && match === null) return undefined;
  const options = new URLSearchParams(query);
  const [since, messages] = ['since', 'messages'].map((name) =>
    Number(/^\d{1,15}$/.exec(options.get(name) ?? '')?.[0] ?? 0),
  ) as [number, number];
  const id = match?.[1] ?? match?.[2];
  const isAlive = options.get('alive') === '1';
  return { configurator: id === undefined ? undefined : Number(id), since, messages, isAlive };
}
