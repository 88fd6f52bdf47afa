import { coded } from '../../base/codes/coded-text.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.js';
import { unwrapIpv4 } from '../../base/addresses.js';
import { Fault, fault, isAbort, messageOf } from '../../base/fault.js';
import type { LimitReporter } from '../../base/limit-reporter.js';
import type { Log } from '../../base/log.js';
import type { Caller } from '../../device/declare.js';
import type { Authenticator } from '../access/authenticator.js';
import { WEBFRONT, type Accounts } from '../access/accounts.js';
import { RequestBody } from './request-body.js';
import type { ConnectionTable } from './connection-table.js';
import { readAuthorization, TOKEN, type Login } from '../access/credentials.js';
import { decodeJson, tryDecode } from '../rpc/decode.js';
import { anonymous, type Dispatcher } from '../rpc/dispatcher.js';
import { claimedConfigurator, requiredAuthentication } from '../access/required-authentication.js';
import type { Pages } from '../web/web-server.js';
import type { OriginPolicy } from './origin-policy.js';
import { errorText, type Reply, type Rpc } from '../rpc/rpc.js';
import {
  UNKNOWN_BODY_LIMIT,
  allowedOf,
  isSmall,
  lengthOf,
  localOwner,
  ownerOf,
  remoteOf,
  Connection,
  type Exchange,
  type RejectableRequest,
  type RequestContext,
} from './exchange.js';
import { LINGER_MS, errorResponse, type ErrorResponse } from './error-response.js';
import type { RejectionLog } from './rejection-log.js';
import { corsHeaders, sendChunks, sendText } from './response.js';
import { BUDGET_EXCEEDED, UnverifiedBudget, type BudgetShare } from '../access/unverified-budget.js';
import { VerifiedHeader } from '../access/verified-header.js';

/** The original's default (`ServerMaxPostSize`), configurable as `api.bodyLimit`. */
export const BODY_LIMIT = 25_165_824;
/** What a verified `webfront` user may send, bytes: a text of 1 MiB for a variable must fit, escaped. */
export const WEBFRONT_BODY_LIMIT = 2 * 1024 * 1024;
/** Asynchronous calls in flight over all connections. */
const IN_FLIGHT_LIMIT = 2048;
/** The id of no configurator: its users have access to nothing. */
const NONE = -1;
const GREETING = '{"jsonrpc":"2.0","api":"stellwerk"}';

interface HttpContext {
  readonly rpc: Rpc;
  readonly dispatcher: Dispatcher;
  readonly access: Authenticator;
  readonly clock: Clock;
  readonly rejections: RejectionLog;
  readonly log: Log;
  readonly limits: LimitReporter;
  readonly connections: ConnectionTable;
  readonly pages: Pick<Pages, 'rejectedHost'>;
  /** Resolves when the store replies. */
  readonly pingStore: () => Promise<void>;
}

/** The API over HTTP (E1): everything at `/api/`. One serves all listeners of a gateway. */
export class HttpApi {
  readonly #context: HttpContext;
  readonly #unverified: UnverifiedBudget;
  readonly #verified = new VerifiedHeader();
  /** Whether the gateway is alive, while that is being determined; one check for all who ask. */
  #live: Promise<boolean> | undefined;
  #inFlight = 0;
  #bodyLimit = BODY_LIMIT;
  #accounts: Accounts;

  constructor(context: HttpContext, accounts: Accounts) {
    this.#context = context;
    this.#unverified = new UnverifiedBudget(context.limits);
    this.#accounts = accounts;
  }

  /** Applies another configuration; may be called at any time. */
  reconfigure(accounts: Accounts, bodyLimit: number): void {
    this.#accounts = accounts;
    this.#bodyLimit = bodyLimit;
  }

