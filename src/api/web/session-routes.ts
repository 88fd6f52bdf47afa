import { coded } from '../../base/codes/coded-text.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault, fault } from '../../base/fault.js';
import { WEBFRONT, type Accounts } from '../access/accounts.js';
import type { Account, Authenticator } from '../access/authenticator.js';
import { CONFIRMED_MS, configuratorOf, type BrowserSession } from '../access/session-state.js';
import type { BrowserSessions } from '../access/browser-sessions.js';
import { cookieHeader, renewedCookie, sessionOf } from '../access/session-cookies.js';
import { badRequest, errorResponse, type ErrorResponse } from '../http/error-response.js';
import { remoteOf } from '../http/exchange.js';
import { isFromOwnPage } from '../http/origin-policy.js';
import { RequestBody } from '../http/request-body.js';
import { decodeJson } from '../rpc/decode.js';
import { isRecord } from '../rpc/rpc.js';
import { isSignedIn } from './web-files.js';

/** What is read of a request, bytes: a password and the name of a device. */
const BODY_LIMIT = 4096;
/** Characters of a device's name that are kept. */
const DEVICE_LENGTH = 64;

export interface SessionRouteContext {
  readonly access: Authenticator;
  /** The accounts as they are now. */
  readonly accounts: () => Accounts;
  readonly sessions: BrowserSessions;
}

/** What a route does for an account; its result is the body of the response. */
type Action = (
  context: SessionRouteContext,
  account: Account,
  exchange: Exchange,
) => Promise<object | undefined>;

interface Exchange {
  readonly request: FastifyRequest['raw'];
  readonly reply: FastifyReply;
}

/**
 * Signs browsers in and out (interface, decision 27): `/wfc/ID/session` for residents,
 * `/console/session` for the owner, and `/console/confirm`, with which the owner gives the password again.
 */
export function routeSessions(app: FastifyInstance, context: SessionRouteContext): void {
  const route = (method: string, url: string, action: Action) =>
    app.route<{ Params: { id?: string } }>({
      method,
      url,
      handler: async (request, reply) => {
        const exchange = { request: request.raw, reply };
        try {
          const account = accountOf(context.accounts(), request.params.id);
          const body = await action(context, account, exchange);
          return await reply
            .header('Cache-Control', 'no-store')
            .code(body === undefined ? 204 : 200)
            .send(body);
        } catch (thrown) {
          return sendError(exchange, thrown);
        }
      },
    });
  for (const url of ['/wfc/:id/session', '/console/session']) {
    route('POST', url, signIn);
    route('GET', url, show);
    route('DELETE', url, signOut);
  }
  route('POST', '/console/confirm', confirm);
}

/** The account that a path is about; without an ID, the owner's. Throws `NOT_FOUND`. */
function accountOf(accounts: Accounts, id: string | undefined): Account {
  // A session must not outlive the temporary token that started it.
  if (id === undefined) return { ...accounts.owner, byToken: false };
  const configurator = /^\d{1,9}$/.test(id) ? Number(id) : -1;
  if (accounts.baseOf(configurator) === undefined) throw fault('NOT_FOUND');
  return accounts.configurator(configurator);
}

async function signIn(
  context: SessionRouteContext,
  account: Account,
  { request, reply }: Exchange,
): Promise<object> {
  checkOwnPage(request);
  const {
    username = '',
    password,
    device = '',
    ticket,
  } = await readTexts(request, ['username', 'password', 'device', 'ticket']);
  const { access, accounts, sessions } = context;
  if (isOpen(accounts(), account)) return { validUntilMs: 0 };
  if (ticket !== undefined) return viewByTicket(context, account, { ticket, request, reply });
  const isFront = configuratorOf(account.name) !== undefined;
  const login = { username: isFront ? WEBFRONT : username, password: password ?? '' };
  const remote = remoteOf(request.socket);
  if (!(await access.verify(account, login, { remote, socket: request.socket }))) throw fault('UNAUTHORIZED');
  // The password may have been changed while this one was verified.
  if (!access.hasVerified(accounts().named(account.name), login)) throw fault('UNAUTHORIZED');
  const former = await sessionOf(sessions, request, account);
  const { session, value } = await sessions.create(account, { device: readable(device), remote });
  // It has ended, even if that is not on the disk yet.
  if (former !== undefined) await sessions.end(former.id).catch(() => undefined);
  reply.header('Set-Cookie', cookieHeader(request, account, { value }));
  return { validUntilMs: session.times.validUntilMs };
}

/** Starts the owner's view of a front. A ticket that is not valid counts as a wrong password. */
async function viewByTicket(
  { access, sessions }: SessionRouteContext,
  account: Account,
  { ticket, request, reply }: Exchange & { readonly ticket: string },
): Promise<object> {
  const remote = remoteOf(request.socket);
  const created = sessions.createView(account, ticket, remote);
  if (created === undefined) {
    await access.fail(account, { remote, socket: request.socket });
    throw fault('UNAUTHORIZED');
  }
  reply.header('Set-Cookie', cookieHeader(request, account, { value: created.value, isView: true }));
  return { validUntilMs: created.session.times.validUntilMs };
}

