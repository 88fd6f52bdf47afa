import type { IncomingMessage } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { isUtf8 } from 'node:buffer';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../base/clock.js';
import { fault, faultFrom, isAbort, messageOf } from '../base/fault.js';
import type { FetchRequest } from '../base/fetch-request.js';
import type { NameResolver } from '../device/toolkit/name-resolver.js';

/** Loaded without the module loader, as in `api/http/node-http.ts`, which says why. */
const { request: requestPlainly } = process.getBuiltinModule('node:http');

/** Limit of a response's body, bytes: it is held in memory and passed on as one text. */
export const CONTENT_LIMIT = 10 * 1024 * 1024;
/** The usual limit of browsers. */
const REDIRECTS_LIMIT = 10;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];

/**
 * The content that a URL replies with. Rejects with `URL_FAILED`, `TIMED_OUT`, `TEXT_TOO_LONG`. Text that is
 * no UTF-8 comes with one character a byte (interface, decision 20).
 */
export async function fetchText(
  what: FetchRequest,
  { clock, names }: { readonly clock: Pick<Clock, 'after'>; readonly names: NameResolver },
): Promise<string> {
  let url = parsed(what.url);
  const { host } = url;
  const stop = new AbortController();
  const cancel = clock.after(what.timeoutMs, () => stop.abort(fault('TIMED_OUT', `The answer of ${host}`)));
  try {
    let asking = what;
    for (let hops = 0; hops <= REDIRECTS_LIMIT; hops++) {
      const answer = await ask(url, asking, { signal: stop.signal, lookup: names.lookup });
      const { statusCode = 0, statusMessage, headers } = answer;
      if (!REDIRECTS.includes(statusCode) || headers.location === undefined) {
        if (statusCode >= 200 && statusCode < 300) return await textOf(answer);
        answer.destroy();
        throw fault('URL_FAILED', `${url.host} answers ${statusCode} ${statusMessage ?? ''}`.trimEnd());
      }
      answer.destroy();
      const next = parsed(headers.location, url);
      if (statusCode === 303 || (statusCode < 303 && asking.method === 'POST')) asking = asGet(asking);
      if (next.origin !== url.origin && asking.body !== undefined)
        throw fault('URL_FAILED', `${url.host} redirects to another host, which is not sent the body`);
      // After a redirect to another origin, neither credentials nor headers of the first request are sent.
      if (next.origin !== url.origin) asking = { ...without(asking), headers: {} };
      url = next;
    }
    throw fault('URL_FAILED', `${host} redirects again and again`);
  } catch (thrown) {
    if (stop.signal.aborted) throw stop.signal.reason;
    throw thrown;
  } finally {
    cancel();
  }
}

/** As in browsers: the redirect after a POST is a GET (RFC 9110 §15.4). */
function asGet({ body: _, ...rest }: FetchRequest): FetchRequest {
  const headers = Object.entries(rest.headers).filter(([name]) => !/^content-/i.test(name));
  const method = rest.method === 'HEAD' ? 'HEAD' : 'GET';
  return { ...rest, method, headers: Object.fromEntries(headers) };
}

function without({ login: _, ...rest }: FetchRequest): FetchRequest {
  return rest;
}

/** Errors never contain the text of a URL: it may contain a password. */
function parsed(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw fault('URL_FAILED', 'it is no URL');
  const url = new URL(text, base?.href);
  if (!['http:', 'https:'].includes(url.protocol))
    throw fault('URL_FAILED', `${url.protocol} is none of http: and https:`);
  return url;
}

type AskOptions = { readonly signal: AbortSignal; readonly lookup: LookupFunction };

function ask(url: URL, what: FetchRequest, { signal, lookup }: AskOptions): Promise<IncomingMessage> {
  const { method, body, headers, login, verifyPeer, verifyHost } = what;
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

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      length += part.length;
      // Leaving the loop destroys what is left of the answer.
      if (length > CONTENT_LIMIT) throw fault('TEXT_TOO_LONG', 'The answer', CONTENT_LIMIT);
      parts.push(part);
    }
  } catch (thrown) {
    const isOurs = isAbort(thrown) || length > CONTENT_LIMIT;
    throw isOurs ? thrown : faultFrom(thrown, 'URL_FAILED', messageOf(thrown));
  }
  const bytes = Buffer.concat(parts);
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}
