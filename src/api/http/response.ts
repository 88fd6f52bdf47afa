import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { JsonChunks } from '../../base/json-chunks.js';
import { yieldToEventLoop } from '../../base/event-loop.js';

/** The headers with which an origin's pages may read a reply (CORS). */
export function corsHeaders(origin: string): readonly (readonly [string, string])[] {
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Vary', 'Origin'],
  ];
}

/** Sends a JSON text as the reply. */
export function sendText(response: ServerResponse, text: string, cors: string | undefined): void {
  const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))];
  if (cors !== undefined) headers.push(...corsHeaders(cors).flat());
  response.writeHead(200, headers).end(text);
}

/** Sends a JSON reply in chunks, one per turn of the event loop and no faster than the client reads. */
export async function sendChunks(
  response: ServerResponse,
  chunks: JsonChunks,
  cors: string | undefined,
): Promise<void> {
  try {
    response.writeHead(200, {
      'Content-Type': 'application/json',
      ...(cors !== undefined && Object.fromEntries(corsHeaders(cors))),
    });
    for (let chunk = chunks.next(); chunk !== undefined; chunk = chunks.next()) {
      if (!response.write(chunk)) await drained(response);
      if (response.destroyed || response.closed) return;
      await yieldToEventLoop();
    }
    response.end();
  } catch {
    // The response has begun: closing the connection shows the client that it is incomplete.
    response.destroy();
  } finally {
    chunks.close();
  }
}

/** Resolves at the next `drain` or `close` of the stream; immediately if it is closed already. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.closed) return resolve();
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}
