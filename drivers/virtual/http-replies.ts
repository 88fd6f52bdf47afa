import { coded } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';
import { encodeLatin1 } from '../../src/device/toolkit/latin1.js';

/** Limit of configured replies, and of the body of a reply. */
export const REPLIES_LIMIT = 100;
export const REPLY_BYTES_LIMIT = 64 * 1024;

/** The start of an HTTP/1 request (RFC 9112 §3) with a complete header section. */
const REQUEST = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n(?:[^]*?\r\n)?\r\n/;

/** A server-sent event (HTML §9.2.6); empty fields are omitted. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  readonly retry: string;
  readonly id: string;
}

/** Replies of a simulated web server on the stream. */
export class HttpReplies {
  readonly #replies = new Map<string, Buffer>();

  /** Sets or replaces the reply to a route and method. Throws `PARAMETER_BOUNDS`, `TEXT_TOO_LONG`, `BUSY`. */
  set(route: string, method: string, data: string): void {
    if (!/^\/\S*$/.test(route)) throw fault('PARAMETER_BOUNDS', 'Route');
    if (!/^[A-Za-z]+$/.test(method)) throw fault('PARAMETER_BOUNDS', 'Method');
    const body = encodeLatin1(data);
    if (body.length > REPLY_BYTES_LIMIT) throw fault('TEXT_TOO_LONG', 'Data', REPLY_BYTES_LIMIT, 'bytes');
    const key = `${method.toUpperCase()} ${route}`;
    if (!this.#replies.has(key) && this.#replies.size >= REPLIES_LIMIT)
      throw fault('BUSY', coded`REPLIES_ALREADY_SET: ${REPLIES_LIMIT} replies are already set`);
    this.#replies.set(key, httpReply('200 OK', body));
  }

  /** The reply to sent data; undefined if it is not a request, or no reply was ever set. */
  find(sent: string): Buffer | undefined {
    if (this.#replies.size === 0) return undefined;
    const [, method = '', route = ''] = REQUEST.exec(sent) ?? [];
    if (method === '') return undefined;
    return this.#replies.get(`${method} ${route}`) ?? httpReply('404 Not Found', Buffer.alloc(0));
  }
}

function httpReply(status: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n`), body]);
}

/** Encodes an event in UTF-8. Throws `PARAMETER_BOUNDS` for fields that would start another event. */
export function encodeEvent({ event, data, retry, id }: ServerSentEvent): Buffer {
  if (/[\r\n]/.test(event)) throw fault('PARAMETER_BOUNDS', 'Event');
  if (!/^\d*$/.test(retry)) throw fault('PARAMETER_BOUNDS', 'Retry');
  if (/[\r\n\0]/.test(id)) throw fault('PARAMETER_BOUNDS', 'ID');
  const fields = [
    ['id', id],
    ['event', event],
    ['retry', retry],
  ].filter(([, value]) => value !== '');
  const lines = data.split(/\r\n|\r|\n/).map((line) => ['data', line]);
  return Buffer.from(`${[...fields, ...lines].map((pair) => pair.join(': ')).join('\n')}\n\n`);
}
