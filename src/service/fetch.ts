import { coded } from '../base/codes/coded-text.js';
import type { IncomingMessage } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { isUtf8 } from 'node:buffer';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../base/clock.js';
import { fault, faultFrom, isAbort, messageOf } from '../base/fault.js';
import type { FetchRequest } from '../base/requests/fetch-request.js';
import type { NameResolver } from '../device/toolkit/name-resolver.js';

/** Loaded without the module loader; `api/http/node-http.ts` has the reason. */
const { request: requestPlainly } = process.getBuiltinModule('node:http');

/** Limit of a response's body, bytes, which is kept in memory and returned as one text. */
export const CONTENT_LIMIT = 10 * 1024 * 1024;
/** The usual limit of browsers. */
const REDIRECTS_LIMIT = 10;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];

/**
 * Fetches a URL and returns the body of the response. A body that is not UTF-8 is decoded as one character
 * per byte (interface, decision 20). Rejects with `URL_FAILED`, `TIMED_OUT`, `TEXT_TOO_LONG`.
 */
export async function fetchText(
  request: FetchRequest,
  { clock, names }: { readonly clock: Pick<Clock, 'after'>; readonly names: NameResolver },
): Promise<string> {
  let url = parseUrl(request.url);
  const { host } = url;
  const stop = new AbortController();
  const cancel = clock.after(request.timeoutMs, () =>
    stop.abort(fault('TIMED_OUT', coded`WHAT_RESPONSE_OF: The response of ${host}`)),
  );
  try {
    let current = request;
    for (let hops = 0; hops <= REDIRECTS_LIMIT; hops++) {
      const response = await send(url, current, { signal: stop.signal, lookup: names.lookup });
      const { statusCode = 0, statusMessage, headers } = response;
      if (!REDIRECTS.includes(statusCode) || headers.location === undefined) {
        if (statusCode >= 200 && statusCode < 300) return await textOf(response);
        response.destroy();
        throw fault('URL_FAILED', `${url.host} returned ${statusCode} ${statusMessage ?? ''}`.trimEnd());
      }
      response.destroy();
      const next = parseUrl(headers.location, url);
      if (statusCode === 303 || (statusCode < 303 && current.method === 'POST')) current = asGet(current);
      if (next.origin !== url.origin && current.body !== undefined)
        throw fault(
          'URL_FAILED',
          coded`REDIRECTS_ANOTHER_HOST_WHICH: ${url.host} redirects to another host, to which the body is not sent`,
        );
      // Credentials and headers of the first request are not sent to another origin.
      if (next.origin !== url.origin) current = { ...withoutLogin(current), headers: {} };
      url = next;
    }
    throw fault(
      'URL_FAILED',
      coded`REDIRECTS_MORE_THAN_TIMES: ${host} redirects more than ${REDIRECTS_LIMIT} times`,
    );
  } catch (thrown) {
    if (stop.signal.aborted) throw stop.signal.reason;
    throw thrown;
  } finally {
    cancel();
  }
}

/** As in browsers, the request after a redirected POST is a GET (RFC 9110 §15.4). */
function asGet({ body: _, ...rest }: FetchRequest): FetchRequest {
  const headers = Object.entries(rest.headers).filter(([name]) => !/^content-/i.test(name));
  const method = rest.method === 'HEAD' ? 'HEAD' : 'GET';
  return { ...rest, method, headers: Object.fromEntries(headers) };
}

function withoutLogin({ login: _, ...rest }: FetchRequest): FetchRequest {
  return rest;
}

/** Errors never contain the URL, because it may contain a password. */
function parseUrl(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw fault('URL_FAILED', coded`NOT_URL: it is not a URL`);
  const url = new URL(text, base?.href);
  if (!['http:', 'https:'].includes(url.protocol))
    throw fault('URL_FAILED', coded`NEITHER_HTTP_NOR_HTTPS: ${url.protocol} is neither http: nor https:`);
  return url;
}

type SendOptions = { readonly signal: AbortSignal; readonly lookup: LookupFunction };

function send(url: URL, fetching: FetchRequest, { signal, lookup }: SendOptions): Promise<IncomingMessage> {
  const { method, body, headers, login, verifyPeer, verifyHost } = fetching;
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const type = body === undefined || hasType ? {} : { 'Content-Type': 'text/plain; charset=utf-8' };
  const options = {
    method,
    headers: { 'User-Agent': 'stellwerk', ...type, ...headers },
    ...(login && { auth: `${login.username}:${login.password}` }),
    // A separate connection, closed after the response.
    agent: false,
    signal,
    lookup,
    rejectUnauthorized: verifyPeer,
    ...(verifyHost ? {} : { checkServerIdentity: () => undefined }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestSecurely(url, options) : requestPlainly(url, options);
    request.once('response', resolve);
    request.on('error', (thrown) =>
      reject(isAbort(thrown) ? thrown : faultFrom(thrown, 'URL_FAILED', messageOf(thrown))),
    );
    request.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      length += part.length;
      // Leaving the loop destroys the response.
      if (length > CONTENT_LIMIT)
        throw fault('TEXT_TOO_LONG', coded`WHAT_RESPONSE: The response`, CONTENT_LIMIT, 'bytes');
      parts.push(part);
    }
  } catch (thrown) {
    const isOurs = isAbort(thrown) || length > CONTENT_LIMIT;
    throw isOurs ? thrown : faultFrom(thrown, 'URL_FAILED', messageOf(thrown));
  }
  const bytes = Buffer.concat(parts);
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}
