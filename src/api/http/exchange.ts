import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LOCAL_USER, TOKEN_USER, type Caller } from '../../device/declare.js';
import type { Accounts } from '../access/accounts.js';
import { unwrapIpv4 } from '../../base/addresses.js';
import { hasNoCredentials, TOKEN, type Login } from '../access/credentials.js';
import type { OriginPolicy } from './origin-policy.js';

/**
 * Bytes of a body that are read before the credentials are verified: a call without credentials takes a
 * hundred.
 */
export const UNKNOWN_BODY_LIMIT = 64 * 1024;

/** The key of a socket's {@link Connection}. A WeakMap would cost a call on a new connection 3 µs more. */
const CONNECTION = Symbol('connection');

/**
 * What the requests on a connection have in common. Requests can be pipelined, so nothing here belongs to a
 * single one: each record is replaced as a unit and names the headers that it was derived from.
 */
export class Connection {
  allowed: AllowedHeaders | undefined;
  known: KnownOwner | undefined;
  /** The last request whose body may take longer than those of others. */
  upload: IncomingMessage | undefined;
  /** Requests without a complete response. */
  openRequests = 0;
  readonly #socket: Socket;
  #remote: string | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static of(socket: Socket & { [CONNECTION]?: Connection }): Connection {
    return (socket[CONNECTION] ??= new Connection(socket));
  }

  /**
   * The peer's address. The first use costs a system call, and has to come before the connection is closed:
   * the address is then unknown.
   */
  get remote(): string {
    return (this.#remote ??= remoteOf(this.#socket));
  }
}

/** The owner as the caller on a connection, whose address is looked up when it is needed. */
class ConnectedOwner implements Caller {
  readonly role = 'owner';
  readonly user: string;
  readonly #connection: Connection;

  constructor(user: string, connection: Connection) {
    this.user = user;
    this.#connection = connection;
  }

  get remote(): string {
    return this.#connection.remote;
  }
}

/** `Host` and `Origin` headers that are allowed, and the policy that allowed them. */
interface AllowedHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly origins: OriginPolicy;
  /** The origin, if its pages may read the replies. */
  readonly cors: string | undefined;
}

/** The owner, as verified from exactly this header and against these accounts. */
interface KnownOwner {
  readonly authorization: string;
  readonly accounts: Accounts;
  readonly owner: Caller;
}

/** How the listener of a request treats it. */
export interface RequestContext {
  readonly origins: OriginPolicy;
  /** The client waits for permission to send the body (`Expect: 100-continue`). */
  readonly expects?: boolean;
}

/** A request that can be answered with an error. */
export interface RejectableRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The origin whose pages may read the reply. */
  readonly cors?: string | undefined;
}

/** A call and everything that is needed to reply to it. */
export interface Exchange extends RejectableRequest {
  readonly connection: Connection;
  readonly origins: OriginPolicy;
  readonly expects: boolean;
}

/** Checks the `Host` and `Origin` headers; undefined if they are not allowed. */
export function allowedOf(
  connection: Connection,
  { headers }: IncomingMessage,
  origins: OriginPolicy,
): AllowedHeaders | undefined {
  const { host, origin } = headers;
  const { allowed } = connection;
  if (allowed?.origins === origins && allowed.host === host && allowed.origin === origin) return allowed;
  if (!origins.allowsHost(host) || !origins.allowsOrigin(origin, host)) return undefined;
  const cors = origin !== undefined && origins.isListed(origin) ? origin : undefined;
  connection.allowed = { host, origin, origins, cors };
  return connection.allowed;
}

/** The peer's address; an IPv4 address is not in its IPv6-mapped form. */
export function remoteOf(socket: Socket): string {
  return unwrapIpv4(socket.remoteAddress ?? '');
}

/** The caller of a verified owner's login; a login by token has a separate user name, also in the audit. */
export function ownerOf(
  { owner }: Accounts,
  connection: Connection,
  { username }: Pick<Login, 'username'>,
): Caller {
  const isOwnName = username !== TOKEN || username === owner.username;
  return new ConnectedOwner(isOwnName ? owner.username : TOKEN_USER, connection);
}

/** The owner by `api.local: open`; undefined if the request does not qualify. */
export function localOwner({ request, connection, origins }: Exchange): Caller | undefined {
  if (!hasNoCredentials(request.headers.authorization) || !origins.isLocalRequest(request)) return undefined;
  return new ConnectedOwner(LOCAL_USER, connection);
}

/** The length of a request's body according to its headers; infinite if the body is sent in chunks. */
export function lengthOf({ headers }: IncomingMessage): number {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY;
}

/** Whether the rest of a request's body can be read to its end, so that the connection is kept. */
export function isSmall(request: IncomingMessage): boolean {
  return request.complete || lengthOf(request) <= UNKNOWN_BODY_LIMIT;
}
