import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { isFromOwnPage } from '../http/origin-policy.js';
import type { Account } from './authenticator.js';
import { configuratorOf, lifetimes, type BrowserSession } from './session-state.js';
import type { BrowserSessions } from './browser-sessions.js';

/** What a request says about its cookie: the headers, and the connection. */
type Request = Pick<IncomingMessage, 'method' | 'headers' | 'socket'>;

/** ID and secret of a session, as `BrowserSessions.create` makes them: 128 and 256 bits. */
const VALUE = /^[\w-]{22}\.[\w-]{43}$/;

/**
 * The name of a cookie. Cookies are shared between the ports of a host, where another gateway or another
 * program may be.
 */
function nameOf({ socket }: Request, { name }: Account, isView = false): string {
  const suffix = isView ? '_owner' : '';
  return `stellwerk_${socket.localPort ?? 0}_${configuratorOf(name) ?? 'console'}${suffix}`;
}

/**
 * The session of an account that a request's cookie belongs to. Undefined without one, if it is not valid, or
 * if the request does not come from a page of this server. The owner's view of a front has a cookie of its own,
 * which takes precedence: the browser stays signed in as a resident when the view ends.
 */
export async function sessionOf(
  sessions: BrowserSessions,
  request: Request,
  account: Account,
): Promise<BrowserSession | undefined> {
  const { cookie } = request.headers;
  if (cookie === undefined || !isFromOwnPage(request)) return undefined;
  for (const isView of [true, false]) {
    const value = readCookie(cookie, nameOf(request, account, isView));
    const session = value === undefined ? undefined : await sessions.find(account, value);
    if (session !== undefined && (session.view !== undefined) === isView) return session;
  }
  return undefined;
}

/**
 * The value of a session's cookie. With several different ones it is unknown which is the server's own:
 * pages of other ports of the host can set cookies too.
 */
function readCookie(header: string, name: string): string | undefined {
  const values = new Set<string>();
  for (const pair of header.split(';')) {
    const text = pair.trim();
    if (text.startsWith(`${name}=`)) values.add(text.slice(name.length + 1));
  }
  const [value] = values;
  return values.size === 1 && value !== undefined && VALUE.test(value) ? value : undefined;
}

/** What a browser keeps: the value of a session's cookie, undefined to forget it. */
interface KeptCookie {
  readonly value: string | undefined;
  /** Whether it is the owner's view of a front. */
  readonly isView?: boolean;
}

/** The `Set-Cookie` header with which a browser keeps a session, or forgets it. */
export function cookieHeader(
  request: Request,
  account: Account,
  { value, isView = false }: KeptCookie,
): string {
  const configurator = configuratorOf(account.name);
  const { validMs } = lifetimes[isView ? 'view' : configurator === undefined ? 'console' : 'front'];
  const attributes = [
    `${nameOf(request, account, isView)}=${value ?? ''}`,
    `Path=${configurator === undefined ? '/' : `/wfc/${configurator}/`}`,
    `Max-Age=${value === undefined ? 0 : validMs / 1000}`,
    'HttpOnly',
    'SameSite=Strict',
  ];
  if ((request.socket as Partial<TLSSocket>).encrypted === true) attributes.push('Secure');
  return attributes.join('; ');
}

/** As {@link cookieHeader}, with the value that the request has. */
export function renewedCookie(request: Request, account: Account): string {
  const value = readCookie(request.headers.cookie ?? '', nameOf(request, account));
  return cookieHeader(request, account, { value });
}