async function show(
  context: SessionRouteContext,
  account: Account,
  { request, reply }: Exchange,
): Promise<object> {
  const session = await sessionOf(context.sessions, request, account);
  const open = isOpen(context.accounts(), account);
  if (session === undefined) {
    if (!open) throw fault('UNAUTHORIZED');
    return { device: '', validUntilMs: 0, open, isOwnerView: false };
  }
  // The console asks whether it is still signed in; that is no use of it.
  if (session.kind === 'front') {
    context.sessions.use(session, remoteOf(request.socket));
    if (session.view === undefined) reply.header('Set-Cookie', renewedCookie(request, account));
  }
  const { device, view, times } = session;
  return { device, validUntilMs: times.validUntilMs, open, isOwnerView: view !== undefined };
}

async function signOut(
  { sessions }: SessionRouteContext,
  account: Account,
  { request, reply }: Exchange,
): Promise<undefined> {
  checkOwnPage(request);
  const session = await sessionOf(sessions, request, account);
  // It has ended, even if that is not on the disk yet.
  if (session !== undefined) await sessions.end(session.id).catch(() => undefined);
  const isView = session?.view !== undefined;
  reply.header('Set-Cookie', cookieHeader(request, account, { value: undefined, isView }));
}

async function confirm(
  context: SessionRouteContext,
  account: Account,
  { request }: Exchange,
): Promise<object> {
  checkOwnPage(request);
  const session = await ownerSession(context, request);
  if (session === undefined) throw fault('UNAUTHORIZED');
  const { password = '' } = await readTexts(request, ['password']);
  const login = { username: account.username, password };
  const from = { remote: remoteOf(request.socket), socket: request.socket };
  if (!(await context.access.verify(account, login, from)) || !context.sessions.use(session, from.remote))
    throw fault('UNAUTHORIZED');
  session.confirm();
  return { validForMs: CONFIRMED_MS };
}

/**
 * Whether a request may see the area of a configurator: the area is open, the browser has a session, or the
 * request has a login.
 */
export async function isResident(
  { access, accounts, sessions }: SessionRouteContext,
  request: FastifyRequest,
  configurator: number,
): Promise<boolean> {
  const account = accounts().configurator(configurator);
  if (isOpen(accounts(), account)) return true;
  const session = await sessionOf(sessions, request.raw, account);
  if (session !== undefined) return sessions.use(session, remoteOf(request.raw.socket));
  return isSignedIn(access, account, request);
}

/**
 * Whether a request has the owner's session or login. It is no use of the session: a page that stays open
 * loads pictures by itself. A temporary token is enough unless `byToken` is false.
 */
export async function isOwner(
  context: SessionRouteContext,
  request: FastifyRequest,
  byToken = true,
): Promise<boolean> {
  if ((await ownerSession(context, request.raw)) !== undefined) return true;
  return isSignedIn(context.access, { ...context.accounts().owner, byToken }, request);
}

/** The session of the owner that a request of a page belongs to. */
async function ownerSession(
  { sessions, accounts }: Pick<SessionRouteContext, 'sessions' | 'accounts'>,
  request: FastifyRequest['raw'],
): Promise<BrowserSession | undefined> {
  return sessionOf(sessions, request, accounts().owner);
}

function isOpen(accounts: Accounts, { name }: Account): boolean {
  return accounts.isOpen(configuratorOf(name) ?? -1);
}

/** Throws `ORIGIN_REFUSED` unless a page of this server sent the request. */
export function checkOwnPage(request: FastifyRequest['raw']): void {
  if (!isFromOwnPage(request))
    throw new Fault('ORIGIN_REFUSED', 'Only pages of this server can do this; send its own Origin');
}

/** Reads some texts of a JSON object. Throws `BODY_TOO_LARGE`, `PARSE_ERROR`, `INVALID_REQUEST`. */
export async function readTexts<K extends string>(
  request: FastifyRequest['raw'],
  names: readonly K[],
): Promise<Partial<Record<K, string>>> {
  const bytes = await new RequestBody(request).readUpTo(BODY_LIMIT);
  if (bytes === undefined) throw fault('BODY_TOO_LARGE', BODY_LIMIT);
  const given = decodeJson(bytes);
  if (!isRecord(given)) throw fault('INVALID_REQUEST', coded`EXPECTED_JSON_OBJECT: expected a JSON object`);
  const texts: Partial<Record<K, string>> = {};
  for (const name of names) {
    const text = given[name];
    if (text === undefined) continue;
    if (typeof text !== 'string')
      throw fault('INVALID_REQUEST', coded`NAMED_MUST_BE_TEXT: ${name} must be a text`);
    texts[name] = text;
  }
  return texts;
}

/** A device's name for people to read: on one line, and not too long. */
function readable(device: string): string {
  const text = device.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ');
  return text.trim().slice(0, DEVICE_LENGTH).trim().toWellFormed();
}

/** An error as JSON. A script in a browser never gets a challenge: the browser would show its own dialog. */
export function sendError({ request, reply }: Exchange, thrown: unknown): FastifyReply {
  const { status, headers, body } = responseFor(thrown, request);
  for (const [name, value] of headers) reply.header(name, value);
  if (status === 413) reply.header('Connection', 'close');
  return reply.header('Cache-Control', 'no-store').code(status).send(body);
}

function responseFor(thrown: unknown, { headers }: FastifyRequest['raw']): ErrorResponse {
  const isWrongBody = thrown instanceof Fault && ['PARSE_ERROR', 'INVALID_REQUEST'].includes(thrown.code);
  return isWrongBody ? badRequest(400, thrown) : errorResponse(thrown, headers);
}
