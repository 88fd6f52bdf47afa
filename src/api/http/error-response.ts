import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { Fault, fault, isAbort, type FaultCode } from '../../base/fault.js';
import { STATUS_CODES } from './node-http.js';
import { errorText } from '../rpc/rpc.js';

/** An HTTP answer that carries no result (decision 5). */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Decision 5: what is refused by the transport, and by which status. Everything else is 200. */
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

/** The answer to a request that is refused as a whole. Whatever is thrown without a status of its own is a 503. */
export function errorResponse(thrown: unknown): ErrorResponse {
  const given = thrown instanceof Fault ? thrown : fault(isAbort(thrown) ? 'STOPPING' : 'INTERNAL');
  const extra = extraHeaders[given.code];
  return {
    status: statuses[given.code] ?? 503,
    headers: [['Content-Type', 'application/json'], ...(extra === undefined ? [] : [extra])],
    body: errorText('null', given),
  };
}

/** The refusal of a request that is no HTTP, or breaks a limit of the parser. */
export function badRequest(status: number, why: string): ErrorResponse {
  const body = errorText('null', fault('INVALID_REQUEST', why));
  return { status, headers: [['Content-Type', 'application/json']], body };
}

/** How long a client that was refused may go on sending before it is cut off, ms: cut at once, it would not see why. */
export const LINGER_MS = 1000;

/** Sends a refusal over a socket that no HTTP answer object stands before, and ends the connection. */
export function endWithError(socket: Duplex, refusal: ErrorResponse, clock: Pick<Clock, 'after'>): void {
  socket.end(rawAnswer(refusal));
  const cancel = clock.after(LINGER_MS, () => socket.destroy());
  socket
    .on('end', () => socket.destroy())
    .on('close', cancel)
    .resume();
}

function rawAnswer({ status, headers, body }: ErrorResponse): string {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
