import { fault } from '../../src/base/fault.js';
import { encodeLatin1 } from '../../src/device/toolkit/latin1.js';

/** So many answers can be set, and so much may stand in one. */
export const REPLIES_LIMIT = 100;
export const REPLY_BYTES_LIMIT = 64 * 1024;

/** The beginning of a request of HTTP/1 (RFC 9112 §3), its head complete. */
const REQUEST = /^([A-Z]+) (\S+) HTTP\/1\.[01]\r\n(?:[^]*?\r\n)?\r\n/;

/** An event of an event stream (HTML §9.2.6); empty fields are left out. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  readonly retry: string;
  readonly id: string;
}

/** What a web server would answer those who ask over the stream, as far as it was set. */
export class HttpReplies {
  readonly #answers = new Map<string, Buffer>();

  /** Sets the answer to one kind of request, in place of an earlier one. Throws `PARAMETER_BOUNDS`, `TEXT_TOO_LONG`, `BUSY`. */
  set(route: string, method: string, data: string): void {
    if (!/^\/\S*$/.test(route)) throw fault('PARAMETER_BOUNDS', 'Route');
    if (!/^[A-Za-z]+$/.test(method)) throw fault('PARAMETER_BOUNDS', 'Method');
    const body = encodeLatin1(data);
    if (body.length > REPLY_BYTES_LIMIT) throw fault('TEXT_TOO_LONG', 'Data', REPLY_BYTES_LIMIT);
    const key = `${method.toUpperCase()} ${route}`;
    if (!this.#answers.has(key) && this.#answers.size >= REPLIES_LIMIT)
      throw fault('BUSY', `${REPLIES_LIMIT} answers are set already`);
    this.#answers.set(key, httpReply('200 OK', body));
  }

  /** The answer to what was sent; undefined when that is no request, or no answer was ever set. */
  find(sent: string): Buffer | undefined {
    if (this.#answers.size === 0) return undefined;
    const [, method = '', route = ''] = REQUEST.exec(sent) ?? [];
    if (method === '') return undefined;
    return this.#answers.get(`${method} ${route}`) ?? httpReply('404 Not Found', Buffer.alloc(0));
  }
}

function httpReply(status: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\n\r\n`), body]);
}

/** An event as it goes over the wire, in UTF-8. Throws `PARAMETER_BOUNDS` for what would be another event there. */
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
