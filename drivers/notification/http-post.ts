import { coded } from '../../src/base/codes/coded-text.js';
import { DeliveryError } from './delivery-error.js';
import type { DeliveryRoute } from './delivery-route.js';
import type { HttpMessage } from './services.js';

/** More of a reply is not read; only its status counts. */
const REPLY_LIMIT = 64 * 1024;

/**
 * Posts JSON and resolves when the server has accepted it. Rejects with a `DeliveryError` if it has not, or
 * with the network's error. A redirect is not followed: the message and the login are for the configured server.
 */
export async function postJson({ url, headers, body }: HttpMessage, route: DeliveryRoute): Promise<void> {
  // Not imported: src/api/http/node-http.ts says why.
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  const payload = Buffer.from(JSON.stringify(body));
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent: false,
        headers: { 'Content-Type': 'application/json', 'Content-Length': payload.length, ...headers },
        lookup: route.lookup,
        signal: route.signal,
        ...(route.ca === undefined ? {} : { ca: route.ca }),
      },
      (reply) => {
        let size = 0;
        reply.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > REPLY_LIMIT) reply.destroy();
        });
        reply.on('close', () => resolve(reply.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
  const error = statusError(status);
  if (error !== undefined) throw error;
}

function statusError(status: number): DeliveryError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400)
    return new DeliveryError(
      coded`SERVER_REDIRECTS: the server redirects to another address (${status}); set Url to that address`,
    );
  if (status === 401 || status === 403)
    return new DeliveryError(
      coded`SERVER_REJECTED_LOGIN: the server rejected the login (${status}); correct UserName and Password`,
    );
  // RFC 9110 §15.5.9, RFC 6585 §4: the same request may succeed later.
  if (status === 408 || status === 429 || status >= 500)
    return new DeliveryError(coded`SERVER_BUSY: the server replied with status ${status}`, 'temporary');
  return new DeliveryError(
    coded`SERVER_REJECTED_MESSAGE: the server rejected the message (${status}); correct Url and Recipient`,
  );
}
