import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { Fault, fault, isAbort, type FaultCode } from '../../base/fault.js';
import { STATUS_CODES } from './node-http.js';
import { errorText } from '../rpc/rpc.js';

/** An HTTP response without a result (interface, decision 5). */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/**
 * HTTP status codes of faults that the transport reports (interface, decision 5). All others are sent with
 * 200.
 */
const statuses: Partial<Record<FaultCode, number>> = {
  UNAUTHORIZED: 401,
  HOST_REFUSED: 403,
  ORIGIN_REFUSED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BODY_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  TOO_MANY_REQUESTS: 429,
  BUSY: 503,
  STOPPING: 503,
};

/** Decision 3. */
const CHALLENGE = 'Basic realm="stellwerk", charset="UTF-8"';

const extraHeaders: Partial<Record<FaultCode, readonly [string, string]>> = {
  UNAUTHORIZED: ['WWW-Authenticate', CHALLENGE],
  METHOD_NOT_ALLOWED: ['Allow', 'GET, HEAD, POST, OPTIONS'],
  TOO_MANY_REQUESTS: ['Retry-After', '30'],
  BUSY: ['Retry-After', '5'],
  STOPPING: ['Retry-After', '5'],
};

/**
 * Whether a request with these headers comes from a script in a browser. A challenge would make the browser
 * show a dialog of its own.
 */
export function isFromScript(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode'];
  const isPage = mode === undefined || mode === 'navigate';
  return !isPage || headers.origin !== undefined || headers['sec-websocket-key'] !== undefined;
}

/** The fault to report for something that was thrown. */
export function faultOf(thrown: unknown): Fault {
  return thrown instanceof Fault ? thrown : fault(isAbort(thrown) ? 'STOPPING' : 'INTERNAL');
}

/** How long a client should wait after a fault, seconds; undefined if waiting does not help. */
export function retryAfterS({ code }: Fault): number | undefined {
  const [name, value] = extraHeaders[code] ?? [];
  return name === 'Retry-After' ? Number(value) : undefined;
}

/**
 * The response to a request with these headers that is rejected as a unit. A fault without a status of its own
 * becomes a 503.
 */
export function errorResponse(thrown: unknown, headers: IncomingHttpHeaders = {}): ErrorResponse {
  const failure = faultOf(thrown);
  const extra =
    failure.code === 'UNAUTHORIZED' && isFromScript(headers) ? undefined : extraHeaders[failure.code];
  return {
    status: statuses[failure.code] ?? 503,
    headers: [['Content-Type', 'application/json'], ...(extra === undefined ? [] : [extra])],
    body: errorText('null', failure),
  };
}

/** The response to a request that is not HTTP or exceeds a limit of the parser. */
export function badRequest(status: number, why: string | Fault): ErrorResponse {
  const body = errorText('null', typeof why === 'string' ? fault('INVALID_REQUEST', why) : why);
  return { status, headers: [['Content-Type', 'application/json']], body };
}

/**
 * How long a rejected client may continue to send before the connection is closed, ms: closed immediately, it
 * would not see the response.
 */
export const LINGER_MS = 1000;

/** Sends an error response on a socket without a `ServerResponse`, and closes the connection. */
export function endWithError(socket: Duplex, response: ErrorResponse, clock: Pick<Clock, 'after'>): void {
  socket.end(rawResponse(response));
  const cancel = clock.after(LINGER_MS, () => socket.destroy());
  socket
    .on('end', () => socket.destroy())
    .on('close', cancel)
    .resume();
}

function rawResponse({ status, headers, body }: ErrorResponse): string {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