  /** Asynchronous calls that have no reply yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Handles a request to `/api/`. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    { origins, expects = false }: RequestContext,
  ): void {
    switch (request.method) {
      case 'POST': {
        const connection = Connection.of(request.socket);
        const allowed = allowedOf(connection, request, origins);
        if (allowed === undefined) return this.rejectOrigin(request, response, origins);
        return this.#post({ request, response, connection, expects, origins, cors: allowed.cors });
      }
      case 'GET':
      case 'HEAD':
        return sendText(response, GREETING, undefined);
      case 'OPTIONS':
        return this.#preflight(request, response, origins);
      default:
        return this.sendError({ request, response }, errorResponse(fault('METHOD_NOT_ALLOWED')));
    }
  }

  /**
   * `/health/live`: 200 if the event loop and the store reply, the condition for pinging systemd's watchdog;
   * otherwise 503. Needs no credentials and no allowed host name, because it says nothing else.
   */
  async sendLive(response: ServerResponse): Promise<void> {
    this.#live ??= this.#context.pingStore().then(
      () => true,
      () => false,
    );
    const live = await this.#live;
    this.#live = undefined;
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
    response.writeHead(live ? 200 : 503, headers).end(JSON.stringify({ live }));
  }

  /** Sends an error response. What the client still sends is read for a moment and discarded. */
  sendError({ request, response, cors }: RejectableRequest, { status, headers, body }: ErrorResponse): void {
    // The request was evicted in the meantime and has its response.
    if (response.headersSent) return;
    for (const [name, value] of cors === undefined ? headers : [...headers, ...corsHeaders(cors)])
      response.setHeader(name, value);
    response.setHeader('Content-Length', Buffer.byteLength(body));
    if (isSmall(request)) return void response.writeHead(status).end(body);
    response.setHeader('Connection', 'close');
    response.writeHead(status).write(body);
    request.removeAllListeners('data').resume();
    const end = () => {
      cancel();
      response.end();
    };
    const cancel = this.#context.clock.after(LINGER_MS, end);
    request.once('end', end).once('close', end);
  }

  /** Rejects a request whose `Host` or `Origin` is not allowed. */
  rejectOrigin(request: IncomingMessage, response: ServerResponse, origins: OriginPolicy): void {
    const remote = remoteOf(request.socket);
    this.sendError(
      { request, response },
      errorResponse(this.#context.rejections.rejectOrigin(request.headers, origins, remote)),
    );
  }

  /** Rejects a request for a page under a host name that is not allowed; a browser shows why. */
  rejectPage(request: IncomingMessage, response: ServerResponse, origins: OriginPolicy): void {
    const { headers, method, socket, url = '/' } = request;
    const { host = '', accept = '', 'accept-language': languages = '' } = headers;
    if (method !== 'GET' || !accept.includes('text/html'))
      return this.rejectOrigin(request, response, origins);
    const { rejections, pages } = this.#context;
    const rejection = errorResponse(rejections.rejectOrigin(headers, origins, remoteOf(socket)));
    const address = addressOf(socket, url);
    pages.rejectedHost({ name: host.replace(/:\d*$/, ''), address }, { languages }).then(
      ({ html, policy }) => {
        const pageHeaders = [
          ['Content-Type', 'text/html; charset=utf-8'],
          ['Content-Security-Policy', policy],
        ] as const;
        this.sendError({ request, response }, { ...rejection, headers: pageHeaders, body: html });
      },
      () => this.sendError({ request, response }, rejection),
    );
  }

  #preflight(request: IncomingMessage, response: ServerResponse, origins: OriginPolicy): void {
    const { origin } = request.headers;
    if (origin === undefined || !origins.isListed(origin))
      return this.rejectOrigin(request, response, origins);
    for (const [name, value] of corsHeaders(origin)) response.setHeader(name, value);
    response.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS');
    response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type');
    response.setHeader('Access-Control-Max-Age', '3600');
    if (request.headers['access-control-request-private-network'] === 'true')
      response.setHeader('Access-Control-Allow-Private-Network', 'true');
    response.writeHead(204).end();
  }

  #post(exchange: Exchange): void {
    const { request, response, expects } = exchange;
    const { 'content-length': length } = request.headers;
    if (length !== undefined && Number(length) > this.#bodyLimit) return this.#tooLarge(exchange);
    const owner = this.#knownOwner(exchange) ?? localOwner(exchange);
    if (owner === undefined) {
      this.#admit(exchange).catch((thrown: unknown) => {
        if (!(thrown instanceof Fault) && !isAbort(thrown))
          this.#context.log.error({ error: messageOf(thrown) }, 'a request failed unexpectedly');
        this.sendError(exchange, errorResponse(thrown, exchange.request.headers));
      });
      return;
    }
    if (expects) response.writeContinue();
    new RequestBody(request).read(this.#bodyLimit, this.#bodyReader(owner, exchange));
  }

  #bodyReader(owner: Caller, exchange: Exchange): (bytes: Buffer | undefined) => void {
    return (bytes) => {
      const message = bytes === undefined ? this.#tooLarge(exchange) : this.#decode(exchange, bytes);
      if (message !== undefined) this.#reply(exchange, owner, message);
    };
  }

  /** The owner, if the same header was verified before on this or another connection. */
  #knownOwner({ request, connection }: Exchange): Caller | undefined {
    const accounts = this.#accounts;
    const { known } = connection;
    const { authorization } = request.headers;
    if (authorization === undefined) return undefined;
    if (known?.authorization === authorization && known.accounts === accounts) return known.owner;
    const { access, connections } = this.#context;
    let login: Pick<Login, 'username'> = accounts.owner;
    if (!this.#verified.matches(authorization, accounts)) {
      const sent = readAuthorization(authorization);
      if (sent === undefined || sent.username === WEBFRONT) return undefined;
      if (!access.hasVerified(accounts.owner, sent)) return undefined;
      login = sent;
    }
    const owner = ownerOf(accounts, connection, login);
    // A token is verified at each call: it may have expired.
    if (login.username !== TOKEN) {
      connection.known = { authorization, accounts, owner };
      this.#verified.remember(authorization, accounts);
    }
    connections.release(request.socket);
    return owner;
  }

  /** Authenticates a caller that is not known to be the owner. Rejects with the fault to respond with. */
  async #admit(exchange: Exchange): Promise<void> {
    const { request, response, connection } = exchange;
    const length = lengthOf(request);
    const body = new RequestBody(request);
    const login = readAuthorization(request.headers.authorization);
    // More than an unverified client may send: nothing is read before the owner's credentials are verified.
    const isUnread =
      length > UNKNOWN_BODY_LIMIT && length < Number.POSITIVE_INFINITY && login?.username !== WEBFRONT;
    const held = isUnread ? 0 : Math.min(length, UNKNOWN_BODY_LIMIT);
    const share = this.#unverified.take(connection.remote, held, () => {
      body.cancel();
      this.sendError(exchange, errorResponse(fault('BUSY', BUDGET_EXCEEDED)));
    });
    // Even if the client disconnects.
    response.once('close', share.release);
    // The request is complete as far as it is read; the verification is pending.
    if (isUnread) share.arrived();
    try {
      await this.#verify(exchange, { body, share, login, isUnread });
    } finally {
      share.release();
    }
  }

  async #verify(exchange: Exchange, { body, share, login, isUnread }: UnverifiedRequest): Promise<void> {
    const { request, response, expects } = exchange;
    const { access, dispatcher, rpc } = this.#context;
    const accounts = this.#accounts;
    const { remote } = exchange.connection;
    const from = { remote, socket: request.socket };
    const isWebfront = login?.username === WEBFRONT;
    const signIn = async () => {
      if (login === undefined || isWebfront || !(await access.verify(accounts.owner, login, from)))
        throw fault('UNAUTHORIZED');
      // The password may have been changed while this one was verified.
      if (!access.hasVerified(this.#accounts.owner, login)) throw fault('UNAUTHORIZED');
      this.#requireNotEvicted(body);
      this.#context.connections.release(request.socket);
      return ownerOf(accounts, exchange.connection, login);
    };
    const isUser = async (configurator: number) => {
      const isCorrect =
        login !== undefined && (await access.verify(accounts.configurator(configurator), login, from));
      this.#requireNotEvicted(body);
      return isCorrect;
    };
    const owner = isUnread ? await signIn() : undefined;
    if (expects) response.writeContinue();
    if (owner !== undefined) return body.read(this.#bodyLimit, this.#bodyReader(owner, exchange));
    let first = await body.readUpTo(UNKNOWN_BODY_LIMIT);
    this.#requireNotEvicted(body);
    share.arrived();
    if (first === undefined && !isWebfront) {
      const signedIn = this.#bodyReader(await signIn(), exchange);
      return body.read(this.#bodyLimit, signedIn);
    }
    if (first === undefined) {
      const claimed = claimedConfigurator(body.received);
      if (claimed === undefined) throw fault('BODY_TOO_LARGE', UNKNOWN_BODY_LIMIT);
      if (!(await isUser(claimed))) throw fault('UNAUTHORIZED');
      first = await body.readUpTo(WEBFRONT_BODY_LIMIT);
      if (first === undefined) throw fault('BODY_TOO_LARGE', WEBFRONT_BODY_LIMIT);
    }
    const message = tryDecode(first);
    const { isPublic, configurator } = requiredAuthentication(dispatcher, message, rpc.batchLimit);
    if (isPublic) return this.#reply(exchange, anonymous(remote), message);
    if (configurator !== undefined && (login === undefined || isWebfront)) {
      if (!accounts.isOpen(configurator) && !(await isUser(configurator))) throw fault('UNAUTHORIZED');
      return this.#reply(exchange, { role: 'webfront', user: WEBFRONT, remote, configurator }, message);
    }
    // Other functions are rejected call by call, without verification (interface, decisions 3 and 14).
    if (isWebfront && message !== undefined) {
      const nobody: Caller = { role: 'webfront', user: WEBFRONT, remote, configurator: NONE };
      return this.#reply(exchange, nobody, message);
    }
    const caller = await signIn();
    if (message === undefined) this.#decode(exchange, first);
    else this.#reply(exchange, caller, message);
  }

  /**
   * Throws `BUSY` if the request was evicted while it waited: it has its response and must not be executed.
   */
  #requireNotEvicted(body: RequestBody): void {
    if (body.isCancelled) throw fault('BUSY', BUDGET_EXCEEDED);
  }

  /** Decodes a body; undefined if it is not valid JSON, which is reported to the client. */
  #decode(exchange: Exchange, body: Buffer): unknown {
    try {
      return decodeJson(body);
    } catch (thrown) {
      return this.#send(exchange, errorText('null', thrown as Fault));
    }
  }

  #reply(exchange: Exchange, caller: Caller, message: unknown): void {
    if (this.#inFlight >= IN_FLIGHT_LIMIT) {
      return this.sendError(
        exchange,
        errorResponse(fault('BUSY', coded`TOO_MANY_CALLS_FLIGHT: Too many calls are in flight`)),
      );
    }
    const reply = this.#context.rpc.handle(message, caller);
    if (!(reply instanceof Promise)) return this.#send(exchange, reply);
    this.#inFlight += 1;
    // For the audit log, even if the client closes the connection before the reply.
    void exchange.connection.remote;
    void reply.then((late) => {
      this.#inFlight -= 1;
      this.#send(exchange, late);
    });
  }

  #send({ response, cors }: Exchange, reply: Reply): void {
    if (reply === undefined) {
      if (cors !== undefined) for (const [name, value] of corsHeaders(cors)) response.setHeader(name, value);
      response.writeHead(204).end();
    } else if (typeof reply === 'string') sendText(response, reply, cors);
    else void sendChunks(response, reply, cors);
  }

  #tooLarge(exchange: Exchange): void {
    this.sendError(exchange, errorResponse(fault('BODY_TOO_LARGE', this.#bodyLimit)));
  }
}

/** A request's body before its sender is verified. */
interface UnverifiedRequest {
  readonly body: RequestBody;
  readonly share: BudgetShare;
  readonly login: Login | undefined;
  /** The body is too long for anybody but the owner: nothing of it is read before the owner is verified. */
  readonly isUnread: boolean;
}

/** The address of this machine that a connection came to, as a URL with the same path. */
function addressOf(socket: IncomingMessage['socket'], path: string): string {
  const { localAddress = '', localPort = 0 } = socket;
  const address = unwrapIpv4(localAddress).replace(/%.*$/, '');
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  const from = path.startsWith('/') ? path : '/';
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${localPort}${from}`;
}
